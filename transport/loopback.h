// LoopbackNetwork: a cluster inside one process. Each node is a set of threads; a frame moves
// between mailboxes in memory. With a network profile, a frame is delivered only after its latency
// has passed in real time.
#pragma once

#include <memory>

#include "transport/cluster_model.h"
#include "transport/transport.h"

namespace leeway {

struct LoopbackOptions {
  std::uint32_t nodes = 2;
  NetworkProfile profile;  ///< ideal: delivered at once
  std::uint64_t seed = 1;  ///< for the profile's latencies
};

/// Owns the transports and mailboxes of all nodes. Thread-safe.
class LoopbackNetwork {
 public:
  explicit LoopbackNetwork(const LoopbackOptions& options);
  ~LoopbackNetwork();
  LoopbackNetwork(const LoopbackNetwork&) = delete;
  LoopbackNetwork& operator=(const LoopbackNetwork&) = delete;

  [[nodiscard]] Transport& node(NodeId id);
  [[nodiscard]] std::uint32_t node_count() const;
  /// Reports node `id` as gone to all other nodes; frames to it are dropped from now on.
  void take_down(NodeId id);

 private:
  class Mailbox;
  class Endpoint;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
};

}  // namespace leeway
