// Bytes in and out, one piece at a time: files, memory, and the codecs that stand between (gzip,
// zstd, xz). A stream is used by one thread at a time and owns what lies below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/base/result.h"

namespace leeway {

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

}  // namespace leeway
