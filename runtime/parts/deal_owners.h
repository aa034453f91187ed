// A division that one node worked out, brought to those it concerns.
#pragma once

#include <span>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// Of the owners of all vertices, as node 0 has found them or not, each node's range. Collective.
Result<std::vector<PartId>> deal_owners(Exchange& exchange, const VertexRanges& ranges,
                                        const Result<std::span<const PartId>>& all);

inline Result<std::span<const PartId>> owners_of(const Result<Partition>& divided) {
  if (!divided) return fail(divided.error());
  return divided->owner.span();
}

}  // namespace leeway
