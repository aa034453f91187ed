// Zip archives as NumPy writes them: entries stored or deflated, none encrypted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/byte_stream.h"

namespace leeway {

/// An archive in memory; `bytes` outlive it.
class ZipArchive {
 public:
  static Result<ZipArchive> open(std::string_view bytes, std::string name);

  [[nodiscard]] bool has(std::string_view entry) const { return find(entry) != nullptr; }
  [[nodiscard]] std::vector<std::string_view> entries() const;
  /// Unpacked, its checksum checked. An Input error if there is none of that name.
  Result<std::string> read(std::string_view entry) const;

 private:
  struct Entry {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t packed = 0, size = 0, offset = 0;
  };
  ZipArchive(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  [[nodiscard]] const Entry* find(std::string_view entry) const;
  Status read_directory();

  std::string_view bytes_;
  std::string name_;
  std::vector<Entry> entries_;
};

/// Writes an archive, entry after entry, none packed: arrays of numbers hardly shrink.
class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}
  /// The content in pieces, one after the other.
  Status add(std::string_view name, const std::vector<std::string_view>& pieces);
  /// The list of what the archive holds. The sink is not finished.
  Status finish();

 private:
  Status put(std::string_view bytes);

  ByteSink& sink_;
  std::uint64_t written_ = 0;
  std::uint64_t entries_ = 0;
  std::string directory_;
};

}  // namespace leeway
