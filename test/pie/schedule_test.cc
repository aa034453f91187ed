// The parallel models as rules for one worker's delay stretch (AAP §3), and the termination of an
// asynchronous run.
#include <catch2/catch.hpp>
#include <map>

#include "leeway/graph.h"
#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/sssp/pie.h"
#include "runtime/cluster/schedule.h"
#include "runtime/pie/workers.h"

using namespace leeway;

namespace {

WorkerProgress at(std::uint32_t round, std::uint32_t slowest, std::uint32_t fastest) {
  WorkerProgress progress;
  progress.round = Round(round);
  progress.slowest = Round(slowest);
  progress.fastest = Round(fastest);
  progress.staleness = 1;
  return progress;
}

NextRound turn(const Schedule& schedule, const WorkerProgress& progress) {
  return decide(schedule, progress).next;
}

}  // namespace

TEST_CASE("bsp lets no worker run ahead of the slowest") {
  const Schedule bsp{.model = Scheduler::Bsp};
  CHECK(turn(bsp, at(3, 3, 3)) == NextRound::Run);
  CHECK(turn(bsp, at(4, 3, 4)) == NextRound::Suspend);
}

TEST_CASE("ap runs independently of the other workers") {
  CHECK(turn({.model = Scheduler::Ap}, at(90, 1, 90)) == NextRound::Run);
}

TEST_CASE("ssp lets a worker be c rounds ahead, and no more") {
  const Schedule ssp{.model = Scheduler::Ssp, .bound = 2};
  CHECK(turn(ssp, at(5, 3, 5)) == NextRound::Run);
  CHECK(turn(ssp, at(6, 3, 6)) == NextRound::Suspend);
}

TEST_CASE("aap waits for nothing without a message, and runs once its target is met") {
  const Schedule aap{.model = Scheduler::Aap, .least_target = 2, .fixed_target = true};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 0;
  CHECK(turn(aap, progress) == NextRound::Suspend);
  progress.staleness = 2;
  CHECK(turn(aap, progress) == NextRound::Run);
}

TEST_CASE("aap holds a worker until the missing messages are due") {
  const Schedule aap{
      .model = Scheduler::Aap, .gather_fraction = 0.5, .least_target = 4, .fixed_target = true};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 2;
  progress.arrival_rate = 4;  // per second: two more take half a second
  progress.mean_arrival_rate = 4;
  progress.round_seconds = 0.4;
  progress.idle_seconds = 0.05;
  Decision decision = decide(aap, progress);
  CHECK(decision.next == NextRound::Hold);
  CHECK(decision.target == Target{4, 0.2});
  CHECK(seconds(decision.hold) == Approx(0.15));
  progress.target = decision.target;
  progress.idle_seconds = 0.2;
  CHECK(turn(aap, progress) == NextRound::Run);
}

TEST_CASE("aap raises its target if messages arrive faster than on average") {
  const Schedule aap{.model = Scheduler::Aap, .gather_fraction = 0.5, .fixed_target = true};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 2;
  progress.arrival_rate = 3;
  progress.mean_arrival_rate = 2;
  progress.round_seconds = 4;
  CHECK(aap_target(aap, progress).messages == Approx(2 + 0.5 * 4 * 3));
  progress.arrival_rate = 2;
  CHECK(aap_target(aap, progress).messages == 0);
}

TEST_CASE("aap waits for the messages expected from its senders' pace") {
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 2;
  progress.round_seconds = 6;
  progress.expected = 2;
  progress.expected_seconds = 1;
  CHECK(aap_target({.model = Scheduler::Aap, .fixed_target = true}, progress) == Target{4, 1});
}

TEST_CASE("aap runs immediately if the expected messages are not worth the wait") {
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 98;
  progress.round_seconds = 6;
  progress.expected = 2;  // a fiftieth of all messages, so little of the round would be stale
  progress.expected_seconds = 1;
  CHECK(aap_target({.model = Scheduler::Aap, .fixed_target = true}, progress).messages == 0);
}

TEST_CASE("aap keeps waiting while its senders' pace predicts the missing messages") {
  const Schedule aap{.model = Scheduler::Aap, .fixed_target = true};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 3;
  progress.round_seconds = 6;
  progress.target = Target{4, 1};
  progress.idle_seconds = 1.4;
  CHECK(turn(aap, progress) == NextRound::Run);  // no message is due
  const double due[] = {4};
  progress.due = due;
  const Decision decision = decide(aap, progress);
  CHECK(decision.next == NextRound::Hold);
  CHECK(seconds(decision.hold) == Approx(4));
  progress.staleness = 4;
  CHECK(turn(aap, progress) == NextRound::Run);
}

TEST_CASE("aap first waits for peers that owe an answer, and never in vain") {
  const Schedule aap{.model = Scheduler::Aap, .least_target = 3};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 2;
  progress.round_seconds = 1;
  progress.arrival_rate = 1;
  progress.mean_arrival_rate = 1;
  progress.answers_seconds = 0.25;
  progress.waits_in_vain = true;
  const Decision decision = decide(aap, progress);
  CHECK(decision.next == NextRound::Hold);
  CHECK(seconds(decision.hold) == Approx(0.25));
  progress.answers_seconds = -1;  // the answers are late
  CHECK(turn(aap, progress) == NextRound::Run);
  progress.waits_in_vain = false;
  CHECK(turn(aap, progress) == NextRound::Hold);  // waits for the third message
  progress.staleness = 0;
  progress.waits_in_vain = true;
  CHECK(turn(aap, progress) == NextRound::Suspend);
}

TEST_CASE("aap's target counts the fast workers that send, unless it is fixed") {
  WorkerProgress progress = at(1, 0, 1);
  progress.fast_senders = 5;
  CHECK(aap_target({.model = Scheduler::Aap}, progress).messages == 5);
  CHECK(aap_target({.model = Scheduler::Aap, .fixed_target = true}, progress).messages == 0);
}

TEST_CASE("aap by its equation gathers what it expects, until all are silent") {
  const Schedule aap{
      .model = Scheduler::Aap, .gather_fraction = 0.5, .fixed_target = true, .by_equation = true};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 2;
  progress.round_seconds = 4;
  progress.arrival_rate = 3;
  progress.usual_arrival_rate = 2;
  progress.mean_arrival_rate = 9;  // the others' does not matter
  progress.longest_seconds = 4;
  progress.idle_seconds = 0.25;
  // L = 2 + 0.5 * 4 * 3 = 8, T_L = 6 / 3
  const Decision decision = decide(aap, progress);
  CHECK(decision.next == NextRound::Hold);
  CHECK(decision.target->messages == Approx(8));
  CHECK(seconds(decision.hold) == Approx(2 - 0.25));
  progress.target = decision.target;
  progress.staleness = 8;
  CHECK(turn(aap, progress) == NextRound::Run);
  progress.target.reset();
  progress.staleness = 2;
  progress.usual_arrival_rate = 3;  // not above average: L = L_bottom = 0
  CHECK(turn(aap, progress) == NextRound::Run);
  progress.usual_arrival_rate = 2;
  progress.longest_seconds = 0.5;  // T_L is longer than any worker is silent that still computes
  CHECK(seconds(decide(aap, progress).hold) == Approx(2.5 * 0.5 - 0.25));
}

TEST_CASE("aap by its equation waits for fellows that are due, and no longer") {
  const Schedule aap{.model = Scheduler::Aap, .by_equation = true, .counts_senders = true};
  WorkerProgress progress = at(1, 0, 1);
  progress.staleness = 5;
  progress.senders = 2;
  progress.fellows = 4;
  progress.fellow_seconds = 0.5;
  progress.round_seconds = 2;
  const Decision decision = decide(aap, progress);
  CHECK(decision.next == NextRound::Hold);
  CHECK(seconds(decision.hold) == Approx(0.5));
  WorkerProgress short_round = progress;  // for which the fellows are due too late
  short_round.round_seconds = 0.2;
  short_round.idle_seconds = 0.04;
  CHECK(seconds(decide(aap, short_round).hold) == Approx(0.1 - 0.04));
  progress.fellows = 2;  // the others are late
  progress.fellow_seconds = 0;
  progress.target = decision.target;
  CHECK(turn(aap, progress) == NextRound::Run);
}

TEST_CASE("fellows are the senders of like speed that have sent or are due") {
  const auto ms = [](int count) { return Instant(std::chrono::milliseconds(count)); };
  RoundStatistics statistics;
  statistics.begin(ms(0));
  statistics.ran(ms(0), ms(100), 0);
  statistics.ran(ms(100), ms(200), 1);  // t = 0.1 s
  const auto news = [&](std::uint32_t worker, double round_seconds, int sent,
                        std::uint32_t round = 2) {
    statistics.arrived(ms(sent), {.worker = PartId(worker),
                                  .round = Round(round),
                                  .round_seconds = round_seconds,
                                  .sent = ms(sent)});
  };
  news(1, 0.1, 210);      // has sent
  news(2, 0.15, 190);     // slower, but not twice as slow; sent before
  news(3, 0.4, 205);      // slow
  news(4, 0.15, 180, 1);  // has run PEval alone
  statistics.ran(ms(200), ms(300), 3);
  news(1, 0.1, 310);
  WorkerProgress progress;
  statistics.look_for_fellows(ms(320), progress);
  CHECK(statistics.senders() == 1);
  CHECK(progress.fellows == 3);
  CHECK(progress.fellow_seconds == Approx(0.190 + 1.1 * 0.15 - 0.320));
  WorkerProgress later;
  statistics.look_for_fellows(ms(400), later);  // all but the first are late
  CHECK(later.fellows == 1);
  CHECK(later.fellow_seconds == 0);
}

TEST_CASE("the longest round is that of the rounds that workers run now") {
  const auto ms = [](int count) { return Instant(std::chrono::milliseconds(count)); };
  RoundStatistics statistics;
  statistics.begin(ms(0));
  const auto longest = [&] { return statistics.progress(ms(1000), 1, 0.1).longest_seconds; };
  const auto news = [&](std::uint32_t round, double round_seconds) {
    statistics.arrived(
        ms(600), {.worker = PartId(1), .round = Round(round), .round_seconds = round_seconds});
  };
  statistics.ran(ms(0), ms(500), 0);
  news(1, 0.8);
  CHECK(longest() == Approx(0.8));  // PEval's, as nothing else has run
  news(2, 0.2);
  CHECK(longest() == Approx(0.5));
  statistics.ran(ms(700), ms(800), 1);
  CHECK(longest() == Approx(0.2));
}

TEST_CASE("the usual arrival rate is that since the first message") {
  const auto ms = [](int count) { return Instant(std::chrono::milliseconds(count)); };
  RoundStatistics statistics;
  statistics.begin(ms(0));
  const auto usual = [&] { return statistics.progress(ms(500), 1, 0.1).usual_arrival_rate; };
  CHECK(usual() == 0);
  for (const int at : {100, 200, 450}) statistics.arrived(ms(at), {.worker = PartId(1)});
  CHECK(usual() == Approx(3 / 0.4));
}

TEST_CASE("a given L_bottom is a floor until the others are silent") {
  for (const bool by_equation : {false, true}) {
    const Schedule aap{.model = Scheduler::Aap,
                       .least_target = 4,
                       .fixed_target = true,
                       .least_rounds = 3,
                       .by_equation = by_equation};
    WorkerProgress progress = at(3, 3, 3);
    progress.staleness = 2;
    progress.longest_seconds = 1;
    progress.idle_seconds = 2;
    CHECK(turn(aap, progress) == NextRound::Hold);
    progress.idle_seconds = 2.6;
    CHECK(turn(aap, progress) == NextRound::Run);
    progress = at(4, 4, 4);  // past the rounds in which it holds
    progress.longest_seconds = 1;
    CHECK(turn(aap, progress) == NextRound::Run);
  }
}

TEST_CASE("a sender is slow if its rounds take twice as long as the worker's") {
  using std::chrono::milliseconds;
  const auto after = [](int ms) { return Instant(milliseconds(ms)); };
  RoundStatistics statistics;
  const RoundNews half{.worker = PartId(1), .round = Round(2), .round_seconds = 0.2};
  CHECK_FALSE(statistics.is_slow(half));  // the worker has no pace yet
  statistics.begin(after(0));
  statistics.ran(after(0), after(500), 0);
  statistics.ran(after(500), after(600), 1);
  CHECK(statistics.is_slow(half));
  CHECK_FALSE(statistics.is_slow({.worker = PartId(1), .round = Round(2), .round_seconds = 0.19}));
  // Its first round is not like the later ones.
  CHECK_FALSE(statistics.is_slow({.worker = PartId(1), .round = Round(1), .round_seconds = 9}));
}

TEST_CASE("aap under a bound suspends the fastest worker only") {
  const Schedule aap{.model = Scheduler::Aap, .bound = 2};
  CHECK(turn(aap, at(6, 3, 6)) == NextRound::Suspend);
  CHECK(turn(aap, at(6, 3, 9)) == NextRound::Run);
  CHECK(turn(aap, at(5, 3, 5)) == NextRound::Run);
}

TEST_CASE(
    "a session under SSP without a bound is refused, and so is a query after the bound was "
    "removed") {
  const Graph graph = generate("path:8", {}).value();
  const pie::PieComponents program;
  RunOptions options;
  options.cluster.nodes = 2;
  options.pie.schedule.model = Scheduler::Ssp;
  const auto refused = pie::Session::open(graph, program.needs(), options);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::Input);
  CHECK(refused.error().remedy.find("bound") != std::string::npos);
  options.pie.schedule.bound = 2;
  auto session = pie::Session::open(graph, program.needs(), options);
  REQUIRE(session.has_value());
  CHECK(session->ask(program).has_value());
  session->options().pie.schedule.bound.reset();
  CHECK_FALSE(session->ask(program).has_value());
}

TEST_CASE("a worker that gets work again joins at the round of the slowest that has some") {
  LoadOptions weights;
  weights.weights = Weights::Random;
  const Graph graph = generate("grid2d:30x30", weights).value();
  RunOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = 4;
  options.cluster.network = parse_profile("gigabit").value();
  options.pie.workers = 16;
  options.partition.method = PartitionMethod::Block;
  options.pie.schedule.model = Scheduler::Ssp;
  options.pie.schedule.bound = 1;
  options.pie.keep_rounds = true;
  const auto answer = run_pie(graph, pie::PieSssp(graph, VertexId(0)), options);
  REQUIRE(answer.has_value());
  std::size_t raised = 0;
  for (const pie::NodeTrace& node : answer->record.rounds->nodes) {
    std::map<PartId, Round> last;
    for (const pie::RoundRecord& round : node.rounds) {
      const auto before = last.find(round.worker);
      if (before != last.end()) raised += round.round > before->second.next() ? 1 : 0;
      last[round.worker] = round.round;
    }
  }
  CHECK(raised > 0);
}

TEST_CASE("aap suspends a worker that could not send the output of a round, and keeps its target") {
  WorkerProgress progress = at(3, 3, 3);
  progress.must_await_answers = true;
  progress.target = Target{4, 0.5};
  const Decision decision = decide({.model = Scheduler::Aap}, progress);
  CHECK(decision.next == NextRound::Suspend);
  CHECK(decision.target == progress.target);
}

namespace {

Result<pie::Answer<pie::PieSssp>> run_in_virtual_cluster(const Graph& graph, Schedule schedule) {
  RunOptions options;
  options.cluster = {.fabric = Fabric::Sim, .nodes = 4};
  options.cluster.network = parse_profile("ec2").value();
  options.pie.workers = 6;
  options.pie.schedule = std::move(schedule);
  return pie::run_pie(graph, pie::PieSssp(graph, VertexId(0)), options);
}

}  // namespace

TEST_CASE("a rule of the user's decides like the model that it imitates") {
  const Graph graph = generate("grid2d:20x20", {}).value();
  const auto ap = run_in_virtual_cluster(graph, {.model = Scheduler::Ap});
  std::uint64_t asked = 0;
  const auto own_ap =
      run_in_virtual_cluster(graph, {.model = Scheduler::Ap, .rule = [&](const WorkerProgress&) {
                                       ++asked;
                                       return Decision::run();
                                     }});
  REQUIRE(ap.has_value());
  REQUIRE(own_ap.has_value());
  CHECK(asked > 0);
  CHECK(own_ap->values == ap->values);
  const auto ssp = run_in_virtual_cluster(graph, {.model = Scheduler::Ssp, .bound = 1});
  const auto own_ssp = run_in_virtual_cluster(
      graph, {.model = Scheduler::Ap, .rule = [](const WorkerProgress& progress) {
                const bool ahead = progress.round.value() > progress.slowest.value() + 1;
                return ahead ? Decision::suspend() : Decision::run();
              }});
  REQUIRE(ssp.has_value());
  REQUIRE(own_ssp.has_value());
  CHECK(own_ssp->record.digest == ssp->record.digest);
  CHECK(own_ssp->values == ap->values);
}

TEST_CASE("a rule that holds every round back makes the run longer") {
  const Graph graph = generate("grid2d:20x20", {}).value();
  const auto ap = run_in_virtual_cluster(graph, {.model = Scheduler::Ap});
  const auto slow = run_in_virtual_cluster(
      graph, {.model = Scheduler::Ap, .rule = [](const WorkerProgress& progress) {
                constexpr double kWait = 0.01;
                Decision decision;
                if (progress.idle_seconds >= kWait) return decision;
                decision.next = NextRound::Hold;
                decision.hold =
                    Duration(static_cast<Duration::rep>((kWait - progress.idle_seconds) * 1e9 + 1));
                return decision;
              }});
  REQUIRE(ap.has_value());
  REQUIRE(slow.has_value());
  CHECK(slow->values == ap->values);
  CHECK(slow->record.phases.compute > ap->record.phases.compute + 0.01);
}

TEST_CASE("a rule is refused for rounds in step") {
  const Graph graph = generate("grid2d:4x4", {}).value();
  const auto answer = run_in_virtual_cluster(
      graph, {.model = GENERATE(Scheduler::Bsp, Scheduler::Hsync),
              .rule = [](const WorkerProgress&) { return Decision::run(); }});
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().where == "RunOptions::pie.schedule");
}
