// ASPIRE's evaluation with whole programs (§§6.1, 6.2, 6.4): its tables and figures, drawn from trials.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/trials.h"

namespace leeway::replay {

Result<Figure> replay_table3(Trials& trials);
Result<Figure> replay_table4(Trials& trials);
Result<Figure> replay_fig6(Trials& trials);
Result<Figure> replay_fig7(Trials& trials);
Result<Figure> replay_fig8(Trials& trials);
Result<Figure> replay_fig9(Trials& trials);
Result<Figure> replay_fig10(Trials& trials);
Result<Figure> replay_fig11(Trials& trials);
Result<Figure> replay_fig16(Trials& trials);
Result<Figure> replay_table5(Trials& trials);

struct Evaluation {
  std::string_view name;
  std::string_view summary;
  Result<Figure> (*run)(Trials& trials);
};
[[nodiscard]] std::span<const Evaluation> evaluations();

/// Where one input is shown, as in Figures 6 to 11: Pokec for graphs, AtmosModl for equations.
struct Case {
  const Benchmark* benchmark;
  std::string_view input;
};
[[nodiscard]] std::vector<Case> one_input_each();

/// The n-th root of the product; 1 of none.
[[nodiscard]] double geometric_mean(std::span<const double> numbers);
/// "1.23", or "x" for a run that did not converge.
[[nodiscard]] std::string seconds_cell(const TrialResult& result);
[[nodiscard]] std::string ratio_cell(const TrialResult& of, const TrialResult& to, double ratio);

}  // namespace leeway::replay
