// Files that are written under a temporary name and are removed if the process ends before they are complete, even by a
// signal. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace leeway {

/// Removes its file when it is destroyed or `remove_unfinished_files` is called, unless `keep` was called before. Move-only.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(std::string path);
  /// Creates a new file with a unique name: `path`, a dot and six random characters. Returns it with its descriptor for
  /// writing, which is below 0 (and errno is set) on failure.
  static std::pair<UnfinishedFile, int> next_to(const std::string& path);
  ~UnfinishedFile() { remove(); }
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Creates or truncates the file. Returns its descriptor for writing, or a value below 0 and errno. `flags`: further flags
  /// of open(2).
  [[nodiscard]] int create(int flags = 0) const;
  /// The file is complete (and renamed): it is no longer removed.
  void keep();

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  void release_slot();
  void remove();

  std::string path_;          ///< empty: no file
  std::size_t slot_ = kNone;  ///< index in the table that signal handlers use
};

/// Removes all unfinished files of this process before it ends. A thread that calls `create` afterwards blocks until the
/// process ends. Async-signal-safe. Does nothing in a child that was forked while its parent was writing.
void remove_unfinished_files();

}  // namespace leeway
