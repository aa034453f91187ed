// Violations of the programming model are detected and named: on samples, and during a run.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>

#include "programs/fish/tick.h"
#include "programs/jacobi/tick.h"
#include "runtime/tick/property_check.h"
#include "test/tick/traffic.h"
#include "test/tick/ways.h"

using namespace leeway;
using namespace leeway::tick;
using leeway::testing::ways;

namespace {

/// The traffic program with one violation.
class Broken {
 public:
  using Query = Box;
  using State = Traffic::State;
  enum Fault {
    None,
    ShortSight,     // R_D is smaller than the range that STEP reads
    WideExclusive,  // R_X shrinks by less than the range that STEP reads
    ShortReach,     // W_D is smaller than a car's move
    WideKept,       // W_X shrinks by less than a car's move
    Overlap,        // two parts have cars in common
    Hole,           // a stretch of road belongs to no part
    Abyss,          // a gap so wide that no part's surroundings cover its middle
    Liar,           // DISJOINT is always true
    Twins,          // STEP creates a car twice
    Crowd,          // STEP depends on the number of tuples in a call
    Drift,          // STEP depends on the number of calls
    Nowhere,        // a car's position becomes NaN
    Glutton,        // the last part allocates more memory than available
  };

  explicit Broken(Fault fault) : fault_(fault) {}

  [[nodiscard]] Result<std::vector<Box>> part(std::uint32_t count, const State* now) const {
    auto parts = good_.part(count, now).value();
    if (fault_ == Overlap) parts[0].right += 100;
    if (fault_ == Hole) parts[1].left += 100;
    if (fault_ == Abyss) parts[1].left += 600;
    return parts;
  }
  Status create(const Box& query, State& state) const {
    if (fault_ == Glutton && query.left > 600) throw std::bad_alloc();
    return good_.create(query, state);
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    const std::size_t before = result.size();
    good_.step(to_step, context, result);
    if (fault_ == None || fault_ == Glutton || result.size() == before) return;
    Car car = result.tuples().back();
    if (fault_ == Twins) result.add(car);
    if (fault_ < Crowd) return;
    car.id = 1000 + car.id;
    if (fault_ == Crowd) car.speed = static_cast<double>(to_step.size());
    if (fault_ == Drift) car.speed = static_cast<double>(++calls_);
    if (fault_ == Nowhere) car.x = std::nan("");
    result.add(car);
  }
  [[nodiscard]] Box rd(const Box& q) const { return fault_ == ShortSight ? q : good_.rd(q); }
  [[nodiscard]] Box rx(const Box& q) const { return fault_ == WideExclusive ? q : good_.rx(q); }
  [[nodiscard]] Box wd(const Box& q) const { return fault_ == ShortReach ? q : good_.wd(q); }
  [[nodiscard]] Box wx(const Box& q) const { return fault_ == WideKept ? q : good_.wx(q); }
  [[nodiscard]] bool disjoint(const Box& a, const Box& b) const {
    return fault_ == Liar || good_.disjoint(a, b);
  }

 private:
  Traffic good_;
  Fault fault_;
  mutable std::uint64_t calls_ = 0;
};

std::string law_broken(Broken::Fault fault) {
  const auto found = find_counterexample(Broken(fault), {.ticks = 30}).value();
  return found ? found->law + " | " + found->words : "none";
}

std::string error_of(Broken::Fault fault, bool check, TickOptions options = {}) {
  options.ticks = Tick(30);
  options.check = check;
  ClusterOptions cluster;
  cluster.fabric = Fabric::Sim;
  cluster.nodes = 4;
  cluster.network = parse_profile("ec2").value();
  const auto run = run_ticks(Broken(fault), options, cluster);
  return run ? "none" : run.error().to_string();
}

}  // namespace

TEST_CASE("programs that obey the laws have no counterexample") {
  CHECK(law_broken(Broken::None) == "none");
  FishParameters settings;
  settings.model = {.width = 50, .height = 50, .visibility = 4, .reach = 1};
  settings.count = 200;
  const FishSchool school(settings, std::make_shared<const std::vector<scene::Fish>>(
                                        scene::school(settings.model, 200, 10, 2, 1)));
  const auto fish = find_counterexample(school).value();
  CHECK((fish ? fish->law + fish->words : "none") == "none");
  const auto plate = find_counterexample(HeatPlate({.plate = {30, 20}})).value();
  CHECK((plate ? plate->law + plate->words : "none") == "none");
}

TEST_CASE("each violated law is named, with a tuple as counterexample") {
  CHECK_THAT(law_broken(Broken::ShortSight),
             Catch::StartsWith("Definition 1: STEP of Q needs R_D(Q)"));
  CHECK_THAT(law_broken(Broken::ShortSight), Catch::Contains("tuple"));
  CHECK_THAT(law_broken(Broken::WideExclusive), Catch::StartsWith("Definition 1: STEP of R_X(Q)"));
  CHECK_THAT(law_broken(Broken::ShortReach), Catch::StartsWith("Definition 2: W_D(Q)"));
  CHECK_THAT(law_broken(Broken::WideKept), Catch::StartsWith("Definition 2: Q makes all"));
  CHECK_THAT(law_broken(Broken::Overlap), Catch::StartsWith("PART"));
  CHECK_THAT(law_broken(Broken::Hole),
             Catch::StartsWith("PART") || Catch::StartsWith("Definition"));
  CHECK_THAT(law_broken(Broken::Liar), Catch::StartsWith("DISJOINT"));
  CHECK_THAT(law_broken(Broken::Twins), Catch::StartsWith("Property 1"));
  CHECK_THAT(law_broken(Broken::Crowd), Catch::StartsWith("Property 2"));
}

TEST_CASE("the checking mode catches a STEP that reads outside its context while it runs") {
  CHECK(error_of(Broken::None, true) == "none");
  CHECK_THAT(error_of(Broken::ShortSight, true), Catch::Contains("STEP reads outside its context"));
  CHECK_THAT(error_of(Broken::ShortSight, true), Catch::Contains("R_D must select every tuple"));
  CHECK(error_of(Broken::ShortSight, false) == "none");  // no check
}

TEST_CASE("the checking mode catches cars that come from outside of W_D, or get into W_X") {
  CHECK_THAT(error_of(Broken::ShortReach, true),
             Catch::Contains("W_D is wrong") && Catch::Contains("tuple"));
  CHECK_THAT(error_of(Broken::WideKept, true), Catch::Contains("W_X is wrong"));
}

TEST_CASE("the checking mode finds nodes that step equal tuples to different results") {
  TickOptions options{.sync = Sync::Replicate};
  options.every = 1;
  options.replicas = 2;
  CHECK(error_of(Broken::None, true, options) == "none");
  CHECK_THAT(error_of(Broken::Drift, true, options),
             Catch::Contains("differ") || Catch::Contains("outside its context"));
}

TEST_CASE("overlapping or incomplete parts, and positions that are not numbers, end the run") {
  CHECK_THAT(error_of(Broken::Overlap, false),
             Catch::Contains("PART") && Catch::Contains("is in 2"));
  CHECK_THAT(error_of(Broken::Hole, false), Catch::Contains("PART") || Catch::Contains("no part"));
  CHECK_THAT(error_of(Broken::Abyss, false),
             Catch::Contains("not a partition:") && Catch::Contains("is in 0 parts"));
  CHECK_THAT(error_of(Broken::Nowhere, false),
             Catch::Contains("no part selects") && Catch::Contains("nan"));
  FishParameters settings;
  auto fish = scene::school(settings.model, 20, 0, 0, 1);
  fish[7].x = std::numeric_limits<double>::quiet_NaN();
  const auto run = run_fish(settings, fish, {}, {});
  REQUIRE_FALSE(run.has_value());
  CHECK_THAT(run.error().to_string(), Catch::Contains("fish 7") && Catch::Contains("not finite"));
}

TEST_CASE("errors at any node end the run on threads, too") {
  for (const TickOptions& way : ways(30)) {
    ClusterOptions cluster;
    cluster.nodes = 5;
    const auto run = run_ticks(Broken(Broken::Nowhere), way, cluster);
    REQUIRE_FALSE(run.has_value());
    CHECK_THAT(run.error().to_string(), Catch::Contains("no part selects"));
  }
}

TEST_CASE("a failed allocation at one node ends the run everywhere") {
  CHECK_THAT(error_of(Broken::Glutton, false), Catch::Contains("refused the memory"));
  ClusterOptions cluster;
  cluster.nodes = 4;
  const auto run = run_ticks(Broken(Broken::Glutton), {.ticks = Tick(30)}, cluster);
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().kind == ErrorKind::Environment);
}

TEST_CASE("the tutorial's cars move alike on one node and on many, with every synchronization") {
  ClusterOptions alone;
  const auto expected = run_ticks(Traffic(), {.ticks = Tick(60)}, alone);
  REQUIRE(expected.has_value());
  for (const TickOptions& way : ways(60)) {
    ClusterOptions cluster;
    cluster.fabric = Fabric::Sim;
    cluster.nodes = 7;
    cluster.network = parse_profile("ec2").value();
    const auto run = run_ticks(Traffic(), way, cluster);
    REQUIRE(run.has_value());
    CHECK_FALSE(Traffic::State::difference(run->result.state, expected->result.state));
  }
}

TEST_CASE("the example of the tutorial is the program that is tested") {
  const auto read = [](const char* path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string code = read("test/tick/traffic.h");
  const std::string shown = code.substr(code.find("struct Car"));
  CHECK(read("examples/tick.cc").find(shown) != std::string::npos);
}
