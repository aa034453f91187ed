// A node as the conformance cases see it: sends that insist, receives that block, numbered frames whose
// content can be checked, and a barrier made of nothing but frames. Runs in any activity of any fabric.
#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/format.h"
#include "transport/transport.h"

namespace leeway::conformance {

/// A case that does not hold says so by this.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

/// Content that tells its sender, receiver, number and length; `bytes` may be 0.
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

  /// Sends, polling while the way is full.
  void send(NodeId to, Frame frame);
  /// The next frame of `from`; Broken after a minute.
  Frame receive(NodeId from);
  /// Receives and checks against what `make_frame` gives.
  void expect_frame(NodeId from, std::uint64_t number, std::size_t bytes);
  void wait_for_down(NodeId peer);
  std::size_t poll(std::size_t most = 64) { return transport_.poll(*this, most); }
  [[nodiscard]] std::size_t waiting(NodeId from) const { return in_[from.index()].size(); }
  [[nodiscard]] bool is_down(NodeId peer) const { return down_[peer.index()]; }

  /// Returns when every node has called it; nobody's frames of the case before are left behind.
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
