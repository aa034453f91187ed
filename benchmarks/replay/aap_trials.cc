#include "leeway/benchmarks/replay/aap_trials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/random.h"
#include "leeway/benchmarks/replay/reshuffle.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"
#include "leeway/programs/pie/components.h"
#include "leeway/programs/pie/filtering.h"
#include "leeway/programs/pie/pagerank.h"
#include "leeway/programs/pie/paths.h"
#include "leeway/programs/reference/lists.h"

namespace leeway::replay {

namespace {

constexpr double kTolerance = 1e-4;  // of PageRank
constexpr std::string_view kRatings = "ratings";
constexpr std::array kInputs = {
    AapInput{"Friendster", "soc-Slashdot0902.txt.zst", "powerlaw:40000:2.1", 1.8e9, 65e6},
    AapInput{"traffic", "USA-road-d.NY.gr.zst", "grid2d:250x200", 58e6, 23e6},
    AapInput{"UKWeb", "cnr-2000.txt.zst", "kron:14:10", 5e9, 133e6},
    AapInput{"movieLens", "jester-data-1.csv.zst", kRatings, 20e6, 165e3},
};

std::string place_of(const AapInput& input) {
  if (const char* const folder = std::getenv("LEEWAY_DATA"); folder != nullptr) {
    const auto path = std::filesystem::path(folder) / input.file;
    if (std::filesystem::exists(path)) return path.string();
  }
  return std::string(input.spec);
}

/// Ratings that have eight factors, and noise: 3000 users of 150 items, 40 ratings each.
Result<Graph> made_up_ratings(std::uint64_t seed) {
  constexpr std::uint32_t kUsers = 3000;
  constexpr std::uint32_t kItems = 150;
  Random random(seed, 17);
  std::vector<pie::Factor> factors(kUsers + kItems);
  for (pie::Factor& factor : factors) {
    for (float& value : factor) value = static_cast<float>(random.unit());
  }
  EdgeChunkBuilder builder;
  for (std::uint32_t user = 0; user < kUsers; ++user) {
    const std::uint64_t first = random.below(kItems);
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto item = kUsers + static_cast<std::uint32_t>((first + i * 7) % kItems);
      double rating = 0.5 * random.unit();
      for (std::size_t k = 0; k < pie::kFactors; ++k) rating += factors[user][k] * factors[item][k];
      builder.add(VertexId(user), VertexId(item), rating);
    }
  }
  EdgeList list;
  LEEWAY_ASSIGN(auto chunk, builder.finish());
  list.chunks.push_back(std::move(chunk));
  list.weight_kind = WeightKind::Real;
  GraphShape shape;
  shape.vertex_count = kUsers + kItems;
  shape.directed = false;
  shape.left_count = kUsers;
  shape.names = VertexNames::sequence(0, kUsers + kItems);
  return build_graph(std::move(list), std::move(shape), LoadOptions{});
}

Result<Graph> read(const std::string& source, const LoadOptions& options) {
  if (source == kRatings) return made_up_ratings(options.seed);
  return std::filesystem::exists(source) ? load_graph(source, options) : generate(source, options);
}

/// How many of the paper's input's arcs, and vertices, one of the stand-in's is charged as.
struct Charged {
  double arcs = 1;
  double vertices = 1;
};

Charged charged_as(const AapInput& input, const Graph& graph) {
  const auto times = [](double papers, std::uint64_t ours) {
    return std::max(1.0, papers / static_cast<double>(ours));
  };
  return {times(input.paper_arcs, graph.arc_count()),
          times(input.paper_vertices, graph.vertex_count())};
}

CostModel scaled(const CostModel& cost, const Charged& charged) {
  const auto by = [](std::uint64_t ps, double times) {
    return static_cast<std::uint64_t>(static_cast<double>(ps) * times);
  };
  // Programs count the bytes that arcs touch; what is fetched and stored belongs to vertices.
  return {by(cost.fetch_ps, charged.vertices), by(cost.store_ps, charged.vertices),
          by(cost.edge_ps, charged.arcs), by(cost.vertex_ps, charged.vertices),
          by(cost.byte_ps, charged.arcs)};
}

void sum_up(const pie::QueryRecord& query, AapResult& result) {
  const auto nodes = static_cast<double>(query.nodes.size());
  result.seconds = query.compute_seconds;
  result.rounds = query.rounds();
  result.messages = query.messages();
  result.bytes = query.bytes();
  result.begin = Instant::max();
  for (const pie::NodeOutcome& node : query.nodes) {
    result.begin = std::min(result.begin, node.begin);
    result.computing += seconds(node.computing);
    result.records.insert(result.records.end(), node.records.begin(), node.records.end());
  }
  result.straggler_rounds = query.nodes.front().worker_rounds.front();
  result.idle_share = 1 - result.computing / (nodes * result.seconds);
}

/// Each worker's rounds in turn are its losses in turn.
std::vector<std::pair<double, double>> course_of(const std::vector<std::vector<double>>& losses,
                                                 const AapResult& result) {
  std::vector<pie::RoundRecord> rounds = result.records;
  std::stable_sort(rounds.begin(), rounds.end(),
                   [](const auto& a, const auto& b) { return a.end < b.end; });
  std::vector<std::size_t> next(losses.size(), 0);
  std::vector<std::optional<double>> latest(losses.size());
  std::size_t heard = 0;
  std::vector<std::pair<double, double>> course;
  for (const pie::RoundRecord& round : rounds) {
    const std::size_t worker = round.worker.index();
    LEEWAY_CHECK(next[worker] < losses[worker].size());
    heard += latest[worker] ? 0 : 1;
    latest[worker] = losses[worker][next[worker]++];
    if (heard < latest.size()) continue;
    double sum = 0;
    for (const auto& loss : latest) sum += *loss;
    course.emplace_back(seconds(round.end - result.begin), sum);
  }
  return course;
}

}  // namespace

const AapInput& aap_input(std::string_view name) {
  const auto found = std::find_if(kInputs.begin(), kInputs.end(),
                                  [&](const AapInput& input) { return input.name == name; });
  LEEWAY_CHECK(found != kInputs.end());
  return *found;
}

std::string AapTrials::source(std::string_view input) const {
  return std::filesystem::path(place(aap_input(input))).filename().string();
}

/// A graph that was asked for stands in for every graph, but not for ratings.
std::string AapTrials::place(const AapInput& input) const {
  if (settings_.graph && input.spec != kRatings) return *settings_.graph;
  return place_of(input);
}

Result<const Graph*> AapTrials::graph(const std::string& name, bool both_ways) {
  const std::string key = name + (both_ways ? " both ways" : "");
  if (const auto found = graphs_.find(key); found != graphs_.end()) return &found->second;
  const std::string place = this->place(aap_input(name));
  LoadOptions options;
  options.seed = settings_.seed;
  options.symmetrize = both_ways;
  if (both_ways) options.duplicates = Duplicates::Merge;
  LEEWAY_ASSIGN(Graph graph, read(place, options));
  if (!graph.weighted()) {
    options.weights = Weights::Random;
    LEEWAY_ASSIGN(graph, read(place, options));
  }
  return &graphs_.emplace(key, std::move(graph)).first->second;
}

Result<std::shared_ptr<const Partition>> AapTrials::division(const AapTrial& trial,
                                                             const Graph& graph) {
  const std::string key =
      format("{} {} {} {}", trial.input, graph.directed(), trial.workers, trial.skew);
  if (const auto found = divisions_.find(key); found != divisions_.end()) return found->second;
  PartitionOptions how;
  how.method = PartitionMethod::Metis;
  how.parts = trial.workers;
  how.balance = BalanceBy::Arcs;
  how.seed = settings_.seed;
  LEEWAY_ASSIGN(Partition partition, partition_graph(graph, how));
  if (trial.skew > 1) reshuffle(graph, trial.skew, settings_.seed, partition);
  return divisions_.emplace(key, std::make_shared<const Partition>(std::move(partition)))
      .first->second;
}

Result<const AapResult*> AapTrials::run(const AapTrial& trial, bool keep_rounds) {
  const auto found = results_.find(trial);
  if (found != results_.end() && (!keep_rounds || !found->second.records.empty()))
    return &found->second;
  settings_.say(format("{} on {}, {} workers, r = {}, {}", trial.program, trial.input,
                       trial.workers, trial.skew, scheduler_name(trial.model)));
  LEEWAY_ASSIGN(AapResult result, measure(trial, keep_rounds));
  return &(results_[trial] = std::move(result));
}

Result<AapTrials::Ground> AapTrials::ground(const AapTrial& trial) {
  const bool filtering = trial.program == "cf";
  Ground ground;
  LEEWAY_ASSIGN(ground.graph, graph(trial.input, trial.program == "cc"));
  const Charged charged = charged_as(aap_input(trial.input), *ground.graph);
  pie::SessionOptions& options = ground.options;
  options.cluster.fabric = Fabric::Sim;
  options.workers = trial.workers;
  options.cluster.nodes = trial.nodes == 0 ? trial.workers : trial.nodes;
  options.cluster.network = settings_.network;
  options.cluster.network.picoseconds_per_byte = static_cast<std::uint64_t>(
      static_cast<double>(options.cluster.network.picoseconds_per_byte) * charged.vertices);
  options.cluster.cost = scaled(CostModel(), charged);
  options.cluster.seed = settings_.seed;
  options.engine.keep_rounds = true;
  Schedule& schedule = options.engine.schedule;
  schedule.model = trial.model;
  if (trial.model == Scheduler::Ssp || (filtering && trial.model == Scheduler::Aap))
    schedule.bound = trial.bound;
  // As the paper starts CF: wait for 60 % of the workers (AAP §8, Exp-7).
  if (filtering) schedule.least_target = 0.6 * trial.workers;
  LEEWAY_ASSIGN(options.divided, division(trial, *ground.graph));
  return ground;
}

Result<AapResult> AapTrials::measure(const AapTrial& trial, bool keep_rounds) {
  LEEWAY_ASSIGN(Ground ground, this->ground(trial));
  const Graph* const graph = ground.graph;
  pie::SessionOptions& options = ground.options;
  options.engine.keep_rounds = keep_rounds;
  AapResult result;
  const auto take = [&](auto&& answer) -> Status {
    if (!answer) return fail(std::move(answer).error());
    sum_up(answer->record, result);
    return {};
  };
  const VertexId source = reference::busiest(*graph);
  if (trial.program == "sssp") {
    LEEWAY_TRY(take(pie::run_pie(*graph, pie::Sssp(*graph, source), options)));
  } else if (trial.program == "cc") {
    LEEWAY_TRY(take(pie::run_pie(*graph, pie::Components(), options)));
  } else if (trial.program == "pagerank") {
    LEEWAY_TRY(take(pie::run_pie(*graph, pie::PageRank({.tolerance = kTolerance}), options)));
  } else {
    std::vector<std::vector<double>> losses(trial.workers);
    options.engine.keep_rounds = true;
    const pie::Filtering program(*graph, {.watch = [&](PartId worker, double loss) {
      losses[worker.index()].push_back(loss);
    }});
    auto answer = pie::run_pie(*graph, program, options);
    LEEWAY_TRY(take(answer));
    result.course = course_of(losses, result);
    if (!keep_rounds) result.records.clear();
    result.rmse = program.rmse(*graph, answer->values, true);
    result.answered = std::isfinite(result.rmse);
  }
  return result;
}

Figure AapTrials::blank(std::string name, std::string title) const {
  Figure figure;
  figure.name = std::move(name);
  figure.title = std::move(title);
  figure.configuration = {{"network", settings_.network.name},
                          {"seed", std::to_string(settings_.seed)},
                          {"partition", "METIS, equal arcs; then vertices reshuffled into part 0"},
                          {"gather", format("{:.3f} of a round", Schedule().gather_fraction)},
                          {"pagerank", format("until no change exceeds {}", kTolerance)}};
  figure.notes = {
      "each arc of a stand-in is charged as many times as the paper's input has arcs for one of "
      "its, "
      "each vertex and each parameter that travels as many times as it has vertices"};
  return figure;
}

void AapTrials::add_raw(Figure& figure) const {
  figure.raw.columns = {"program",   "input",  "model",
                        "workers",   "r",      "c",
                        "seconds",   "rounds", "straggler_rounds",
                        "messages",  "bytes",  "idle_share",
                        "computing", "rmse"};
  for (const auto& [trial, result] : results_) {
    figure.raw.rows.push_back(
        {trial.program, trial.input, std::string(scheduler_name(trial.model)),
         std::to_string(trial.workers), format("{}", trial.skew), std::to_string(trial.bound),
         format("{:.6f}", result.seconds), std::to_string(result.rounds),
         std::to_string(result.straggler_rounds), std::to_string(result.messages),
         std::to_string(result.bytes), format("{:.4f}", result.idle_share),
         format("{:.6f}", result.computing), format("{:.5f}", result.rmse)});
  }
}

}  // namespace leeway::replay
