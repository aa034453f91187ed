// The planner of ticks and levels, compared with the papers' algorithms step by step.
#include "runtime/tick/step_planner.h"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "base/random.h"

using namespace leeway;
using namespace leeway::tick;

namespace {

Step step(std::uint32_t tick, std::optional<Level> from, Level to) {
  return {Tick(tick), from, to};
}

/// Takes the next step; fails the test if there is none.
Step take(StepPlanner& planner) {
  const auto next = planner.next();
  REQUIRE(next.has_value());
  planner.stepped(*next);
  return *next;
}

}  // namespace

TEST_CASE("Algorithm 1 steps all its tuples, then waits for its neighbours") {
  StepPlanner planner({}, Tick(0), Tick(3));
  CHECK(take(planner) == step(1, std::nullopt, 0));
  CHECK(planner.sends(Tick(1)));
  CHECK_FALSE(planner.next());
  CHECK(planner.waiting_for() == Tick(1));
  planner.received();
  CHECK(planner.oldest() == Tick(1));
  CHECK(take(planner) == step(2, std::nullopt, 0));
  planner.received();
  CHECK(take(planner) == step(3, std::nullopt, 0));
  CHECK(planner.finished());
  CHECK_FALSE(planner.sends(Tick(3)));
  CHECK_FALSE(planner.can_receive());
}

TEST_CASE(
    "Algorithm 2 steps d ticks ahead where no message is needed, and finishes early ticks first") {
  // Figure 3: Q at t + 1, (R_X W_X)(Q) at t + 2, messages, the rest of t + 2, then (R_X W_X)^2 at t + 3.
  StepPlanner planner({.depth = 2}, Tick(0), Tick(10));
  CHECK(take(planner) == step(1, std::nullopt, 0));
  CHECK(take(planner) == step(2, std::nullopt, -1));
  CHECK(take(planner) == step(3, std::nullopt, -2));
  CHECK_FALSE(planner.next());
  CHECK(planner.ahead() == 2);
  planner.received();
  CHECK(take(planner) == step(2, -1, 0));
  CHECK(take(planner) == step(3, -2, -1));
  CHECK(take(planner) == step(4, std::nullopt, -2));
  CHECK_FALSE(planner.next());
}

TEST_CASE("Algorithm 3 continues despite a delayed message as in Figure 4, k = 2 and m = 3") {
  StepPlanner planner({.every = 2, .replicas = 3}, Tick(0), Tick(20));
  CHECK(take(planner) == step(1, std::nullopt, 0));
  CHECK_FALSE(planner.sends(Tick(1)));
  CHECK(take(planner) == step(1, 0, 1));  // computes replicas instead of receiving messages
  CHECK(take(planner) == step(2, std::nullopt, 0));
  CHECK(planner.sends(Tick(2)));
  CHECK(planner.can_receive());  // late: two more layers of the older tick allow further steps
  CHECK(take(planner) == step(1, 1, 2));
  CHECK(take(planner) == step(2, 0, 1));
  CHECK(take(planner) == step(3, std::nullopt, 0));
  CHECK(planner.waiting_for() == Tick(2));
  planner.received();
  CHECK(take(planner) == step(3, 0, 1));
  CHECK(take(planner) == step(4, std::nullopt, 0));
  CHECK(planner.sends(Tick(4)));
}

TEST_CASE("replicas last for exactly m + 1 ticks") {
  StepPlanner planner({.every = 1, .replicas = 3}, Tick(0), Tick(20));
  while (const auto next = planner.next()) planner.stepped(*next);
  CHECK(planner.own() == Tick(4));
}

TEST_CASE("combined, replicas advance the whole part, and its interior advances further") {
  StepPlanner planner({.depth = 10, .every = 2, .replicas = 3}, Tick(0), Tick(40));
  while (const auto next = planner.next()) planner.stepped(*next);
  CHECK(planner.own() == Tick(4));
  CHECK(planner.ahead() == 10);
}

TEST_CASE("for all parameters and message delays, all needed levels are available in time") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::uint32_t replicas = static_cast<std::uint32_t>(random.below(5));
    const SyncParameters parameters{
        .depth = static_cast<Level>(random.below(4)),
        .every = 1 + static_cast<std::uint32_t>(random.below(replicas + 1)),
        .replicas = static_cast<Level>(replicas)};
    const Tick last(1 + static_cast<std::uint32_t>(random.below(30)));
    StepPlanner planner(parameters, Tick(0), last);
    std::set<std::pair<std::uint32_t, Level>> done;  // (tick, level) pairs already stepped
    Tick heard(0);
    while (!planner.finished()) {
      const auto next = planner.next();
      if (planner.can_receive() && (!next || random.chance(0.3))) {
        heard = planner.waiting_for();
        planner.received();
        continue;
      }
      REQUIRE(next.has_value());  // it never waits for a message that is not sent
      const std::uint32_t before = next->tick.value() - 1;
      for (Level level = next->from ? *next->from + 1 : -parameters.depth; level <= next->to;
           ++level) {
        REQUIRE(done.emplace(next->tick.value(), level).second);  // no step is repeated
        const bool complete = before == heard.value() ? level <= parameters.replicas
                                                      : done.contains({before, level + 1});
        REQUIRE((complete || before == 0));
      }
      planner.stepped(*next);
    }
    REQUIRE(planner.own() == last);
  }
}

TEST_CASE("contradictory parameters are refused by name") {
  TickOptions options;
  options.sync = Sync::Replicate;
  options.every = 5;
  options.replicas = 3;
  const auto bad = settled(options);
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().to_string() ==
        "--every: 3 layers of replicas last for 4 ticks, not for 5; give --every 4 at most, or "
        "--replicas 4 at least");
  options.every = 4;
  CHECK(settled(options).has_value());
  options.every = 0;
  CHECK_FALSE(settled(options).has_value());
  options = {};
  options.depth = 2;
  REQUIRE_FALSE(settled(options).has_value());
  CHECK(settled(options).error().where == "--depth");
  CHECK(parse_sync("shedule").error().to_string().find("schedule") != std::string::npos);
}
