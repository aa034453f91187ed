// A transport whose fetches take longer, and nothing else: frames that answer a Read are held back at
// the node that asked for so long after they arrived. What Figure 15 of ASPIRE varies. Works over any
// transport; the frame's first byte tells what it is.
#pragma once

#include <deque>

#include "leeway/transport/forwarding_transport.h"

namespace leeway::replay {

class DelayedFetches final : public ForwardingTransport {
 public:
  DelayedFetches(Transport& inner, Duration delay) : ForwardingTransport(inner), delay_(delay) {}

  std::size_t poll(FrameSink& sink, std::size_t most) override;
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override;

 private:
  class Sorter;
  struct Held {
    Instant due{};
    NodeId from{0};
    Frame frame;
  };

  Duration delay_;
  std::deque<Held> held_;  // the same delay for all: due in the order they came
};

}  // namespace leeway::replay
