// A job that is interrupted, drawn from a seed: a small graph and a program on it, and its runs one after the other,
// each on a cluster, by a schedule and over a network of its own, taking snapshots; all but the last may lose a node.
// Pure: the same seed gives the same plan everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/vertex/catalog.h"
#include "test/answers/graph_input.h"

namespace leeway::campaign {

/// One run of the job.
struct Leg {
  ProgramOptions options;    ///< snapshots and faults by a time of the run left out
  double every_seconds = 0;  ///< between snapshots
  std::uint64_t every_rounds = 0;
  std::uint32_t kept = 2;
  /// How far into the computation of a run that is left alone, of which these are parts of the length.
  std::optional<double> pause_at;
  double pause_share = 0;
  std::optional<double> cut_at;
  double cut_share = 0;
  std::optional<double> crash_at;  ///< may lie before the computation, or behind it
  std::uint32_t node = 0;          ///< that pauses, or is lost
  std::uint64_t side = 0;          ///< of the cut

  [[nodiscard]] std::string describe() const;
};

struct SnapshotPlan {
  std::uint64_t seed = 0;
  const ProgramInfo* program = nullptr;
  answers::InputGraph graph;
  std::uint32_t source = 0;
  std::uint32_t rounds = 0;  ///< exactly so many; 0: until it rests
  std::vector<Leg> legs;     ///< at least two

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::string repeat_command() const;
};

[[nodiscard]] SnapshotPlan make_snapshot_plan(std::uint64_t seed);

}  // namespace leeway::campaign
