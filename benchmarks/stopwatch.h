// Times rival pieces of code in one run: each is run in turn, several times over, and the medians are
// compared, so that a machine whose speed drifts slows all of them alike.
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

/// Fills in the medians. One untimed round first.
void race(std::vector<Contender>& contenders, int rounds);

/// Keeps the compiler from dropping a computed value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Commit and processor, for the JSON line each benchmark prints.
[[nodiscard]] std::string machine();

}  // namespace leeway::bench
