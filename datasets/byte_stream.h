// Which files a command may replace. Each file it writes is marked (by an extended attribute) as its own, with its
// size and time: what carries no such mark, or was changed since, is somebody's work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/result.h"

namespace leeway {

/// From now on a file is replaced only if `writer` wrote it, e.g. "leeway run", and nobody changed it since;
/// `force`: any. Until this is called, any file is replaced: a library's user knows what he does. Before any
/// other thread runs.
void protect_files(std::string writer, bool force);

/// True if a file may be put under this name; false for "-" (standard output), a device or a pipe, which
/// only takes what is written to it. An Input error for a directory, and for a file that is protected.
Result<bool> may_replace(const std::string& path);

/// Marks an open file that is whole, and will be renamed to `path`. Where the file system has no room for
/// marks, only this process knows the file again.
void mark_written(int file, const std::string& path);

// Bytes in and out, one piece at a time: files, memory, and the codecs that stand between (gzip,
// zstd, xz). A stream is used by one thread at a time and owns what lies below it.
class Progress;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Up to `room` bytes; 0 at the end. Requires room > 0.
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
  /// How many bytes there are in all, if any of them can be read next; nothing for what only runs on.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() { return std::nullopt; }
  /// Reads on from the byte at `offset`. Requires a size.
  virtual Status seek(std::uint64_t offset);
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status write(std::string_view bytes) = 0;
  /// Writes what is held back and makes it durable, but not yet under its name: for who must know that others have come
  /// as far. Nothing may be written afterwards; `finish` is left.
  virtual Status settle() = 0;
  /// The same, if it has not been done, and gives it its name.
  virtual Status finish() = 0;
};

enum class Compression { None, Gzip, Zstd, Xz };

/// What the last suffix of a name says (.gz .zst .xz).
[[nodiscard]] Compression compression_of_name(std::string_view name);
/// The name without such a suffix.
[[nodiscard]] std::string_view without_compression(std::string_view name);

/// The file's content, decompressed when its first bytes say so. Fails for what is not a file, or
/// is named like an archive and is none. `progress`, if any, is told of the bytes taken from the disk
/// and outlives the source.
Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path,
                                                Progress* progress = nullptr);
/// As if `bytes` were the content of a file called `name`; they must outlive the source.
Result<std::unique_ptr<ByteSource>> memory_source(std::string_view bytes, std::string name);

/// A file that appears under its name only when finished: written aside in the same folder, synced,
/// renamed. Removed if never finished. A device or a pipe is written to as it stands, and "-" is standard
/// output. Compressed by the suffix of its name. What may not be replaced (overwriting.h) is an Input error.
Result<std::unique_ptr<ByteSink>> create_sink(const std::filesystem::path& path);
/// A whole file at once, in the same way.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// The compressions, each known to one file alone. `name` is for messages. Decoders accept several
// archives one after the other and refuse one that ends early.
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
