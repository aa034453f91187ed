// Runs random programs under the observers, one per seed, and prints how to repeat a run that
// fails.
//
//   soak [--threads] [--first SEED] [--seeds N] [--minutes M] [--log FILE] [--describe] [--mutants]
//
// Runs in the virtual cluster, or over real threads with --threads.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/format.h"
#include "test/campaign/hunt.h"
#include "test/campaign/run.h"
#include "test/campaign/soak_flags.h"
#include "test/campaign/watchdog.h"

namespace {

using namespace leeway;
using namespace leeway::campaign;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 2000;
  std::uint64_t minutes = 0;  // 0: unlimited
  std::string log;
  std::string only;   // a mutant's name
  std::string known;  // file of runs that found mutants
  bool threads = false;
  bool mutants = false;
  bool describe = false;
};

constexpr const char* kUsage =
    "soak [--threads] [--first SEED] [--seeds N] [--minutes M] [--log FILE] [--describe] "
    "[--mutants] [--only MUTANT] [--known FILE]";

Options parse(int argc, char** argv) {
  Options options;
  parse_soak_flags(argc, argv, kUsage,
                   {{"--first", &options.first},
                    {"--seeds", &options.seeds},
                    {"--minutes", &options.minutes},
                    {"--log", &options.log},
                    {"--only", &options.only},
                    {"--known", &options.known},
                    {"--threads", &options.threads},
                    {"--describe", &options.describe},
                    {"--mutants", &options.mutants}});
  return options;
}

void report(const Plan& plan, const Outcome& outcome) {
  std::printf("FAILED %s\n", plan.describe().c_str());
  for (std::size_t i = 0; i < outcome.violations.size() && i < 5; ++i) {
    std::printf("  %s\n", outcome.violations[i].c_str());
  }
  std::printf("repeat it with: %s\n", plan.repeat_command().c_str());
}

int soak(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t passed = 0, failed = 0, observations = 0, digest = 0;
  // Over real threads with real delays, one run with many waiting writes can take half a minute.
  Watchdog watchdog(options.threads ? 240 : 60);
  for (std::uint64_t seed = options.first; seed - options.first < options.seeds; ++seed) {
    const auto minutes =
        std::chrono::duration_cast<std::chrono::minutes>(std::chrono::steady_clock::now() - start)
            .count();
    if (options.minutes > 0 && minutes >= static_cast<std::int64_t>(options.minutes)) break;
    const Plan plan = make_plan(seed, options.threads);
    watchdog.begin(plan.describe(), plan.repeat_command());
    if (options.describe) std::printf("%s\n", plan.describe().c_str()), std::fflush(stdout);
    const Outcome outcome = run_plan(plan, !options.log.empty());
    observations += outcome.observations;
    digest = digest * 31 + outcome.digest;
    if (!options.log.empty()) {
      std::ofstream file(options.log);
      for (const std::string& line : outcome.log) file << line << '\n';
    }
    if (outcome.violations.empty()) {
      ++passed;
      continue;
    }
    ++failed;
    report(plan, outcome);
  }
  std::printf("%llu reads observed", static_cast<unsigned long long>(observations));
  if (!options.threads) std::printf(", digest %016llx", static_cast<unsigned long long>(digest));
  std::printf("\n%llu passed, %llu failed, 0 skipped\n", static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.mutants && options.only.empty()) return soak(options);
  if (!has_mutants())
    end_with_usage(kUsage, "this build has no mutants; run the soak-mutants program");
  return hunt_mutants({options.first, options.seeds, options.only, options.known});
}
