// Runs cases in supervised child processes: a case that crashes, hangs or uses too much memory ends
// its process and counts as a failure. The supervisor itself has one thread and calls no library
// code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "test/answers/run_case.h"

namespace leeway::answers {

struct Limits {
  std::chrono::milliseconds per_case{20'000};
  std::uint64_t memory_bytes = std::uint64_t{224} << 20U;
};

/// Progress of a child process, in memory that it shares with its supervisor.
struct Progress;

/// One child process that runs cases sequentially until one fails.
class Runner {
 public:
  /// `folder` is created, and removed with the runner.
  Runner(std::string folder, std::string command, Limits limits);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Starts a process that runs the cases returned by `next` until there are no more or one has
  /// failed.
  void start(std::function<bool(Case&)> next);
  /// True once the process has ended; kills it if its case exceeds the time limit.
  [[nodiscard]] bool ended();
  /// To be called after the end: seed and verdict of the failed case; passed if there was none.
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  [[nodiscard]] std::uint64_t seed() const;
  /// Number of passed cases of all processes so far.
  [[nodiscard]] std::uint64_t passed() const;
  [[nodiscard]] std::uint64_t skipped() const;

  /// Runs one case and returns its verdict.
  Verdict run(const Case& drawn);

 private:
  [[noreturn]] void work(const std::function<bool(Case&)>& next);
  void conclude(int status);

  std::string folder_, command_;
  Limits limits_;
  Progress* progress_;
  int child_ = 0;
  bool late_ = false;
  Verdict verdict_;
};

}  // namespace leeway::answers
