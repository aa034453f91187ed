#include "leeway/datasets/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/progress.h"
#include "leeway/base/unfinished_file.h"
#include "leeway/datasets/codecs.h"
#include "leeway/datasets/overwriting.h"

namespace leeway {

namespace {

constexpr std::size_t kMagicBytes = 6;

class FileSource : public ByteSource {
 public:
  FileSource(int file, std::string name, Progress* progress)
      : file_(file), name_(std::move(name)), progress_(progress) {}
  ~FileSource() override { ::close(file_); }
  Result<std::size_t> read(char* into, std::size_t room) override {
    for (;;) {
      const ::ssize_t got = ::read(file_, into, room);
      if (got >= 0 && progress_ != nullptr) progress_->add(static_cast<std::uint64_t>(got));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail(system_error(name_, "read", errno, "check the disk"));
    }
  }
  std::optional<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }
  Status seek(std::uint64_t offset) override {
    if (::lseek(file_, static_cast<::off_t>(offset), SEEK_SET) >= 0) return {};
    return fail(system_error(name_, "read", errno, "check the disk"));
  }

 private:
  int file_;
  std::string name_;
  Progress* progress_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes), left_(bytes) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    const std::size_t count = std::min(room, left_.size());
    std::copy_n(left_.data(), count, into);
    left_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> size() override { return bytes_.size(); }
  Status seek(std::uint64_t offset) override {
    left_ = bytes_.substr(offset);
    return {};
  }

 private:
  std::string_view bytes_;
  std::string_view left_;
};

/// Bytes that were looked at already, then the rest.
class PeekedSource : public ByteSource {
 public:
  PeekedSource(std::string seen, std::unique_ptr<ByteSource> rest)
      : seen_(std::move(seen)), rest_(std::move(rest)) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    if (given_ == seen_.size()) return rest_->read(into, room);
    const std::size_t count = std::min(room, seen_.size() - given_);
    std::copy_n(seen_.data() + given_, count, into);
    given_ += count;
    return count;
  }
  std::optional<std::uint64_t> size() override { return rest_->size(); }
  Status seek(std::uint64_t offset) override {
    given_ = seen_.size();
    return rest_->seek(offset);
  }

 private:
  std::string seen_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

Compression compression_of_content(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return Compression::Gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Compression::Zstd;
  if (head.starts_with(std::string_view("\xfd\x37\x7a\x58\x5a\x00", 6))) return Compression::Xz;
  return Compression::None;
}

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw,
                                                 std::string name) {
  std::string head(kMagicBytes, '\0');
  std::size_t have = 0;
  for (std::size_t got = 1; got > 0 && have < kMagicBytes; have += got) {
    LEEWAY_ASSIGN(got, raw->read(head.data() + have, kMagicBytes - have));
  }
  head.resize(have);
  const Compression found = compression_of_content(head);
  if (found == Compression::None && compression_of_name(name) != Compression::None) {
    return fail(input_error(name,
                            head.empty() ? "the archive is empty"
                                         : "the name says it is compressed, its first bytes do not",
                            "copy the file again, or rename it if it is plain"));
  }
  std::unique_ptr<ByteSource> source =
      std::make_unique<PeekedSource>(std::move(head), std::move(raw));
  switch (found) {
    case Compression::Gzip:
      return gzip_source(std::move(source), std::move(name));
    case Compression::Zstd:
      return zstd_source(std::move(source), std::move(name));
    case Compression::Xz:
      return xz_source(std::move(source), std::move(name));
    case Compression::None:
      break;
  }
  return source;
}

/// With an `aside` that has no path it writes to what has the name already: a device or a pipe.
class FileSink : public ByteSink {
 public:
  FileSink(int file, UnfinishedFile aside, std::string name)
      : file_(file), aside_(std::move(aside)), name_(std::move(name)) {}
  ~FileSink() override {
    if (file_ >= 0) ::close(file_);
  }
  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ::ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EPIPE && name_ == "-") return {};  // a reader who has read enough
      if (count < 0) return refused("write");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }
  Status settle() override {
    if (file_ < 0) return {};
    if (aside_.path().empty()) {
      if (::close(std::exchange(file_, -1)) != 0) return refused("close");
      return {};
    }
    if (::fsync(file_) != 0) return refused("sync");
    mark_written(file_, name_);
    if (::close(std::exchange(file_, -1)) != 0) return refused("close");
    return {};
  }
  Status finish() override {
    LEEWAY_TRY(settle());
    if (aside_.path().empty()) return {};
    if (::rename(aside_.path().c_str(), name_.c_str()) != 0) return refused("rename into place");
    aside_.keep();
    return {};
  }

 private:
  Status refused(std::string_view action) {
    return fail(system_error(name_, action, errno, "check the disk's space and permissions"));
  }
  int file_;
  UnfinishedFile aside_;
  std::string name_;
};

constexpr std::array<std::pair<std::string_view, Compression>, 3> kSuffixes = {
    {{".gz", Compression::Gzip}, {".zst", Compression::Zstd}, {".xz", Compression::Xz}}};

}  // namespace

Status ByteSource::seek(std::uint64_t) { LEEWAY_UNREACHABLE("a seek in a source without a size"); }

Compression compression_of_name(std::string_view name) {
  for (const auto& [suffix, compression] : kSuffixes) {
    if (name.ends_with(suffix)) return compression;
  }
  return Compression::None;
}

std::string_view without_compression(std::string_view name) {
  for (const auto& [suffix, compression] : kSuffixes) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path,
                                                Progress* progress) {
  const std::string name = path.string();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == EACCES) return fail(system_error(name, "open", errno, "check its permissions"));
    return fail(
        input_error(name, format("cannot open: {}", std::strerror(errno)), "check the path"));
  }
  auto raw = std::make_unique<FileSource>(file, name, progress);
  struct ::stat facts {};
  if (::fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return fail(input_error(name, "this is a directory", "name a file in it"));
  }
  if (progress != nullptr) {
    progress->start("reading " + name, static_cast<std::uint64_t>(facts.st_size), "bytes");
  }
  ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);  // advice: refusal is harmless
  return decompressed(std::move(raw), name);
}

Result<std::unique_ptr<ByteSource>> memory_source(std::string_view bytes, std::string name) {
  return decompressed(std::make_unique<MemorySource>(bytes), std::move(name));
}

Result<std::unique_ptr<ByteSink>> create_sink(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (path.filename().empty()) {
    return fail(input_error(name, "the output has no file name", "name a file to be written"));
  }
  LEEWAY_ASSIGN(const bool replaceable, may_replace(name));
  UnfinishedFile aside;
  int file = -1;
  if (replaceable) {
    std::tie(aside, file) = UnfinishedFile::beside(name);
  } else if (name == "-") {
    file = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (file < 0) {
    return fail(system_error(name, replaceable ? "create a file beside it" : "open", errno,
                             "check that the folder exists and may be written"));
  }
  std::unique_ptr<ByteSink> sink = std::make_unique<FileSink>(file, std::move(aside), name);
  switch (compression_of_name(name)) {
    case Compression::Gzip:
      return gzip_sink(std::move(sink), name);
    case Compression::Zstd:
      return zstd_sink(std::move(sink), name);
    case Compression::Xz:
      return xz_sink(std::move(sink), name);
    case Compression::None:
      break;
  }
  return sink;
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
  LEEWAY_ASSIGN(const auto sink, create_sink(path));
  LEEWAY_TRY(sink->write(bytes));
  return sink->finish();
}

}  // namespace leeway
