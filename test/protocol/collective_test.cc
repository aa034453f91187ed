#include "protocol/collective.h"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>

#include "base/random.h"
#include "test/support/check_catcher.h"

using namespace leeway;

namespace {

/// Collectives on every node; a seed determines the order of message delivery.
class Tree {
 public:
  Tree(std::uint32_t nodes, std::uint64_t seed) : random_(seed) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      nodes_.push_back({std::make_unique<Collective>(NodeId(i), nodes), Outbox(nodes, false)});
    }
  }

  Collective& at(std::uint32_t node) { return *nodes_[node].collective; }
  void enter(std::uint32_t node, std::vector<std::uint64_t> numbers,
             CollectiveKind kind = CollectiveKind::Sum) {
    at(node).enter(kind, numbers, nodes_[node].out);
    collect(node);
  }
  /// Delivers one message of a random pair; false when there is none.
  bool step() {
    std::erase_if(wires_, [](const auto& wire) { return wire.second.empty(); });
    if (wires_.empty()) return false;
    auto wire = wires_.begin();
    std::advance(wire, static_cast<std::ptrdiff_t>(random_.below(wires_.size())));
    const auto [from, to] = wire->first;
    const std::vector<std::byte> frame = wire->second.front();
    wire->second.pop_front();
    REQUIRE(receive(from, to, frame));
    last_ = {from, to, frame};
    return true;
  }
  /// Delivers the last message once more.
  bool repeat_last() { return receive(last_.from, last_.to, last_.frame); }
  bool receive(std::uint32_t from, std::uint32_t to, std::span<const std::byte> frame) {
    ByteReader in(frame);
    (void)decode_header(in);
    const bool understood = at(to).on_message(NodeId(from), in, nodes_[to].out);
    collect(to);
    return understood;
  }
  Random& random() { return random_; }
  std::size_t delivered() const { return delivered_; }

 private:
  struct Node {
    std::unique_ptr<Collective> collective;
    Outbox out;
  };
  void collect(std::uint32_t node) {
    std::vector<OutFrame> frames;
    nodes_[node].out.drain(frames);
    for (OutFrame& frame : frames) {
      wires_[{node, frame.to.value()}].push_back(std::move(frame.bytes));
      ++delivered_;
    }
  }

  struct Last {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::vector<std::byte> frame;
  };
  Random random_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::vector<std::byte>>> wires_;
  Last last_;
  std::size_t delivered_ = 0;
};

std::vector<std::byte> message(int direction, std::uint64_t wave,
                               std::vector<std::uint64_t> numbers, int kind = 2) {
  ByteWriter out;
  encode_header(MessageKind::Collective, SpaceId(0), out);
  out.byte(static_cast<std::uint8_t>(direction + 2 * kind));
  out.varint(wave);
  out.varint(numbers.size());
  for (const auto number : numbers) out.varint(number);
  return out.take();
}

}  // namespace

TEST_CASE("every node gets the sum of all, for 1 to 100 nodes") {
  for (std::uint32_t count = 1; count <= 100; ++count) {
    Tree tree(count, count);
    for (std::uint64_t wave = 0; wave < 3; ++wave) {
      for (std::uint32_t node = 0; node < count; ++node) tree.enter(node, {node, 1, wave});
      while (tree.step()) {
      }
      for (std::uint32_t node = 0; node < count; ++node) {
        REQUIRE(tree.at(node).done());
        REQUIRE(tree.at(node).wave() == wave + 1);
        const auto sums = tree.at(node).sums();
        REQUIRE(sums.size() == 3);
        REQUIRE(sums[0] == std::uint64_t{count} * (count - 1) / 2);
        REQUIRE(sums[1] == count);
        REQUIRE(sums[2] == wave * count);
      }
    }
    REQUIRE(tree.delivered() ==
            3 * 2 * std::size_t{count - 1});  // one message up and one down per edge
  }
}

TEST_CASE("no node finishes before all have entered, in every order of entering and arrival") {
  constexpr std::uint32_t kNodes = 30;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Tree tree(kNodes, seed);
    std::vector<std::uint32_t> outside;
    for (std::uint32_t node = 0; node < kNodes; ++node) outside.push_back(node);
    while (!outside.empty()) {
      const auto pick = tree.random().below(outside.size());
      const std::uint32_t node = outside[pick];
      outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(pick));
      tree.enter(node, {1});
      if (!outside.empty()) {
        while (tree.random().below(3) > 0 && tree.step()) {
        }
        REQUIRE_FALSE(tree.at(node).done());
      }
    }
    while (tree.step()) {
    }
    for (std::uint32_t node = 0; node < kNodes; ++node) REQUIRE(tree.at(node).sums()[0] == kNodes);
  }
}

TEST_CASE("a child that is ahead waits, like its parent, for the others") {
  Tree tree(3, 1);
  tree.enter(1, {10});
  while (tree.step()) {
  }
  REQUIRE_FALSE(tree.at(1).done());
  tree.enter(0, {1});
  REQUIRE(tree.at(0).missing() == std::vector<NodeId>{NodeId(2)});
  REQUIRE(tree.at(1).missing() == std::vector<NodeId>{NodeId(0)});
  tree.enter(2, {100});
  while (tree.step()) {
  }
  REQUIRE(tree.at(1).sums()[0] == 111);
  // A child may begin the next wave before its parent has entered.
  tree.enter(2, {5});
  while (tree.step()) {
  }
  REQUIRE_FALSE(tree.at(2).done());
}

TEST_CASE("a message that arrives twice changes nothing") {
  Tree tree(20, 3);
  for (std::uint32_t node = 0; node < 20; ++node) tree.enter(node, {1});
  while (tree.step()) REQUIRE(tree.repeat_last());
  for (std::uint32_t node = 0; node < 20; ++node) REQUIRE(tree.at(node).sums()[0] == 20);
}

TEST_CASE("messages that no correct node sends are refused") {
  Tree tree(20, 4);
  REQUIRE_FALSE(tree.receive(1, 0, message(0, 1, {1})));   // a wave that has not begun
  REQUIRE_FALSE(tree.receive(15, 0, message(0, 0, {1})));  // not a child of node 0
  REQUIRE_FALSE(tree.receive(0, 1, message(1, 0, {1})));   // down before up
  REQUIRE_FALSE(tree.receive(1, 0, message(1, 0, {1})));   // down to the root
  REQUIRE_FALSE(tree.receive(1, 0, message(0, 0, std::vector<std::uint64_t>(21, 1))));
  REQUIRE_FALSE(tree.receive(1, 0, message(0, 0, {1}, 8)));  // no collective has that number
  auto cut = message(0, 0, {1, 2});
  cut.pop_back();
  REQUIRE_FALSE(tree.receive(1, 0, cut));
}

TEST_CASE("a child in another collective stops the wave, and both get an error") {
  struct Call {
    std::vector<std::uint64_t> numbers;
    CollectiveKind kind;
  };
  const std::vector<Call> calls = {
      {{}, CollectiveKind::Barrier},        {{}, CollectiveKind::Sum},
      {{1}, CollectiveKind::Sum},           {{1, 2, 3, 4}, CollectiveKind::Sum},
      {{1, 2, 3, 4}, CollectiveKind::Vote}, {{1, 2, 3, 4}, CollectiveKind::Open}};
  for (const Call& here : calls) {
    for (const Call& there : calls) {
      for (const bool child_first : {false, true}) {
        Tree tree(3, 6);
        tree.enter(2, here.numbers, here.kind);
        if (child_first) tree.enter(1, there.numbers, there.kind);
        tree.enter(0, here.numbers, here.kind);
        if (!child_first) tree.enter(1, there.numbers, there.kind);
        while (tree.step()) {
        }
        const bool same = here.kind == there.kind && here.numbers == there.numbers;
        for (const std::uint32_t node : {0u, 1u}) {
          REQUIRE(tree.at(node).done() == same);
          REQUIRE(tree.at(node).mismatch().has_value() == !same);
          if (same) continue;
          REQUIRE(tree.at(node).mismatch()->peer == NodeId(1 - node));
          REQUIRE(tree.at(node).mismatch()->there.kind == (node == 0 ? there.kind : here.kind));
        }
        REQUIRE_FALSE(tree.at(2).mismatch().has_value());
      }
    }
  }
}

TEST_CASE("entering twice fails a check") {
  Tree tree(2, 5);
  tree.enter(0, {});
  const testing::CheckCatcher catcher;
  REQUIRE_THROWS_AS(tree.enter(0, {}), testing::CheckFailed);
}
