// A cluster inside one process: every node is a set of threads, a frame is moved from hand to hand. With
// a network profile a frame is held back until it is due, in real time, so that real threads can be
// measured against real delays.
#pragma once

#include <memory>

#include "transport/network_profile.h"
#include "transport/transport.h"

namespace leeway {

struct LoopbackOptions {
  std::uint32_t nodes = 2;
  NetworkProfile profile;  ///< ideal: delivered at once
  std::uint64_t seed = 1;  ///< for the profile's latencies
};

/// Owns what the nodes' transports share; outlives them all. Thread-safe.
class LoopbackNetwork {
 public:
  explicit LoopbackNetwork(const LoopbackOptions& options);
  ~LoopbackNetwork();
  LoopbackNetwork(const LoopbackNetwork&) = delete;
  LoopbackNetwork& operator=(const LoopbackNetwork&) = delete;

  [[nodiscard]] Transport& node(NodeId id);
  [[nodiscard]] std::uint32_t node_count() const;
  /// Tells every other node that this one is gone; frames to it vanish from now on.
  void take_down(NodeId id);

 private:
  class Mailbox;
  class Endpoint;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
};

}  // namespace leeway
