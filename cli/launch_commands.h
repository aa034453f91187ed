// A job that is started again from its last snapshot when it dies: what `leeway supervise` does with a command, and
// `leeway launch --spares` with processes of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "leeway/result.h"

namespace leeway::cli {

/// What a command of the shell's adds to 128 for a signal that ended it.
inline constexpr int kKilled = 128;
/// A shell's code for a command that cannot be started.
inline constexpr int kCannotStart = 127;

/// How a job ended.
struct JobEnd {
  int code = 0;       ///< as a shell tells it
  std::string words;  ///< "the job …"
};

/// What `--snapshot` says in a command, which is also where --resume is to look; empty: nothing.
[[nodiscard]] std::string snapshot_folder_in(const std::vector<std::string>& command);

struct RestartOptions {
  std::string who;  ///< says what happens: a command's name
  std::string folder;
  std::uint32_t most = 5;        ///< restarts
  double pause = 0.5;            ///< in seconds, before the first
  std::function<int()> stopped;  ///< the signal that has told this process to end; 0: none
};

class Restarts {
 public:
  /// Runs the job once, with `--resume` and the folder added to what it is started with if told so.
  using Run = std::function<Result<JobEnd>(bool resumes)>;

  explicit Restarts(RestartOptions options)
      : options_(std::move(options)), pause_(options_.pause) {}

  /// Until the job ends well, or by a mistake of its own, or too often. Its exit code.
  Result<int> run(const Run& once);

 private:
  Status wait_until_free() const;
  void prepare(const std::string& died, double lived, std::uint32_t restart);
  void say(const std::string& text) const;
  void sleep(double time) const;

  const RestartOptions options_;
  SteadyClock clock_;
  bool resumes_ = false;
  std::uint64_t newest_ = 0;
  double pause_;
};

}  // namespace leeway::cli
