// The compressions, each known to one file alone. `name` is for messages. Decoders accept several
// archives one after the other and refuse one that ends early.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "leeway/datasets/byte_stream.h"

namespace leeway {

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> below, std::string name);
std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<ByteSource> below, std::string name);
std::unique_ptr<ByteSource> xz_source(std::unique_ptr<ByteSource> below, std::string name);

std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> below, std::string name);
std::unique_ptr<ByteSink> zstd_sink(std::unique_ptr<ByteSink> below, std::string name);
std::unique_ptr<ByteSink> xz_sink(std::unique_ptr<ByteSink> below, std::string name);

/// What zip archives need: a checksum, and an entry unpacked to the `size` that the archive says it has.
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes);
Result<std::string> inflate_entry(std::string_view packed, std::uint64_t size,
                                  const std::string& name);

inline constexpr std::size_t kCodecBuffer = std::size_t{256} << 10;

/// The two ways an archive is broken.
inline Error archive_ends_early(const std::string& name) {
  return input_error(name, "the compressed data ends early", "copy or download the file again");
}
inline Error archive_is_damaged(const std::string& name, const std::string& reason) {
  return input_error(name, "the compressed data is damaged (" + reason + ")",
                     "copy or download the file again");
}

}  // namespace leeway
