// NumPy's .npy arrays (a text header, then raw numbers) and the zip archives (.npz) that hold them: parsing and writing.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datasets/byte_stream.h"

namespace leeway {

/// Appends a number in memory representation.
template <class Number>
void append_raw(std::string& bytes, Number value) {
  std::array<char, sizeof value> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  bytes.append(raw.data(), raw.size());
}

/// The header of an array in C order. `type` uses NumPy's notation: "<f8", "<i8", "<U12", "|S3".
[[nodiscard]] std::string npy_header(std::string_view type,
                                     const std::vector<std::uint64_t>& shape);

/// An array of at most one dimension. Owns the bytes of the file.
class NpyArray {
 public:
  /// `name` is for messages.
  static Result<NpyArray> parse(std::string bytes, std::string name);

  [[nodiscard]] std::uint64_t size() const { return count_; }
  /// False for floating point. Requires a successful check_numbers.
  [[nodiscard]] bool is_whole() const { return kind_ != 'f'; }
  [[nodiscard]] bool is_complex() const { return kind_ == 'c'; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Element `place`. Requires place < size() and a successful `check_numbers`, for `whole` check_numbers(true).
  [[nodiscard]] double real(std::uint64_t place) const;
  [[nodiscard]] std::int64_t whole(std::uint64_t place) const;
  /// An Input error unless the elements are numbers (if `whole`: integers).
  Status check_numbers(bool whole) const;
  /// The content of a single ASCII string; empty if the array is anything else.
  [[nodiscard]] std::string text() const;

 private:
  std::string bytes_, name_;
  std::size_t begin_ = 0;  // offset of the first element
  std::uint64_t count_ = 0;
  char kind_ = 'f';
  std::size_t item_bytes_ = 8;
};

/// A zip archive in memory as NumPy writes it: entries are stored or deflated, and not encrypted. `bytes` must outlive it.
class ZipArchive {
 public:
  static Result<ZipArchive> open(std::string_view bytes, std::string name);

  [[nodiscard]] bool has(std::string_view entry) const { return find(entry) != nullptr; }
  [[nodiscard]] std::vector<std::string_view> entries() const;
  /// The unpacked content of an entry; its checksum is verified. An Input error if there is no such entry.
  Result<std::string> read(std::string_view entry) const;

 private:
  struct ZipEntry {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t packed = 0, size = 0, offset = 0;
  };
  ZipArchive(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  [[nodiscard]] const ZipEntry* find(std::string_view entry) const;
  Status read_directory();

  std::string_view bytes_;
  std::string name_;
  std::vector<ZipEntry> entries_;
};

/// Writes an archive of uncompressed entries: arrays of numbers compress poorly.
class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}
  /// Adds an entry whose content is the concatenation of `pieces`.
  Status add(std::string_view name, const std::vector<std::string_view>& pieces);
  /// Writes the central directory. Does not finish the sink.
  Status finish();

 private:
  Status put(std::string_view bytes);

  ByteSink& sink_;
  std::uint64_t written_ = 0;
  std::uint64_t entries_ = 0;
  std::string directory_;
};

}  // namespace leeway
