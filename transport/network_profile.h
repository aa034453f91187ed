// How a network behaves: a distribution of one-way latency, rare spikes, bandwidth, and what a message
// costs the processors at its ends. Fixed before any result is seen; docs/profiles.md gives the source
// of every number. All integers, so that a seed means the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/random.h"
#include "leeway/base/result.h"

namespace leeway {

struct NetworkProfile {
  std::string name = "ideal";
  /// Inverse cumulative distribution of the one-way latency in ns, at evenly spaced probabilities from
  /// 0 to 1; values in between are interpolated. One entry: constant.
  std::vector<std::uint64_t> latency_ns = {0};
  std::uint64_t spike_per_million = 0;        ///< messages that meet a spike
  std::vector<std::uint64_t> spike_ns = {0};  ///< added then, same form as latency_ns
  std::uint64_t picoseconds_per_byte = 0;     ///< the inverse of bandwidth
  std::uint64_t send_cost_ns = 0;             ///< processor time of the sender, per frame
  std::uint64_t receive_cost_ns = 0;          ///< processor time of the receiver, per frame
  std::uint64_t window_bytes = std::uint64_t{1} << 62;  ///< unreceived bytes a pair may hold

  /// One frame's time on the way, without queueing behind others.
  [[nodiscard]] Duration sample(Random& random, std::size_t bytes) const;
  [[nodiscard]] Duration transmission(std::size_t bytes) const;
};

/// "ideal", "infiniband", "gigabit", "ec2", or "custom:KEY=VALUE,…" with the keys latency_us, jitter_us,
/// spike_per_million, spike_us, gbit, send_us and receive_us.
Result<NetworkProfile> parse_profile(std::string_view text);

struct ProfileHelp {
  std::string_view name;
  std::string_view meaning;
};
std::span<const ProfileHelp> profile_help();

}  // namespace leeway
