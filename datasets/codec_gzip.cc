#include <zlib.h>

#include <utility>
#include <vector>

#include "leeway/datasets/codecs.h"

namespace leeway {

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
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) {
        LEEWAY_TRY(refill());
        if (stream_.avail_in == 0) {
          if (inside_) return fail(archive_ends_early(name_));
          return std::size_t{0};
        }
      }
      LEEWAY_TRY(step());
    }
    return static_cast<std::size_t>(wanted - stream_.avail_out);
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
  bool inside_ = false;  // in the midst of a member
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

}  // namespace

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> below, std::string name) {
  return std::make_unique<GzipSource>(std::move(below), std::move(name));
}
std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> below, std::string name) {
  return std::make_unique<GzipSink>(std::move(below), std::move(name));
}

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::string> inflate_entry(std::string_view packed, std::uint64_t size,
                                  const std::string& name) {
  constexpr int kNoFraming = -15;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  constexpr std::uint64_t kMostPacked = 1040;  // no deflated data unpacks to more bytes a byte
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

}  // namespace leeway
