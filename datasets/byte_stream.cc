#include "datasets/byte_stream.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "base/unfinished_file.h"
#include "datasets/block_codec.h"

namespace leeway {

namespace {

constexpr const char* kWriterAttribute = "user.leeway.writer";

struct ReplacePolicy {
  std::mutex mutex;
  bool protects = false;
  bool force = false;
  std::string writer;
  std::set<std::string> written;  // by this process
};

ReplacePolicy& rules() {
  static ReplacePolicy all;
  return all;
}

std::string mark_of(const std::string& writer, const struct ::stat& facts) {
  return format("{} {} {}.{}", writer, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

bool carries_mark(const std::string& path, const std::string& expected) {
  std::string mark(expected.size() + 1, '\0');
  const ::ssize_t length = ::getxattr(path.c_str(), kWriterAttribute, mark.data(), mark.size());
  return length == static_cast<::ssize_t>(expected.size()) && mark.starts_with(expected);
}

}  // namespace

void protect_files(std::string writer, bool force) {
  const std::lock_guard lock(rules().mutex);
  rules().protects = true;
  rules().force = force;
  rules().writer = std::move(writer);
}

Result<bool> may_replace(const std::string& path) {
  if (path == "-") return false;
  struct ::stat facts {};
  if (::stat(path.c_str(), &facts) != 0)
    return true;  // there is no such file, or it cannot be examined
  if (S_ISDIR(facts.st_mode)) {
    return fail(input_error(path, "this is a directory", "name a file in it"));
  }
  if (!S_ISREG(facts.st_mode)) return false;
  ReplacePolicy& now = rules();
  const std::lock_guard lock(now.mutex);
  if (!now.protects || now.force || now.written.contains(path)) return true;
  if (carries_mark(path, mark_of(now.writer, facts))) return true;
  return fail(input_error(
      path, format("already exists and was not written by {}, or was changed since", now.writer),
      "--force overwrites it"));
}

void mark_written(int file, const std::string& path) {
  ReplacePolicy& now = rules();
  const std::lock_guard lock(now.mutex);
  if (!now.protects) return;
  now.written.insert(path);
  struct ::stat facts {};
  if (::fstat(file, &facts) != 0) return;
  const std::string mark = mark_of(now.writer, facts);
  (void)::fsetxattr(file, kWriterAttribute, mark.data(), mark.size(), 0);
}

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> below, std::string name)
      : below_(std::move(below)), name_(std::move(name)), buffer_(kCodecBuffer) {
    good_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> read(char* into, std::size_t room) override {
    if (!good_) return fail(environment_error(name_, "zlib cannot start", "free some memory"));
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1u << 30));
    const uInt expected = stream_.avail_out;
    while (stream_.avail_out == expected) {
      if (stream_.avail_in == 0) {
        LEEWAY_TRY(refill());
        if (stream_.avail_in == 0) {
          if (inside_) return fail(archive_ends_early(name_));
          return std::size_t{0};
        }
      }
      LEEWAY_TRY(step());
    }
    return static_cast<std::size_t>(expected - stream_.avail_out);
  }

 private:
  Status refill() {
    LEEWAY_ASSIGN(const std::size_t got, below_->read(buffer_.data(), buffer_.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return {};
  }

  Status step() {
    inside_ = true;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inside_ = false;  // another member may follow
      inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return fail(archive_is_damaged(name_, stream_.msg != nullptr ? stream_.msg : "gzip"));
    }
    return {};
  }

  std::unique_ptr<ByteSource> below_;
  std::string name_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool good_ = false;
  bool inside_ = false;  // within a gzip member
};

class GzipSink : public ByteSink {
 public:
  GzipSink(std::unique_ptr<ByteSink> below, std::string name)
      : below_(std::move(below)), name_(std::move(name)), buffer_(kCodecBuffer) {
    good_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                         Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipSink() override { deflateEnd(&stream_); }

  Status write(std::string_view bytes) override { return push(bytes, Z_NO_FLUSH); }
  Status settle() override {
    if (std::exchange(settled_, true)) return {};
    LEEWAY_TRY(push({}, Z_FINISH));
    return below_->settle();
  }
  Status finish() override {
    LEEWAY_TRY(settle());
    return below_->finish();
  }

 private:
  Status push(std::string_view bytes, int flush) {
    if (!good_) return fail(environment_error(name_, "zlib cannot start", "free some memory"));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int code = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      code = deflate(&stream_, flush);
      LEEWAY_TRY(below_->write({buffer_.data(), buffer_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0 || (flush == Z_FINISH && code != Z_STREAM_END));
    return {};
  }

  std::unique_ptr<ByteSink> below_;
  std::string name_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool good_ = false;
  bool settled_ = false;
};

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> below, std::string name) {
  return std::make_unique<GzipSource>(std::move(below), std::move(name));
}

}  // namespace
namespace {

std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> below, std::string name) {
  return std::make_unique<GzipSink>(std::move(below), std::move(name));
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::string> inflate_entry(std::string_view packed, std::uint64_t size,
                                  const std::string& name) {
  constexpr int kNoFraming = -15;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  constexpr std::uint64_t kMostPacked = 1040;  // maximum expansion ratio of deflate
  if (size / kMostPacked > packed.size()) return fail(archive_is_damaged(name, "impossible size"));
  std::string text(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, kNoFraming) != Z_OK)
    return fail(environment_error(name, "zlib cannot start", "free some memory"));
  std::size_t taken = 0;
  std::size_t made = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(std::min(packed.size() - taken, kMost));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + made);
    stream.avail_out = static_cast<uInt>(std::min(text.size() - made, kMost));
    const uInt in = stream.avail_in;
    const uInt out = stream.avail_out;
    code = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    if (code == Z_OK && in == stream.avail_in && out == stream.avail_out) code = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || made != size)
    return fail(archive_is_damaged(name, "an entry does not unpack to its size"));
  return text;
}

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{256} << 20;  // xz -9 needs 65 MiB to decode
constexpr std::uint32_t kPreset = 6;

class XzSource : public ByteSource {
 public:
  XzSource(std::unique_ptr<ByteSource> below, std::string name)
      : below_(std::move(below)), name_(std::move(name)), buffer_(kCodecBuffer) {
    good_ = lzma_stream_decoder(&stream_, kMemoryLimit, LZMA_CONCATENATED) == LZMA_OK;
  }
  ~XzSource() override { lzma_end(&stream_); }

  Result<std::size_t> read(char* into, std::size_t room) override {
    if (!good_) return fail(environment_error(name_, "liblzma cannot start", "free some memory"));
    stream_.next_out = reinterpret_cast<std::uint8_t*>(into);
    stream_.avail_out = room;
    while (stream_.avail_out == room && !done_) {
      if (stream_.avail_in == 0 && !drained_) {
        LEEWAY_ASSIGN(stream_.avail_in, below_->read(buffer_.data(), buffer_.size()));
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(buffer_.data());
        drained_ = stream_.avail_in == 0;
      }
      const lzma_ret code = lzma_code(&stream_, drained_ ? LZMA_FINISH : LZMA_RUN);
      if (code == LZMA_STREAM_END)
        done_ = true;
      else if (code == LZMA_BUF_ERROR)
        return fail(archive_ends_early(name_));
      else if (code == LZMA_MEMLIMIT_ERROR)
        return fail(archive_is_damaged(name_, "decoding needs more than 256 MiB of memory"));
      else if (code != LZMA_OK)
        return fail(archive_is_damaged(name_, "xz"));
    }
    return room - stream_.avail_out;
  }

 private:
  std::unique_ptr<ByteSource> below_;
  std::string name_;
  std::vector<char> buffer_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool good_ = false;
  bool drained_ = false;
  bool done_ = false;
};

class XzSink : public ByteSink {
 public:
  XzSink(std::unique_ptr<ByteSink> below, std::string name)
      : below_(std::move(below)), name_(std::move(name)), buffer_(kCodecBuffer) {
    good_ = lzma_easy_encoder(&stream_, kPreset, LZMA_CHECK_CRC64) == LZMA_OK;
  }
  ~XzSink() override { lzma_end(&stream_); }

  Status write(std::string_view bytes) override { return push(bytes, LZMA_RUN); }
  Status settle() override {
    if (std::exchange(settled_, true)) return {};
    LEEWAY_TRY(push({}, LZMA_FINISH));
    return below_->settle();
  }
  Status finish() override {
    LEEWAY_TRY(settle());
    return below_->finish();
  }

 private:
  Status push(std::string_view bytes, lzma_action action) {
    if (!good_) return fail(environment_error(name_, "liblzma cannot start", "free some memory"));
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream_.avail_in = bytes.size();
    lzma_ret code = LZMA_OK;
    while (action == LZMA_FINISH ? code == LZMA_OK : stream_.avail_in > 0) {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer_.data());
      stream_.avail_out = buffer_.size();
      code = lzma_code(&stream_, action);
      if (code != LZMA_OK && code != LZMA_STREAM_END) {
        return fail(environment_error(name_, "liblzma cannot compress", "free some memory"));
      }
      LEEWAY_TRY(below_->write({buffer_.data(), buffer_.size() - stream_.avail_out}));
    }
    return {};
  }

  std::unique_ptr<ByteSink> below_;
  std::string name_;
  std::vector<char> buffer_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool good_ = false;
  bool settled_ = false;
};

std::unique_ptr<ByteSource> xz_source(std::unique_ptr<ByteSource> below, std::string name) {
  return std::make_unique<XzSource>(std::move(below), std::move(name));
}

}  // namespace
namespace {

std::unique_ptr<ByteSink> xz_sink(std::unique_ptr<ByteSink> below, std::string name) {
  return std::make_unique<XzSink>(std::move(below), std::move(name));
}

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> below, std::string name)
      : below_(std::move(below)), name_(std::move(name)), buffer_(kCodecBuffer) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  Result<std::size_t> read(char* into, std::size_t room) override {
    ZSTD_outBuffer out{into, room, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !held_back_) {
        LEEWAY_ASSIGN(in_.size, below_->read(buffer_.data(), buffer_.size()));
        in_.src = buffer_.data();
        in_.pos = 0;
        if (in_.size == 0) {
          if (inside_) return fail(archive_ends_early(name_));
          return std::size_t{0};
        }
      }
      const std::size_t code = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(code)) return fail(archive_is_damaged(name_, ZSTD_getErrorName(code)));
      inside_ = code != 0;  // 0: a frame is complete, another may follow
      held_back_ = out.pos == out.size && inside_;
    }
    return out.pos;
  }

 private:
  std::unique_ptr<ByteSource> below_;
  std::string name_;
  std::vector<char> buffer_;
  ZSTD_DStream* stream_ = ZSTD_createDStream();
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_ = false;
  bool held_back_ = false;  // the decoder may hold output that did not fit
};

class ZstdSink : public ByteSink {
 public:
  ZstdSink(std::unique_ptr<ByteSink> below, std::string)
      : below_(std::move(below)), buffer_(kCodecBuffer) {
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdSink() override { ZSTD_freeCCtx(stream_); }

  Status write(std::string_view bytes) override { return push(bytes, ZSTD_e_continue); }
  Status settle() override {
    if (std::exchange(settled_, true)) return {};
    LEEWAY_TRY(push({}, ZSTD_e_end));
    return below_->settle();
  }
  Status finish() override {
    LEEWAY_TRY(settle());
    return below_->finish();
  }

 private:
  Status push(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(stream_, &out, &in, directive);
      if (ZSTD_isError(left)) {
        return fail(environment_error("zstd", ZSTD_getErrorName(left), "free some memory"));
      }
      LEEWAY_TRY(below_->write({buffer_.data(), out.pos}));
    } while (directive == ZSTD_e_end ? left != 0 : in.pos < in.size);
    return {};
  }

  std::unique_ptr<ByteSink> below_;
  std::vector<char> buffer_;
  ZSTD_CCtx* stream_ = ZSTD_createCCtx();
  bool settled_ = false;
};

// Codecs. `name` is for messages. Decoders accept concatenated archives and report an error if an archive ends early.
std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<ByteSource> below, std::string name) {
  return std::make_unique<ZstdSource>(std::move(below), std::move(name));
}

}  // namespace
namespace {

std::unique_ptr<ByteSink> zstd_sink(std::unique_ptr<ByteSink> below, std::string name) {
  return std::make_unique<ZstdSink>(std::move(below), std::move(name));
}

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
      if (errno != EINTR)
        return fail(system_error(name_, "read", errno, "check the disk, or name an ordinary file"));
    }
  }
  std::optional<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }
  Status seek(std::uint64_t offset) override {
    if (::lseek(file_, static_cast<::off_t>(offset), SEEK_SET) >= 0) return {};
    return fail(system_error(name_, "read", errno, "check the disk, or name an ordinary file"));
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

/// Returns the bytes that were read to detect the compression, then the rest of the source.
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

}  // namespace

bool is_compressed(std::string_view head) {
  return compression_of_content(head) != Compression::None;
}

namespace {

constexpr std::array<std::pair<std::string_view, Compression>, 3> kSuffixes = {
    {{".gz", Compression::Gzip}, {".zst", Compression::Zstd}, {".xz", Compression::Xz}}};

/// The compression that the last suffix of a name selects (.gz .zst .xz).
Compression compression_of_name(std::string_view name) {
  for (const auto& [suffix, compression] : kSuffixes) {
    if (name.ends_with(suffix)) return compression;
  }
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
    return fail(input_error(
        name,
        head.empty()
            ? "the archive is empty"
            : "the suffix names a compression, but the first bytes are not compressed data",
        "copy the file again, or rename it if it is not compressed"));
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

/// Writes to a temporary file, or, if `temporary` has no path, directly to a device, a pipe or standard output.
class FileSink : public ByteSink {
 public:
  FileSink(int file, UnfinishedFile temporary, std::string name)
      : file_(file), temporary_(std::move(temporary)), name_(std::move(name)) {}
  ~FileSink() override {
    if (file_ >= 0) ::close(file_);
  }
  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ::ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EPIPE && name_ == "-")
        return {};  // the reader of a pipe closed its end: not an error
      if (count < 0) return refused("write");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }
  Status settle() override {
    if (file_ < 0) return {};
    if (temporary_.path().empty()) {
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
    if (temporary_.path().empty()) return {};
    if (::rename(temporary_.path().c_str(), name_.c_str()) != 0)
      return refused("rename into place");
    temporary_.keep();
    return {};
  }

 private:
  Status refused(std::string_view action) {
    return fail(system_error(name_, action, errno, "check the disk's space and permissions"));
  }
  int file_;
  UnfinishedFile temporary_;
  std::string name_;
};

}  // namespace

Status ByteSource::seek(std::uint64_t) {
  LEEWAY_UNREACHABLE("seek in a source that is not seekable");
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
    return fail(cannot_open(name, errno));
  }
  auto raw = std::make_unique<FileSource>(file, name, progress);
  struct ::stat facts {};
  if (::fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return fail(input_error(name, "this is a directory", "name a file in it"));
  }
  if (progress != nullptr) {
    progress->start("reading " + name, static_cast<std::uint64_t>(facts.st_size), "bytes");
  }
  ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);  // only a hint: failure is harmless
  return decompressed(std::move(raw), name);
}

Result<std::unique_ptr<ByteSource>> memory_source(std::string_view bytes, std::string name) {
  return decompressed(std::make_unique<MemorySource>(bytes), std::move(name));
}

Error closed_stream(std::string_view stream) {
  return environment_error(std::string(stream), "is closed", "open it, or send it elsewhere");
}

Result<std::unique_ptr<ByteSink>> create_sink(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (path.filename().empty()) {
    return fail(input_error(name, "the output has no file name", "name a file to be written"));
  }
  LEEWAY_ASSIGN(const bool replaceable, may_replace(name));
  UnfinishedFile temporary;
  int file = -1;
  if (replaceable) {
    std::tie(temporary, file) = UnfinishedFile::next_to(name);
  } else if (name == "-") {
    file = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (file < 0) {
    const std::filesystem::path folder = path.parent_path();
    std::error_code error;
    if (!folder.empty() && !std::filesystem::exists(folder, error)) {
      return fail(environment_error(name, format("there is no directory {}", folder.string()),
                                    format("mkdir -p {}", folder.string())));
    }
    if (name == "-") return fail(closed_stream("standard output"));
    return fail(system_error(name, "write", errno,
                             errno == ENAMETOOLONG ? "give it a shorter name"
                                                   : "check the permissions of its directory"));
  }
  std::unique_ptr<ByteSink> sink = std::make_unique<FileSink>(file, std::move(temporary), name);
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

struct BlockCodec::CodecContexts {
  ZSTD_CCtx* pack = ZSTD_createCCtx();
  ZSTD_DCtx* unpack = ZSTD_createDCtx();

  CodecContexts() {
    if (pack == nullptr || unpack == nullptr) return;
    ZSTD_CCtx_setParameter(pack, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(pack, ZSTD_c_checksumFlag, 1);
  }
  ~CodecContexts() {
    ZSTD_freeCCtx(pack);
    ZSTD_freeDCtx(unpack);
  }
  CodecContexts(const CodecContexts&) = delete;
  CodecContexts& operator=(const CodecContexts&) = delete;
};

BlockCodec::BlockCodec() : contexts_(std::make_unique<CodecContexts>()) {
  if (contexts_->pack == nullptr || contexts_->unpack == nullptr) throw std::bad_alloc();
}
BlockCodec::~BlockCodec() = default;

bool BlockCodec::compress(std::span<const std::byte> block, std::vector<std::byte>& out) {
  const std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(block.size()));
  const std::size_t size = ZSTD_compress2(contexts_->pack, out.data() + before, out.size() - before,
                                          block.data(), block.size());
  if (ZSTD_isError(size) != 0) return false;
  out.resize(before + size);
  return true;
}

bool BlockCodec::decompress(std::span<const std::byte> packed, std::size_t size,
                            std::vector<std::byte>& out) {
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) return false;
  out.resize(size);
  const std::size_t found =
      ZSTD_decompressDCtx(contexts_->unpack, out.data(), size, packed.data(), packed.size());
  return ZSTD_isError(found) == 0 && found == size;
}

}  // namespace leeway
