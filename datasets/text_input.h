// Text input: a copy in memory of an input that can be read only once (a pipe or standard input), and a text file that is
// read line by line and then in blocks of whole lines by several threads.
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

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"

namespace leeway {

class Progress;

/// True if `path` can be read only once: "-" (standard input), or neither a regular file nor a folder.
[[nodiscard]] bool gives_once(const std::filesystem::path& path);

/// The content of such an input in memory, under a path that is valid during the lifetime of this object. Readers need
/// it because they examine the beginning of a file first, map it, or read it twice. Move-only.
class SpooledInput {
 public:
  /// Blocks until the writer has closed its end.
  static Result<SpooledInput> take(const std::filesystem::path& path, Progress* progress);
  ~SpooledInput();
  SpooledInput(SpooledInput&& other) noexcept;
  SpooledInput& operator=(SpooledInput&& other) noexcept;

  [[nodiscard]] std::filesystem::path path() const;
  /// The name that the user gave, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  SpooledInput(int file, std::string name) : file_(file), name_(std::move(name)) {}

  int file_ = -1;
  std::string name_;
};

/// Whole lines, each ending in '\n'. Reuse an object to reuse its memory.
struct TextBlock {
  std::size_t index = 0;  ///< blocks count from 0 in file order
  std::string_view text;
  std::vector<char> storage;
};

/// A text file to parse: its first lines one by one, the rest in blocks of whole lines that several threads may fetch and
/// parse in parallel. Accepts CRLF, a byte-order mark and a missing final newline; text that is not UTF-8 is an error.
class TextInput {
 public:
  TextInput(std::string name, std::unique_ptr<ByteSource> source)
      : name_(std::move(name)), source_(std::move(source)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The first 64 KiB (less if the file is shorter), for format detection. Call it before reading lines or blocks.
  Result<std::string_view> head();

  /// The next line without its line end, or nothing at the end of the file. Valid until the next call.
  /// Only from one thread, before the first `next_block`.
  Result<std::optional<std::string_view>> next_line();
  /// The last line is returned again, by `next_line` or as the start of the first block.
  void unread_line();
  [[nodiscard]] std::uint64_t line_number() const { return line_number_; }

  /// Restricts the blocks to the lines that begin in this share of the remaining bytes. Returns false and changes nothing
  /// if the source is not seekable. Only from one thread, before the first `next_block`.
  Result<bool> narrow(const Share& share);
  /// Number of lines before the first block; reads the file up to there if the input was narrowed.
  Result<std::uint64_t> lines_before();

  /// Fetches the next block; false at the end. Thread-safe; blocks while another thread reads.
  Result<bool> next_block(TextBlock& block);
  /// Bytes of text read so far; if the input was narrowed, the size of the whole file.
  [[nodiscard]] std::uint64_t bytes_read() const { return narrowed_ ? size_ : bytes_read_; }

  /// "name:line".
  [[nodiscard]] std::string at(std::uint64_t line) const;

 private:
  Status fill(std::size_t needed);  // reads until `needed` bytes are pending, or to the end
  Status skip_mark();               // skips a byte-order mark at the first call
  Result<std::size_t> pull(char* into, std::size_t room);
  Result<std::uint64_t> line_begin(std::uint64_t offset);

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::mutex mutex_;
  std::string pending_;
  std::size_t begin_ = 0;       // offset in pending_ of the unread bytes
  std::size_t line_begin_ = 0;  // offset in pending_ of the last line
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::size_t next_index_ = 0;
  bool ended_ = false;
  bool begun_ = false;
  std::uint64_t offset_ = 0;  // of the next read in the source
  // Used only if the input was narrowed.
  bool narrowed_ = false;
  std::uint64_t size_ = 0;   // of the source
  std::uint64_t body_ = 0;   // offset of the lines that are divided into shares
  std::uint64_t first_ = 0;  // offset of the share's first line
  std::uint64_t stop_ = 0;   // end of the share
};

/// The text without blanks, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The offset of the first byte that is not UTF-8 (or is NUL), if there is one.
[[nodiscard]] std::optional<std::size_t> first_not_text(std::string_view text);
inline constexpr std::string_view kNotText = "this is not UTF-8 text";
inline constexpr std::string_view kMakeText =
    "convert it, as in iconv -f latin1 -t utf-8, or name the format if it is binary";

}  // namespace leeway
