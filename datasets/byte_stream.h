// Byte streams for reading and writing files: plain files, memory, and the codecs gzip, zstd and xz; and the rule that
// protects files that another program wrote from being replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace leeway {

/// Enables protection: from now on a file is replaced only if `writer` (for example "leeway run") wrote it and it was not
/// modified since; with `force`, any file is replaced. A written file is marked by an extended attribute with its writer,
/// size and modification time. Without this call any file is replaced, which is the default for users of the library. Call
/// it before starting other threads.
void protect_files(std::string writer, bool force);

/// True if a file can be created or replaced under this name; false for "-" (standard output), a device or a pipe, which
/// can only be written to in place. An Input error for a directory and for a protected file.
Result<bool> may_replace(const std::string& path);

/// Marks an open, complete file that will be renamed to `path`. If the file system does not support extended attributes,
/// only this process recognizes the file as its own.
void mark_written(int file, const std::string& path);

class Progress;

/// Input stream. Not thread-safe. A decoder owns the source that it reads from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Up to `room` bytes; 0 at the end. Requires room > 0.
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
  /// Total number of bytes if the source is seekable, otherwise nothing.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() { return std::nullopt; }
  /// Continues reading at byte `offset`. Requires a seekable source (`size` returned a value).
  virtual Status seek(std::uint64_t offset);
};

/// Output stream. Not thread-safe. An encoder owns the sink that it writes to.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status write(std::string_view bytes) = 0;
  /// Writes buffered data and syncs it to disk, but does not rename the file yet: several processes can agree that all
  /// data is durable before any of them calls `finish`. No `write` may follow.
  virtual Status settle() = 0;
  /// Calls `settle` if necessary, then renames the file to its final name.
  virtual Status finish() = 0;
};

enum class Compression { None, Gzip, Zstd, Xz };

/// True if the content's first bytes are the magic number of a codec.
[[nodiscard]] bool is_compressed(std::string_view head);
/// The name without the suffix of a compression.
[[nodiscard]] std::string_view without_compression(std::string_view name);

/// The content of a file, decompressed if its first bytes are the magic number of a codec. Fails if the path is not a file,
/// or if its suffix names a compression but the content is not compressed. `progress`, if any, receives the number of bytes
/// read from disk and must outlive the source.
Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path,
                                                Progress* progress = nullptr);
/// Reads `bytes` like the content of a file with this name; they must outlive the source.
Result<std::unique_ptr<ByteSource>> memory_source(std::string_view bytes, std::string name);

/// Writes a temporary file in the same folder; `finish` syncs it and renames it to `path`. The temporary file is removed if
/// the sink is destroyed before. A device or a pipe is written to directly, and "-" is standard output. The suffix of the
/// name selects the compression. A file that may not be replaced (`may_replace`) is an Input error.
/// The error of writing to `stream`, which its parent process has closed.
[[nodiscard]] Error closed_stream(std::string_view stream);
Result<std::unique_ptr<ByteSink>> create_sink(const std::filesystem::path& path);
/// Writes a complete file through `create_sink`.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

/// CRC-32 and raw deflate for zip archives. `size` is the unpacked size that the archive states for the entry.
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes);
Result<std::string> inflate_entry(std::string_view packed, std::uint64_t size,
                                  const std::string& name);

inline constexpr std::size_t kCodecBuffer = std::size_t{256} << 10;

inline Error archive_ends_early(const std::string& name) {
  return input_error(name, "the compressed data ends early", "copy or download the file again");
}
inline Error archive_is_damaged(const std::string& name, const std::string& reason) {
  return input_error(name, "the compressed data is damaged (" + reason + ")",
                     "copy or download the file again");
}

}  // namespace leeway
