// What a node tells of its run, as bytes, for processes that cannot see each other's memory. Times are
// relative to the node's begin, for clocks differ.
#pragma once

#include "leeway/base/bytes.h"
#include "leeway/runtime/pie/options.h"

namespace leeway::pie {

void write_outcome(const NodeOutcome& outcome, ByteWriter& out);
/// False if the bytes make no sense.
[[nodiscard]] bool read_outcome(ByteReader& in, NodeOutcome& outcome);

}  // namespace leeway::pie
