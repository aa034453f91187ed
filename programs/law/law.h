// The law: what each mode of running is expected to take, from a few counts of the program on its divided
// graph and a few figures of the network, so which to choose. Pure.
//
// With t the time of a trial run, R its rounds and l the mean way of a frame, a mode takes
//     (t + R l) exp(c . x)
// where x are a few dimensionless numbers (terms_of) and c the mode's constants for that program
// (constants.cc), fitted by tools/fit_law.py to maps that `leeway replay law` measured. The trial run is of
// the mode's own kind: supersteps, PIE's, sweeps without a barrier, or sweeps. Rounds are PIE's for its modes
// and for programs that work by list, sssp and cc, in every mode but bsp, for both run to a local end
// before they wait; else they are supersteps.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "leeway/programs/law/facts.h"

namespace leeway::law {

inline constexpr std::size_t kTerms = 11;

/// Of one mode for one program: what multiplies each term, and how far off the fit typically is.
struct Constants {
  std::array<double, kTerms> of_term;
  double error;  ///< root of the mean squared logarithm of foretold over measured
};
/// By program and mode, in the order of `programs()` and `modes()`. Errors of modes without a form are 0.
extern const std::array<std::array<Constants, kModes>, kPrograms> kConstants;

struct Forecast {
  std::array<double, kModes> seconds;  ///< infinite where the program has no such form
  std::size_t best = 0;
  std::size_t second = 0;  ///< the runner-up
  double confidence =
      0.5;  ///< that the best takes less than the runner-up, by the fit's own errors
};

/// The dimensionless numbers of a mode, the first of which is 1.
[[nodiscard]] std::array<double, kTerms> terms_of(std::size_t program, const Mode& mode,
                                                  const ProgramFacts& facts,
                                                  const NetworkFacts& network);
/// Requires several nodes.
[[nodiscard]] Forecast foretell(std::size_t program, const ProgramFacts& facts,
                                const NetworkFacts& network);

}  // namespace leeway::law
