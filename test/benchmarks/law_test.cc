// What the law says, held against what it must say whatever its constants are, and one point measured as the
// map measures it.
#include "leeway/programs/law/law.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "leeway/benchmarks/replay/law_trials.h"
#include "leeway/programs/law/modes.h"

namespace leeway {

namespace {

NetworkProfile network(const char* text) { return parse_profile(text).value(); }

law::ProgramFacts some_facts() {
  law::ProgramFacts facts;
  facts.nodes = 8;
  facts.vertices = 1000;
  facts.arcs = 8000;
  facts.cut = 0.3;
  facts.bsp_time = facts.pie_time = facts.ap_time = facts.push_time = 1e-3;
  facts.bsp_rounds = facts.pie_rounds = facts.ap_rounds = facts.push_rounds = 50;
  return facts;
}

}  // namespace

TEST_CASE(
    "the slowest of several frames takes longer than one, and spikes count by how often they "
    "come") {
  const law::NetworkFacts even = law::facts_of(network("custom:latency_us=10"), 16);
  CHECK(std::abs(even.mean - 1e-5) < 1e-9);
  CHECK(std::abs(even.worst - 1e-5) < 1e-9);
  const law::NetworkFacts uneven = law::facts_of(network("custom:latency_us=10,jitter_us=10"), 16);
  CHECK(std::abs(uneven.mean - 1.5e-5) < 1e-8);
  CHECK(std::abs(uneven.worst - 1.94e-5) < 1e-7);  // the greatest of sixteen: 10 + 10 · 16/17
  const law::NetworkFacts spiky =
      law::facts_of(network("custom:latency_us=10,spike_per_million=10000,spike_us=1000"), 16);
  CHECK(std::abs(spiky.mean - 2e-5) < 1e-8);
  CHECK(spiky.worst > 1.5e-4);  // 15 % of rounds meet one
}

TEST_CASE("every mode that a program has a form for is foretold a time, and no other") {
  for (std::size_t program = 0; program < law::kPrograms; ++program) {
    for (const char* profile : {"ideal", "infiniband", "ec2"}) {
      const law::Forecast said =
          law::foretell(program, some_facts(), law::facts_of(network(profile), 8));
      for (std::size_t i = 0; i < law::kModes; ++i) {
        const bool has = law::has_form(law::programs()[program], law::modes()[i]);
        CHECK(std::isfinite(said.seconds[i]) == has);
        if (has) CHECK(said.seconds[i] > 0);
        CHECK(said.seconds[i] >= said.seconds[said.best]);
      }
      CHECK(said.best != said.second);
      CHECK(said.confidence >= 0.5);
      CHECK(said.confidence <= 1);
    }
  }
}

TEST_CASE(
    "on a slow network each mode is foretold longer, and strict consistency longer than relaxed") {
  const auto place = [](std::string_view name) { return law::mode_place(name); };
  for (std::size_t program = 0; program < law::kPrograms; ++program) {
    const auto near = law::foretell(program, some_facts(), law::facts_of(network("infiniband"), 8));
    const auto far = law::foretell(program, some_facts(), law::facts_of(network("ec2"), 8));
    for (std::size_t i = 0; i < law::kModes; ++i) {
      if (std::isfinite(near.seconds[i])) CHECK(far.seconds[i] > near.seconds[i]);
    }
    CHECK(far.seconds[place("scp")] > far.seconds[place("rcp")]);
  }
}

TEST_CASE("a program that the law was not fitted on is refused by name") {
  CHECK(law::program_place("sssp").value() == 1);
  const auto refused = law::program_place("bfs");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().to_string().find("bfs") != std::string::npos);
}

TEST_CASE("a point of the map has a time for every mode, and the same again") {
  replay::LawPoint point;
  point.program = "pagerank";
  point.input = {"grid", "grid2d:8x8", PartitionMethod::Block};
  point.nodes = 4;
  point.slow_percent = 200;
  point.conditions = "even";
  point.network = "1";
  point.profile = network("custom:latency_us=1");
  const auto measure = [&] {
    replay::Laboratory lab({});
    return replay::LawTrials(lab).run(point).value();
  };
  const replay::LawResult result = measure();
  for (const double seconds : result.times) CHECK(std::isfinite(seconds));
  CHECK(result.facts.slowest == 2);
  CHECK(result.facts.bsp_rounds > 0);
  CHECK(replay::time_ratio(result, "scp", "rcp") > 1);
  replay::Figure once, again;
  replay::add_raw({result}, once);
  replay::add_raw({measure()}, again);
  CHECK(once.raw.rows == again.raw.rows);
}

}  // namespace leeway
