#include "leeway/programs/pie/collaborative.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/base/format.h"
#include "leeway/snapshot/source.h"

namespace leeway {

Status admit_cf(const Graph& graph, const ProgramSettings&) {
  if (graph.left_count() > 0 && graph.weighted()) return {};
  return fail(
      input_error("--graph", "cf learns from ratings, and these are none",
                  "give a ratings file: user,item,rating a line, or Jester's table; leeway info "
                  "tells users from items where it found ratings"));
}

pie::FilteringOptions filtering_options(const ProgramSettings& settings,
                                        const ProgramOptions& options) {
  pie::FilteringOptions filtering;
  filtering.rate = static_cast<float>(settings.rate);
  filtering.regulariser = static_cast<float>(settings.regulariser);
  filtering.seed = options.cluster.seed;
  // So many passes whatever they gain: what one worker's few ratings lose from pass to pass tells little of
  // the whole.
  filtering.most_rounds = options.engine.iterations.value_or(filtering.most_rounds);
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

Result<std::string> verify_cf(const Graph& graph, const ProgramSettings& settings,
                              const ProgramOptions& options, const ProgramValues& values) {
  constexpr double kSlack = 1.1;
  constexpr double kGrain =
      0.01;  // of the ratings' spread: where all are alike there is next to no error
  const pie::FilteringOptions how = filtering_options(settings, options);
  const pie::Filtering program(graph, how);
  std::vector<pie::Factor> factors(graph.vertex_count());
  for (std::size_t i = 0; i < values.rows.size(); ++i)
    factors[i / pie::kFactors][i % pie::kFactors] = values.rows[i];
  const double found = program.rmse(graph, factors, true);
  const auto alone = program.descend(graph, how.most_rounds);
  const double expected = program.rmse(graph, alone, true);
  // Another order of steps is another descent, and what two of them say of a few ratings differs by chance.
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

}  // namespace leeway
