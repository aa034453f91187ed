// What one node tells of its run: iterations against time, how the node spent its time, and why it
// stopped. Written by the node's own engine, read when it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/progress.h"
#include "leeway/runtime/residual.h"

namespace leeway {

struct IterationSample {
  Instant at{};                           ///< when it ended here
  std::uint64_t visited = 0;              ///< vertices run, or processed a list
  std::uint64_t changed = 0;              ///< of those, stored anew
  std::optional<Residual> residual = {};  ///< of programs that have one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.at, self.visited, self.changed, self.residual);
  }
};

enum class Activity : std::uint8_t { Compute, Blocked, Refresh, Barrier };
constexpr Activity last_of(Activity) { return Activity::Barrier; }

/// A stretch of time spent on one thing.
struct ActivitySpan {
  Activity activity = Activity::Compute;
  Instant begin{};
  Instant end{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.begin, self.end);
  }
};

struct NodeLog {
  Instant begin{};  ///< of the first iteration
  Instant end{};    ///< everything known everywhere
  std::vector<IterationSample> iterations;
  std::vector<ActivitySpan> spans;  ///< empty unless a trace was asked for
  bool converged = false;           ///< false: the limit of iterations was reached first
  bool trace = false;
  Progress* progress = nullptr;  ///< told of every iteration, if somebody watches this node
  std::function<void()>
      on_ended;  ///< called after every iteration, on the node's main thread; null: nobody is

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end, self.iterations, self.spans, self.converged);
  }
  void ended(const IterationSample& sample) {
    iterations.push_back(sample);
    if (progress != nullptr) progress->update(iterations.size());
    if (on_ended) on_ended();
  }
  void span(Activity activity, Instant from, Instant to) {
    if (trace && from != to) spans.push_back({activity, from, to});
  }
};

}  // namespace leeway
