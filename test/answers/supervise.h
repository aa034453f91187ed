// Cases in processes of their own, under a watch: one that crashes, hangs or takes too much memory ends its
// process and becomes a failure. The supervisor itself has one thread and calls nothing of the library.
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

/// What a process of cases shows its supervisor; lies in memory that both see.
struct Progress;

/// One child process that runs cases one after the other until one fails.
class Runner {
 public:
  /// `folder` is made, and removed with the runner.
  Runner(std::string folder, std::string command, Limits limits);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Starts a process that asks `next` for case after case until it gives none, or one has failed.
  void start(std::function<bool(Case&)> next);
  /// True once the process has ended; ends it when its case has lasted too long.
  [[nodiscard]] bool ended();
  /// After the end: the failed case's seed and verdict; passed if there was none.
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  [[nodiscard]] std::uint64_t seed() const;
  /// Of all processes so far.
  [[nodiscard]] std::uint64_t passed() const;
  [[nodiscard]] std::uint64_t skipped() const;

  /// Runs one case to its end.
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
