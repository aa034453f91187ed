#include <catch2/catch.hpp>
#include <vector>

#include "base/random.h"
#include "runtime/cluster/hsync.h"
#include "runtime/vertex/pace.h"

using namespace leeway;

namespace {

/// All nodes of a job, each with a separate clock.
class Nodes {
 public:
  explicit Nodes(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) all_.emplace_back(i == 0, 2.0);
  }

  /// The next vote is decided. `took`: the seconds since the last vote by each node's clock; in them the nodes have
  /// changed `updates` values, and computed for `computing` seconds on average.
  void decide(const std::vector<double>& took, double computing, double updates = 100) {
    std::uint64_t asked = 0;
    for (const Togetherness& each : all_) asked += each.requested();
    ++votes_;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].decided(votes_,
                      {.together = all_[i].now(),
                       .updates = updates,
                       .seconds = took[i],
                       .busy_seconds = computing},
                      asked);
    }
  }
  /// A vote that took the same time at all nodes.
  void decide(double took, double computing, double updates = 100) {
    decide(std::vector<double>(all_.size(), took), computing, updates);
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
  nodes.decide(1, 1);  // all compute all the time
  nodes.decide(1, 1);
  nodes.decide(1, 0.6);  // half of the time, against a ratio of 2
  CHECK(nodes.now() == Together::Sync);
  for (int vote = 0; vote < 4 && nodes.now() == Together::Sync; ++vote) nodes.decide(1, 0.1);
  CHECK(nodes.now() == Together::Async);
}

TEST_CASE("they become synchronous again after the given number of votes, to measure again") {
  Nodes nodes(2);
  while (nodes.now() == Together::Sync) nodes.decide(1, 0.1);
  int apart = 0;
  for (; nodes.now() == Together::Async && apart < 100; ++apart) nodes.decide(0.1, 0.1);
  CHECK(apart == 5);  // the updates of the first are not known
  // Synchronous votes took ten times as long, so the nodes run asynchronously again, twice as long.
  while (nodes.now() == Together::Sync) nodes.decide(1, 0.1);
  for (apart = 0; nodes.now() == Together::Async && apart < 100; ++apart) nodes.decide(0.1, 0.1);
  CHECK(apart == 9);
}

TEST_CASE("if asynchronous was not better, the synchronous phases become longer") {
  Nodes nodes(2);
  int in_step = 0;
  std::vector<int> lengths;
  for (int vote = 0; vote < 400; ++vote) {
    if (nodes.now() == Together::Async) {
      if (in_step > 0) lengths.push_back(in_step);
      in_step = 0;
      nodes.decide(2, 0.2);
    } else {
      ++in_step;
      nodes.decide(1, 0.1);
    }
  }
  REQUIRE(lengths.size() > 2);
  CHECK(lengths.back() > lengths.front());
}

TEST_CASE(
    "asynchronous rounds that change more values are chosen only if they make up for the ratio") {
  for (const double ratio : {1.0, 2.0, 3.0}) {
    for (const double updates : {50.0, 150.0, 250.0, 350.0}) {
      HsyncChoice choice(ratio);
      const HsyncPeriod step{
          .together = Together::Sync, .updates = 100, .seconds = 1, .busy_seconds = 0.1};
      REQUIRE(choice.ended(step) == Together::Async);
      REQUIRE(choice.apart_length() == 4);
      CHECK(choice.ended({.together = Together::Async, .updates = 4 * updates, .seconds = 4}) ==
            Together::Sync);
      CHECK((choice.ended(step) == Together::Async) == (updates / ratio > 100));
    }
  }
}

TEST_CASE("a choice that continues from saved memory is that of one that never stopped") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    HsyncChoice whole(1.5);
    Together now = Together::Sync;
    const auto period = [&] {
      return HsyncPeriod{.together = now,
                         .updates = random.unit() * 10,
                         .seconds = random.unit(),
                         .busy_seconds = random.unit()};
    };
    for (std::uint64_t i = random.below(40); i > 0; --i) now = whole.ended(period());
    HsyncChoice again(1.5);
    again.restore(whole.memory());
    for (int i = 0; i < 100; ++i) {
      const HsyncPeriod next = period();
      now = whole.ended(next);
      REQUIRE(again.ended(next) == now);
      REQUIRE(again.apart_length() == whole.apart_length());
    }
  }
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
