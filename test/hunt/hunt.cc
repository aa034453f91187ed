// Random runs of graph programs, most of them in the virtual cluster, judged by independent
// oracles: every engine, schedule, bound and mode, on 1 to 24 nodes, with random costs, networks,
// slow nodes and pauses.
//
//   hunt [--first SEED] [--seeds N] [--seconds S] [--threads] [--only PROGRAM] [--engine vertex|pie] [--jobs N]
//        [--shrink S] [--keep FOLDER] [--describe] [--without TRAITS] [--nodes N] [--graph FILE]
//
// --threads: runs over real threads with real delays. A failing plan is shrunk for --shrink seconds
// and printed with a command that repeats it; --without, --nodes and --graph are for that command.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <thread>

#include "base/format.h"
#include "base/log.h"
#include "test/campaign/soak_flags.h"
#include "test/hunt/shrink_plan.h"

namespace {

using namespace leeway;
using namespace leeway::hunt;
using WallClock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "hunt [--first SEED] [--seeds N] [--seconds S] [--threads] [--only PROGRAM] [--engine "
    "vertex|pie] [--jobs N] [--shrink S] [--keep FOLDER] [--describe] [--without TRAITS] [--nodes "
    "N] "
    "[--graph FILE]";
constexpr unsigned kLongest = 60;  // time limit of a plan's runs, in seconds

struct Options {
  std::uint64_t first = 1, seeds = 2000, seconds = 0, jobs = 2, shrink = 60, nodes = 0;
  std::string only, engine, without, graph, keep;
  bool threads = false, describe = false;
};

Options parse(int argc, char** argv) {
  Options options;
  campaign::parse_soak_flags(argc, argv, kUsage,
                             {{"--first", &options.first},
                              {"--seeds", &options.seeds},
                              {"--seconds", &options.seconds},
                              {"--threads", &options.threads},
                              {"--only", &options.only},
                              {"--engine", &options.engine},
                              {"--jobs", &options.jobs},
                              {"--shrink", &options.shrink},
                              {"--keep", &options.keep},
                              {"--describe", &options.describe},
                              {"--without", &options.without},
                              {"--nodes", &options.nodes},
                              {"--graph", &options.graph}});
  if (options.keep.empty())
    options.keep = (std::filesystem::temp_directory_path() / "leeway-hunt").string();
  return options;
}

/// The plan of the seed, changed by the flags. --only and --engine are implemented by skipping
/// other seeds.
std::optional<HuntPlan> plan_of(std::uint64_t seed, const Options& options) {
  HuntPlan plan = draw_plan(seed, options.threads);
  if (!options.only.empty() && plan.program->name != options.only) return std::nullopt;
  if (!options.engine.empty() && plan.engine_word() != options.engine) return std::nullopt;
  std::istringstream traits(options.without);
  for (std::string trait; std::getline(traits, trait, ',');) (void)take_back(plan, trait);
  if (options.nodes > 0) set_nodes(plan, static_cast<std::uint32_t>(options.nodes));
  if (options.graph.empty()) return plan;
  if (!read_input(options.graph, plan))
    campaign::end_with_usage(kUsage, options.graph + " cannot be read as a graph");
  return plan;
}

/// Progress of a child process, in memory that it shares with its supervisor.
struct Shown {
  std::atomic<std::uint64_t> seed{0}, passed{0}, failed{0}, refused{0}, digest{0};
};

void report(const HuntPlan& plan, const HuntOutcome& outcome, const Options& options) {
  std::printf("FAILED %s\n  %s: %s\nrepeat it with: %s\n", plan.describe().c_str(),
              outcome.sort.c_str(), outcome.what.c_str(), plan.repeat_command().c_str());
  std::fflush(stdout);
  if (options.shrink == 0) return;
  ShrunkPlan shrunk = shrink(plan, std::chrono::seconds(options.shrink));
  if (!shrunk.repeats) {
    std::printf("  it did not fail again\n");
    return;
  }
  std::filesystem::create_directories(options.keep);
  shrunk.smallest.graph_file = options.keep + format("/seed-{}.txt", plan.seed);
  std::ofstream(shrunk.smallest.graph_file) << input_text(shrunk.smallest);
  std::printf("  smallest: %s\n  %s: %s\n  %s\n", shrunk.smallest.describe().c_str(),
              shrunk.outcome.sort.c_str(), shrunk.outcome.what.c_str(),
              shrunk.smallest.repeat_command().c_str());
  std::fflush(stdout);
}

/// A share of the seeds, run in one child process after another, because a run that crashes or
/// hangs ends its process.
class Lane {
 public:
  Lane(const Options& options, std::uint64_t first, WallClock::time_point end)
      : options_(options), next_(first), end_(end) {
    void* const memory =
        ::mmap(nullptr, sizeof(Shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shown_ = new (memory) Shown();
    start();
  }

  /// False once all of its seeds are done.
  bool look() {
    if (child_ == 0) return false;
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != child_) return true;
    child_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
    const std::uint64_t seed = shown_->seed;
    ++shown_->failed;
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    if (const auto plan = plan_of(seed, options_)) {
      report(*plan,
             {.sort = late ? "no end" : "crash",
              .what = late ? format("it still ran after {} s", kLongest)
                           : format("wait status {}", status)},
             options_);
    }
    next_ = seed + options_.jobs;
    start();
    return true;
  }
  [[nodiscard]] const Shown& shown() const { return *shown_; }

 private:
  void start() {
    std::fflush(stdout);
    child_ = ::fork();
    if (child_ == 0) work();
  }

  [[noreturn]] void work() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (std::uint64_t seed = next_; seed - options_.first < options_.seeds;
         seed += options_.jobs) {
      if (options_.seconds > 0 && WallClock::now() >= end_) break;
      const auto plan = plan_of(seed, options_);
      if (!plan) continue;
      shown_->seed = seed;
      ::alarm(kLongest);
      const HuntOutcome outcome = run_plan(*plan);
      ::alarm(0);
      if (!outcome.sort.empty()) {
        ++shown_->failed;
        report(*plan, outcome, options_);
      } else {
        ++(outcome.refused ? shown_->refused : shown_->passed);
        shown_->digest += (seed | 1) * outcome.digest;
      }
    }
    std::fflush(stdout);
    ::_exit(0);
  }

  const Options& options_;
  std::uint64_t next_;
  WallClock::time_point end_;
  Shown* shown_;
  ::pid_t child_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  set_log_level(LogLevel::Error);
  if (options.describe) {
    for (std::uint64_t i = 0; i < options.seeds; ++i) {
      if (const auto plan = plan_of(options.first + i, options))
        std::printf("%s\n", plan->describe().c_str());
    }
    return 0;
  }
  const auto begin = WallClock::now();
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::uint64_t lane = 0; lane < std::max<std::uint64_t>(options.jobs, 1); ++lane) {
    lanes.push_back(std::make_unique<Lane>(options, options.first + lane,
                                           begin + std::chrono::seconds(options.seconds)));
  }
  for (bool busy = true; busy;) {
    busy = false;
    for (const auto& lane : lanes) busy = lane->look() || busy;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::uint64_t passed = 0, failed = 0, refused = 0, digest = 0;
  for (const auto& lane : lanes) {
    passed += lane->shown().passed;
    failed += lane->shown().failed;
    refused += lane->shown().refused;
    digest += lane->shown().digest;
  }
  const double seconds = std::chrono::duration<double>(WallClock::now() - begin).count();
  std::printf("%.0f plans a second, digest %016llx\n",
              static_cast<double>(passed + failed + refused) / seconds,
              static_cast<unsigned long long>(digest));
  std::printf("%llu passed, %llu failed, %llu skipped\n", static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(refused));
  return failed == 0 && passed > 0 ? 0 : 1;
}
