// Brings what every node has to the first node, through the shared memory itself, so that it works over every
// fabric. Collective.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leeway/dsm/node.h"

namespace leeway {

/// At node 0 every node's bytes, by node; elsewhere empty lists. Every node gives the same name.
Result<std::vector<std::vector<std::byte>>> gather_at_first(Node& node, const std::string& name,
                                                            std::span<const std::byte> mine);

}  // namespace leeway
