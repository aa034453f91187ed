// The one loop of every engine that works in place: wait as the schedule says, take what has come, run what
// is to be run, publish, and tell the others; until all agree that nothing is left to do. An engine says only
// what a round of it is:
//
//   IterationSample run_round();   // takes what has come, runs, publishes
//   bool has_work();               // something is left to do here, whatever may come
//   bool has_arrivals();           // something has come
//   void settle_values();          // where it keeps values aside: puts them where a snapshot finds them
#pragma once

#include "leeway/runtime/node_log.h"
#include "leeway/runtime/pace.h"

namespace leeway {

template <class Engine>
void run_paced(Engine& engine, Node& node, Pace& pace, NodeLog& log) {
  const auto now = [&node] { return node.transport().now(); };
  const auto timed = [&](Activity activity, auto&& wait) {
    const Instant from = now();
    wait();
    log.span(activity, from, now());
  };
  bool over = false;
  while (!over) {
    if (pace.wants_snapshot()) {
      if constexpr (requires { engine.settle_values(); }) engine.settle_values();
      pace.take_snapshot();
    }
    if (pace.spent()) {
      // As many rounds as were asked for have run here; what comes now is for the others' sake alone.
      timed(Activity::Barrier, [&] {
        pace.rest([] { return false; });
        over = pace.over(false, {}) || pace.all_spent();
      });
      continue;
    }
    timed(Activity::Barrier,
          [&] { pace.hold([&] { return engine.has_work() || engine.has_arrivals(); }); });
    IterationSample sample;
    timed(Activity::Compute, [&] { sample = engine.run_round(); });
    const bool more = sample.changed > 0 || engine.has_work();
    const bool counts = pace.counts(sample);
    timed(Activity::Barrier, [&] {
      if (!more) pace.rest([&] { return engine.has_arrivals(); });
      over = pace.over(more, sample) || pace.all_spent();
    });
    if (!counts) continue;
    sample.at = now();
    log.ended(sample);
  }
  log.converged = pace.converged();
}

}  // namespace leeway
