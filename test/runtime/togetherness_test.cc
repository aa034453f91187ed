#include "runtime/vertex/pace.h"

#include <catch2/catch.hpp>
#include <vector>

#include "base/random.h"

using namespace leeway;

namespace {

/// All nodes of a job, each with a separate clock.
class Nodes {
 public:
  explicit Nodes(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) all_.emplace_back(i == 0, count);
  }

  /// The next vote is decided; `took` has the seconds since the last vote by each node's clock.
  void decide(const std::vector<double>& took, double computing) {
    std::uint64_t asked = 0;
    for (const Togetherness& each : all_) asked += each.requested();
    ++votes_;
    for (std::size_t i = 0; i < all_.size(); ++i)
      all_[i].decided(votes_, took[i], computing, asked);
  }
  /// A vote that took the same time at all nodes.
  void decide(double took, double computing) {
    decide(std::vector<double>(all_.size(), took), computing);
  }
  [[nodiscard]] bool agree() const {
    for (const Togetherness& each : all_) {
      if (each.now() != all_[0].now()) return false;
    }
    return true;
  }
  [[nodiscard]] Together now() const { return all_[0].now(); }

 private:
  std::vector<Togetherness> all_;
  std::uint32_t votes_ = 0;
};

}  // namespace

TEST_CASE(
    "nodes start synchronously, and switch to asynchronous once waiting takes most of a vote") {
  Nodes nodes(2);
  CHECK(nodes.now() == Together::Sync);
  nodes.decide(1, 2);  // all compute all the time
  nodes.decide(1, 2);
  nodes.decide(1, 2);
  CHECK(nodes.now() == Together::Sync);
  for (int vote = 0; vote < 4 && nodes.now() == Together::Sync; ++vote) nodes.decide(1, 0.2);
  CHECK(nodes.now() == Together::Async);
}

TEST_CASE("they become synchronous again after the given number of votes, to measure again") {
  Nodes nodes(2);
  while (nodes.now() == Together::Sync) nodes.decide(1, 0.2);
  int apart = 0;
  for (; nodes.now() == Together::Async && apart < 100; ++apart) nodes.decide(0.1, 0.2);
  CHECK(apart == 4);
  // Synchronous votes took ten times as long, so the nodes run asynchronously again, twice as long.
  while (nodes.now() == Together::Sync) nodes.decide(1, 0.2);
  for (apart = 0; nodes.now() == Together::Async && apart < 100; ++apart) nodes.decide(0.1, 0.2);
  CHECK(apart == 8);
}

TEST_CASE("if asynchronous was not better, the synchronous phases become longer") {
  Nodes nodes(2);
  int in_step = 0;
  std::vector<int> lengths;
  for (int vote = 0; vote < 400; ++vote) {
    if (nodes.now() == Together::Async) {
      if (in_step > 0) lengths.push_back(in_step);
      in_step = 0;
      nodes.decide(2, 0.4);
    } else {
      ++in_step;
      nodes.decide(1, 0.2);
    }
  }
  REQUIRE(lengths.size() > 2);
  CHECK(lengths.back() > lengths.front());
}

TEST_CASE("all nodes choose alike, although their clocks differ") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Nodes nodes(4);
    for (int vote = 0; vote < 200; ++vote) {
      std::vector<double> took;
      // A vote can take no time by one node's clock and long by another's.
      for (int i = 0; i < 4; ++i) took.push_back(random.chance(0.4) ? 0 : random.unit());
      nodes.decide(took, random.unit());
      REQUIRE(nodes.agree());
    }
  }
}
