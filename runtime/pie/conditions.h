// Tests of a PIE program for the conditions under which every asynchronous run gives the same answer (AAP §4.1). The
// template in leeway/pie.h calls check_workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "leeway/pie_program.h"
#include "runtime/pie/fragment.h"
#include "runtime/pie/virtual_worker.h"

namespace leeway::pie {

struct CheckOptions {
  std::uint32_t schedules = 30;
  std::uint64_t seed = 1;
  std::uint32_t most_rounds = 2'000;  ///< of all workers in a schedule, which then ends
  std::function<std::string(VertexId)> name = {};  ///< of a vertex, in texts; empty: its number
};

/// What the check found about a condition. No counterexample proves nothing.
struct ConditionFinding {
  bool tested = true;  ///< false: the program does not allow it, as `counterexample` explains
  std::string counterexample;  ///< empty: none was found

  [[nodiscard]] bool violated() const { return tested && !counterexample.empty(); }
};

struct ConditionReport {
  ConditionFinding finite;       ///< T1: the parameters' values are from a finite domain
  ConditionFinding contracting;  ///< T2: IncEval moves every result in one direction
  ConditionFinding monotonic;    ///< T3: with more messages, no result is behind that with fewer
  ConditionFinding same_answer;  ///< every schedule ended with the same results
  bool rises =
      false;  ///< the order in which T2 and T3 were tested: results rise, or else they fall
  std::uint64_t rounds = 0;
  std::uint64_t comparisons = 0;  ///< of two rounds, for T3
  std::uint64_t values = 0;       ///< distinct ones that vertices took
  double new_values = 0;  ///< share of those in the last quarter of the schedules that were new
  std::uint32_t unfinished = 0;  ///< schedules that reached the largest number of rounds

  [[nodiscard]] bool violated() const {
    return finite.violated() || contracting.violated() || monotonic.violated();
  }
};

/// The numbers that a result consists of.
struct ResultLayout {
  std::size_t count = 1;
  double rounding = 0;  ///< relative differences up to this are due to rounding
  /// Component `index` of the result in these bytes.
  double (*number)(const std::byte* result, std::size_t index) = nullptr;
  std::size_t bytes = 0;
};

/// Runs random schedules: in each step a random worker runs a round, or the next message of a random pair of workers is
/// delivered. T2 and T1 are observed in all rounds. For T3, rounds are repeated from copies of a worker's state, with the
/// messages that it has and with further ones that are in flight.
[[nodiscard]] ConditionReport check_workers(
    const std::vector<Fragment>& fragments,
    const std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>& make, bool announces,
    const ResultLayout& numbers, const CheckOptions& options);

}  // namespace leeway::pie
