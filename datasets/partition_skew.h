// Skewed partitions on purpose, to see what a straggler does (AAP §7, Exp-4: r = largest part over
// median part, counted in vertices).
#pragma once

#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"

namespace leeway {

/// Makes part 0 `ratio` times the median part and all others equal, as nearly as whole vertices allow.
/// Vertices move along the cut, best connected first. Requires ratio >= 1, two or more parts unless it
/// is 1, and vertices enough that no part becomes empty (Input errors). Of two parts, the smaller is
/// the median.
Status skew_partition(const Graph& graph, double ratio, Partition& partition);

}  // namespace leeway
