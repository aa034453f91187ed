// Bytes in and out, one piece at a time: files, memory, and the codecs that stand between (gzip,
// zstd, xz). A stream is used by one thread at a time and owns what lies below it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
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
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status write(std::string_view bytes) = 0;
  /// Writes what is held back and makes it durable. Nothing may be written afterwards.
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

/// True if a file may be put under this name; false for a device or a pipe, which only takes what is
/// written to it. A directory is an Input error.
Result<bool> may_replace(const std::string& path);

/// A file that appears under its name only when finished: written aside in the same folder, synced,
/// renamed. Removed if never finished. A device or a pipe is written to as it stands. Compressed by the
/// suffix of its name.
Result<std::unique_ptr<ByteSink>> create_sink(const std::filesystem::path& path);
/// A whole file at once, in the same way.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace leeway
