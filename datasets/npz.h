// NumPy's .npy arrays: a header in words, then numbers as they lie in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/byte_stream.h"
#include "leeway/result.h"

namespace leeway {

/// The header of an array in C order; `type` as NumPy writes it: "<f8", "<i8", "<U12", "|S3".
[[nodiscard]] std::string npy_header(std::string_view type,
                                     const std::vector<std::uint64_t>& shape);

/// An array of at most one dimension, taken from a file's bytes, which it owns.
class NpyArray {
 public:
  /// `name` is for messages.
  static Result<NpyArray> parse(std::string bytes, std::string name);

  [[nodiscard]] std::uint64_t size() const { return count_; }
  /// Whether its numbers are whole by their type.
  [[nodiscard]] bool is_whole() const { return kind_ != 'f'; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// As numbers. Requires place < size(), and that check_numbers found them.
  [[nodiscard]] double real(std::uint64_t place) const;
  [[nodiscard]] std::int64_t whole(std::uint64_t place) const;
  /// An Input error unless it holds numbers, whole ones if `whole`.
  Status check_numbers(bool whole) const;
  /// A text of letters below 128; empty if it is none.
  [[nodiscard]] std::string text() const;

 private:
  std::string bytes_, name_;
  std::size_t begin_ = 0;  // of the numbers
  std::uint64_t count_ = 0;
  char kind_ = 'f';
  std::size_t item_ = 8;  // bytes
};

// Zip archives as NumPy writes them: entries stored or deflated, none encrypted.

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
