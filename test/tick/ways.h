// The combinations of synchronizations and parameters used by the tests.
#pragma once

#include <vector>

#include "leeway/tick_program.h"

namespace leeway::testing {

inline std::vector<tick::TickOptions> ways(std::uint32_t ticks) {
  std::vector<tick::TickOptions> all;
  const auto add = [&](tick::Sync sync, std::optional<std::uint32_t> depth,
                       std::optional<std::uint32_t> every, std::optional<std::uint32_t> replicas) {
    tick::TickOptions options;
    options.sync = sync;
    options.depth = depth;
    options.every = every;
    options.replicas = replicas;
    options.ticks = tick::Tick(ticks);
    all.push_back(options);
  };
  add(tick::Sync::Barrier, {}, {}, {});
  add(tick::Sync::Local, {}, {}, {});
  add(tick::Sync::Schedule, 1, {}, {});
  add(tick::Sync::Schedule, 3, {}, {});
  add(tick::Sync::Replicate, {}, 1, 2);
  add(tick::Sync::Replicate, {}, 2, 3);
  add(tick::Sync::Replicate, {}, 3, 2);
  add(tick::Sync::Combined, 1, 1, 0);
  add(tick::Sync::Combined, 10, 2, 3);
  add(tick::Sync::Combined, 3, 3, 5);
  return all;
}

}  // namespace leeway::testing
