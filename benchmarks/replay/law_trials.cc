#include "leeway/benchmarks/replay/law_trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/programs/reference/lists.h"

namespace leeway::replay {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? format("{:.9g}", seconds) : "x";
}

/// Heat takes the graph's own Laplacian, so its graph has no weights.
bool weighs(std::string_view program) { return program != "heat"; }

}  // namespace

Result<DividedGraph> divide_input(const LawInput& input, std::string_view program,
                                  std::uint32_t nodes, std::uint64_t seed) {
  LoadOptions options;
  options.seed = seed;
  options.symmetrize = true;
  options.duplicates = Duplicates::Merge;
  options.weights = weighs(program) ? Weights::Random : Weights::None;
  options.threads = 1;
  LEEWAY_ASSIGN(Graph graph, generate(input.spec, options));
  PartitionOptions how;
  how.method = input.method;
  how.parts = nodes;
  how.balance = BalanceBy::Arcs;
  how.seed = seed;
  LEEWAY_ASSIGN(Partition division, partition_graph(graph, how));
  return DividedGraph{std::make_shared<const Graph>(std::move(graph)),
                      std::make_shared<const Partition>(std::move(division))};
}

Result<DividedGraph> LawTrials::divided(const LawPoint& point) {
  const std::string key = format("{} {} {}", point.input.name, point.nodes, weighs(point.program));
  if (const auto found = divided_.find(key); found != divided_.end()) return found->second;
  LEEWAY_ASSIGN(DividedGraph made, divide_input(point.input, point.program, point.nodes, seed_));
  return divided_.emplace(key, std::move(made)).first->second;
}

Result<law::ProgramFacts> LawTrials::facts(const LawPoint& point, const law::Setup& setup) {
  const std::string key =
      format("{} {} {} {}", point.program, point.input.name, point.nodes, point.slow_percent);
  if (const auto found = facts_.find(key); found != facts_.end()) return found->second;
  LEEWAY_ASSIGN(const law::ProgramFacts facts, law::facts_of(setup));
  return facts_.emplace(key, facts).first->second;
}

Result<law::Setup> LawTrials::setup(const LawPoint& point) {
  LEEWAY_ASSIGN(const DividedGraph ground, divided(point));  // which `divided_` keeps
  law::Setup setup;
  setup.graph = ground.graph.get();
  setup.division = ground.division;
  setup.program = point.program;
  setup.settings.source = reference::busiest(*ground.graph);
  setup.seed = seed_;
  if (point.slow_percent != 100) setup.slowdown_percent = {point.slow_percent};
  return setup;
}

Result<RunRecord> LawTrials::run_chosen(const LawPoint& point, const law::Choice& choice) {
  LEEWAY_ASSIGN(const law::Setup setup, this->setup(point));
  return law::simulate(setup, choice, point.profile);
}

Result<LawResult> LawTrials::run(const LawPoint& point) {
  say_(
      format("{} on {}, {}, {}", point.program, point.input.name, point.conditions, point.network));
  LEEWAY_ASSIGN(const law::Setup setup, this->setup(point));
  LawResult result;
  result.point = point;
  LEEWAY_ASSIGN(result.facts, facts(point, setup));
  result.network = law::facts_of(point.profile, point.nodes);
  result.times.fill(kNever);
  for (std::size_t i = 0; i < law::kModes; ++i) {
    const law::Mode& mode = law::modes()[i];
    if (!law::has_form(point.program, mode)) continue;
    LEEWAY_ASSIGN(const RunRecord record, law::simulate(setup, mode, point.profile));
    if (record.converged()) result.times[i] = record.phases.compute;
  }
  const auto least = std::min_element(result.times.begin(), result.times.end());
  LEEWAY_CHECK(std::isfinite(*least), point.program);
  result.best = static_cast<std::size_t>(least - result.times.begin());
  return result;
}

Table raw_of(const std::vector<LawResult>& results) {
  Table raw;
  raw.columns = {"program", "input", "conditions", "network"};
  for (const std::string_view name : law::fact_names()) raw.columns.emplace_back(name);
  for (const law::Mode& mode : law::modes()) raw.columns.emplace_back(mode.name);
  raw.columns.emplace_back("best");
  for (const LawResult& each : results) {
    std::vector<std::string> row = {std::string(each.point.program), each.point.input.name,
                                    each.point.conditions, each.point.network};
    for (const double value : law::fact_values(each.facts, each.network))
      row.push_back(format("{:.9g}", value));
    for (const double seconds : each.times) row.push_back(seconds_text(seconds));
    row.emplace_back(law::modes()[each.best].name);
    raw.rows.push_back(std::move(row));
  }
  return raw;
}

double time_ratio(const LawResult& result, std::string_view of, std::string_view to) {
  const double above = result.times[law::mode_place(of)];
  const double below = result.times[law::mode_place(to)];
  if (!std::isfinite(above) || !std::isfinite(below))
    return std::numeric_limits<double>::quiet_NaN();
  return above / below;
}

}  // namespace leeway::replay
