// A mapped .lwg file whose header has been found sound: sections are where the header says, of the sizes
// its counts demand. What is inside a section is only trusted after `check`. Not for use outside
// binary*.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "leeway/base/array.h"
#include "leeway/base/result.h"
#include "leeway/datasets/binary_format.h"

namespace leeway {

/// Immutable; safe to read from any thread. Kept alive by the arrays that view it.
class BinaryFile : public std::enable_shared_from_this<BinaryFile> {
 public:
  static Result<std::shared_ptr<const BinaryFile>> open(const std::string& path);
  ~BinaryFile();
  BinaryFile(const BinaryFile&) = delete;
  BinaryFile& operator=(const BinaryFile&) = delete;

  [[nodiscard]] const binary_format::Header& header() const { return header_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  template <class T>
  [[nodiscard]] std::span<const T> values(binary_format::Section section) const {
    const auto all = bytes(section);
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }
  /// `count` values from `first` on, which live as long as the array does.
  template <class T>
  [[nodiscard]] Array<T> view(binary_format::Section section, std::size_t first,
                              std::size_t count) const {
    return Array<T>::view(values<T>(section).subspan(first, count), shared_from_this());
  }
  template <class T>
  [[nodiscard]] Array<T> view(binary_format::Section section) const {
    return view<T>(section, 0, values<T>(section).size());
  }

  /// Verifies values [first, last) of a section: the checksums of the blocks they lie in, and that each
  /// is possible (offsets ascend and stay within their array, vertices exist, weights are finite).
  template <class T>
  [[nodiscard]] Status check(binary_format::Section section, std::uint64_t first,
                             std::uint64_t last, unsigned threads) const {
    return check_bytes(section, first * sizeof(T), last * sizeof(T), threads);
  }
  [[nodiscard]] Status check(binary_format::Section section, unsigned threads) const {
    return check_bytes(section, 0, bytes(section).size(), threads);
  }
  [[nodiscard]] Error damaged(std::string_view what) const;

 private:
  explicit BinaryFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] std::span<const std::byte> bytes(binary_format::Section section) const;
  Status map();
  Status read_table(std::span<const std::byte> page);
  [[nodiscard]] Status check_sizes() const;
  [[nodiscard]] Status check_bytes(binary_format::Section section, std::uint64_t begin,
                                   std::uint64_t end, unsigned threads) const;
  [[nodiscard]] bool possible(binary_format::Section section, std::uint64_t begin,
                              std::uint64_t end) const;

  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t first_checksum = 0;  ///< index of its first block in the Checksums section
  };
  std::string path_;
  binary_format::Header header_{};
  std::array<Extent, binary_format::kSectionKinds + 1> places_{};
  const std::byte* memory_ = nullptr;
};

}  // namespace leeway
