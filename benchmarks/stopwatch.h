// Timing of benchmarks. Contenders run in turn over several rounds and their medians are compared, so that drifts of
// the machine's speed affect all of them equally.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace leeway::bench {

struct Contender {
  std::string name;
  std::function<void()> run;
  double median_seconds = 0;
};

/// Measures the medians, after one untimed round.
void race(std::vector<Contender>& contenders, int rounds);

/// Prevents the compiler from removing a computed value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Commit and processor, for the JSON line of each benchmark.
[[nodiscard]] std::string machine();

}  // namespace leeway::bench
