// File operations of snapshots, and the layout of a snapshot folder: names, lock, validation of
// complete snapshots. No function keeps a file open, except Folder, which holds the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {

[[nodiscard]] std::string in_folder(const std::string& folder, std::string_view name);
/// Writes `bytes` to a temporary file, syncs it and renames it to `path`.
Status write_durably(const std::string& path, std::span<const std::byte> bytes);
/// The whole content of a regular file.
Result<std::vector<std::byte>> content_of(const std::string& path);
Result<std::string> text_of(const std::string& path);
/// Length of a file and its last 8 bytes; an Environment error if it is shorter.
struct FileEnd {
  std::uint64_t bytes = 0;
  std::uint64_t last = 0;
};
Result<FileEnd> end_of(const std::string& path);
[[nodiscard]] bool is_there(const std::string& path);

// The folder of a job's snapshots: FOLDER/000001, FOLDER/000002, … Each is created under another
// name and becomes valid when it is renamed, so a folder with a number is always complete. One job
// at a time writes to a folder: node 0 holds a file lock, which the system releases when the
// process dies.
[[nodiscard]] std::string folder_of(const std::string& folder, std::uint64_t number);
/// The snapshot's folder until it is complete.
[[nodiscard]] std::string unfinished_folder_of(const std::string& folder, std::uint64_t number);
[[nodiscard]] std::string part_name(std::uint32_t part);
/// The numbers of the snapshots, ascending. An Input error if the folder does not exist, an
/// Environment error if it cannot be read.
Result<std::vector<std::uint64_t>> numbers_in(const std::string& folder);
/// The content of the lock file: the number of the run that holds it, in hexadecimal digits, then
/// its process.
[[nodiscard]] std::string lock_text(const std::string& folder);

/// An Environment error if this process does not see the lock file that node 0 has just written.
Status check_same_folder(const std::string& folder, std::uint64_t run, std::uint32_t process);

/// Creates the folder if it does not exist, and writes a test file to it. An Input error if `path`
/// is not a folder, an Environment error if it cannot be written: no permission, read-only or full
/// file system.
Status prepare_folder(const std::string& path);

/// Writes a node's part of an unfinished snapshot; creates its folder if necessary.
Status write_part(const std::string& folder, std::uint64_t number, std::uint32_t part,
                  std::span<const std::byte> sealed);

/// The exclusive right to add snapshots to a folder. Owned by node 0's Recorder.
class Folder {
 public:
  /// Calls prepare_folder, takes the lock, and removes unfinished snapshots of earlier runs. An
  /// Input error if another job holds the lock or `path` is not a folder, an Environment error if
  /// it cannot be written.
  static Result<std::unique_ptr<Folder>> open(const std::string& path, std::uint64_t run,
                                              std::uint32_t kept);
  /// Whether no process holds the lock now.
  static Result<bool> is_free(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Number of the next snapshot.
  [[nodiscard]] std::uint64_t next_number() const { return next_; }
  /// Whether all parts of the unfinished snapshot exist.
  [[nodiscard]] bool complete(std::uint64_t number, std::uint32_t parts) const;
  /// Makes a snapshot valid: completes `manifest` with the parts' sizes and checksums, writes it,
  /// renames the folder, and removes the oldest snapshots. Returns the bytes of its parts.
  Result<std::uint64_t> commit(Manifest manifest);
  /// Removes an unfinished snapshot.
  void drop(std::uint64_t number);
  /// Removes all unfinished snapshots. Requires that no node is writing.
  void remove_unfinished();

 private:
  Folder(std::string path, int lock, std::uint32_t kept)
      : path_(std::move(path)), lock_(lock), kept_(kept) {}
  void remove_oldest();

  std::string path_;
  int lock_;
  std::uint32_t kept_;
  std::uint64_t next_ = 1;
};

}  // namespace leeway::snapshot
