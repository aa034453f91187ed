#include <lzma.h>

#include <utility>
#include <vector>

#include "leeway/datasets/codecs.h"

namespace leeway {

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{256} << 20;  // xz -9 asks for 65 MiB
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
        return fail(archive_is_damaged(name_, "it asks for over 256 MiB"));
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

}  // namespace

std::unique_ptr<ByteSource> xz_source(std::unique_ptr<ByteSource> below, std::string name) {
  return std::make_unique<XzSource>(std::move(below), std::move(name));
}
std::unique_ptr<ByteSink> xz_sink(std::unique_ptr<ByteSink> below, std::string name) {
  return std::make_unique<XzSink>(std::move(below), std::move(name));
}

}  // namespace leeway
