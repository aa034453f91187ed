// Interrupts jobs of random programs in the virtual cluster, one per seed, and compares every
// answer with oracles. Prints how to repeat a run that fails.
//
//   snapshot-soak [--first SEED] [--seeds N] [--describe] [--mutants] [--only MUTANT]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/log.h"
#include "test/campaign/snapshot_hunt.h"
#include "test/campaign/snapshot_run.h"
#include "test/campaign/soak_flags.h"
#include "test/campaign/watchdog.h"

namespace {

using namespace leeway::campaign;

constexpr const char* kUsage =
    "snapshot-soak [--first SEED] [--seeds N] [--describe] [--mutants] [--only MUTANT] "
    "[--known FILE]";

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 2000;
  bool describe = false;
  bool mutants = false;
  std::string only;
  std::string known;
};

Options parse(int argc, char** argv) {
  Options options;
  parse_soak_flags(argc, argv, kUsage,
                   {{"--first", &options.first},
                    {"--seeds", &options.seeds},
                    {"--describe", &options.describe},
                    {"--mutants", &options.mutants},
                    {"--only", &options.only},
                    {"--known", &options.known}});
  return options;
}

/// In memory if the machine has such a file system, because a run syncs its snapshots to the disk.
std::string a_folder() {
  std::error_code none;
  const std::filesystem::path memory = "/dev/shm";
  const bool there =
      std::filesystem::is_directory(memory, none) && ::access(memory.c_str(), W_OK) == 0;
  std::string pattern =
      (there ? memory : std::filesystem::temp_directory_path(none)) / "leeway-snapshots-XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr) return pattern;
  std::fprintf(stderr, "no folder can be made in %s\n", pattern.c_str());
  std::exit(2);
}

int soak(const Options& options, const std::string& folder) {
  Watchdog watchdog;
  SnapshotOutcome all;
  std::uint64_t passed = 0, failed = 0;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    const SnapshotOptions plan = make_snapshot_plan(options.first + i);
    watchdog.begin(plan.describe(), plan.repeat_command());
    if (options.describe) std::printf("%s\n", plan.describe().c_str()), std::fflush(stdout);
    const SnapshotOutcome outcome = run_snapshot_plan(plan, folder);
    all.add(outcome);
    ++(outcome.wrong.empty() ? passed : failed);
    if (outcome.wrong.empty()) continue;
    std::printf("FAILED %s\n  %s\nrepeat it with: %s\n", plan.describe().c_str(),
                outcome.wrong.c_str(), plan.repeat_command().c_str());
    std::fflush(stdout);
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%llu runs to the end, %llu snapshots, %llu nodes lost, %llu runs resumed, digest %016llx\n",
      number(all.runs), number(all.snapshots), number(all.lost), number(all.resumed),
      number(all.digest));
  std::printf("%llu passed, %llu failed, 0 skipped\n", number(passed), number(failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  leeway::set_log_level(leeway::LogLevel::Error);  // hides warnings about lost nodes
  const bool hunts = options.mutants || !options.only.empty();
  if (hunts && !has_snapshot_mutants())
    end_with_usage(kUsage, "this build has no mutants; run the snapshot-soak-mutants program");
  const std::string folder = a_folder();
  const int code = hunts ? hunt_snapshot_mutants(
                               {options.first, options.seeds, options.only, options.known}, folder)
                         : soak(options, folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return code;
}
