// Label propagation over a level of a graph in parts whose labels are the parts themselves: vertices at the cut move
// to the part that most of their arcs' weight leads to, as long as it has room; of a part that holds too much some
// move wherever there is room.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/halo.h"
#include "leeway/runtime/parts/part_level.h"

namespace leeway {

/// `owners`: of this node's vertices, a part a node. No part that holds at most `most` gets more. The same for as many
/// nodes. Collective.
void refine_division(Exchange& exchange, const PartLevel& level, const Halo& halo,
                     std::uint64_t most, std::vector<PartId>& owners);

}  // namespace leeway
