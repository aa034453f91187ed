// A node's time as a picture shows it: few stretches, each of what took most of it. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "leeway/runtime/node_log.h"

namespace leeway::cli {

/// At most `pieces` stretches from the log's first iteration to its end, in order. Blocked time and
/// refreshing lie within the computation that they hold up, and are taken from it.
[[nodiscard]] std::vector<ActivitySpan> lanes_of(const NodeLog& log, std::size_t pieces);

}  // namespace leeway::cli
