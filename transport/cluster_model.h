// What a cluster consists of, as options describe it: the fabric, and of a virtual cluster the cost of computation
// (CostModel) and of messages (NetworkProfile), the machines that nodes share (SharedHosts), and failures (Faults). Costs are in
// picoseconds, so that costs far below a nanosecond add up exactly. docs/profiles.md gives the source of every number.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"

namespace leeway {

class Random;

/// How nodes exchange messages. Auto: the fabric of the job of processes that this process is in (own_job), else Loopback.
enum class Fabric {
  Auto,
  Loopback,  ///< threads of one process
  Sim,       ///< the virtual cluster
  Mpi,
  Ofi,
};

/// Amount of computation, in the units that a CostModel prices. Real transports ignore it because
/// the computation itself takes the time.
struct Work {
  std::uint64_t fetches = 0;  ///< objects read without a miss
  std::uint64_t stores = 0;
  std::uint64_t edges = 0;
  std::uint64_t vertices = 0;
  std::uint64_t bytes = 0;        ///< read or written beyond the first word of each object
  std::uint64_t picoseconds = 0;  ///< computation with an explicit cost
};

struct CostModel {
  std::uint64_t fetch_ps = 2'500;  ///< a hit that reads one word
  std::uint64_t store_ps = 9'000;
  std::uint64_t edge_ps = 1'000;
  std::uint64_t vertex_ps = 10'000;
  std::uint64_t byte_ps = 60;  ///< each byte of a value beyond the first word

  /// Picoseconds.
  [[nodiscard]] std::uint64_t price(const Work& work) const {
    return work.fetches * fetch_ps + work.stores * store_ps + work.edges * edge_ps +
           work.vertices * vertex_ps + work.bytes * byte_ps + work.picoseconds;
  }

  /// Computation without cost, for tests of logic.
  [[nodiscard]] static constexpr CostModel free() { return {0, 0, 0, 0, 0}; }
  /// The machine and DSM of ASPIRE's cluster, from RCP's columns of the paper's Tables 3 and 5.
  [[nodiscard]] static constexpr CostModel tardis() {
    return {400'000, 400'000, 2'000, 50'000, 300};
  }
};

/// A network: distribution of the one-way latency, rare spikes, bandwidth, and the processor time
/// per frame and per byte at both ends. The numbers were fixed before any result was known. All are
/// integers, so that a seed gives the same run on every machine.
struct NetworkProfile {
  std::string name = "ideal";
  /// Inverse cumulative distribution of the one-way latency in ns, at evenly spaced probabilities from
  /// 0 to 1; values between them are interpolated. One entry: constant.
  std::vector<std::uint64_t> latency_ns = {0};
  std::uint64_t spike_per_million = 0;  ///< frames with a latency spike
  /// Larger frames have a spike more often, in proportion to their size; 0: equally often.
  std::uint64_t spike_base_bytes = 0;
  /// Latency added by a spike, in the form of latency_ns.
  std::vector<std::uint64_t> spike_ns = {0};
  std::uint64_t picoseconds_per_byte = 0;  ///< the inverse of bandwidth
  /// The first bytes of a frame, which have their own price.
  std::uint64_t header_bytes = 0;
  std::uint64_t header_ps_per_byte = 0;
  std::uint64_t send_cost_ns = 0;         ///< processor time of the sender, per frame
  std::uint64_t receive_cost_ns = 0;      ///< processor time of the receiver, per frame
  std::uint64_t send_ps_per_byte = 0;     ///< processor time of the sender, per byte
  std::uint64_t receive_ps_per_byte = 0;  ///< processor time of the receiver, per byte
  std::uint64_t window_bytes = std::uint64_t{1} << 62;  ///< unreceived bytes a pair may hold

  /// Transfer time of one frame, without queueing behind others.
  [[nodiscard]] Duration sample(Random& random, std::size_t bytes) const;
  [[nodiscard]] Duration transmission(std::size_t bytes) const;
  /// This network for frames in which a byte represents `scale` bytes. The first `header` bytes of a frame are
  /// transmitted as they are; processor time and spikes scale with all bytes.
  [[nodiscard]] NetworkProfile carrying(double scale, std::uint64_t header = 0) const;
  /// Processor time of the sender and the receiver of a frame, in picoseconds.
  [[nodiscard]] std::uint64_t send_ps(std::size_t bytes) const {
    return send_cost_ns * 1000 + bytes * send_ps_per_byte;
  }
  [[nodiscard]] std::uint64_t receive_ps(std::size_t bytes) const {
    return receive_cost_ns * 1000 + bytes * receive_ps_per_byte;
  }
};

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

/// The faults of a run and their times.
struct Faults {
  struct Pause {
    NodeId node{0};
    Instant at{};
    Duration length{};
  };
  struct Crash {
    NodeId node{0};
    Instant at{};
  };
  /// Frames sent during the cut between the nodes of `side` (one bit a node) and the others arrive
  /// after it, in order.
  struct NetworkCut {
    std::uint64_t side = 0;
    Instant at{};
    Duration length{};
  };
  std::vector<std::uint32_t>
      slowdown_percent;       ///< per node; 100 or missing: full speed; 200: half of it
  std::vector<Pause> pauses;  ///< the node does not run; frames still arrive
  std::vector<Crash> crashes;
  std::vector<NetworkCut> cuts;
  /// Share of frames that later frames of their pair may overtake, once `begin_overtaking` was
  /// called. Transport's contract forbids this; it tests whether the protocol's version numbers
  /// suffice without ordered delivery.
  std::uint32_t overtaken_per_million = 0;
  /// From a crash until the other nodes are notified.
  Duration detection = std::chrono::milliseconds(5);
};

/// "ideal", "infiniband", "gigabit", "ec2", or "custom:KEY=VALUE,…" with the keys latency_us, jitter_us,
/// spike_per_million, spike_us, spike_base_bytes, gbit, send_us, receive_us and cpu_ns_per_byte.
Result<NetworkProfile> parse_profile(std::string_view text);

struct ProfileHelp {
  std::string_view name;
  std::string_view meaning;
};
std::span<const ProfileHelp> profile_help();

}  // namespace leeway
