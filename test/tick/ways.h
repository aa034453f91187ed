// The ways to synchronize ticks that tests go through.
#pragma once

#include <vector>

#include "leeway/runtime/tick/tick_options.h"

namespace leeway::testing {

inline std::vector<TickOptions> ways(std::uint32_t ticks) {
  std::vector<TickOptions> all;
  const auto add = [&](TickSync sync, std::optional<std::uint32_t> depth,
                       std::optional<std::uint32_t> every, std::optional<std::uint32_t> replicas) {
    TickOptions options;
    options.sync = sync;
    options.depth = depth;
    options.every = every;
    options.replicas = replicas;
    options.ticks = Tick(ticks);
    all.push_back(options);
  };
  add(TickSync::Barrier, {}, {}, {});
  add(TickSync::Local, {}, {}, {});
  add(TickSync::Schedule, 1, {}, {});
  add(TickSync::Schedule, 3, {}, {});
  add(TickSync::Replicate, {}, 1, 2);
  add(TickSync::Replicate, {}, 2, 3);
  add(TickSync::Replicate, {}, 3, 2);
  add(TickSync::Combined, 1, 1, 0);
  add(TickSync::Combined, 10, 2, 3);
  add(TickSync::Combined, 3, 3, 5);
  return all;
}

}  // namespace leeway::testing
