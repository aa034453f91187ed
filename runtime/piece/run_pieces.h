// Runs a piece program on a cluster: the same program and options on every node, the result at the first.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/piece/options.h"
#include "leeway/runtime/piece/piece.h"

namespace leeway::piece {

struct PieceRun {
  /// The values after the last tick come last; before them those of every `frame_every`th tick.
  std::vector<TickValues> snapshots;
  PieceRecord record;
};

/// An Input error for options that contradict each other. Where nodes are processes, only the first one's
/// run holds anything.
Result<PieceRun> run_pieces(const Program& program, const ClusterOptions& cluster,
                            const Options& options);

/// The same with a program of its own for each worker; all of one layout.
using MakeProgram = std::function<Result<std::shared_ptr<const Program>>(NodeId worker)>;
Result<PieceRun> run_pieces(const MakeProgram& make, const ClusterOptions& cluster,
                            const Options& options);

template <class P>
Result<PieceRun> run_pieces_of(const P& program, const ClusterOptions& cluster,
                               const Options& options) {
  const ProgramOf<P> erased(program);
  return run_pieces(erased, cluster, options);
}

/// Refuses options that no run could follow.
Status admit_options(const Options& options);

}  // namespace leeway::piece
