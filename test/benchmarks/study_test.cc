#include "benchmarks/replay/study.h"

#include <catch2/catch.hpp>

#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/study_page.h"

using namespace leeway;
using namespace leeway::replay;

namespace {

struct Squared {
  double square = 0;
};
std::vector<RawCell> raw_cells(const Squared& outcome) { return {{"square", outcome.square}}; }

struct Counted {
  int count = 0;
};
std::vector<RawCell> raw_cells(const Counted& outcome) { return {{"count", outcome.count}}; }

}  // namespace

TEST_CASE("a study does each run once and lists those that a figure asked for") {
  Study study;
  int runs = 0;
  const auto squared = [&](int number) {
    return study.run<Squared>({{"number", number}}, [&]() -> Result<Squared> {
      ++runs;
      return Squared{static_cast<double>(number * number)};
    });
  };
  REQUIRE(squared(3).has_value());
  study.begin_figure();
  const Squared* const first = *squared(2);
  CHECK(first->square == 4);
  CHECK(*squared(2) == first);
  CHECK((*squared(3))->square == 9);
  CHECK(runs == 2);
  Figure figure;
  study.write_raw(figure);
  CHECK(figure.raw.columns == std::vector<std::string>{"number", "square"});
  CHECK(figure.raw.rows == std::vector<std::vector<std::string>>{{"2", "4"}, {"3", "9"}});
}

TEST_CASE("runs with different numbers share a table, with empty cells") {
  Study study;
  REQUIRE(study.run<Squared>({{"number", 2}}, []() -> Result<Squared> { return Squared{4}; }));
  REQUIRE(study.run<Counted>({{"word", "two"}}, []() -> Result<Counted> { return Counted{3}; }));
  Figure figure;
  study.write_raw(figure);
  CHECK(figure.raw.columns == std::vector<std::string>{"number", "word", "square", "count"});
  CHECK(figure.raw.rows ==
        std::vector<std::vector<std::string>>{{"2", "", "4", ""}, {"", "two", "", "3"}});
}

TEST_CASE("a run that fails is not kept") {
  Study study;
  int runs = 0;
  const auto failing = [&]() -> Result<Squared> {
    ++runs;
    return fail(input_error("there", "is nothing", "stop"));
  };
  CHECK_FALSE(study.run<Squared>({{"number", 1}}, failing).has_value());
  CHECK_FALSE(study.run<Squared>({{"number", 1}}, failing).has_value());
  CHECK(runs == 2);
}

TEST_CASE("another seed adds numbers and rows, also where it has other columns") {
  Figure figure;
  figure.claims = {ratio_claim("faster", "time", 2, 2.2)};
  figure.raw = {{"seed", "seconds"}, {{"1", "5"}}};
  Figure other;
  other.claims = {ratio_claim("faster", "time", 2, 1.9)};
  other.raw = {{"seed", "sweeps", "seconds"}, {{"2", "8", "6"}}};
  add_seed(figure, other);
  CHECK(figure.claims.front().measures.front().here == std::vector<double>{2.2, 1.9});
  CHECK(figure.raw.columns == std::vector<std::string>{"seed", "seconds", "sweeps"});
  CHECK(figure.raw.rows == std::vector<std::vector<std::string>>{{"1", "5", ""}, {"2", "6", "8"}});
}

TEST_CASE("a page counts the claims and names the cause of each difference") {
  Figure figure;
  figure.name = "fig7";
  figure.title = "times";
  figure.shown = {{"program", "RCP"}, {{"PR", "0.5"}}};
  figure.claims = {ratio_claim("RCP is twice as fast", "SCP / RCP", 2, 2.1),
                   because(ratio_claim("RCP is 9 times as fast", "SCP / RCP", 9, 2), "No queue."),
                   not_testable("GraphLab is slower", "It is not here.")};
  const std::string page = page_of_study(papers().front(), std::vector{figure});
  for (const char* words :
       {"Of 2 claims that can be tested, **1 agree**, 1 have the paper's direction but another "
        "size, and 0 "
        "disagree. 1 cannot be tested here",
        "| fig7 | RCP is twice as fast | SCP / RCP | 2 | 1.33 to 3 | 2.1 | agrees |",
        "- **fig7: RCP is 9 times as fast** No queue.",
        "- **fig7: GraphLab is slower** It is not here."})
    CHECK(page.find(words) != std::string::npos);
  const std::string chart = chart_of_study(papers().front(), std::vector{figure});
  CHECK(chart.find("fig7: RCP is twice as fast") != std::string::npos);
  CHECK(chart.find("GraphLab") == std::string::npos);
}
