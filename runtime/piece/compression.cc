#include "runtime/piece/compression.h"

#include "base/bytes.h"

namespace leeway::piece {

namespace {

constexpr std::size_t kStride = 8;

/// The first bytes of all groups of eight, then the second ones, and so on; the rest stays at the end.
void transpose(std::span<const std::byte> from, std::byte* to) {
  const std::size_t groups = from.size() / kStride;
  for (std::size_t byte = 0; byte < kStride; ++byte) {
    for (std::size_t i = 0; i < groups; ++i) *to++ = from[i * kStride + byte];
  }
  for (std::size_t i = groups * kStride; i < from.size(); ++i) *to++ = from[i];
}

void transpose_back(std::span<const std::byte> from, std::byte* to) {
  const std::size_t groups = from.size() / kStride;
  const std::byte* at = from.data();
  for (std::size_t byte = 0; byte < kStride; ++byte) {
    for (std::size_t i = 0; i < groups; ++i) to[i * kStride + byte] = *at++;
  }
  for (std::size_t i = groups * kStride; i < from.size(); ++i) to[i] = *at++;
}

}  // namespace

std::optional<Frame> FrameCompressor::pack(std::span<const std::byte> frame, std::uint8_t kind) {
  if (frame.size() < kLeastBytes || frame.size() > kMostBytes) return std::nullopt;
  transposed_.resize(frame.size());
  transpose(frame, transposed_.data());
  ByteWriter out;
  out.byte(kind);
  out.varint(frame.size());
  Frame packed = out.take();
  if (!codec_.compress(transposed_, packed)) return std::nullopt;
  if (packed.size() > frame.size() - frame.size() / 16) return std::nullopt;
  return packed;
}

std::optional<std::span<const std::byte>> FrameCompressor::unpack(
    std::span<const std::byte> packed) {
  ByteReader in(packed);
  const auto size = static_cast<std::size_t>(in.varint_up_to(kMostBytes));
  if (in.failed() || size < kLeastBytes) return std::nullopt;
  if (!codec_.decompress(in.raw(in.left()), size, transposed_)) return std::nullopt;
  frame_.resize(size);
  transpose_back(transposed_, frame_.data());
  return frame_;
}

}  // namespace leeway::piece
