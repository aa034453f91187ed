// A node from the point of view of the conformance cases: blocking sends and receives, numbered
// frames whose content can be checked, and a barrier that uses only frames. Runs in any activity of
// any fabric.
#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/format.h"
#include "transport/transport.h"

namespace leeway::conformance {

/// Thrown when a case fails.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

/// A frame whose content depends on sender, receiver, number and length; `bytes` may be 0.
Frame make_frame(NodeId from, NodeId to, std::uint64_t number, std::size_t bytes);

class Mailroom final : public FrameSink {
 public:
  explicit Mailroom(Transport& transport)
      : transport_(transport), in_(transport.node_count()), down_(transport.node_count()) {}

  [[nodiscard]] Transport& transport() { return transport_; }
  [[nodiscard]] NodeId self() const { return transport_.self(); }
  [[nodiscard]] std::uint32_t node_count() const { return transport_.node_count(); }
  [[nodiscard]] NodeId neighbour(std::uint32_t steps) const {
    return NodeId((self().value() + steps) % node_count());
  }

  /// Sends; polls while the window is full.
  void send(NodeId to, Frame frame);
  /// The next frame of `from`; throws Broken after a minute.
  Frame receive(NodeId from);
  /// Receives a frame and compares it with the result of `make_frame`.
  void expect_frame(NodeId from, std::uint64_t number, std::size_t bytes);
  void wait_for_down(NodeId peer);
  std::size_t poll(std::size_t most = 64) { return transport_.poll(*this, most); }
  [[nodiscard]] std::size_t waiting(NodeId from) const { return in_[from.index()].size(); }
  [[nodiscard]] bool is_down(NodeId peer) const { return down_[peer.index()]; }

  /// Returns when every node has called it; all frames of the previous case have been received
  /// then.
  void barrier();

  void on_frame(NodeId from, std::span<const std::byte> frame) override;
  void on_peer_down(NodeId node) override { down_[node.index()] = true; }

 private:
  template <class Done>
  void until(Done&& done, const std::string& what);

  Transport& transport_;
  std::vector<std::deque<Frame>> in_;
  std::vector<bool> down_;
};

}  // namespace leeway::conformance
