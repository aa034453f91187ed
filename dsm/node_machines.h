// What a node consists of behind its header: what it is about to send, and its part in collectives and in the verdict
// that all is over. Under the node's lock.
#pragma once

#include <vector>

#include "leeway/dsm/node.h"
#include "leeway/protocol/collective.h"
#include "leeway/protocol/outbox.h"
#include "leeway/protocol/termination.h"

namespace leeway {

struct Node::Machines {
  Machines(NodeId self, std::uint32_t nodes, bool aggregate)
      : outbox(nodes, aggregate), collective(self, nodes) {}

  Outbox outbox;
  std::vector<OutFrame> drained;  // scratch
  Collective collective;
  Termination termination;
};

}  // namespace leeway
