#include "datasets/text_input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/log.h"

namespace leeway {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

Status copy(int from, int to, const std::string& name, Progress* progress) {
  std::vector<char> piece(kReadBytes);
  for (;;) {
    const ::ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(system_error(name, "read", errno, "check the program that writes to it"));
    if (got == 0) return {};
    if (progress != nullptr) progress->add(static_cast<std::uint64_t>(got));
    for (::ssize_t done = 0; done < got;) {
      const ::ssize_t wrote =
          ::write(to, piece.data() + done, static_cast<std::size_t>(got - done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0)
        return fail(system_error(name, "keep in memory", errno, "write it to a file first"));
      done += wrote;
    }
  }
}

}  // namespace

bool gives_once(const std::filesystem::path& path) {
  if (path == "-") return true;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

Result<SpooledInput> SpooledInput::take(const std::filesystem::path& path, Progress* progress) {
  const bool standard = path == "-";
  std::string name = standard ? "standard input" : path.string();
  const int from = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) {
    return fail(cannot_open(name, errno));
  }
  if (progress != nullptr) progress->start("reading " + name, 0, "bytes");
  SpooledInput spooled(::memfd_create("leeway-input", MFD_CLOEXEC), name);
  Status copied = spooled.file_ >= 0
                      ? copy(from, spooled.file_, name, progress)
                      : fail(system_error(name, "keep in memory", errno, "see ulimit -n"));
  if (!standard) ::close(from);
  if (!copied) return fail(std::move(copied).error());
  return spooled;
}

SpooledInput::~SpooledInput() {
  if (file_ >= 0) ::close(file_);
}

SpooledInput::SpooledInput(SpooledInput&& other) noexcept
    : file_(std::exchange(other.file_, -1)), name_(std::move(other.name_)) {}

SpooledInput& SpooledInput::operator=(SpooledInput&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(name_, other.name_);
  return *this;
}

std::filesystem::path SpooledInput::path() const { return format("/proc/self/fd/{}", file_); }

namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
constexpr std::size_t kSmallestBlock = std::size_t{512} << 10;
constexpr std::size_t kLargestBlock = std::size_t{16} << 20;
constexpr std::size_t kLongestHeaderLine = std::size_t{1} << 20;

/// Length of the well-formed UTF-8 character at `p`, or 0.
std::size_t character_length(const unsigned char* p, std::size_t left) {
  const auto follows = [&](std::size_t i) { return i < left && (p[i] & 0xC0) == 0x80; };
  if (p[0] != 0 && p[0] < 0x80) return 1;
  if (p[0] >= 0xC2 && p[0] <= 0xDF) return follows(1) ? 2 : 0;
  if (p[0] >= 0xE0 && p[0] <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;  // overlong encoding
    if (p[0] == 0xED && p[1] > 0x9F) return 0;  // half of a surrogate pair
    return 3;
  }
  if (p[0] >= 0xF0 && p[0] <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (p[0] == 0xF0 && p[1] < 0x90) return 0;
    if (p[0] == 0xF4 && p[1] > 0x8F) return 0;  // beyond the last character
    return 4;
  }
  return 0;
}

/// True if some byte of the word is 0 or above 0x7F.
bool may_be_invalid(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHighs = 0x8080808080808080u;
  return ((word | (word - kOnes)) & kHighs) != 0;
}

Error not_text(std::string where) {
  return input_error(std::move(where), std::string(kNotText), std::string(kMakeText));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<std::size_t> first_not_text(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word = 0;
    if (at + sizeof word <= text.size()) {
      std::memcpy(&word, bytes + at, sizeof word);
      if (!may_be_invalid(word)) {
        at += sizeof word;
        continue;
      }
    }
    const std::size_t length = character_length(bytes + at, text.size() - at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string TextInput::at(std::uint64_t line) const { return format("{}:{}", name_, line); }

Result<std::size_t> TextInput::pull(char* into, std::size_t room) {
  if (narrowed_) room = std::min<std::uint64_t>(room, stop_ - offset_);
  if (room == 0) return std::size_t{0};
  LEEWAY_ASSIGN(const std::size_t got, source_->read(into, room));
  offset_ += got;
  return got;
}

/// Offset of the first line that begins at `offset` or later.
Result<std::uint64_t> TextInput::line_begin(std::uint64_t offset) {
  if (offset <= body_) return body_;
  LEEWAY_TRY(source_->seek(offset - 1));
  std::vector<char> bytes(kHead);
  for (std::uint64_t at = offset - 1; at < size_;) {
    LEEWAY_ASSIGN(const std::size_t got, source_->read(bytes.data(), bytes.size()));
    if (got == 0) break;
    const void* const end = std::memchr(bytes.data(), '\n', got);
    if (end != nullptr)
      return at + static_cast<std::uint64_t>(static_cast<const char*>(end) - bytes.data()) + 1;
    at += got;
  }
  return size_;
}

Result<bool> TextInput::narrow(const Share& share) {
  const auto size = source_->size();
  if (!size) return false;
  body_ = offset_ - (pending_.size() - begin_);
  size_ = std::max(*size, body_);
  LEEWAY_ASSIGN(first_, line_begin(body_ + share.begin(size_ - body_)));
  LEEWAY_ASSIGN(stop_, line_begin(body_ + share.end(size_ - body_)));
  LEEWAY_TRY(source_->seek(first_));
  pending_.clear();
  begin_ = 0;
  bytes_read_ = 0;
  offset_ = first_;
  ended_ = false;
  narrowed_ = true;
  return true;
}

Result<std::uint64_t> TextInput::lines_before() {
  std::uint64_t lines = line_number_;
  if (!narrowed_) return lines;
  LEEWAY_TRY(source_->seek(body_));
  std::vector<char> bytes(kSmallestBlock);
  for (std::uint64_t at = body_; at < first_;) {
    LEEWAY_ASSIGN(const std::size_t got,
                  source_->read(bytes.data(), std::min<std::uint64_t>(bytes.size(), first_ - at)));
    if (got == 0) break;
    lines += static_cast<std::uint64_t>(std::count(bytes.data(), bytes.data() + got, '\n'));
    at += got;
  }
  return lines;
}

Status TextInput::fill(std::size_t needed) {
  while (!ended_ && pending_.size() - begin_ < needed) {
    const std::size_t have = pending_.size();
    const std::size_t room = std::max(needed - (have - begin_), kHead);
    pending_.resize(have + room);
    auto got = pull(pending_.data() + have, room);
    pending_.resize(have + (got ? *got : 0));
    if (!got) return fail(std::move(got).error());
    bytes_read_ += *got;
    ended_ = *got == 0;
  }
  return {};
}

/// A byte-order mark must not become part of the first name.
Status TextInput::skip_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (std::exchange(begun_, true)) return {};
  LEEWAY_TRY(fill(kMark.size()));
  if (pending_.starts_with(kMark)) begin_ = kMark.size();
  return {};
}

Result<std::string_view> TextInput::head() {
  LEEWAY_TRY(skip_mark());
  LEEWAY_TRY(fill(kHead));
  return std::string_view(pending_).substr(begin_, kHead);
}

Result<std::optional<std::string_view>> TextInput::next_line() {
  LEEWAY_TRY(skip_mark());
  if (begin_ > kLongestHeaderLine) {
    pending_.erase(0, begin_);
    begin_ = 0;
  }
  std::size_t needed = kHead;
  std::size_t end = pending_.find('\n', begin_);
  while (end == std::string::npos && !ended_) {
    if (needed > 2 * kLongestHeaderLine) {
      return fail(input_error(at(line_number_ + 1), "the line is longer than 1 MiB",
                              "check that the file is of this format"));
    }
    LEEWAY_TRY(fill(needed));
    end = pending_.find('\n', begin_);
    needed *= 2;
  }
  if (begin_ == pending_.size()) return std::nullopt;
  line_begin_ = begin_;
  std::string_view line = std::string_view(pending_).substr(begin_, end - begin_);
  begin_ = end == std::string::npos ? pending_.size() : end + 1;
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (first_not_text(line)) return fail(not_text(at(line_number_)));
  return line;
}

void TextInput::unread_line() {
  begin_ = line_begin_;
  --line_number_;
}

Result<bool> TextInput::next_block(TextBlock& block) {
  const std::lock_guard lock(mutex_);
  LEEWAY_TRY(skip_mark());
  std::size_t needed = std::clamp<std::size_t>(bytes_read_ / 64, kSmallestBlock, kLargestBlock);
  std::size_t size = pending_.size() - begin_;
  needed = std::max(needed, size);
  std::size_t whole = 0;  // bytes in complete lines
  block.storage.resize(std::max(block.storage.size(), needed + 1));
  std::copy_n(pending_.data() + begin_, size, block.storage.data());
  for (;;) {
    while (size < needed && !ended_) {
      LEEWAY_ASSIGN(const std::size_t got, pull(block.storage.data() + size, needed - size));
      size += got;
      bytes_read_ += got;
      ended_ = got == 0;
    }
    if (ended_) {
      if (size > 0 && block.storage[size - 1] != '\n') block.storage[size++] = '\n';
      whole = size;
      break;
    }
    const void* last = ::memrchr(block.storage.data(), '\n', size);
    if (last != nullptr) {
      whole = static_cast<std::size_t>(static_cast<const char*>(last) - block.storage.data()) + 1;
      break;
    }
    needed *= 2;
    block.storage.resize(needed + 1);
  }
  pending_.assign(block.storage.data() + whole, size - whole);
  begin_ = 0;
  block.text = {block.storage.data(), whole};
  if (whole == 0) return false;
  block.index = next_index_++;
  return true;
}

}  // namespace leeway
