// Compression of the frames that workers of the piece engine send to each other (AsyTick §5.2: "gather and compress many
// messages"). The bytes of a frame are transposed in groups of eight, so that the exponents of neighbouring doubles are
// next to each other, and compressed with zstd at its fastest level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "datasets/block_codec.h"
#include "transport/transport.h"

namespace leeway::piece {

/// Compresses and decompresses frames. Reuses its memory. Not thread-safe.
class FrameCompressor {
 public:
  /// Virtual compute time for each byte of the frame, in picoseconds (docs/piece.md has the measurement).
  static constexpr std::uint64_t kPackPs = 2'000;
  static constexpr std::uint64_t kUnpackPs = 1'000;
  /// Smaller frames are not worth it.
  static constexpr std::size_t kLeastBytes = 512;
  /// Longer frames are sent as they are, so that a corrupt header cannot cause a large allocation.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

  /// The frame, beginning with `kind`, in compressed form; nothing if it is too small or too long, or does not shrink by a
  /// sixteenth.
  std::optional<Frame> pack(std::span<const std::byte> frame, std::uint8_t kind);
  /// The frame whose compressed form, without its kind, is `packed`; nothing if `pack` cannot have made it. Valid
  /// until the next call.
  std::optional<std::span<const std::byte>> unpack(std::span<const std::byte> packed);

 private:
  BlockCodec codec_;
  std::vector<std::byte> transposed_;
  std::vector<std::byte> frame_;
};

}  // namespace leeway::piece
