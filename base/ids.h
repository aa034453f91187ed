// The identifiers shared by more than one floor. Ids that live on one floor are declared there.
#pragma once

#include <cstdint>

#include "leeway/base/id.h"

namespace leeway {

using NodeId = Id<struct NodeTag, std::uint32_t>;      ///< a machine m_i of the cluster
using VertexId = Id<struct VertexTag, std::uint32_t>;  ///< dense index of a vertex in its graph
using PartId = Id<struct PartTag, std::uint32_t>;      ///< one part of a partition

}  // namespace leeway
