#include <zstd.h>

#include <utility>
#include <vector>

#include "leeway/datasets/codecs.h"

namespace leeway {

namespace {

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

}  // namespace

std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<ByteSource> below, std::string name) {
  return std::make_unique<ZstdSource>(std::move(below), std::move(name));
}
std::unique_ptr<ByteSink> zstd_sink(std::unique_ptr<ByteSink> below, std::string name) {
  return std::make_unique<ZstdSink>(std::move(below), std::move(name));
}

}  // namespace leeway
