// How a piece program is to be run: which of the four systems, how pieces are put in order, when load is
// rebalanced. Plain data, the same on every worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/stop.h"
#include "leeway/runtime/piece/ids.h"
#include "leeway/transport/cost_model.h"

namespace leeway::piece {

/// The four that AsyTick's evaluation compares (§5).
enum class System {
  OriTick,     ///< a barrier after every tick, and nothing against skew
  ComTick,     ///< OriTick with the persistence-based load balancer
  AsyTick,     ///< asynchronous parts as pieces arrive, no barrier
  AsyTickPlb,  ///< AsyTick with the persistence-based load balancer
};
[[nodiscard]] constexpr bool has_barrier(System system) {
  return system == System::OriTick || system == System::ComTick;
}
[[nodiscard]] constexpr bool has_balancer(System system) {
  return system == System::ComTick || system == System::AsyTickPlb;
}
[[nodiscard]] constexpr std::string_view system_name(System system) {
  constexpr std::string_view kNames[] = {"oritick", "comtick", "asytick", "asytick-plb"};
  return kNames[static_cast<std::size_t>(system)];
}

struct Options {
  System system = System::AsyTickPlb;
  std::uint32_t ticks = 10;  ///< at most, where the program terminates by itself
  bool scheduler = true;     ///< off: pieces are worked on in the order in which they become ready
  double alpha = 0.45;       ///< Pri(P) = alpha·D(P) + beta·N(P), least first; alpha + beta = 1
  double beta = 0.55;
  std::uint32_t balance_every = 2;  ///< ticks between two redistributions
  /// Behind barriers: ticks between the last one measured and the first one redistributed, from 2, so that
  /// the map is there when the barrier opens, to `balance_every`.
  std::uint32_t balance_lag = 2;
  std::uint32_t horizon = 8;  ///< ticks beyond the last that Termination() was asked about
  /// How long information for others may be gathered before it is sent; what is full or finds its
  /// worker idle goes at once.
  Duration hold = std::chrono::microseconds(100);
  std::uint32_t frame_every =
      0;                 ///< every how many ticks all values are collected; 0: at the end only
  unsigned threads = 1;  ///< a worker's, for what processes; 0: as many as there are cores
  /// At the first worker, behind every `keep_every`th tick but the last, once all values before the next one are in:
  /// all there is to go on from, for what is under way follows from them. 0: never.
  std::uint32_t keep_every = 0;
  std::function<void(TickId, std::span<const std::vector<std::byte>> pieces)> keep;
  StopFlag stop = nullptr;  ///< once set the run fails, everywhere alike
  bool trace = false;       ///< record every span of work and waiting
  CostModel cost;           ///< sim: what a disturbed worker's computing is multiplied from
  /// sim: what waking a task for an arrival costs its worker beside the computing.
  Duration wake{};
  /// sim: how long a worker's computing takes in a tick, in percent of what it should; empty: 100.
  std::function<std::uint32_t(NodeId worker, TickId tick)> disturbance;
};

/// Whether the values before `tick` are shown, or kept to go on from. Of tick 0 nothing need be kept.
[[nodiscard]] inline bool is_shown(const Options& options, TickId tick) {
  return options.frame_every > 0 && tick.value() % options.frame_every == 0;
}
[[nodiscard]] inline bool is_kept(const Options& options, TickId tick) {
  return options.keep_every > 0 && tick.value() > 0 && tick.value() % options.keep_every == 0;
}

}  // namespace leeway::piece
