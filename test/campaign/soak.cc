// Runs random programs against the observers, seed after seed, and says how to repeat one that fails.
//
//   soak [--first SEED] [--seeds N] [--minutes M] [--log FILE] [--describe] [--mutants]
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/protocol/mutant.h"
#include "test/campaign/program.h"
#include "test/campaign/soak_flags.h"

namespace {

using namespace leeway;
using namespace leeway::campaign;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 2000;
  std::uint64_t minutes = 0;  // 0: no bound
  std::string log;
  bool mutants = false;
  bool describe = false;
};

constexpr const char* kUsage =
    "soak [--first SEED] [--seeds N] [--minutes M] [--log FILE] [--describe] [--mutants]";

Options parse(int argc, char** argv) {
  Options options;
  parse_soak_flags(argc, argv, kUsage,
                   {{"--first", &options.first},
                    {"--seeds", &options.seeds},
                    {"--minutes", &options.minutes},
                    {"--log", &options.log},
                    {"--describe", &options.describe},
                    {"--mutants", &options.mutants}});
  return options;
}

void report(const Plan& plan, const Outcome& outcome) {
  std::printf("FAILED %s\n", plan.describe().c_str());
  for (std::size_t i = 0; i < outcome.violations.size() && i < 5; ++i) {
    std::printf("  %s\n", outcome.violations[i].c_str());
  }
  std::printf("repeat it with: ./dev soak --first %llu --seeds 1 --log events.txt\n",
              static_cast<unsigned long long>(plan.seed));
}

int soak(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t passed = 0, failed = 0, records = 0, digest = 0;
  for (std::uint64_t seed = options.first; seed - options.first < options.seeds; ++seed) {
    const auto minutes =
        std::chrono::duration_cast<std::chrono::minutes>(std::chrono::steady_clock::now() - start)
            .count();
    if (options.minutes > 0 && minutes >= static_cast<std::int64_t>(options.minutes)) break;
    const Plan plan = make_plan(seed);
    if (options.describe) std::printf("%s\n", plan.describe().c_str()), std::fflush(stdout);
    const Outcome outcome = run_plan(plan, !options.log.empty());
    records += outcome.records;
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
  std::printf("%llu events watched, digest %016llx\n", static_cast<unsigned long long>(records),
              static_cast<unsigned long long>(digest));
  std::printf("%llu passed, %llu failed, 0 skipped\n", static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}

#ifdef LEEWAY_MUTANTS
/// Every deliberate bug must be noticed by some seed.
int hunt(const Options& options) {
  int caught = 0, survived = 0;
  for (int i = 1; i < kMutantCount; ++i) {
    active_mutant = static_cast<Mutant>(i);
    std::optional<std::uint64_t> seed;
    std::string how;
    for (std::uint64_t s = options.first; s - options.first < options.seeds && !seed; ++s) {
      const Outcome outcome = run_plan(make_plan(s));
      if (outcome.violations.empty()) continue;
      seed = s;
      how = outcome.violations[0].substr(0, outcome.violations[0].find(':'));
    }
    if (seed)
      ++caught;
    else
      ++survived;
    std::printf("%-36s %s\n", std::string(mutant_name(active_mutant)).c_str(),
                seed ? format("caught by seed {}: {}", *seed, how).c_str() : "SURVIVED");
  }
  std::printf("%d passed, %d failed, 0 skipped\n", caught, survived);
  return survived == 0 ? 0 : 1;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.mutants) return soak(options);
#ifdef LEEWAY_MUTANTS
  return hunt(options);
#else
  end_with_usage(kUsage, "this build has no mutants; run the soak-mutants program");
#endif
}
