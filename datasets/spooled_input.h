// What can be read once only - a pipe, a terminal, standard input - as a file that can be read again: readers
// look at a file's beginning before they read it, map it, or read it twice.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "leeway/base/result.h"

namespace leeway {

class Progress;

/// Whether `path` is "-", standard input, or no regular file and no folder.
[[nodiscard]] bool gives_once(const std::filesystem::path& path);

/// All of it, in memory, under a path that lasts as long as this. Move-only.
class SpooledInput {
 public:
  /// Blocks until the writer has closed its end.
  static Result<SpooledInput> take(const std::filesystem::path& path, Progress* progress);
  ~SpooledInput();
  SpooledInput(SpooledInput&& other) noexcept;
  SpooledInput& operator=(SpooledInput&& other) noexcept;

  [[nodiscard]] std::filesystem::path path() const;
  /// For messages: what the user called it.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  SpooledInput(int file, std::string name) : file_(file), name_(std::move(name)) {}

  int file_ = -1;
  std::string name_;
};

}  // namespace leeway
