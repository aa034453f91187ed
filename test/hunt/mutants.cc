// Former bugs of the library, put back by test/mutants/hunt_mutants.py: the hunt must find each.
//
//   hunt-mutants [--first SEED] [--seeds N] [--known FILE] [--only MUTANT]
#include "base/format.h"
#include "base/log.h"
#include "leeway/mutant.h"
#include "test/campaign/apart.h"
#include "test/campaign/soak_flags.h"
#include "test/campaign/watchdog.h"
#include "test/hunt/run_plan.h"

namespace {

using namespace leeway;
using namespace leeway::hunt;

std::optional<std::string> find_in(std::uint64_t first, std::uint64_t seeds) {
  campaign::Watchdog watchdog;
  for (std::uint64_t seed = first; seed - first < seeds; ++seed) {
    const HuntPlan plan = draw_plan(seed, false);
    watchdog.begin(plan.describe(), plan.repeat_command());
    const HuntOutcome outcome = run_plan(plan);
    if (!outcome.sort.empty())
      return format("seed {}: {}: {}", seed, outcome.sort, outcome.what.substr(0, 90));
  }
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 1, seeds = 8000;
  std::string known, only;
  campaign::parse_soak_flags(
      argc, argv, "hunt-mutants [--first SEED] [--seeds N] [--known FILE] [--only MUTANT]",
      {{"--first", &first}, {"--seeds", &seeds}, {"--known", &known}, {"--only", &only}});
  set_log_level(LogLevel::Error);
  return campaign::hunt(
      {.mutants = kMutants,
       .shown_by_tests = {},
       .only = only,
       .known = known,
       .try_known = [](const campaign::KnownFind& find) { return find_in(find.seed, 1); },
       .search = [&] { return find_in(first, seeds); }});
}
