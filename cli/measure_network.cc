#include "leeway/cli/measure_network.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/base/random.h"

namespace leeway::cli {

namespace {

constexpr std::size_t kSmall = 64;
constexpr std::size_t kLarge = 65'536;
constexpr int kWarmUp = 20;
constexpr int kSmallTrips = 200;
constexpr int kLargeTrips = 20;
constexpr std::size_t kQuantiles = 101;  // of the latencies: every hundredth
constexpr std::uint64_t kMostHandlingNs = 2'000;
constexpr std::chrono::seconds kPatience{20};  // for one answer

/// Frames to and from one node at a time.
class Echo final : private FrameSink {
 public:
  explicit Echo(Transport& transport) : transport_(transport) {}

  Status send(NodeId to, std::size_t bytes) {
    Frame frame(bytes);
    const Instant end = transport_.now() + kPatience;
    while (true) {
      const std::uint64_t ticket = transport_.ticket();
      if (transport_.send(to, frame) == SendOutcome::Sent) return {};
      if (transport_.poll(*this, 1) == 0) transport_.wait(ticket, end);
      LEEWAY_TRY(check(to, end));
    }
  }
  /// The bytes of the next frame.
  Result<std::size_t> receive(NodeId from, Duration patience = kPatience) {
    const Instant end = transport_.now() + patience;
    while (!came_) {
      const std::uint64_t ticket = transport_.ticket();
      if (transport_.poll(*this, 1) == 0) transport_.wait(ticket, end);
      if (!came_) LEEWAY_TRY(check(from, end));
    }
    came_ = false;
    return bytes_;
  }

 private:
  Status check(NodeId peer, Instant end) const {
    if (!down_ && transport_.now() < end) return {};
    return fail(Error{ErrorKind::Peer, format("node {}", peer.value()),
                      down_ ? "is gone" : "does not answer", "start the job again"});
  }
  void on_frame(NodeId, std::span<const std::byte> frame) override {
    came_ = true;
    bytes_ = frame.size();
  }
  void on_peer_down(NodeId) override { down_ = true; }

  Transport& transport_;
  bool came_ = false;
  bool down_ = false;
  std::size_t bytes_ = 0;
};

constexpr std::size_t kEnough = 1;  // a frame of so many bytes ends it

/// Seconds of round trips.
Result<std::vector<double>> round_trips(Echo& echo, NodeId peer, std::size_t bytes, int times) {
  const SteadyClock clock;
  std::vector<double> trips;
  for (int i = 0; i < kWarmUp + times; ++i) {
    const Instant sent = clock.now();
    LEEWAY_TRY(echo.send(peer, bytes));
    LEEWAY_ASSIGN(const std::size_t back, echo.receive(peer));
    (void)back;
    if (i >= kWarmUp) trips.push_back(seconds(clock.now() - sent));
  }
  return trips;
}

/// The others wait for their turn as long as it takes.
Status send_back(Echo& echo) {
  const NodeId first(0);
  while (true) {
    LEEWAY_ASSIGN(const std::size_t bytes, echo.receive(first, std::chrono::hours(1)));
    if (bytes == kEnough) return {};
    LEEWAY_TRY(echo.send(first, bytes));
  }
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

MeasuredNetwork summed_up(std::vector<double> small, std::vector<double> large) {
  MeasuredNetwork measured;
  measured.round_trips = small.size();
  measured.median_round_trip_s = median(small);
  measured.slowest_round_trip_s = small.back();
  NetworkProfile& profile = measured.profile;
  profile.name = "measured";
  profile.latency_ns.clear();
  const std::uint64_t least = static_cast<std::uint64_t>(small.front() / 2 * 1e9);
  profile.send_cost_ns = std::min(least / 4, kMostHandlingNs);
  profile.receive_cost_ns = profile.send_cost_ns;
  for (std::size_t i = 0; i < kQuantiles; ++i) {
    const double trip = small[i * (small.size() - 1) / (kQuantiles - 1)];
    const auto way = static_cast<std::uint64_t>(trip / 2 * 1e9);
    profile.latency_ns.push_back(way - 2 * profile.send_cost_ns);
  }
  const double more = std::max(0.0, median(large) - measured.median_round_trip_s) / 2;
  profile.picoseconds_per_byte =
      static_cast<std::uint64_t>(more * 1e12 / static_cast<double>(kLarge - kSmall));
  return measured;
}

}  // namespace

Result<MeasuredNetwork> measure_network(Job& job) {
  Echo echo(job.transport());
  if (job.self() != NodeId(0)) {
    LEEWAY_TRY(send_back(echo));
    return MeasuredNetwork();
  }
  std::vector<double> small;
  std::vector<double> large;
  for (std::uint32_t node = 1; node < job.node_count(); ++node) {
    LEEWAY_ASSIGN(const auto few, round_trips(echo, NodeId(node), kSmall, kSmallTrips));
    LEEWAY_ASSIGN(const auto many, round_trips(echo, NodeId(node), kLarge, kLargeTrips));
    small.insert(small.end(), few.begin(), few.end());
    large.insert(large.end(), many.begin(), many.end());
  }
  for (std::uint32_t node = 1; node < job.node_count(); ++node)
    LEEWAY_TRY(echo.send(NodeId(node), kEnough));
  return summed_up(std::move(small), std::move(large));
}

CostModel measure_costs() {
  constexpr std::size_t kValues = std::size_t{1} << 20U;
  constexpr int kRounds = 5;
  std::vector<double> values(kValues, 1.0);
  std::vector<std::uint32_t> places(kValues);
  Random random(1, 1);
  for (std::uint32_t& place : places) place = static_cast<std::uint32_t>(random.below(kValues));
  const SteadyClock clock;
  double best = 1;
  double sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Instant began = clock.now();
    for (const std::uint32_t place : places) sum += values[place];
    best = std::min(best, seconds(clock.now() - began) / kValues);
  }
  const CostModel usual;
  // What cannot be, for all values are 1, is looked at, so that the sum is worked out.
  const double hit_ps = sum < 0 ? 1 : best * 1e12;
  const double times = hit_ps / static_cast<double>(usual.fetch_ps);
  const auto scaled = [times](std::uint64_t ps) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(ps) * times));
  };
  return {scaled(usual.fetch_ps), scaled(usual.store_ps), scaled(usual.edge_ps),
          scaled(usual.vertex_ps), scaled(usual.byte_ps)};
}

}  // namespace leeway::cli
