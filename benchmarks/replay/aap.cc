#include "benchmarks/replay/aap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/format.h"
#include "programs/cc/pie.h"
#include "programs/cf/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/reference/kernels.h"
#include "programs/sssp/pie.h"

namespace leeway::replay {

Result<ModelTimes> times_of(Laboratory& lab, AapTrial trial) {
  ModelTimes times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    trial.model = kModels[i];
    LEEWAY_ASSIGN(const AapResult* const result, run_aap(lab, trial));
    times[i] =
        result->converged || i == 0 ? result->seconds : std::numeric_limits<double>::quiet_NaN();
  }
  return times;
}

std::vector<Column> model_columns(std::vector<Column> columns) {
  for (const char* title : {"AAP s", "BSP s", "AP s", "SSP s"})
    columns.push_back(shown(title, ".4f"));
  for (const char* title : {"BSP/AAP", "AP/AAP", "SSP/AAP"}) columns.push_back(shown(title, ".2f"));
  return columns;
}

std::vector<FigureCell> model_cells(std::vector<FigureCell> cells, const ModelTimes& times) {
  for (const double each : times) cells.emplace_back(each);
  for (std::size_t i = 1; i < times.size(); ++i) cells.emplace_back(times[i] / times[0]);
  return cells;
}

Claim average_claim(std::size_t other, double papers, std::span<const double> ratios) {
  const std::string_view model = scheduler_name(kModels[other + 1]);
  return ratio_claim(format("AAP is on average {} times as fast as {}", papers, model),
                     format("geometric mean of {}'s time over AAP's", model), papers,
                     ratios.empty() ? kNoNumber : geometric_mean(ratios));
}

namespace {

constexpr std::array kCases = {AapCase{"sssp", "traffic"},        AapCase{"sssp", "Friendster"},
                               AapCase{"cc", "traffic"},          AapCase{"cc", "Friendster"},
                               AapCase{"pagerank", "Friendster"}, AapCase{"pagerank", "UKWeb"},
                               AapCase{"cf", "movieLens"}};

/// An input of the paper and our stand-in for it.
struct AapInput {
  std::string_view name;
  std::string_view file;  // in the data folder
  std::string_view spec;  // generated if the file does not exist
  double paper_arcs = 0;
  double paper_vertices = 0;
};
constexpr std::array kAapInputs = {
    // The graph with 10 billion edges "following the power law" (Exp-4), which has no name.
    AapInput{"synthetic", "", "powerlaw:230000:2.1", 10e9, 300e6},
    AapInput{"Friendster", "soc-Slashdot0902.txt.zst", "powerlaw:40000:2.1", 1.8e9, 65e6},
    AapInput{"traffic", "USA-road-d.NY.gr.zst", "grid2d:250x200", 58e6, 23e6},
    AapInput{"UKWeb", "cnr-2000.txt.zst", "kron:14:10", 5e9, 133e6},
    AapInput{"movieLens", "jester-data-1.csv.zst", kRatings, 20e6, 165e3},
};

const AapInput& aap_input(std::string_view name) {
  const auto found = std::find_if(kAapInputs.begin(), kAapInputs.end(),
                                  [&](const AapInput& input) { return input.name == name; });
  LEEWAY_CHECK(found != kAapInputs.end());
  return *found;
}

/// The number of arcs and vertices of the paper's input that one arc and vertex of the stand-in is charged as.
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

/// CF's workers first gather messages of 60 % of the workers, "in the first few rounds" (Exp-7).
constexpr double kShareOfWorkers = 0.6;
constexpr std::uint32_t kFewRounds = 3;

/// Prices of a program on an input of the paper. docs/profiles.md ("AAP's cluster") derives them; they were fixed before
/// any result was known.
struct AapPrice {
  std::string_view program;
  std::string_view input;  // empty: all others
  /// Per arc of the paper's input, with the work on its vertex; with `affected_us` of the first round alone.
  std::uint64_t arc_ps = 0;
  /// Every round costs as much as a visit of all arcs of the fragment, and the work that it reports is included.
  bool whole_fragment = false;
  /// Price of a vertex of the stand-in that a later round changes; 0: such rounds are charged by their arcs.
  double affected_us = 0;
};
constexpr std::array kAapPrices = {
    AapPrice{"sssp", "traffic", 115'500},
    AapPrice{"sssp", "", 87'700},
    AapPrice{"cc", "traffic", 74'100, false, 279.6},
    AapPrice{"cc", "", 49'300, false, 3319},
    AapPrice{"pagerank", "UKWeb", 2'870, true},
    AapPrice{"pagerank", "", 64'100, true},
    AapPrice{"cf", "", 1'022'000},
};

const AapPrice& price_of(std::string_view program, std::string_view input) {
  const auto found = std::find_if(kAapPrices.begin(), kAapPrices.end(), [&](const AapPrice& price) {
    return price.program == program && (price.input.empty() || price.input == input);
  });
  LEEWAY_CHECK(found != kAapPrices.end());
  return *found;
}

std::uint64_t times(std::uint64_t ps, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(ps) * factor);
}

/// Parameters in messages cost what they cost Leeway (CostModel's fetch and store); all other work is in the price of an
/// arc.
CostModel costs_of(const AapPrice& price, const Charged& charged) {
  const CostModel leeway;
  return {.fetch_ps = times(leeway.fetch_ps, charged.vertices),
          .store_ps = times(leeway.store_ps, charged.vertices),
          .edge_ps =
              price.whole_fragment || price.affected_us > 0 ? 0 : times(price.arc_ps, charged.arcs),
          .vertex_ps = static_cast<std::uint64_t>(price.affected_us * 1e6),
          .byte_ps = 0};
}

/// Frames between workers of one server, through MPI's shared memory.
NetworkProfile shared_memory() {
  NetworkProfile profile;
  profile.name = "shared memory";
  profile.latency_ns = {500};
  profile.picoseconds_per_byte = 200;  // 5 GB/s
  profile.send_cost_ns = 200;
  profile.receive_cost_ns = 300;
  return profile;
}

constexpr std::uint32_t kWorkersPerServer = 16;

/// The paper's servers: as few as have a thread for each worker, evenly occupied.
SharedHosts servers_for(std::uint32_t workers) {
  return {.count = (workers + kWorkersPerServer - 1) / kWorkersPerServer,
          .cores = kWorkersPerServer,
          .within = shared_memory()};
}

/// The bytes of a frame that do not grow with the graph: its kind, worker, round and statistics.
constexpr std::uint64_t kHeaderBytes = 40;

/// The price of a visit of each worker's whole fragment.
std::vector<Duration> whole_fragments(const Graph& graph, const Partition& divided,
                                      std::uint64_t arc_ps) {
  std::vector<std::uint64_t> arcs(divided.part_count, 0);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    arcs[divided.owner[v.index()].index()] += graph.degree(v);
  std::vector<Duration> prices;
  for (const std::uint64_t count : arcs)
    prices.emplace_back(static_cast<Duration::rep>(count * arc_ps / 1000));
  return prices;
}

void sum_up(const Record& query, AapResult& result) {
  const auto nodes = static_cast<double>(query.nodes.size());
  const Counters all = query.counters();
  const pie::NodeTrace& straggler = query.rounds->nodes.front();
  result.seconds = query.phases.compute;
  result.rounds = all[Counter::Rounds];
  result.messages = all[Counter::Messages];
  result.bytes = all[Counter::BytesSent];
  result.begin = Instant::max();
  for (const NodeRecord& node : query.nodes) {
    result.begin = std::min(result.begin, node.begin);
    result.computing += node.counters.seconds(Counter::ComputeTime);
  }
  result.parameter_bytes = all[Counter::ParameterBytes];
  result.records = query.rounds->rounds();
  result.straggler_rounds = straggler.worker_rounds.front();
  for (const pie::NodeTrace& node : query.rounds->nodes) {
    for (const std::uint32_t rounds : node.worker_rounds)
      result.most_rounds = std::max(result.most_rounds, rounds);
  }
  result.straggler_computing = query.nodes.front().counters.seconds(Counter::ComputeTime);
  result.idle_share = 1 - result.computing / (nodes * result.seconds);
}

/// A worker's losses are in the order of its rounds.
std::vector<std::pair<double, double>> course_of(const std::vector<std::vector<double>>& losses,
                                                 const AapResult& result) {
  std::vector<pie::RoundRecord> rounds = result.records;
  std::stable_sort(rounds.begin(), rounds.end(),
                   [](const auto& a, const auto& b) { return a.end < b.end; });
  std::vector<std::size_t> next(losses.size(), 0);
  std::vector<std::optional<double>> latest(losses.size());
  std::size_t received = 0;
  std::vector<std::pair<double, double>> loss_curve;
  for (const pie::RoundRecord& round : rounds) {
    const std::size_t worker = round.worker.index();
    LEEWAY_CHECK(next[worker] < losses[worker].size());
    received += latest[worker] ? 0 : 1;
    latest[worker] = losses[worker][next[worker]++];
    if (received < latest.size()) continue;
    double sum = 0;
    for (const auto& loss : latest) sum += *loss;
    loss_curve.emplace_back(seconds(round.end - result.begin), sum);
  }
  return loss_curve;
}

GraphRequest request_of(const Laboratory& lab, const AapTrial& trial, bool both_ways) {
  const AapInput& input = aap_input(trial.input);
  // A graph given by the user replaces all graphs, but not ratings.
  const std::optional<std::string>& graph = trial.graph ? trial.graph : lab.settings().graph;
  if (graph && input.spec != kRatings) return {*graph, both_ways};
  return {place_of(input.file, input.spec), both_ways};
}

RunKey key_of(const AapTrial& trial) {
  return {{"program", trial.program},
          {"input", trial.input},
          {"graph", trial.graph.value_or("")},
          {"model", scheduler_name(trial.model)},
          {"workers", trial.workers},
          {"r", trial.skew},
          {"c", trial.bound},
          {"ours", trial.ours},
          {"bottom", trial.bottom},
          {"keeps_rounds", trial.keep_rounds},
          {"rule", trial.rule_name}};
}

Result<AapResult> measure(Laboratory& lab, const AapTrial& trial) {
  LEEWAY_ASSIGN(PreparedTrial prepared, prepare_aap(lab, trial));
  const Graph* const graph = prepared.graph;
  RunOptions& options = prepared.options;
  options.pie.keep_rounds = trial.keep_rounds;
  AapResult result;
  const auto take = [&](auto&& answer) -> Status {
    if (!answer) return fail(std::move(answer).error());
    sum_up(answer->record, result);
    return {};
  };
  const VertexId source = reference::busiest(*graph);
  if (trial.program == "sssp") {
    LEEWAY_TRY(take(pie::run_pie(*graph, pie::PieSssp(*graph, source), options)));
  } else if (trial.program == "cc") {
    LEEWAY_TRY(take(pie::run_pie(*graph, pie::PieComponents(), options)));
  } else if (trial.program == "pagerank") {
    LEEWAY_TRY(take(pie::run_pie(*graph, pie::PiePageRank({.tolerance = kAapTolerance}), options)));
  } else {
    std::vector<std::vector<double>> losses(trial.workers);
    options.pie.keep_rounds = true;
    const pie::Filtering program(*graph, {.watch = [&](PartId worker, double loss) {
      losses[worker.index()].push_back(loss);
    }});
    auto answer = pie::run_pie(*graph, program, options);
    LEEWAY_TRY(take(answer));
    result.loss_curve = course_of(losses, result);
    if (!trial.keep_rounds) result.records.clear();
    result.rmse = program.rmse(*graph, answer->values, true);
    result.converged = std::isfinite(result.rmse);
  }
  return result;
}

}  // namespace

std::span<const AapCase> aap_cases() { return kCases; }

AapTrial aap_trial(const Laboratory& lab, const AapCase& each) {
  return {.program = std::string(each.program),
          .input = std::string(each.input),
          .workers = lab.nodes(64)};
}

std::vector<RawCell> raw_cells(const AapResult& result) {
  return {{"converged", result.converged},
          {"seconds", result.seconds},
          {"rounds", result.rounds},
          {"straggler_rounds", result.straggler_rounds},
          {"most_rounds", result.most_rounds},
          {"messages", result.messages},
          {"bytes", result.bytes},
          {"parameter_bytes", result.parameter_bytes},
          {"idle_share", result.idle_share},
          {"computing", result.computing},
          {"straggler_computing", result.straggler_computing},
          {"rmse", result.rmse}};
}

Result<const AapResult*> run_aap(Laboratory& lab, const AapTrial& trial) {
  return lab.study().run<AapResult>(key_of(trial), [&] {
    lab.announce(format("{} on {}, {} workers, r = {}, {}", trial.program, trial.input,
                        trial.workers, trial.skew, scheduler_name(trial.model)));
    return measure(lab, trial);
  });
}

Result<PreparedTrial> prepare_aap(Laboratory& lab, const AapTrial& trial) {
  const bool filtering = trial.program == "cf";
  PreparedTrial prepared;
  const GraphRequest request = request_of(lab, trial, trial.program == "cc");
  LEEWAY_ASSIGN(prepared.graph, lab.inputs().graph(request));
  const Charged charged = charged_as(aap_input(trial.input), *prepared.graph);
  RunOptions& options = prepared.options;
  options.pie.workers = trial.workers;
  options.cluster = lab.cluster(trial.workers, lab.network("infiniband"));
  const AapPrice& price = price_of(trial.program, trial.input);
  options.cluster.cost = costs_of(price, charged);
  options.cluster.hosts = servers_for(trial.workers);
  for (NetworkProfile* const network : {&options.cluster.network, &options.cluster.hosts.within})
    *network = network->carrying(charged.vertices, kHeaderBytes);
  options.pie.keep_rounds = true;
  Schedule& schedule = options.pie.schedule;
  schedule.model = trial.model;
  schedule.rule = trial.rule;
  options.pie.paced = trial.ours;
  schedule.by_equation = !trial.ours;
  if (trial.model == Scheduler::Ssp || (filtering && trial.model == Scheduler::Aap))
    schedule.bound = trial.bound;
  schedule.least_target = trial.bottom;
  if (filtering) {
    schedule.least_target = kShareOfWorkers * trial.workers;
    schedule.least_rounds = kFewRounds;
    schedule.counts_senders = true;
  }
  LEEWAY_ASSIGN(options.divided, lab.inputs().division(request, trial.workers, BalanceBy::Arcs,
                                                       PartitionMethod::Metis, trial.skew));
  std::vector<Duration> whole =
      whole_fragments(*prepared.graph, *options.divided, times(price.arc_ps, charged.arcs));
  if (price.whole_fragment) options.pie.round_overheads = std::move(whole);
  if (price.affected_us > 0) options.pie.first_round_times = std::move(whole);
  return prepared;
}

double border_share(const PreparedTrial& prepared) {
  const Graph& graph = *prepared.graph;
  const auto& owner = prepared.options.divided->owner;
  std::vector<bool> border(graph.vertex_count(), false);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    for (const VertexId to : graph.neighbors(v)) {
      if (owner[v.index()] != owner[to.index()]) border[v.index()] = border[to.index()] = true;
    }
  }
  const auto count = std::count(border.begin(), border.end(), true);
  return static_cast<double>(count) / static_cast<double>(graph.vertex_count());
}

std::string stand_in_of(const Laboratory& lab, std::string_view input) {
  return file_name(request_of(lab, {.input = std::string(input)}, false).place);
}

Figure blank_aap(Laboratory& lab, std::string_view stand_in) {
  lab.study().begin_figure();
  Figure figure;
  figure.configuration = {{"network", lab.network("infiniband").name},
                          {"servers", format("one for each {} workers", kWorkersPerServer)},
                          {"partition", "METIS, equal arcs; then vertices reshuffled into part 0"},
                          {"gather", format("{:.3f} of a round", Schedule().gather_fraction)},
                          {"pagerank", format("until no change exceeds {}", kAapTolerance)}};
  if (!stand_in.empty()) figure.configuration.emplace_back("stand-in", stand_in_of(lab, stand_in));
  figure.notes = {
      "costs of a stand-in are scaled to the paper's input: of an arc by the ratio of the arc "
      "counts, of a parameter in a message by the ratio of the vertex counts"};
  return figure;
}

}  // namespace leeway::replay
