#include "leeway/benchmarks/replay/law_trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/programs/reference/lists.h"

namespace leeway::replay {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Heat takes the graph's own Laplacian, so its graph has no weights.
bool weighs(std::string_view program) { return program != "heat"; }

}  // namespace

Result<DividedGraph> divide_input(const LawInput& input, std::string_view program,
                                  std::uint32_t nodes, InputCache& inputs) {
  const GraphRequest request{input.spec, true, weighs(program)};
  DividedGraph divided;
  LEEWAY_ASSIGN(divided.graph, inputs.graph(request));
  LEEWAY_ASSIGN(divided.division, inputs.division(request, nodes, BalanceBy::Arcs, input.method));
  return divided;
}

Result<law::ProgramFacts> LawTrials::facts(const LawPoint& point, const law::Setup& setup) {
  const std::string key =
      format("{} {} {} {}", point.program, point.input.name, point.nodes, point.slow_percent);
  if (const auto found = facts_.find(key); found != facts_.end()) return found->second;
  LEEWAY_ASSIGN(const law::ProgramFacts facts, law::facts_of(setup));
  return facts_.emplace(key, facts).first->second;
}

Result<law::Setup> LawTrials::setup(const LawPoint& point) {
  LEEWAY_ASSIGN(const DividedGraph ground,
                divide_input(point.input, point.program, point.nodes, lab_.inputs()));
  law::Setup setup;
  setup.graph = ground.graph;
  setup.division = ground.division;
  setup.program = point.program;
  setup.settings.source = reference::busiest(*ground.graph);
  setup.seed = lab_.settings().seed;
  if (point.slow_percent != 100) setup.slowdown_percent = {point.slow_percent};
  return setup;
}

Result<RunRecord> LawTrials::run_chosen(const LawPoint& point, const law::Choice& choice) {
  LEEWAY_ASSIGN(const law::Setup setup, this->setup(point));
  return law::simulate(setup, choice, point.profile);
}

Result<LawResult> LawTrials::run(const LawPoint& point) {
  lab_.say(
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

void add_raw(const std::vector<LawResult>& results, Figure& figure) {
  std::vector<Column> columns = {raw("program"), raw("input"), raw("conditions"), raw("network")};
  for (const std::string_view name : law::fact_names())
    columns.push_back(raw(std::string(name), ".9g"));
  for (const law::Mode& mode : law::modes()) columns.push_back(raw(std::string(mode.name), ".9g"));
  columns.push_back(raw("best"));
  Rows rows(figure, columns);
  for (const LawResult& each : results) {
    std::vector<Cell> row = {each.point.program, each.point.input.name, each.point.conditions,
                             each.point.network};
    for (const double value : law::fact_values(each.facts, each.network)) row.emplace_back(value);
    for (const double seconds : each.times) row.emplace_back(seconds);
    row.emplace_back(law::modes()[each.best].name);
    rows.add(row);
  }
}

double time_ratio(const LawResult& result, std::string_view of, std::string_view to) {
  const double above = result.times[law::mode_place(of)];
  const double below = result.times[law::mode_place(to)];
  if (!std::isfinite(above) || !std::isfinite(below))
    return std::numeric_limits<double>::quiet_NaN();
  return above / below;
}

}  // namespace leeway::replay
