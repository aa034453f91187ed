// IncEval is bounded (AAP §3): it visits only what messages bring and change, for every size of the
// fragment. Work counters show this.
#include <catch2/catch.hpp>

#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/sssp/pie.h"
#include "runtime/pie/virtual_worker.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;

namespace {

using Message = std::vector<std::byte>;

/// Two workers on one graph, and all messages between them.
template <PieProgram P>
class Pair {
 public:
  Pair(const Graph& graph, const P& program) {
    PartitionOptions how;
    how.method = PartitionMethod::Hash;
    how.parts = 2;
    auto fragmentation =
        Fragmentation::make(graph, partition_graph(graph, how).value(), program.needs()).value();
    for (std::uint32_t i = 0; i < 2; ++i) {
      fragments_[i] = std::make_unique<Fragment>(fragmentation.fragment(PartId(i)).value());
      workers_[i] = std::make_unique<VirtualWorkerOf<P>>(*fragments_[i], program);
      workers_[i]->routes().settle();
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
      (void)workers_[i]->peval();
      endpoint(i);
    }
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t i = 0; i < 2; ++i) {
        if (workers_[i]->staleness() == 0) continue;
        (void)workers_[i]->inceval();
        endpoint(i);
        more = true;
      }
    }
  }

  /// Delivers all earlier messages to the first worker again; none of them changes anything.
  RoundWork repeat_messages(int times = 1) {
    for (int i = 0; i < times; ++i) {
      for (const Message& message : messages_[0])
        REQUIRE(workers_[0]->receive(PartId(1), message, false));
    }
    return workers_[0]->inceval();
  }
  [[nodiscard]] std::size_t messages() const { return messages_[0].size(); }

 private:
  void endpoint(std::uint32_t from) {
    workers_[from]->drain([&](PartId to, std::span<const std::byte> message) {
      messages_[to.index()].emplace_back(message.begin(), message.end());
      REQUIRE(workers_[to.index()]->receive(PartId(from), message, false));
    });
  }

  std::unique_ptr<Fragment> fragments_[2];
  std::unique_ptr<VirtualWorkerOf<P>> workers_[2];
  std::vector<Message> messages_[2];
};

Graph ring(std::uint32_t vertices) {
  std::vector<leeway::testing::TestEdge> edges;
  for (std::uint32_t v = 0; v < vertices; ++v)
    edges.push_back({v, (v + 1) % vertices, 1.0 + v % 7});
  return leeway::testing::graph_of(vertices, edges, false, WeightKind::Real);
}

template <PieProgram P>
void old_news_costs_what_it_is(const Graph& graph, const P& program) {
  Pair<P> pair(graph, program);
  REQUIRE(pair.messages() > 0);
  const RoundWork work = pair.repeat_messages();
  CHECK(work.taken > 0);
  CHECK(work.folded >= work.taken);
  CHECK(work.sent == 0);
  CHECK(work.work.edges == 0);
  CHECK(work.work.vertices <= work.taken);
}

}  // namespace

TEST_CASE("a round counts each parameter once per message") {
  const Graph graph = ring(50);
  Pair<PieComponents> pair(graph, PieComponents());
  const RoundWork once = pair.repeat_messages();
  const RoundWork twice = pair.repeat_messages(2);
  CHECK(twice.taken == once.taken);
  CHECK(twice.folded == 2 * once.folded);
}

TEST_CASE("messages that change nothing cost IncEval no more than the messages") {
  for (const std::uint32_t vertices : {50U, 5000U}) {
    const Graph graph = ring(vertices);
    old_news_costs_what_it_is(graph, PieComponents());
    old_news_costs_what_it_is(graph, PieSssp(graph, VertexId(0)));
    old_news_costs_what_it_is(graph, PieBfs(graph, VertexId(0)));
  }
}

TEST_CASE("under every model IncEval of components visits no arc, and only vertices in messages") {
  const Graph graph = leeway::testing::random_graph(11, 3000, 3500, false);
  for (const Scheduler model :
       {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync}) {
    RunOptions options;
    options.cluster.fabric = Fabric::Sim;
    options.cluster.nodes = 4;
    options.cluster.network = parse_profile("ec2").value();
    options.pie.workers = 16;
    options.pie.schedule.model = model;
    if (model == Scheduler::Ssp) options.pie.schedule.bound = 1;
    options.pie.keep_rounds = true;
    const auto answer = run_pie(graph, PieComponents(), options);
    REQUIRE(answer.has_value());
    std::uint64_t rounds = 0;
    for (const NodeTrace& node : answer->record.rounds->nodes) {
      for (const RoundRecord& round : node.rounds) {
        if (round.round == Round(0)) continue;
        ++rounds;
        REQUIRE(round.edges == 0);
        REQUIRE(round.vertices <= round.taken + round.sent);
      }
    }
    CHECK(rounds > 0);
  }
}
