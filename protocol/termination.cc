#include "protocol/termination.h"

#include <algorithm>

#include "base/check.h"

namespace leeway {

TerminationDetector::DetectorStep TerminationDetector::inactive(NodeId node,
                                                                const MessageCounts& counts) {
  Flag& flag = nodes_[node.index()];
  flag.inactive = true;
  flag.counts = counts;
  return consider();
}

TerminationDetector::DetectorStep TerminationDetector::answer(NodeId node, bool ack,
                                                              const MessageCounts& counts) {
  LEEWAY_CHECK(open());
  Flag& flag = nodes_[node.index()];
  LEEWAY_CHECK(!flag.answered, node);
  if (!ack || !(flag.inactive && flag.counts == counts)) refused_ = true;
  flag = {ack, counts, true};
  if (--missing_ > 0) return DetectorStep::None;
  if (!refused_) {
    over_ = true;
    return DetectorStep::Over;
  }
  return consider();
}

void TerminationDetector::forget() {
  std::fill(nodes_.begin(), nodes_.end(), Flag());
  ++attempt_;
  missing_ = 0;
  over_ = false;
  refused_ = false;
}

TerminationDetector::DetectorStep TerminationDetector::consider() {
  if (over_) return DetectorStep::None;
  if (missing_ > 0) {
    refused_ = true;  // a node was active again since it answered
    return DetectorStep::None;
  }
  MessageCounts all;
  for (const Flag& flag : nodes_) {
    if (!flag.inactive) return DetectorStep::None;
    all.sent += flag.counts.sent;
    all.handled += flag.counts.handled;
  }
  if (all.sent != all.handled)
    return DetectorStep::None;  // the nodes that receive the others will report again
  ++attempt_;
  for (Flag& flag : nodes_) flag.answered = false;
  missing_ = static_cast<std::uint32_t>(nodes_.size());
  refused_ = false;
  return DetectorStep::Terminate;
}

}  // namespace leeway
