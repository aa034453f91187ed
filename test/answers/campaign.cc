// Random cases through the command, one per seed, against oracles that share no code with it.
//
//   answers [--first SEED] [--seeds N] [--seconds S] [--only PROGRAM] [--processes] [--large] [--stop] [--jobs N]
//           [--shrink N] [--keep FOLDER] [--command FILE] [--describe] [--coverage]
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "test/answers/shrink.h"
#include "test/answers/table_draw.h"
#include "test/campaign/soak_flags.h"

namespace {

using namespace leeway::answers;
using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "answers [--first SEED] [--seeds N] [--seconds S] [--only PROGRAM] [--processes] [--large] "
    "[--stop] "
    "[--jobs N] [--shrink N] [--keep FOLDER] [--command FILE] [--describe] [--coverage]";
constexpr std::chrono::seconds kShrinkTime{60};

struct Options {
  std::uint64_t first = 1, seeds = 2000, seconds = 0, jobs = 2, shrink = 12;
  std::string only, keep, command = "build/cli/leeway";
  bool processes = false, large = false, describe = false, coverage = false, stop = false;

  [[nodiscard]] Draw draw() const { return {only, processes, large}; }
};

struct Failure {
  std::uint64_t seed = 0;
  Verdict verdict;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Folder for the files of this process's cases, in memory if possible.
std::string scratch_folder() {
  const std::filesystem::path shared = "/dev/shm";
  const bool there = ::access(shared.c_str(), W_OK) == 0;
  const auto root = there ? shared : std::filesystem::temp_directory_path();
  return (root / ("leeway-answers-" + std::to_string(::getpid()))).string();
}

/// Runs all seeds on `jobs` processes.
class Campaign {
 public:
  Campaign(const Options& options, std::string scratch)
      : options_(options), scratch_(std::move(scratch)), begin_(Clock::now()) {
    for (std::uint64_t k = 0; k < std::max<std::uint64_t>(options.jobs, 1); ++k) {
      lanes_.push_back(
          {std::make_unique<Runner>(scratch_ + "/" + std::to_string(k), options.command, Limits{}),
           options.first + k});
    }
  }

  void run() {
    for (Lane& lane : lanes_) start(lane);
    for (bool busy = true; busy;) {
      if (options_.stop && !failures_.empty())
        return;  // the destructors of the runners end their processes
      busy = false;
      for (Lane& lane : lanes_) {
        if (lane.over) continue;
        busy = true;
        if (lane.runner->ended()) settle(lane);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  }

  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
  [[nodiscard]] std::uint64_t passed() const { return sum(&Runner::passed); }
  [[nodiscard]] std::uint64_t skipped() const { return sum(&Runner::skipped); }

 private:
  struct Lane {
    std::unique_ptr<Runner> runner;
    std::uint64_t next = 0;
    bool over = false;
  };

  [[nodiscard]] std::uint64_t sum(std::uint64_t (Runner::*count)() const) const {
    std::uint64_t all = 0;
    for (const Lane& lane : lanes_) all += (lane.runner.get()->*count)();
    return all;
  }

  void start(Lane& lane) {
    const auto end = begin_ + std::chrono::seconds(options_.seconds);
    lane.runner->start([this, end, seed = lane.next](Case& into) mutable {
      if (seed - options_.first >= options_.seeds) return false;
      if (options_.seconds > 0 && Clock::now() >= end) return false;
      into = draw_case(seed, options_.draw());
      seed += lanes_.size();
      return true;
    });
  }

  void settle(Lane& lane) {
    if (lane.runner->verdict().kind != Kind::Failed) {
      lane.over = true;
      return;
    }
    failures_.push_back({lane.runner->seed(), lane.runner->verdict()});
    lane.next = lane.runner->seed() + lanes_.size();
    start(lane);
  }

  Options options_;
  std::string scratch_;
  Clock::time_point begin_;
  std::vector<Lane> lanes_;
  std::vector<Failure> failures_;
};

/// Failures with the same description are shrunk only once.
std::string group_of(const Case& drawn, const Verdict& verdict) {
  return drawn.program + " by " + drawn.engine() + ", " + verdict.sort;
}

void describe(const Case& drawn, const std::string& command) {
  const std::string folder = scratch_folder();
  std::filesystem::create_directories(folder);
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(drawn.seed),
              shell_command(drawn, folder, command).c_str());
  std::filesystem::remove_all(folder);
}

/// Whether the cases of all seeds together give each setting of the command on each engine to which it applies. Runs
/// nothing.
bool covers(const Options& options) {
  const std::string folder = scratch_folder();
  std::filesystem::create_directories(folder);
  std::set<Pair> drawn;
  for (std::uint64_t i = 0; i < options.seeds; ++i)
    drawn.merge(pairs_of(draw_case(options.first + i, options.draw()), folder));
  std::filesystem::remove_all(folder);
  const std::set<Pair> all = applicable_pairs();
  std::size_t missing = 0;
  for (const auto& [setting, engine] : all) {
    if (drawn.contains({setting, engine})) continue;
    ++missing;
    std::printf(
        "never drawn: --%s with --engine %s; give it values in test/answers/table_draw.cc, or a "
        "reason\n",
        setting.c_str(), engine.c_str());
  }
  std::printf("%zu of %zu pairs of a setting and an engine drawn in %llu cases\n",
              all.size() - missing, all.size(), static_cast<unsigned long long>(options.seeds));
  return missing == 0;
}

void report(const Failure& failure, const Options& options, Runner& runner) {
  const Case drawn = draw_case(failure.seed, options.draw());
  const Shrunk shrunk = shrink(drawn, failure.verdict, runner, kShrinkTime);
  const std::string folder = options.keep + "/seed-" + std::to_string(failure.seed);
  std::filesystem::create_directories(folder);
  std::printf("  smallest: %u vertices, %zu edges, %u nodes%s\n  %s\n  %s\n",
              shrunk.smallest.graph.size(), shrunk.smallest.graph.edges.size(),
              shrunk.smallest.nodes, shrunk.repeats ? "" : "; DID NOT FAIL AGAIN, so not shrunk",
              shell_command(shrunk.smallest, folder, options.command).c_str(),
              shrunk.verdict.text.c_str());
}

void report_all(std::vector<Failure> failures, const Options& options, const std::string& scratch) {
  std::sort(failures.begin(), failures.end(),
            [](const Failure& a, const Failure& b) { return a.seed < b.seed; });
  std::map<std::string, std::vector<Failure>> groups;
  for (const Failure& failure : failures)
    groups[group_of(draw_case(failure.seed, options.draw()), failure.verdict)].push_back(failure);
  Runner runner(scratch + "/shrink", options.command, {.per_case = std::chrono::seconds(8)});
  std::size_t shrunk = 0;
  for (const auto& [group, members] : groups) {
    std::printf("FAILED %s: %zu cases; seeds", group.c_str(), members.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 8); ++i)
      std::printf(" %llu", static_cast<unsigned long long>(members[i].seed));
    std::printf("\n  seed %llu: %s\n", static_cast<unsigned long long>(members[0].seed),
                first_line(members[0].verdict.text).c_str());
    std::printf("  repeat it with: ./dev campaign --first %llu --seeds 1%s%s%s%s\n",
                static_cast<unsigned long long>(members[0].seed),
                options.only.empty() ? "" : " --only ", options.only.c_str(),
                options.processes ? " --processes" : "", options.large ? " --large" : "");
    if (shrunk++ < options.shrink) report(members[0], options, runner);
    std::fflush(stdout);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  leeway::campaign::parse_soak_flags(argc, argv, kUsage,
                                     {{"--first", &options.first},
                                      {"--seeds", &options.seeds},
                                      {"--seconds", &options.seconds},
                                      {"--only", &options.only},
                                      {"--processes", &options.processes},
                                      {"--large", &options.large},
                                      {"--stop", &options.stop},
                                      {"--jobs", &options.jobs},
                                      {"--shrink", &options.shrink},
                                      {"--keep", &options.keep},
                                      {"--command", &options.command},
                                      {"--describe", &options.describe},
                                      {"--coverage", &options.coverage}});
  if (options.keep.empty())
    options.keep = (std::filesystem::temp_directory_path() / "leeway-campaign").string();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.coverage) return covers(options) ? 0 : 1;
  if (options.describe) {
    for (std::uint64_t i = 0; i < options.seeds; ++i)
      describe(draw_case(options.first + i, options.draw()), options.command);
    return 0;
  }
  const std::string scratch = scratch_folder();
  const auto begin = Clock::now();
  std::uint64_t passed = 0, skipped = 0;
  std::vector<Failure> failures;
  {
    Campaign campaign(options, scratch);
    campaign.run();
    passed = campaign.passed();
    skipped = campaign.skipped();
    failures = campaign.failures();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  report_all(failures, options, scratch);
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  const auto all = static_cast<double>(passed + skipped + failures.size());
  std::printf("%.0f cases in %.1f seconds, %.0f a second\n", all, seconds, all / seconds);
  std::printf("%llu passed, %zu failed, %llu skipped\n", static_cast<unsigned long long>(passed),
              failures.size(), static_cast<unsigned long long>(skipped));
  return failures.empty() ? 0 : 1;
}
