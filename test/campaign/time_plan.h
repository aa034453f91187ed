// A run of a time-stepped program, drawn from a seed: engine, program, synchronization, number of
// nodes, network, stragglers and pauses; and whether it ended with the bits of the sequential
// update. Pure except for the virtual cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/cluster.h"
#include "leeway/piece.h"
#include "leeway/tick_program.h"

namespace leeway::campaign {

enum class TimeProgram : std::uint8_t { Fish, NBody, Jacobi, PageRank, FishFood };

struct TimePlan {
  std::uint64_t seed = 1;
  bool pieces = false;  ///< the piece engine; else the tick engine
  TimeProgram program = TimeProgram::Fish;
  std::uint32_t ticks = 8;
  std::uint32_t things = 100;  ///< number of fish, bodies, vertices, or columns of the plate
  tick::TickOptions tick;
  piece::PieceOptions piece;
  std::uint32_t pieces_each = 4;
  ClusterOptions cluster;

  [[nodiscard]] std::string describe() const;
};

/// The same seed gives the same plan everywhere.
[[nodiscard]] TimePlan make_time_plan(std::uint64_t seed);
/// Every combination of synchronization or system, program, number of nodes {1, 2, 5, 16, 50} and
/// profile, without faults.
[[nodiscard]] std::vector<TimePlan> time_matrix();

struct TimeOutcome {
  std::string wrong;  ///< empty: right
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
};
[[nodiscard]] TimeOutcome run_time_plan(const TimePlan& plan);

}  // namespace leeway::campaign
