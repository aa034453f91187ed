// The harness of the micro benchmarks. A benchmark describes what is measured; the harness repeats it, takes medians, and
// prints a table and one line of JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace leeway::bench {

/// Alternatives that are measured in turn over several rounds, so that drifts of the machine's speed affect all of them
/// equally.
struct Contender {
  std::string name;
  std::function<double()> measure;
  double median = 0;
};

/// The elapsed seconds of `run`, as a measurement.
[[nodiscard]] std::function<double()> elapsed(std::function<void()> run);

/// Sets the medians of `rounds` rounds, after `warm_up` rounds that do not count.
void race(std::vector<Contender>& contenders, int rounds, int warm_up = 1);

/// The best of `runs` results of `run()`; other load on the machine only adds time.
template <class Run, class Better>
auto best_of(int runs, Run&& run, Better&& better) {
  auto best = run();
  for (int i = 1; i < runs; ++i) {
    auto next = run();
    if (better(next, best)) best = std::move(next);
  }
  return best;
}

/// Processor time of this process, over all threads.
[[nodiscard]] double processor_seconds();

/// Prevents the compiler from removing a computed value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// A goal for a measured value; 0: no goal.
[[nodiscard]] bool meets(double value, double goal, bool at_least = false);
/// "met" or "MISSED".
[[nodiscard]] const char* verdict(bool met);

/// A measured value.
struct Measurement {
  std::string name;
  double value = 0;
  std::string unit;
  double ratio = 0;       ///< to the value that it is compared with; 0: none
  double goal = 0;        ///< for the ratio; 0: none
  bool at_least = false;  ///< the goal is a minimum
};

/// Prints one line each. False if a goal is missed.
bool print_table(const std::vector<Measurement>& all);

/// Prints one line of JSON: the benchmark, the processor of this machine, then what `members(json)` writes.
void print_json(std::string_view bench, const std::function<void(JsonWriter&)>& members);

}  // namespace leeway::bench
