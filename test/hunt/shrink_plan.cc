#include "test/hunt/shrink_plan.h"

#include <algorithm>
#include <utility>

namespace leeway::hunt {

namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned kSeconds = 10;  // time limit of a run

HuntPlan without_vertices(const HuntPlan& from, std::uint32_t first, std::uint32_t count) {
  HuntPlan to = from;
  const std::uint32_t end = std::min(first + count, to.graph.size());
  answers::remove_vertices(to.graph, first, end);
  if (!to.owners.empty()) to.owners.erase(to.owners.begin() + first, to.owners.begin() + end);
  if (to.source >= end) {
    to.source -= end - first;
  } else if (to.source >= first) {
    to.source = 0;
  }
  return to;
}

class Shrinker {
 public:
  Shrinker(ShrunkPlan& best, Clock::time_point end) : best_(best), end_(end) {}

  bool take_if_failing(const HuntPlan& candidate) {
    if (Clock::now() >= end_) return false;
    HuntOutcome outcome = run_apart(candidate, kSeconds);
    if (outcome.sort.empty()) return false;
    if (!best_.outcome.sort.empty() && outcome.sort != best_.outcome.sort) return false;
    best_.smallest = candidate;
    best_.outcome = std::move(outcome);
    return true;
  }

  void shrink() {
    for (bool smaller = true; smaller && Clock::now() < end_;) {
      smaller = drop_traits();
      smaller = fewer_nodes() || smaller;
      smaller = drop_vertices() || smaller;
      smaller = drop_edges() || smaller;
    }
  }

 private:
  bool drop_traits() {
    bool any = false;
    for (const std::string_view trait : traits()) {
      HuntPlan candidate = best_.smallest;
      if (take_back(candidate, trait)) any = take_if_failing(candidate) || any;
    }
    return any;
  }

  bool fewer_nodes() {
    for (std::uint32_t nodes = 1; nodes < best_.smallest.options.cluster.nodes; ++nodes) {
      HuntPlan candidate = best_.smallest;
      set_nodes(candidate, nodes);
      if (take_if_failing(candidate)) return true;
    }
    return false;
  }

  bool drop_vertices() {
    bool any = false;
    for (std::uint32_t count = best_.smallest.graph.size() / 2; count > 0; count /= 2) {
      for (std::uint32_t first = best_.smallest.graph.size(); first > 0;) {
        first = first > count ? first - count : 0;
        if (best_.smallest.graph.size() <= count) break;
        any = take_if_failing(without_vertices(best_.smallest, first, count)) || any;
      }
    }
    return any;
  }

  bool drop_edges() {
    bool any = false;
    for (std::size_t i = best_.smallest.graph.edges.size(); i-- > 0;) {
      if (i >= best_.smallest.graph.edges.size()) continue;
      HuntPlan candidate = best_.smallest;
      candidate.graph.edges.erase(candidate.graph.edges.begin() + static_cast<std::ptrdiff_t>(i));
      any = take_if_failing(candidate) || any;
    }
    return any;
  }

  ShrunkPlan& best_;
  Clock::time_point end_;
};

}  // namespace

ShrunkPlan shrink(const HuntPlan& failing, std::chrono::seconds time) {
  ShrunkPlan best{failing, {}, false};
  Shrinker shrinker(best, Clock::now() + time);
  best.repeats = shrinker.take_if_failing(failing);
  if (best.repeats) shrinker.shrink();
  return best;
}

}  // namespace leeway::hunt
