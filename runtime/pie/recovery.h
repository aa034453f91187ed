// Continuing after the loss of processes (AAP §7), in a job whose launcher replaces them: the processes that are left and
// those that replace lost ones agree where all continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"

namespace leeway::pie {

/// What a process that was not lost brings.
struct WhatIsLeft {
  /// The owners of all vertices, for processes that replace lost ones.
  std::function<Partition()> partition;
  /// By worker: the present results of its inner vertices, for a recovery that does not roll them back; empty: not of
  /// this process, or not needed.
  std::vector<std::vector<std::byte>> results;
};

/// What all processes agree on.
struct Continuation {
  /// For a process that replaces a lost one: the partition; none: no process is left that has one, and all begin again.
  std::optional<Partition> partition;
  std::uint64_t checkpoint = 0;  ///< the number of the snapshot to continue from; 0: there is none
  /// By worker: results that the processes that are left have now; empty: of a lost process. Without elements: all
  /// continue from the checkpoint.
  std::vector<std::vector<std::byte>> results;
};

/// Collective among all processes of a new generation of the job. `left`: none in a process that replaces a lost one.
/// `folder`: of the snapshots; empty: none. If further processes are lost meanwhile, joins again and repeats this.
Result<Continuation> agree_after_loss(const ClusterOptions& cluster,
                                      const std::optional<WhatIsLeft>& left,
                                      const std::string& folder);

}  // namespace leeway::pie
