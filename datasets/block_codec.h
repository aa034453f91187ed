// Compression of blocks in memory with zstd at its fastest level. Implemented in byte_stream.cc, with the codecs of files.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace leeway {

/// Reuses its memory. Not thread-safe.
class BlockCodec {
 public:
  BlockCodec();
  ~BlockCodec();
  BlockCodec(const BlockCodec&) = delete;
  BlockCodec& operator=(const BlockCodec&) = delete;

  /// Appends the compressed block, with a checksum, to `out`; false if it cannot.
  [[nodiscard]] bool compress(std::span<const std::byte> block, std::vector<std::byte>& out);
  /// Replaces the content of `out` by the block of `size` bytes. False if `packed` is not the output of `compress` for a
  /// block of this size; memory is allocated only if it states this size.
  [[nodiscard]] bool decompress(std::span<const std::byte> packed, std::size_t size,
                                std::vector<std::byte>& out);

 private:
  struct CodecContexts;
  std::unique_ptr<CodecContexts> contexts_;
};

}  // namespace leeway
