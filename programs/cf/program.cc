#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/cf/pie.h"
#include "snapshot/source.h"

namespace leeway {

namespace {

Status admit_ratings(const Graph& graph, const ProgramParameters&) {
  if (graph.left_count() > 0 && graph.weighted()) return {};
  return fail(input_error("--graph", "cf needs ratings, and this is another graph",
                          "give a ratings file: user,item,rating per line, or Jester's table; "
                          "leeway info shows users and items of a ratings file"));
}

pie::FilteringParameters filtering_options(const ProgramParameters& parameters,
                                           const RunOptions& options) {
  pie::FilteringParameters filtering;
  filtering.rate = static_cast<float>(parameters.rate);
  filtering.regulariser = static_cast<float>(parameters.regulariser);
  filtering.seed = options.cluster.seed;
  // A fixed number of passes: the change in loss of one worker's few ratings is not significant for the whole.
  filtering.most_rounds = options.vertex.iterations.value_or(filtering.most_rounds);
  if (options.resume) {
    filtering.rounds_before = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(options.resume->manifest().progress, filtering.most_rounds));
  }
  filtering.least_gain = -std::numeric_limits<double>::infinity();
  return filtering;
}

ProgramValues factor_values(const std::vector<pie::Factor>& factors) {
  ProgramValues values;
  values.shown = Shown::Real;
  values.row = static_cast<std::uint32_t>(pie::kFactors);
  values.rows.reserve(factors.size() * pie::kFactors);
  for (const pie::Factor& factor : factors)
    values.rows.insert(values.rows.end(), factor.begin(), factor.end());
  return values;
}

std::vector<std::pair<std::string, double>> rating_errors(const Graph& ratings,
                                                          const pie::Filtering& program,
                                                          const std::vector<pie::Factor>& factors) {
  if (factors.size() < ratings.vertex_count()) return {};
  return {{"rmse_train", program.rmse(ratings, factors, false)},
          {"rmse_test", program.rmse(ratings, factors, true)}};
}

Verified verify_errors(const Graph& graph, const ProgramParameters& parameters,
                       const RunOptions& options, const ProgramValues& values) {
  constexpr double kSlack = 1.1;
  /// Share of the ratings' spread. If ratings are equal, the expected error is almost zero.
  constexpr double kGrain = 0.01;
  const pie::FilteringParameters how = filtering_options(parameters, options);
  const pie::Filtering program(graph, how);
  std::vector<pie::Factor> factors(graph.vertex_count());
  for (std::size_t i = 0; i < values.rows.size(); ++i)
    factors[i / pie::kFactors][i % pie::kFactors] = values.rows[i];
  const double found = program.rmse(graph, factors, true);
  const auto alone = program.descend(graph, how.most_rounds);
  const double expected = program.rmse(graph, alone, true);
  // Descents with different orders of steps differ by chance on a small number of test ratings.
  const auto unseen = static_cast<double>(std::max<std::uint64_t>(program.count(graph, true), 1));
  const double chance = program.spread() / std::sqrt(unseen);
  if (found <= kSlack * expected + kGrain * program.spread() + chance) {
    return format("RMSE of unseen ratings {:.4f}, of one thread's descent {:.4f}", found, expected);
  }
  return fail(
      input_error("--verify",
                  format("the RMSE of unseen ratings is {:.4f}, of one thread's descent {:.4f}",
                         found, expected),
                  "give a smaller --staleness, a smaller --rate, or more --iterations"));
}

Result<ProgramResult> run_cf(const Graph& graph, const ProgramParameters& parameters,
                             const RunOptions& options) {
  RunOptions bounded = options;
  if (!bounded.vertex.staleness) bounded.vertex.staleness = 0;
  const pie::Filtering program(graph, filtering_options(parameters, options));
  std::vector<std::pair<std::string, double>> figures;
  LEEWAY_ASSIGN(ProgramResult run,
                answered(graph, program, bounded, [&](const std::vector<pie::Factor>& factors) {
                  figures = rating_errors(graph, program, factors);
                  return factor_values(factors);
                }));
  for (const auto& [name, error] : figures) {
    if (std::isfinite(error)) continue;
    return fail(input_error("--rate",
                            format("the descent diverged: with {} a pass overshoots, and the "
                                   "factors are not finite any more",
                                   parameters.rate),
                            "give a smaller --rate, or a smaller --staleness"));
  }
  run.figures = std::move(figures);
  return run;
}

Result<pie::ConditionReport> check_cf(const Graph& graph, const ProgramParameters& parameters,
                                      const RunOptions& options, const pie::CheckOptions& how) {
  return checked(graph, pie::Filtering(graph, filtering_options(parameters, options)), options,
                 how);
}

}  // namespace

const Program& programs::cf() {
  static const Program kProgram = {
      .name = "cf",
      .summary = "factors whose products estimate ratings, trained on nine tenths of them",
      .result = "eight numbers",
      .input = ProgramInput::Ratings,
      .checks_rounds = true,
      .passes = pie::FilteringParameters().most_rounds,
      .admit = admit_ratings,
      .verify = verify_errors,
      .engines = {{.engine = EngineName::Pie,
                   .takes = {Parameter::Rate, Parameter::Passes, Parameter::Seed},
                   .needs_bound = true,
                   .run = run_cf,
                   .check = check_cf}},
  };
  return kProgram;
}

}  // namespace leeway
