// Collective steps of a group: random sequences of them against sums computed here, and how many frames they take.
#include "runtime/cluster/group.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "base/bytes.h"
#include "base/format.h"

using namespace leeway;

namespace {

ClusterOptions cluster(Fabric fabric, std::uint32_t nodes) {
  ClusterOptions options;
  options.fabric = fabric;
  options.nodes = nodes;
  options.network = parse_profile(fabric == Fabric::Sim ? "ec2" : "ideal").value();
  return options;
}

enum class Step {
  Barrier,
  Sum,
  LongSum,
  Share,
  Broadcast,
  Agree,
  Swap,
  Gather,
  Text,
};
constexpr int kSteps = 9;

/// The number that a node brings to a step.
std::uint64_t number_of(std::size_t step, std::uint32_t node) { return mix64(step * 1000 + node); }

/// The bytes that a node brings to a step; sometimes none, sometimes more than a message.
std::vector<std::byte> bytes_of(std::size_t step, std::uint32_t node) {
  const std::uint64_t number = number_of(step, node);
  const std::size_t size = number % 5 == 0 ? 0 : number % 7 == 0 ? 100'000 : number % 40;
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(number + i * i);
  return bytes;
}

std::string text_of(std::size_t step, std::uint32_t node) {
  std::string text;
  for (std::uint64_t i = 0; i < number_of(step, node) % 4; ++i)
    text += std::string(20'000, static_cast<char>('a' + node % 26)) + '\n';
  return text;
}

/// One node's way through a sequence of steps; returns what is wrong.
class Walk {
 public:
  Walk(Endpoint& endpoint, const std::vector<Step>& steps, std::uint64_t seed)
      : endpoint_(endpoint),
        group_(endpoint.group()),
        steps_(steps),
        random_(seed * 100 + endpoint.self().value()) {}

  std::string run() {
    std::string wrong;
    for (std::size_t at = 0; at < steps_.size() && wrong.empty(); ++at) {
      disturb();
      wrong = take(steps_[at], at);
      if (!wrong.empty()) wrong = format("node {}, step {}: {}", self(), at, wrong);
    }
    return wrong;
  }
  /// Receives what the engines of all nodes have sent.
  std::string receive() {
    const auto all = group_.share(sent_);
    std::uint64_t awaited = 0;
    for (const auto& of_node : all) awaited += of_node[self()];
    std::uint64_t got = 0;
    const Endpoint::Handler handler = [&](NodeId, std::span<const std::byte> frame) {
      if (frame.size() == kEngineBytes && frame.front() == std::byte{7}) ++got;
    };
    // As engines do that wait before they receive.
    while (got < awaited) {
      endpoint_.wait({"the frames of engines"});
      endpoint_.receive(handler);
    }
    group_.barrier();
    endpoint_.receive(handler);
    return got == awaited ? "" : format("node {}: {} of {} frames", self(), got, awaited);
  }

 private:
  static constexpr std::size_t kEngineBytes = 70'000;
  static constexpr std::size_t kMostNodes = 64;

  [[nodiscard]] std::uint32_t self() const { return group_.self().value(); }
  [[nodiscard]] std::uint32_t count() const { return group_.count(); }

  /// A pause, and a frame of an engine.
  void disturb() {
    if (random_() % 3 == 0) endpoint_.charge(std::chrono::microseconds(random_() % 3000));
    const auto to = static_cast<std::uint32_t>(random_() % count());
    if (to == self() || random_() % 4 != 0) return;
    endpoint_.send(NodeId(to), Frame(kEngineBytes, std::byte{7}));
    ++sent_[to];
  }

  std::string take(Step step, std::size_t at) {
    const std::uint64_t mine = number_of(at, self());
    std::vector<std::uint64_t> all(count());
    for (std::uint32_t node = 0; node < count(); ++node) all[node] = number_of(at, node);
    const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    const NodeId chosen(static_cast<std::uint32_t>(all[0] % count()));
    switch (step) {
      case Step::Barrier:
        group_.barrier();
        return {};
      case Step::Sum:
        return group_.sum(mine) == sum ? "" : "another sum";
      case Step::LongSum:
        return long_sum(at);
      case Step::Share: {
        const auto got = group_.share_bytes(bytes_of(at, self()));
        for (std::uint32_t node = 0; node < count(); ++node)
          if (got[node] != bytes_of(at, node)) return format("other bytes of node {}", node);
        return group_.share(mine) == all ? "" : "other numbers";
      }
      case Step::Broadcast:
        return group_.broadcast(mine, chosen) == all[chosen.index()] ? "" : "another number";
      case Step::Agree:
        return agree(all);
      case Step::Swap: {
        ByNode<std::byte> lists(count());
        for (std::uint32_t to = 0; to < count(); ++to) lists[to] = bytes_of(at + to, self());
        const auto got = group_.swap(lists);
        for (std::uint32_t from = 0; from < count(); ++from)
          if (got[from] != bytes_of(at + self(), from)) return format("other bytes of {}", from);
        return {};
      }
      case Step::Gather: {
        const auto got = group_.gather_bytes(bytes_of(at, self()));
        for (std::uint32_t from = 0; from < got.size(); ++from)
          if (got[from] != bytes_of(at, from)) return format("other bytes of {}", from);
        return got.size() == (self() == 0 ? count() : 0) ? "" : "another number of lists";
      }
      case Step::Text:
        return text(at);
    }
    return "unknown";
  }

  std::string long_sum(std::size_t at) {
    const std::size_t size = number_of(at, 0) % 9000;
    std::vector<std::uint64_t> values(size, number_of(at, self()));
    for (std::size_t i = 0; i < size; ++i) values[i] += i;
    group_.sum(values);
    std::uint64_t expected = 0;
    for (std::uint32_t node = 0; node < count(); ++node) expected += number_of(at, node);
    for (std::size_t i = 0; i < size; ++i)
      if (values[i] != expected + i * count()) return format("another sum at {}", i);
    return {};
  }

  std::string agree(const std::vector<std::uint64_t>& all) {
    const auto fails = [&](std::uint32_t node) { return all[node] % 6 == 0; };
    const Status mine = fails(self()) ? Status(fail(input_error("it", "broke", ""))) : Status();
    const Status agreed = group_.agree(mine);
    std::uint32_t first = 0;
    while (first < count() && !fails(first)) ++first;
    if (agreed.has_value() != (first == count())) return "another outcome";
    if (agreed) return {};
    return is_reported_elsewhere(agreed.error()) == (first != self()) ? "" : "another's error";
  }

  std::string text(std::size_t at) {
    const std::string own = text_of(at, self());
    std::size_t place = 0;
    std::string got;
    // Node 0 has no room after some bytes.
    const bool full = number_of(at, 0) % 3 == 0;
    const Status done = stream_text(
        group_,
        [&](std::size_t most) {
          const std::string piece = own.substr(place, most);
          place += piece.size();
          return piece;
        },
        [&](std::string_view piece) -> Status {
          if (full && got.size() > 30'000) return fail(environment_error("file", "is full", ""));
          got += piece;
          return {};
        });
    std::string expected;
    for (std::uint32_t node = 0; node < count(); ++node) expected += text_of(at, node);
    if (!full) return done && (self() != 0 || got == expected) ? "" : "another text";
    if (self() == 0 && !expected.starts_with(got)) return "another beginning of the text";
    return done.has_value() || expected.size() > 30'000 ? "" : "an error for a short text";
  }

  Endpoint& endpoint_;
  Group& group_;
  const std::vector<Step>& steps_;
  std::mt19937_64 random_;
  std::array<std::uint32_t, kMostNodes> sent_{};  // by node: frames of this node's engine
};

}  // namespace

TEST_CASE("random sequences of collective steps give every node the same right values") {
  const Fabric fabric = GENERATE(Fabric::Sim, Fabric::Loopback);
  const std::uint64_t seeds = fabric == Fabric::Sim ? 60 : 20;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(seed);
    const auto nodes = static_cast<std::uint32_t>(1 + random() % (fabric == Fabric::Loopback ? 6
                                                                  : seed % 4 == 0            ? 60
                                                                                             : 12));
    std::vector<Step> steps;
    for (int i = 0; i < 25; ++i) steps.push_back(static_cast<Step>(random() % kSteps));
    std::vector<std::string> wrong(nodes);
    auto options = cluster(fabric, nodes);
    options.seed = seed;
    const auto ran = run_endpoints(options, [&](Endpoint& endpoint) -> Status {
      Walk walk(endpoint, steps, seed);
      std::string& mine = wrong[endpoint.self().index()];
      mine = walk.run();
      if (mine.empty()) mine = walk.receive();
      return {};
    });
    CAPTURE(seed, nodes);
    // A node that has found something wrong leaves the others waiting.
    for (const std::string& each : wrong) CHECK(each == "");
    CAPTURE(ran ? "" : ran.error().to_string());
    REQUIRE(ran.has_value());
  }
}

TEST_CASE("an engine does not wait while frames are there that arrived during a collective step") {
  std::size_t received = 0;
  const auto ran = run_endpoints(cluster(Fabric::Sim, 2), [&](Endpoint& endpoint) -> Status {
    if (endpoint.self() == NodeId(1)) endpoint.send(NodeId(0), Frame(1, std::byte{7}));
    endpoint.group().barrier();
    if (endpoint.self() == NodeId(1)) return {};
    endpoint.wait();
    received = endpoint.receive([](NodeId, std::span<const std::byte>) {});
    return {};
  });
  REQUIRE(ran.has_value());
  CHECK(received == 1);
}

TEST_CASE("a small step takes two frames for each node but one") {
  constexpr std::uint32_t kNodes = 64;
  const auto frames_of = [](const std::function<void(Group&)>& step) {
    const auto ran = run_endpoints(cluster(Fabric::Sim, kNodes), [&](Endpoint& endpoint) -> Status {
      step(endpoint.group());
      return {};
    });
    REQUIRE(ran.has_value());
    std::uint64_t frames = 0;
    for (const TransportStats& node : ran->nodes) frames += node.frames_sent;
    return frames;
  };
  CHECK(frames_of([](Group& group) { (void)group.agree({}); }) == 2 * (kNodes - 1));
  CHECK(frames_of([](Group& group) { (void)group.sum(3); }) == 2 * (kNodes - 1));
  CHECK(frames_of([](Group& group) { group.barrier(); }) == 2 * (kNodes - 1));
  CHECK(frames_of([](Group& group) { (void)group.gather_bytes({}); }) == 3 * (kNodes - 1));
}
