// The virtual cluster without a Node on top: time, order, faults, and reproducible runs.
#include "transport/sim.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

using namespace leeway;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

struct Sink final : FrameSink {
  void on_frame(NodeId from, std::span<const std::byte> frame) override {
    frames.push_back({from, std::vector<std::byte>(frame.begin(), frame.end())});
  }
  void on_peer_down(NodeId node) override { down.push_back(node); }

  struct Got {
    NodeId from{0};
    std::vector<std::byte> bytes;
  };
  std::vector<Got> frames;
  std::vector<NodeId> down;
};

SimOptions two_nodes(const std::string& profile = "custom:latency_us=10") {
  SimOptions options;
  options.profile = parse_profile(profile).value();
  options.cost = CostModel::free();
  return options;
}

Frame frame_of(std::size_t bytes, std::uint8_t first = 0) {
  Frame frame(bytes);
  if (bytes > 0) frame[0] = static_cast<std::byte>(first);
  return frame;
}

bool send(Transport& transport, std::uint32_t to, std::size_t bytes, std::uint8_t first = 0) {
  Frame frame = frame_of(bytes, first);
  return transport.send(NodeId(to), frame) == SendOutcome::Sent;
}

/// Waits until `count` frames have arrived, or a peer is down.
void receive(Transport& transport, Sink& sink, std::size_t count) {
  while (sink.frames.size() < count && sink.down.empty()) {
    const std::uint64_t ticket = transport.ticket();
    if (transport.poll(sink, 64) == 0) transport.wait(ticket, std::nullopt);
  }
}

Duration since_start(Transport& transport) { return transport.now().time_since_epoch(); }

/// Runs `a` on node 0 and `b` on node 1.
[[nodiscard]] SimReport report_of_two(const SimOptions& options,
                                      const std::function<void(Transport&)>& a,
                                      const std::function<void(Transport&)>& b) {
  SimCluster cluster(options);
  return cluster.run([&](NodeId id) { (id == NodeId(0) ? a : b)(cluster.node(id)); });
}

void must_finish(const SimReport& report) {
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

/// Like report_of_two, and checks that both bodies end.
void run_two(const SimOptions& options, const std::function<void(Transport&)>& a,
             const std::function<void(Transport&)>& b) {
  must_finish(report_of_two(options, a, b));
}

const auto kNothing = [](Transport&) {};

}  // namespace

TEST_CASE("a frame arrives after the profile's latency, to the nanosecond") {
  run_two(
      two_nodes(), [](Transport& me) { REQUIRE(send(me, 1, 100)); },
      [](Transport& me) {
        Sink sink;
        receive(me, sink, 1);
        REQUIRE(since_start(me) == microseconds(10));
        REQUIRE(sink.frames[0].bytes.size() == 100);
        REQUIRE(sink.frames[0].from == NodeId(0));
      });
}

TEST_CASE("frames queue for the line: bandwidth is shared, order is kept") {
  // One gigabit per second: 125,000 bytes take a millisecond.
  run_two(
      two_nodes("custom:latency_us=10,gbit=1"),
      [](Transport& me) {
        for (std::uint8_t i = 0; i < 5; ++i) REQUIRE(send(me, 1, 125'000, i));
      },
      [](Transport& me) {
        Sink sink;
        for (std::uint8_t i = 0; i < 5; ++i) {
          receive(me, sink, i + std::size_t{1});
          REQUIRE(since_start(me) == milliseconds(i + 1) + microseconds(10));
          REQUIRE(sink.frames.back().bytes[0] == static_cast<std::byte>(i));
        }
      });
}

TEST_CASE("jitter never reorders the frames of a pair") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options = two_nodes("custom:latency_us=1,jitter_us=500");
    options.seed = seed;
    run_two(
        options,
        [](Transport& me) {
          for (std::uint8_t i = 0; i < 100; ++i) REQUIRE(send(me, 1, 4, i));
        },
        [](Transport& me) {
          Sink sink;
          receive(me, sink, 100);
          for (std::uint8_t i = 0; i < 100; ++i)
            REQUIRE(sink.frames[i].bytes[0] == static_cast<std::byte>(i));
        });
  }
}

TEST_CASE("once overtaking is allowed, frames of a pair overtake each other") {
  SimOptions options = two_nodes();
  options.faults.overtaken_per_million = 300'000;
  SimCluster cluster(options);
  std::vector<std::uint8_t> order;
  cluster.begin_overtaking();
  must_finish(cluster.run([&](NodeId id) {
    Transport& me = cluster.node(id);
    Sink sink;
    for (std::uint8_t i = 0; id == NodeId(0) && i < 100; ++i) REQUIRE(send(me, 1, 4, i));
    if (id == NodeId(1)) receive(me, sink, 100);
    for (const auto& got : sink.frames) order.push_back(static_cast<std::uint8_t>(got.bytes[0]));
  }));
  REQUIRE(order.size() == 100);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("charged work takes time, twice as long on a node at half speed") {
  SimOptions options = two_nodes();
  options.cost = {.fetch_ps = 1'000'000, .store_ps = 0, .edge_ps = 0, .vertex_ps = 0, .byte_ps = 0};
  options.faults.slowdown_percent = {100, 200};
  SimCluster cluster(options);
  must_finish(cluster.run([&](NodeId id) {
    Transport& me = cluster.node(id);
    for (int i = 0; i < 7; ++i) me.charge({.fetches = 10});
    REQUIRE(since_start(me) == microseconds(id == NodeId(0) ? 70 : 140));
  }));
}

TEST_CASE("sending and receiving take the processor time given in the profile") {
  run_two(
      two_nodes("custom:latency_us=10,send_us=2,receive_us=3"),
      [](Transport& me) {
        REQUIRE(send(me, 1, 4));
        REQUIRE(since_start(me) == microseconds(2));
      },
      [](Transport& me) {
        Sink sink;
        receive(me, sink, 1);
        REQUIRE(since_start(me) == microseconds(2 + 10 + 3));
      });
}

TEST_CASE("each byte takes processor time at both ends") {
  run_two(
      two_nodes("custom:latency_us=10,send_us=2,receive_us=3,cpu_ns_per_byte=0.5"),
      [](Transport& me) {
        REQUIRE(send(me, 1, 4'000));
        REQUIRE(since_start(me) == microseconds(2 + 2));
      },
      [](Transport& me) {
        Sink sink;
        receive(me, sink, 1);
        REQUIRE(since_start(me) == microseconds(2 + 2 + 10 + 3 + 2));
      });
}

TEST_CASE("a wait ends at its deadline, by a wake, or by an arrival, whichever is first") {
  run_two(
      two_nodes(),
      [](Transport& me) {
        me.wait(me.ticket(), Instant(microseconds(50)));
        REQUIRE(since_start(me) == microseconds(50));
        me.spawn("waker", [&me] {
          me.wait(me.ticket(), Instant(microseconds(70)));
          me.wake();
        });
        me.wait(me.ticket(), Instant(milliseconds(5)));
        REQUIRE(since_start(me) == microseconds(70));
        me.join();
        REQUIRE(send(me, 1, 4));
      },
      [](Transport& me) {
        me.wait(me.ticket(), Instant(milliseconds(5)));
        REQUIRE(since_start(me) == microseconds(80));
      });
}

TEST_CASE("an arrival wakes the activity that waited last, a wake all of them") {
  std::string log;
  run_two(
      two_nodes(),
      [](Transport& me) {
        REQUIRE(send(me, 1, 4));
        me.wait(me.ticket(), Instant(milliseconds(1)));
      },
      [&](Transport& me) {
        const auto stand_by = [&](const char* name) {
          me.spawn(name, [&, name] {
            me.wait(me.ticket(), std::nullopt);
            log += name;
          });
        };
        stand_by("a");
        stand_by("b");
        me.wait(me.ticket(),
                Instant(microseconds(1)));  // ends after the others have begun to wait
        me.wait(me.ticket(), Instant(microseconds(500)));
        log += "c";
        Sink sink;
        REQUIRE(me.poll(sink, 64) == 1);
        me.wake();
        me.join();
      });
  CHECK(log == "cab");
}

TEST_CASE("a paused node does nothing, and later receives the frames that arrived") {
  SimOptions options = two_nodes();
  options.faults.pauses = {{NodeId(1), Instant(microseconds(5)), milliseconds(2)}};
  run_two(
      options, [](Transport& me) { REQUIRE(send(me, 1, 4)); },
      [](Transport& me) {
        Sink sink;
        receive(me, sink, 1);
        REQUIRE(since_start(me) == milliseconds(2) + microseconds(5));
      });
}

TEST_CASE("the others learn of a crash after the detection time") {
  SimOptions options = two_nodes();
  options.faults.crashes = {{NodeId(1), Instant(milliseconds(3))}};
  Duration heard{};
  const SimReport report = report_of_two(
      options,
      [&](Transport& me) {
        Sink sink;
        receive(me, sink, 1);
        heard = since_start(me);
        REQUIRE(sink.down == std::vector{NodeId(1)});
      },
      [](Transport& me) { me.wait(me.ticket(), Instant(std::chrono::seconds(9))); });
  CHECK(heard == milliseconds(3) + options.faults.detection);
  CHECK(report.outcome == SimOutcome::Finished);  // the remaining nodes finished
}

TEST_CASE("a node that ends because of the loss of another does not end the process") {
  SimOptions options = two_nodes();
  options.faults.crashes = {{NodeId(1), Instant(milliseconds(3))}};
  bool continued = false;
  const SimReport report = report_of_two(
      options,
      [&](Transport& me) {
        Sink sink;
        receive(me, sink, 1);
        if (!sink.down.empty()) me.end_node(environment_error("node 0", "node 1 is gone", ""));
        continued = true;
      },
      [](Transport& me) { me.wait(me.ticket(), Instant(std::chrono::seconds(9))); });
  CHECK(report.outcome == SimOutcome::NodeLost);
  CHECK(report.elapsed == milliseconds(3) + options.faults.detection);
  CHECK_FALSE(continued);
}

TEST_CASE(
    "frames across a partitioned network arrive in order after it heals, the others without "
    "delay") {
  SimOptions options = two_nodes();
  options.nodes = 3;
  options.faults.cuts = {
      {.side = 0b001, .at = Instant(milliseconds(1)), .length = milliseconds(5)}};
  SimCluster cluster(options);
  must_finish(cluster.run([&](NodeId id) {
    Transport& me = cluster.node(id);
    Sink sink;
    if (id == NodeId(0)) {
      for (const auto at : {milliseconds(0), milliseconds(2), milliseconds(3)}) {
        while (since_start(me) < at) me.wait(me.ticket(), Instant(at));
        REQUIRE(send(me, 1, 4, static_cast<std::uint8_t>(at.count())));
      }
    } else if (id == NodeId(1)) {
      receive(me, sink, 1);
      REQUIRE(since_start(me) == microseconds(10));
      while (since_start(me) < milliseconds(2)) me.wait(me.ticket(), Instant(milliseconds(2)));
      REQUIRE(send(me, 2, 4));
      receive(me, sink, 3);
      REQUIRE(since_start(me) == milliseconds(6) + microseconds(10));
      REQUIRE(sink.frames[1].bytes[0] == std::byte{2});
      REQUIRE(sink.frames[2].bytes[0] == std::byte{3});
    } else {
      receive(me, sink, 1);
      REQUIRE(since_start(me) == milliseconds(2) + microseconds(10));
    }
  }));
}

TEST_CASE(
    "a full window refuses frames until some are received, and reports it by a changed ticket") {
  SimOptions options = two_nodes();
  options.profile.window_bytes = 1000;
  run_two(
      options,
      [](Transport& me) {
        REQUIRE(send(me, 1, 600));
        const std::uint64_t ticket = me.ticket();
        REQUIRE_FALSE(send(me, 1, 600));
        me.wait(ticket, std::nullopt);
        REQUIRE(since_start(me) == milliseconds(1));
        REQUIRE(send(me, 1, 600));
      },
      [](Transport& me) {
        Sink sink;
        me.wait(~me.ticket(), Instant(milliseconds(1)));
        while (since_start(me) < milliseconds(1)) me.wait(me.ticket(), Instant(milliseconds(1)));
        receive(me, sink, 2);
      });
}

TEST_CASE("a deadlocked run reports the waiting activities") {
  const SimReport report = report_of_two(two_nodes(), kNothing,
                                         [](Transport& me) { me.wait(me.ticket(), std::nullopt); });
  CHECK(report.outcome == SimOutcome::Deadlock);
  CHECK(report.detail.find("node 1 waits") != std::string::npos);
  CHECK(report.detail.find("node 0") == std::string::npos);
}

TEST_CASE("a run ends at its time limit") {
  SimOptions options = two_nodes();
  options.time_limit = milliseconds(20);
  const SimReport report = report_of_two(options, kNothing, [](Transport& me) {
    while (true) me.wait(me.ticket(), me.now() + milliseconds(1));
  });
  CHECK(report.outcome == SimOutcome::TimeLimit);
  CHECK(report.elapsed <= milliseconds(20));
}

TEST_CASE("an exception of a body leaves the run") {
  CHECK_THROWS_WITH(
      run_two(two_nodes(), kNothing, [](Transport&) { throw std::runtime_error("oh"); }), "oh");
}

TEST_CASE("the same seed gives the same run, another seed another one") {
  const auto digest = [](std::uint64_t seed) {
    SimOptions options = two_nodes("ec2");
    options.nodes = 5;
    options.seed = seed;
    SimCluster cluster(options);
    const SimReport report = cluster.run([&](NodeId id) {
      Transport& me = cluster.node(id);
      Sink sink;
      for (std::uint8_t i = 0; i < 50; ++i) {
        REQUIRE(send(me, (id.value() + 1 + i % 4) % 5, i * 10 + std::size_t{1}));
        if (i % 7 == 0) me.charge({.fetches = i * std::uint64_t{100}});
      }
      receive(me, sink, 30);
    });
    REQUIRE(report.outcome == SimOutcome::Finished);
    return report.digest;
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(digest(seed) == digest(seed));
    CHECK(digest(seed) != digest(seed + 1));
  }
}

namespace {

/// Work of `ns` nanoseconds at full speed.
Work work_of(std::uint64_t ns) { return {.picoseconds = ns * 1000}; }

/// Four nodes on two hosts.
SimOptions two_hosts(std::uint32_t cores) {
  SimOptions options = two_nodes();
  options.nodes = 4;
  options.hosts.count = 2;
  options.hosts.cores = cores;
  return options;
}

/// When each node is done that computes what `work` says, in nanoseconds, after a wait of `delay`.
std::vector<Duration::rep> ends_of(const SimOptions& options,
                                   const std::vector<std::uint64_t>& work,
                                   const std::vector<Duration>& delay = {}) {
  SimCluster cluster(options);
  std::vector<Duration::rep> ends(options.nodes);
  must_finish(cluster.run([&](NodeId id) {
    Transport& me = cluster.node(id);
    if (!delay.empty() && delay[id.index()] > Duration::zero())
      me.wait(me.ticket(), Instant(delay[id.index()]));
    me.charge(work_of(work[id.index()]));
    ends[id.index()] = since_start(me).count();
  }));
  return ends;
}

}  // namespace

TEST_CASE("nodes that share a core take turns, nodes of other hosts do not wait for them") {
  using Ends = std::vector<Duration::rep>;
  CHECK(ends_of(two_hosts(1), {1000, 1000, 1000, 0}) == Ends{2000, 2000, 1000, 0});
  CHECK(ends_of(two_hosts(2), {1000, 1000, 1000, 0}) == Ends{1000, 1000, 1000, 0});
  // The shorter work ends after twice its time; then the other one has the core to itself.
  CHECK(ends_of(two_hosts(1), {1000, 300, 0, 0}) == Ends{1300, 600, 0, 0});
  // The second begins when 400 of the first one's 1000 are done: both advance 600 in 1200, then 100 are left.
  CHECK(ends_of(two_hosts(1), {1000, 700, 0, 0}, {{}, Duration(400), {}, {}}) ==
        Ends{1600, 1700, 0, 0});
}

TEST_CASE("nodes slow down in proportion once they use all of the host's memory bandwidth") {
  using Ends = std::vector<Duration::rep>;
  SimOptions options = two_hosts(2);
  options.hosts.memory_share_per_million = 1'000'000;
  CHECK(ends_of(options, {1000, 1000, 1000, 0}) == Ends{2000, 2000, 1000, 0});
  options.hosts.memory_share_per_million = 750'000;  // rounded up to the next nanosecond
  CHECK(ends_of(options, {1000, 1000, 1000, 0}) == Ends{1501, 1501, 1000, 0});
  options.hosts.memory_share_per_million = 500'000;
  CHECK(ends_of(options, {1000, 1000, 1000, 0}) == Ends{1000, 1000, 1000, 0});
  options.hosts.cores = 1;  // half the speed needs half the bandwidth
  CHECK(ends_of(options, {1000, 1000, 1000, 0}) == Ends{2000, 2000, 1000, 0});
}

TEST_CASE("a node's activities share its host, and a wait begins when the charged work is done") {
  SimOptions options = two_hosts(1);
  options.profile.send_cost_ns = 500;
  options.hosts.within.send_cost_ns = 100;
  SimCluster cluster(options);
  must_finish(cluster.run([&](NodeId id) {
    Transport& me = cluster.node(id);
    if (id == NodeId(0)) {
      me.spawn("service", [&me] { me.charge(work_of(1000)); });
      me.charge(work_of(1000));
      REQUIRE(since_start(me).count() == 2000);
      me.join();
    }
    if (id == NodeId(2)) {
      REQUIRE(send(me, 0, 4));
      REQUIRE(send(me, 3, 4));
      REQUIRE(since_start(me).count() == 600);  // at full speed: a lower bound
      me.wait(~me.ticket(), std::nullopt);
      REQUIRE(since_start(me).count() == 800);
    }
    if (id == NodeId(3)) {
      me.wait(me.ticket(), Instant(Duration(100)));
      me.charge(work_of(200));
      REQUIRE(since_start(me).count() == 500);  // the host also worked for node 2
    }
  }));
}

TEST_CASE("frames between hosts queue for the interface of their sender's and receiver's host") {
  // One gigabit per second: 125,000 bytes take a millisecond.
  SimOptions options = two_hosts(2);
  options.profile = parse_profile("custom:latency_us=10,gbit=1").value();
  options.hosts.count = 3;
  options.nodes = 6;
  const auto arrivals = [&](const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ways) {
    SimCluster cluster(options);
    std::vector<Duration> at(ways.size());
    must_finish(cluster.run([&](NodeId id) {
      Transport& me = cluster.node(id);
      Sink sink;
      for (std::size_t i = 0; i < ways.size(); ++i)
        if (NodeId(ways[i].first) == id)
          REQUIRE(send(me, ways[i].second, 125'000, static_cast<std::uint8_t>(i)));
      const auto mine = std::count_if(ways.begin(), ways.end(),
                                      [&](const auto& way) { return NodeId(way.second) == id; });
      for (std::size_t i = 0; i < static_cast<std::size_t>(mine); ++i) {
        receive(me, sink, i + 1);
        at[static_cast<std::size_t>(sink.frames[i].bytes[0])] = since_start(me);
      }
    }));
    return at;
  };
  const auto after = [](int count) { return milliseconds(count) + microseconds(10); };
  CHECK(arrivals({{0, 2}, {1, 4}}) == std::vector<Duration>{after(1), after(2)});  // leave one host
  CHECK(arrivals({{0, 4}, {2, 5}}) == std::vector<Duration>{after(1), after(2)});  // enter one host
  CHECK(arrivals({{0, 2}, {3, 5}}) == std::vector<Duration>{after(1), after(1)});
  options.hosts.within = parse_profile("custom:latency_us=1,gbit=100").value();
  CHECK(arrivals({{0, 1}, {0, 2}}) ==
        std::vector<Duration>{microseconds(11), after(1)});  // do not use the interface
  options.profile.spike_per_million = 10'000;                // for a hundred times the base, always
  options.profile.spike_base_bytes = 1'250;
  options.profile.spike_ns = {5'000'000};
  CHECK(arrivals({{0, 2}}) == std::vector<Duration>{after(6)});
}

TEST_CASE("one host for each node, given or by default, is the same for computation") {
  SimOptions options = two_hosts(1);
  options.hosts.count = 4;
  CHECK(ends_of(options, {1000, 700, 30, 4}) == std::vector<Duration::rep>{1000, 700, 30, 4});
}

TEST_CASE("a crashed node leaves its share of the host to the others") {
  SimOptions options = two_hosts(1);
  options.faults.crashes = {{NodeId(1), Instant(Duration(400))}};
  SimCluster cluster(options);
  Duration end{};
  const SimReport report = cluster.run([&](NodeId id) {
    Transport& me = cluster.node(id);
    if (id.index() < 2) me.charge(work_of(1000));
    if (id == NodeId(0)) end = since_start(me);
  });
  CHECK(report.outcome == SimOutcome::Finished);
  CHECK(end.count() == 1200);
}

TEST_CASE("the same seed gives the same run on shared hosts") {
  const auto digest = [](std::uint64_t seed) {
    SimOptions options = two_nodes("ec2");
    options.nodes = 6;
    options.seed = seed;
    options.hosts = {.count = 2,
                     .cores = 2,
                     .memory_share_per_million = 450'000,
                     .within = parse_profile("infiniband").value()};
    SimCluster cluster(options);
    const SimReport report = cluster.run([&](NodeId id) {
      Transport& me = cluster.node(id);
      Sink sink;
      for (std::uint8_t i = 0; i < 50; ++i) {
        REQUIRE(send(me, (id.value() + 1 + i % 5) % 6, i * 10 + std::size_t{1}));
        if (i % 7 == 0) me.charge(work_of(i * std::uint64_t{997}));
      }
      receive(me, sink, 50);
    });
    REQUIRE(report.outcome == SimOutcome::Finished);
    return report.digest;
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(digest(seed) == digest(seed));
    CHECK(digest(seed) != digest(seed + 1));
  }
}
