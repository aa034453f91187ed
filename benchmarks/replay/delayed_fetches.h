// A transport whose fetches take longer, and nothing else: frames that answer a Read are held back at
// the node that asked for so long after they arrived. What Figure 15 of ASPIRE varies. Works over any
// transport; the frame's first byte tells what it is.
#pragma once

#include <deque>

#include "leeway/transport/transport.h"

namespace leeway::replay {

/// As the transport it wraps, which outlives it.
class DelayedFetches final : public Transport {
 public:
  DelayedFetches(Transport& inner, Duration delay) : inner_(inner), delay_(delay) {}

  NodeId self() const override { return inner_.self(); }
  std::uint32_t node_count() const override { return inner_.node_count(); }
  SendOutcome send(NodeId to, Frame& frame) override { return inner_.send(to, frame); }
  std::size_t poll(FrameSink& sink, std::size_t most) override;
  std::uint64_t ticket() const override { return inner_.ticket(); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override;
  void wake() override { inner_.wake(); }
  Instant now() const override { return inner_.now(); }
  void charge(const Work& work) override { inner_.charge(work); }
  void spawn(std::string name, std::function<void()> body) override {
    inner_.spawn(std::move(name), std::move(body));
  }
  void join() override { inner_.join(); }
  TransportStats stats() const override { return inner_.stats(); }

 private:
  class Sorter;
  struct Held {
    Instant due{};
    NodeId from{0};
    Frame frame;
  };

  Transport& inner_;
  Duration delay_;
  std::deque<Held> held_;  // the same delay for all: due in the order they came
};

}  // namespace leeway::replay
