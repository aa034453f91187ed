// The few things a snapshot asks of a file system. All paths are the caller's; nothing is kept open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/result.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {

[[nodiscard]] std::string in_folder(const std::string& folder, std::string_view name);
/// Writes `bytes` aside, makes them durable, and gives them their name.
Status write_durably(const std::string& path, std::span<const std::byte> bytes);
/// The whole content, which must be a regular file's.
Result<std::vector<std::byte>> content_of(const std::string& path);
Result<std::string> text_of(const std::string& path);
/// How long a file is, and the 8 bytes it ends with; an Environment error if it has fewer.
struct FileEnd {
  std::uint64_t bytes = 0;
  std::uint64_t last = 0;
};
Result<FileEnd> end_of(const std::string& path);
[[nodiscard]] bool is_there(const std::string& path);
/// What a folder's entries are called is on the disk when this returns.
Status sync_folder(const std::string& path);
/// A snapshot's folder, with what a snapshot consists of; a folder where anything else lies stays, with that. What cannot
/// be removed stays, too: a later run tries again.
void remove_snapshot(const std::string& path);

// The folder a job's snapshots stand in: FOLDER/000001, FOLDER/000002, … Each is made under another name and is valid
// from the moment it is renamed, so whatever stands under a number is whole. One job at a time writes to a folder:
// node 0 holds a lock on it, which the system takes back from whoever dies.
[[nodiscard]] std::string folder_of(const std::string& folder, std::uint64_t number);
/// Where it is while it is made.
[[nodiscard]] std::string unfinished_folder_of(const std::string& folder, std::uint64_t number);
[[nodiscard]] std::string part_name(std::uint32_t part);
/// Those there are, ascending. An Input error if there is no such folder, an Environment error if it cannot be read.
Result<std::vector<std::uint64_t>> numbers_in(const std::string& folder);
/// Whose lock it is, in the words of the lock's file: a run's number in hexadecimal digits first.
[[nodiscard]] std::string lock_text(const std::string& folder);
[[nodiscard]] std::string run_text(std::uint64_t run);

/// An Environment error if this process does not see the lock that node 0 has just written.
Status check_same_folder(const std::string& folder, std::uint64_t run, std::uint32_t process);

/// Makes the folder where there is none, and tries to write a small file to it. An Input error where `path` is no folder,
/// an Environment error where nothing can be written: no permission, a read-only or a full file system.
Status prepare_folder(const std::string& path);

/// Writes a node's part of a snapshot that is being made, whose folder it makes if nobody has.
Status write_part(const std::string& folder, std::uint64_t number, std::uint32_t part,
                  std::span<const std::byte> sealed);

/// The right to add snapshots; node 0's.
class Folder {
 public:
  /// Prepares the folder (prepare_folder), and removes what a run left unfinished there. An Input error where another
  /// job holds it or where it is no folder, an Environment error where it cannot be written to.
  static Result<std::unique_ptr<Folder>> open(const std::string& path, std::uint64_t run,
                                              std::uint32_t kept);
  /// Whether nobody holds it now.
  static Result<bool> is_free(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Of the next snapshot.
  [[nodiscard]] std::uint64_t next_number() const { return next_; }
  /// Whether all parts of the snapshot in the making are there.
  [[nodiscard]] bool complete(std::uint64_t number, std::uint32_t parts) const;
  /// Makes it valid: reads the parts' sizes and checksums into `manifest`, adds that, renames, and removes the oldest.
  /// The bytes of its parts.
  Result<std::uint64_t> commit(Manifest manifest);
  /// Removes what there is of one in the making.
  void drop(std::uint64_t number);
  /// And of any other. Requires that nobody is writing.
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
