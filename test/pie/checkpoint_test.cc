// Checkpoints of PIE runs: every checkpoint of a random run in the virtual cluster is a state from which the answer is
// reached, for a program whose answer would change if any message were lost or taken twice. LEEWAY_PIE_SEEDS is the
// number of seeds (150). A failure prints its seed, which LEEWAY_PIE_SEED repeats alone.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/format.h"
#include "leeway/pie.h"
#include "leeway/pie_models.h"
#include "snapshot/folder.h"
#include "test/support/random_pie_runs.h"
#include "test/support/small_graphs.h"
#include "test/support/test_folder.h"

using namespace leeway;
using namespace leeway::pie;
using leeway::testing::described;
using leeway::testing::graph_of;
using leeway::testing::number_from;
using leeway::testing::random_run;
using leeway::testing::TestEdge;
using leeway::testing::TestFolder;

namespace {

/// The number of walks from vertex 0 to each vertex, in a graph without cycles. Counts are sent once and added up, so
/// the state of a run is partly in its messages. It cannot start from results. `paced`: messages await answers.
template <bool paced>
struct WalkCounts {
  using Value = std::uint64_t;
  using Result = std::uint64_t;
  struct Waiting {
    std::deque<Place> queue;
    std::unordered_map<Place, std::uint64_t> counts;
  };
  struct Partial {
    std::vector<std::uint64_t> count;    // by inner place
    Waiting waiting;                     // counts that came since
    std::vector<std::uint64_t> leaving;  // by copy: to be sent
  };

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept += come; }
  [[nodiscard]] static double magnitude(const Value& value)
    requires(paced)
  {
    return static_cast<double>(value);
  }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.count.assign(fragment.inner_count(), 0);
    partial.leaving.assign(fragment.outer_count(), 0);
    const auto start = fragment.find(VertexId(0));
    if (start && fragment.is_inner(*start)) come(partial, *start, 1);
    return walk(fragment, partial, changes);
  }
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    for (const auto& update : updates) come(partial, update.place, update.value);
    return walk(fragment, partial, changes);
  }
  [[nodiscard]] Value parameter(const Fragment& fragment, Partial& partial, Place place) const {
    return std::exchange(partial.leaving[place - fragment.inner_count()], 0);
  }
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.count[inner];
  }
  /// A round takes a few steps only, so that a state is often one in the middle of a walk.
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return !partial.waiting.queue.empty();
  }

 private:
  static void come(Partial& partial, Place inner, std::uint64_t count) {
    std::uint64_t& waiting = partial.waiting.counts[inner];
    if (waiting == 0) partial.waiting.queue.push_back(inner);
    waiting += count;
  }
  static Work walk(const Fragment& fragment, Partial& partial, Changes& changes) {
    Work work;
    for (int steps = 0; steps < 3 && !partial.waiting.queue.empty(); ++steps) {
      const Place at = partial.waiting.queue.front();
      partial.waiting.queue.pop_front();
      const auto found = partial.waiting.counts.find(at);
      const std::uint64_t count = found->second;
      partial.waiting.counts.erase(found);
      partial.count[at] += count;
      ++work.vertices;
      for (std::uint64_t arc = fragment.offsets()[at]; arc < fragment.offsets()[at + 1]; ++arc) {
        const Place to = fragment.targets()[arc];
        ++work.edges;
        if (fragment.is_inner(to)) {
          come(partial, to, count);
        } else {
          partial.leaving[to - fragment.inner_count()] += count;
          changes.mark(to);
        }
      }
    }
    return work;
  }
};

/// Arcs from smaller to greater vertices.
Graph without_cycles(Random& random) {
  const auto vertices = 8 + static_cast<std::uint32_t>(random.below(50));
  std::vector<TestEdge> arcs;
  for (std::uint32_t v = 1; v < vertices; ++v) {
    for (std::uint64_t left = 1 + random.below(3); left > 0; --left)
      arcs.push_back({static_cast<std::uint32_t>(random.below(v)), v});
  }
  return graph_of(vertices, arcs, true);
}

std::vector<std::uint64_t> walks_of(const Graph& graph) {
  std::vector<std::uint64_t> counts(graph.vertex_count(), 0);
  counts[0] = 1;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    for (const VertexId to : graph.neighbors(VertexId(v))) counts[to.index()] += counts[v];
  }
  return counts;
}

std::shared_ptr<snapshot::SnapshotOptions> after_every_round(std::uint64_t vertices,
                                                             const std::string& folder) {
  auto plan = std::make_shared<snapshot::SnapshotOptions>();
  plan->folder = folder;
  plan->every_rounds = 1;
  plan->kept = 1'000;
  plan->of.job = {.engine = "pie", .program = "walks", .graph_hash = "drawn", .vertices = vertices};
  return plan;
}

template <bool paced>
void check_seed(std::uint64_t seed, const std::string& folder, std::uint64_t& checkpoints) {
  Random random(seed, 77);
  const Graph graph = without_cycles(random);
  const std::vector<std::uint64_t> expected = walks_of(graph);
  RunOptions options = random_run(random, seed);
  options.pie.cut = Cut::Edge;
  INFO("LEEWAY_PIE_SEED=" << seed << ": " << described(options));
  options.snapshots = after_every_round(graph.vertex_count(), folder);
  const auto whole = run_pie(graph, WalkCounts<paced>(), options);
  REQUIRE(whole.has_value());
  REQUIRE(whole->values == expected);
  const auto numbers = snapshot::numbers_in(folder);
  REQUIRE(numbers.has_value());
  options.snapshots = nullptr;
  for (const std::uint64_t number : *numbers) {
    auto source = snapshot::Source::open(snapshot::folder_of(folder, number));
    INFO((source ? std::string() : source.error().to_string()));
    REQUIRE(source.has_value());
    ++checkpoints;
    // The fragments stay, everything else may change.
    RunOptions resumed = random.chance(0.5) ? options : random_run(random, seed);
    resumed.pie.cut = options.pie.cut;
    resumed.pie.hops = options.pie.hops;
    resumed.partition = options.partition;
    resumed.pie.workers = options.pie.workers;
    resumed.pie.nodes_of.clear();
    resumed.resume = std::make_shared<const snapshot::Source>(std::move(*source));
    INFO("checkpoint " << number << " under " << described(resumed));
    const auto answer = run_pie(graph, WalkCounts<paced>(), resumed);
    INFO((answer ? std::string() : answer.error().to_string()));
    REQUIRE(answer.has_value());
    REQUIRE(answer->record.from_states);
    REQUIRE(answer->values == expected);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

TEST_CASE("every checkpoint of a random run leads to the answer") {
  const TestFolder folder;
  std::uint64_t checkpoints = 0;
  const auto check = [&](std::uint64_t seed) {
    const std::string own = folder.inside(std::to_string(seed));
    return seed % 2 == 0 ? check_seed<true>(seed, own, checkpoints)
                         : check_seed<false>(seed, own, checkpoints);
  };
  if (std::getenv("LEEWAY_PIE_SEED") != nullptr) return check(number_from("LEEWAY_PIE_SEED", 1));
  const std::uint64_t seeds = number_from("LEEWAY_PIE_SEEDS", 150);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) check(seed);
  CHECK(checkpoints > seeds);
}

TEST_CASE("a program that cannot start from results resumes with its own fragments only") {
  const TestFolder folder;
  Random random(1, 1);
  const Graph graph = without_cycles(random);
  RunOptions options;
  options.cluster = {.fabric = Fabric::Sim, .nodes = 3};
  options.pie.workers = 6;
  options.snapshots = after_every_round(graph.vertex_count(), folder.inside("snapshots"));
  REQUIRE(run_pie(graph, WalkCounts<false>(), options).has_value());
  auto source = snapshot::Source::open(folder.inside("snapshots"));
  REQUIRE(source.has_value());
  options.snapshots = nullptr;
  options.resume = std::make_shared<const snapshot::Source>(std::move(*source));
  options.cluster.nodes = 2;
  const auto same = run_pie(graph, WalkCounts<false>(), options);
  REQUIRE(same.has_value());
  CHECK(same->values == walks_of(graph));
  options.pie.workers = 5;
  const auto other = run_pie(graph, WalkCounts<false>(), options);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().kind == ErrorKind::Input);
  CHECK_THAT(other.error().to_string(), Catch::Contains("another division"));
}

TEST_CASE("a MapReduce job continues from each of its checkpoints, which hold no results") {
  MapReduceJob job;
  for (std::uint32_t i = 0; i < 60; ++i) job.input.push_back({std::to_string(i % 9), "1"});
  const Subroutine shift = {
      .map =
          [](const KeyValue& pair, const Emit& emit) {
            emit(std::to_string((std::stoul(pair.key) * 5 + 2) % 31), pair.value);
          },
      .reduce =
          [](const std::string& key, const std::vector<std::string>& values, const Emit& emit) {
            std::uint64_t sum = 0;
            for (const std::string& value : values) sum += std::stoull(value);
            emit(key, std::to_string(sum));
          }};
  job.subroutines.assign(6, shift);
  for (const Scheduler model : {Scheduler::Bsp, Scheduler::Ap, Scheduler::Aap}) {
    const TestFolder folder;
    RunOptions options;
    options.cluster = {.fabric = Fabric::Sim, .nodes = 3};
    options.pie.workers = 4;
    options.pie.schedule.model = model;
    const auto whole = map_reduce(job, options);
    REQUIRE(whole.has_value());
    options.snapshots = after_every_round(options.pie.workers, folder.inside("snapshots"));
    REQUIRE(map_reduce(job, options).value().output == whole->output);
    options.snapshots = nullptr;
    const auto numbers = snapshot::numbers_in(folder.inside("snapshots"));
    REQUIRE(numbers.has_value());
    REQUIRE_FALSE(numbers->empty());
    for (const std::uint64_t number : *numbers) {
      auto source = snapshot::Source::open(snapshot::folder_of(folder.inside("snapshots"), number));
      INFO((source ? std::string() : source.error().to_string()));
      REQUIRE(source.has_value());
      options.resume = std::make_shared<const snapshot::Source>(std::move(*source));
      const auto rest = map_reduce(job, options);
      INFO((rest ? std::string() : rest.error().to_string()));
      REQUIRE(rest.has_value());
      CHECK(rest->output == whole->output);
    }
  }
}
