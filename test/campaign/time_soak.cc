// Runs time-stepped programs in virtual clusters with faults, one per seed, and compares each with
// the sequential update. Prints how to repeat a run that fails.
//
//   time-soak [--first SEED] [--seeds N] [--describe]
//   time-soak --matrix       every synchronization, system, program, number of nodes and profile
#include <cstdio>
#include <string>

#include "test/campaign/soak_flags.h"
#include "test/campaign/time_plan.h"

namespace {

using namespace leeway::campaign;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 2000;
  bool describe = false;
  bool matrix = false;
};

Options parse(int argc, char** argv) {
  Options options;
  parse_soak_flags(argc, argv, "time-soak [--first SEED] [--seeds N] [--describe] [--matrix]",
                   {{"--first", &options.first},
                    {"--seeds", &options.seeds},
                    {"--describe", &options.describe},
                    {"--matrix", &options.matrix}});
  return options;
}

class Score {
 public:
  void run(const TimePlan& plan, bool describe) {
    if (describe) std::printf("%s\n", plan.describe().c_str()), std::fflush(stdout);
    const TimeOutcome outcome = run_time_plan(plan);
    events_ += outcome.events;
    digest_ = digest_ * 31 + outcome.digest;
    ++(outcome.wrong.empty() ? passed_ : failed_);
    if (outcome.wrong.empty()) return;
    std::printf("FAILED %s\n  %s\n", plan.describe().c_str(), outcome.wrong.c_str());
    std::printf("repeat it with: ./dev soak time --first %llu --seeds 1\n",
                static_cast<unsigned long long>(plan.seed));
  }
  [[nodiscard]] int end() const {
    std::printf("%llu events, digest %016llx\n%llu passed, %llu failed, 0 skipped\n",
                static_cast<unsigned long long>(events_), static_cast<unsigned long long>(digest_),
                static_cast<unsigned long long>(passed_), static_cast<unsigned long long>(failed_));
    return failed_ == 0 ? 0 : 1;
  }

 private:
  std::uint64_t events_ = 0, digest_ = 0, passed_ = 0, failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  Score score;
  if (options.matrix) {
    for (const TimePlan& plan : time_matrix()) score.run(plan, options.describe);
    return score.end();
  }
  for (std::uint64_t i = 0; i < options.seeds; ++i)
    score.run(make_time_plan(options.first + i), options.describe);
  return score.end();
}
