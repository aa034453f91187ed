// What can be read once only - a pipe, a terminal, standard input - as a file that can be read again: readers
// look at a file's beginning before they read it, map it, or read it twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/build_graph.h"
#include "datasets/byte_stream.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

class Progress;

/// Whether `path` is "-", standard input, or no regular file and no folder.
[[nodiscard]] bool gives_once(const std::filesystem::path& path);

/// All of it, in memory, under a path that lasts as long as this. Move-only.
class SpooledInput {
 public:
  /// Blocks until the writer has closed its end.
  static Result<SpooledInput> take(const std::filesystem::path& path, Progress* progress);
  ~SpooledInput();
  SpooledInput(SpooledInput&& other) noexcept;
  SpooledInput& operator=(SpooledInput&& other) noexcept;

  [[nodiscard]] std::filesystem::path path() const;
  /// For messages: what the user called it.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  SpooledInput(int file, std::string name) : file_(file), name_(std::move(name)) {}

  int file_ = -1;
  std::string name_;
};

// A text file taken apart for parsing: its first lines one by one, the rest in blocks of whole
// lines that several threads may fetch and parse side by side. CRLF, a byte-order mark and a missing last
// newline are fine; text that is not UTF-8 is refused.

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

  /// From here on only the lines that begin in this share of what is left are given, as blocks. False, and nothing
  /// is changed, for a source that only runs on. One thread, before the first block is taken.
  Result<bool> narrow(const Share& share);
  /// How many lines stand before those that are given as blocks; counts them where the input was narrowed.
  Result<std::uint64_t> lines_before();

  /// False at the end. Thread-safe.
  Result<bool> next_block(TextBlock& block);
  /// Bytes of text handed out or held so far; of all the file, if the input was narrowed.
  [[nodiscard]] std::uint64_t bytes_read() const { return narrowed_ ? size_ : bytes_read_; }

  /// "name:line".
  [[nodiscard]] std::string at(std::uint64_t line) const;

 private:
  Status fill(std::size_t wanted);  // until so many bytes are pending, or the end
  Status skip_mark();               // before anything is given out
  Result<std::size_t> pull(char* into, std::size_t room);
  Result<std::uint64_t> line_begin(std::uint64_t offset);

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
  bool begun_ = false;
  std::uint64_t offset_ = 0;  // in the source, of what it gives next
  // Of an input that was narrowed.
  bool narrowed_ = false;
  std::uint64_t size_ = 0;   // of the source
  std::uint64_t body_ = 0;   // where the lines that are shared out begin
  std::uint64_t first_ = 0;  // the share's first line
  std::uint64_t stop_ = 0;   // behind its last
};

/// Without the blanks at both ends, or the CR of a line.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The offset of the first byte that is not UTF-8 (or is NUL), if there is one.
[[nodiscard]] std::optional<std::size_t> first_not_text(std::string_view text);

}  // namespace leeway
