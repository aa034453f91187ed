// A text file taken apart for parsing: its first lines one by one, the rest in blocks of whole
// lines that several threads may fetch and parse side by side. CRLF and a missing last newline are
// fine; text that is not UTF-8 is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/edge_list.h"

namespace leeway {

/// Whole lines, each ending in '\n'. Reuse one to reuse its memory.
struct TextBlock {
  std::size_t index = 0;  ///< blocks count from 0 in file order
  std::string_view text;
  std::vector<char> storage;
};

class TextInput {
 public:
  TextInput(std::string name, std::unique_ptr<ByteSource> source)
      : name_(std::move(name)), source_(std::move(source)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The first 64 KiB (less if the file is shorter), for guessing formats. Before anything else.
  Result<std::string_view> head();

  /// The next line without its end, or nothing at the end of the file. Valid until the next call.
  /// One thread, before the first block is taken.
  Result<std::optional<std::string_view>> next_line();
  /// The last line will be given again, by `next_line` or as the start of the first block.
  void unread_line();
  [[nodiscard]] std::uint64_t line_number() const { return line_number_; }

  /// False at the end. Thread-safe.
  Result<bool> next_block(TextBlock& block);
  /// Bytes of text handed out or held so far.
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

  /// "name:line".
  [[nodiscard]] std::string at(std::uint64_t line) const;

 private:
  Status fill(std::size_t wanted);  // until so many bytes are pending, or the end

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::mutex mutex_;
  std::string pending_;
  std::size_t begin_ = 0;       // of what is still to be given out
  std::size_t line_begin_ = 0;  // of the last line given out
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::size_t next_index_ = 0;
  bool ended_ = false;
};

/// The offset of the first byte that is not UTF-8 (or is NUL), if there is one.
[[nodiscard]] std::optional<std::size_t> first_not_text(std::string_view text);

}  // namespace leeway
