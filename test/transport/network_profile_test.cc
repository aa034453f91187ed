#include "base/random.h"
#include "transport/cluster_model.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace leeway;

namespace {

std::string refusal(const std::string& text) {
  const auto profile = parse_profile(text);
  return profile ? "" : profile.error().to_string();
}

}  // namespace

TEST_CASE("every named profile exists, and its latencies are within its range") {
  for (const char* name : {"ideal", "infiniband", "gigabit", "ec2"}) {
    INFO(name);
    const NetworkProfile profile = parse_profile(name).value();
    CHECK(profile.name == name);
    REQUIRE(std::is_sorted(profile.latency_ns.begin(), profile.latency_ns.end()));
    REQUIRE(std::is_sorted(profile.spike_ns.begin(), profile.spike_ns.end()));
    Random random(1);
    const auto least = static_cast<Duration::rep>(profile.latency_ns.front());
    const auto most =
        static_cast<Duration::rep>(profile.latency_ns.back() + profile.spike_ns.back());
    for (int i = 0; i < 100'000; ++i) {
      const Duration latency = profile.sample(random, 0);
      REQUIRE(latency.count() >= least);
      REQUIRE(latency.count() <= most);
    }
  }
}

TEST_CASE("the share of messages with a latency spike is that of the profile") {
  NetworkProfile profile;
  profile.latency_ns = {1000};
  profile.spike_per_million = 50'000;
  profile.spike_ns = {1'000'000};
  Random random(2);
  int spikes = 0;
  for (int i = 0; i < 100'000; ++i) spikes += profile.sample(random, 0) > Duration(1000) ? 1 : 0;
  CHECK(spikes > 4'700);
  CHECK(spikes < 5'300);
}

TEST_CASE("frames above the base size have a spike more often, in proportion to their size") {
  NetworkProfile profile = parse_profile("custom:spike_per_million=10000,spike_us=9").value();
  const auto spikes_of = [&](std::size_t bytes) {
    Random random(5);
    int spikes = 0;
    for (int i = 0; i < 100'000; ++i)
      spikes += profile.sample(random, bytes) > Duration::zero() ? 1 : 0;
    return spikes;
  };
  const int usual = spikes_of(0);
  CHECK(usual > 900);
  CHECK(usual < 1'100);
  CHECK(spikes_of(1 << 20) == usual);
  profile.spike_base_bytes = 1'000;
  CHECK(spikes_of(1'000) == usual);
  CHECK(spikes_of(5'500) > 5'200);
  CHECK(spikes_of(5'500) < 5'800);
  CHECK(spikes_of(100'000) == 100'000);
  CHECK(spikes_of(1 << 30) == 100'000);
}

TEST_CASE("without costs per byte, the size of a frame affects its transmission only") {
  for (const char* name : {"ideal", "infiniband", "gigabit"}) {
    INFO(name);
    const NetworkProfile profile = parse_profile(name).value();
    CHECK(profile.send_ps(1 << 20) == profile.send_cost_ns * 1000);
    CHECK(profile.receive_ps(1 << 20) == profile.receive_cost_ns * 1000);
    Random small(4);
    Random large(4);
    for (int i = 0; i < 10'000; ++i) {
      REQUIRE(profile.sample(small, 0) + profile.transmission(1 << 20) ==
              profile.sample(large, 1 << 20));
    }
  }
}

TEST_CASE("half of the messages are faster than the profile's median") {
  const NetworkProfile profile = parse_profile("ec2").value();
  Random random(3);
  const auto middle = static_cast<Duration::rep>(profile.latency_ns[profile.latency_ns.size() / 2]);
  int faster = 0;
  for (int i = 0; i < 100'000; ++i) faster += profile.sample(random, 0).count() < middle ? 1 : 0;
  CHECK(faster > 48'500);
  CHECK(faster < 51'500);
}

TEST_CASE("a frame takes as long as its bytes need at the profile's bandwidth") {
  const NetworkProfile profile = parse_profile("custom:gbit=1").value();
  CHECK(profile.transmission(125'000) == std::chrono::milliseconds(1));
  CHECK(parse_profile("custom:gbit=10").value().transmission(125'000) ==
        std::chrono::microseconds(100));
  CHECK(parse_profile("custom").value().transmission(1 << 30) == Duration::zero());
}

TEST_CASE("a network for bytes that stand for many charges each as many") {
  const NetworkProfile network = parse_profile("ec2").value();
  const NetworkProfile scaled = network.carrying(8);
  CHECK(scaled.transmission(1'000) == network.transmission(8'000));
  CHECK(scaled.send_ps(1'000) == network.send_ps(8'000));
  CHECK(scaled.receive_ps(1'000) == network.receive_ps(8'000));
  Random small(6);
  Random large(6);
  for (int i = 0; i < 10'000; ++i)
    REQUIRE(scaled.sample(small, 5'000) == network.sample(large, 40'000));
}

TEST_CASE("a header is charged as it is, in frames whose other bytes represent many") {
  const NetworkProfile network = parse_profile("custom:gbit=8").value();  // 1 ns a byte
  const NetworkProfile scaled = network.carrying(100, 40);
  CHECK(scaled.transmission(14) == std::chrono::nanoseconds(14));
  CHECK(scaled.transmission(40) == std::chrono::nanoseconds(40));
  CHECK(scaled.transmission(50) == std::chrono::nanoseconds(40 + 10 * 100));
}

TEST_CASE("custom profiles accept their parameters in any order") {
  const auto profile = parse_profile(
                           "custom:jitter_us=1.5,latency_us=20,spike_us=300,spike_per_million=7,"
                           "send_us=0.25,receive_us=0.5,cpu_ns_per_byte=2.125,"
                           "spike_base_bytes=16384")
                           .value();
  CHECK(profile.latency_ns == std::vector<std::uint64_t>{20'000, 21'500});
  CHECK(profile.spike_ns == std::vector<std::uint64_t>{300'000});
  CHECK(profile.spike_per_million == 7);
  CHECK(profile.send_cost_ns == 250);
  CHECK(profile.receive_cost_ns == 500);
  CHECK(profile.send_ps_per_byte == 2'125);
  CHECK(profile.receive_ps_per_byte == 2'125);
  CHECK(profile.spike_base_bytes == 16'384);
}

TEST_CASE("unknown profiles are refused with the nearest name") {
  CHECK(refusal("gigabyte").find("gigabit") != std::string::npos);
  CHECK(refusal("custom:latencyus=3").find("latency_us") != std::string::npos);
  for (const char* wrong : {"custom:latency_us", "custom:latency_us=", "custom:latency_us=-1",
                            "custom:latency_us=1.2345", "custom:latency_us=nan",
                            "custom:latency_us=999999999999", "custom:,", "custom:=3", ""}) {
    INFO(wrong);
    CHECK_FALSE(refusal(wrong).empty());
  }
}
