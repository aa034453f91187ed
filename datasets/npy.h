// NumPy's .npy arrays: a header in words, then numbers as they lie in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"

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

}  // namespace leeway
