// Files that are being written under a provisional name: whoever ends the process before they are whole
// removes them, be it from a signal handler. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace leeway {

/// Removes its file when destroyed, or when the process is ended by a signal, unless `keep` was called
/// before. Move-only.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(std::string path);
  /// A new file of a name of its own: `path`, a dot and six letters. With its descriptor, for writing; below 0, and
  /// errno, if it is refused.
  static std::pair<UnfinishedFile, int> beside(const std::string& path);
  ~UnfinishedFile() { remove(); }
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Makes the file, or makes it empty; its descriptor, for writing, or below 0, and errno. `flags`: more of open(2)'s.
  [[nodiscard]] int create(int flags = 0) const;
  /// It is whole, and has its own name now.
  void keep();

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  void forget();
  void remove();

  std::string path_;          ///< empty: none
  std::size_t slot_ = kNone;  ///< where a signal handler finds it
};

/// Removes all there are; whoever wants to make another from now on waits for the process's end. For the way out of a
/// process: does only what a signal handler may, and nothing in a child that was forked while its parent was writing.
void remove_unfinished_files();

}  // namespace leeway
