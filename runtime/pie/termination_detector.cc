#include "leeway/runtime/pie/termination_detector.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway::pie {

TerminationDetector::Step TerminationDetector::inactive(NodeId node, const MessageCounts& counts) {
  nodes_[node.index()] = {true, counts};
  return consider();
}

TerminationDetector::Step TerminationDetector::answer(NodeId node, bool ack,
                                                      const MessageCounts& counts) {
  LEEWAY_CHECK(open());
  Flag& flag = nodes_[node.index()];
  if (!ack || !(flag.inactive && flag.counts == counts)) refused_ = true;
  flag = {ack, counts};
  if (--missing_ > 0) return Step::None;
  if (!refused_) return Step::Over;
  return consider();
}

void TerminationDetector::forget() {
  std::fill(nodes_.begin(), nodes_.end(), Flag());
  ++attempt_;
  missing_ = 0;
  refused_ = false;
}

TerminationDetector::Step TerminationDetector::consider() {
  if (missing_ > 0) {
    refused_ = true;  // a node was active again since it was asked
    return Step::None;
  }
  MessageCounts all;
  for (const Flag& flag : nodes_) {
    if (!flag.inactive) return Step::None;
    all.sent += flag.counts.sent;
    all.handled += flag.counts.handled;
  }
  if (all.sent != all.handled) return Step::None;  // whoever gets the rest will speak up
  ++attempt_;
  missing_ = static_cast<std::uint32_t>(nodes_.size());
  refused_ = false;
  return Step::Terminate;
}

}  // namespace leeway::pie
