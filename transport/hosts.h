// Machines that several nodes of a virtual cluster share: processor cores, memory bandwidth, network interface.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/network_profile.h"

namespace leeway {

/// The hosts of a virtual cluster. By default every node has a host of its own, with a core for each of its activities.
/// Otherwise, a node's activities (its program and its service) share the host with those of the other nodes.
struct SharedHosts {
  /// Number of hosts. Nodes are placed in blocks, as mpiexec places ranks: the first ones on host 0. 0: a host for each
  /// node.
  std::uint32_t count = 0;
  std::uint32_t cores = 1;  ///< of each host
  /// Share of the host's memory bandwidth that an activity uses while it computes at full speed. When the shares of the
  /// computing activities exceed the whole, all of them slow down in proportion.
  std::uint32_t memory_share_per_million = 0;
  /// Frames between nodes of one host. Between hosts the cluster's profile applies. Its bandwidth is that of the one
  /// network interface of a host, once for outgoing and once for incoming frames.
  NetworkProfile within;

  [[nodiscard]] bool shared() const { return count > 0; }
  /// Requires shared().
  [[nodiscard]] std::uint32_t host_of(NodeId node, std::uint32_t nodes) const {
    return static_cast<std::uint32_t>(node.index() * count / nodes);
  }
  /// Time that `computing` concurrent activities of a host need, per million of what one would need alone.
  [[nodiscard]] std::uint64_t slowdown_per_million(std::uint64_t computing) const;
};

/// The processor of one shared host, which serves all computing activities at the same rate. The rate depends only on
/// their number, so one clock of work done (per activity, in picoseconds at full speed) determines every end: an
/// activity is done when the clock has advanced by its work. Reads no clock: time is an argument and must not decrease.
class HostProcessor {
 public:
  explicit HostProcessor(const SharedHosts& hosts) : hosts_(&hosts) {}

  [[nodiscard]] bool idle() const { return loads_.empty(); }
  /// Activity `activity` starts to compute.
  void begin(Instant now, std::uint32_t activity, std::uint64_t picoseconds);
  /// The activity's work is dropped, if it has any.
  void drop(Instant now, std::uint32_t activity);
  /// When the next activity is done if no other begins before, rounded up to nanoseconds.
  [[nodiscard]] std::optional<Instant> next_end() const;
  /// Removes and returns the activities that are done, in the order of their ends, then of their beginnings.
  [[nodiscard]] std::vector<std::uint32_t> take_done(Instant now);

 private:
  struct SharedLoad {
    std::uint64_t end_ps = 0;  // by the clock of work done
    std::uint32_t activity = 0;
  };

  void advance(Instant now);

  const SharedHosts* hosts_;
  std::vector<SharedLoad> loads_;  // ascending by end_ps
  std::uint64_t done_ps_ = 0;      // work done per activity since the host was idle
  Instant advanced_to_{};
};

}  // namespace leeway
