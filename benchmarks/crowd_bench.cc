// What it costs to run more processes than there are cores: the same job by 2, 8 and 16 processes over mpi
// and over ofi, in one run, and the processor time each took as a whole. On a grid in stripes, so that the
// work hardly grows with the number of processes, and what is left is waiting: without anybody spinning.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "benchmarks/stopwatch.h"

namespace {

using namespace leeway;

constexpr std::array<int, 3> kProcesses = {2, 8, 16};
constexpr int kRounds = 3;
constexpr double kGoal = 2;

double children_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

struct Took {
  double wall = 0;
  double processor = 0;
};

Took run(const std::string& command) {
  const SteadyClock clock;
  const Instant start = clock.now();
  const double before = children_seconds();
  if (std::system((command + " >/dev/null").c_str()) != 0) {
    std::fprintf(stderr, "bench-crowd: this failed: %s\n", command.c_str());
    std::exit(1);
  }
  return {seconds(clock.now() - start), children_seconds() - before};
}

Took middle(std::vector<Took> all) {
  std::sort(all.begin(), all.end(),
            [](const Took& a, const Took& b) { return a.processor < b.processor; });
  return all[all.size() / 2];
}

std::string command(const std::string& fabric, int processes, const std::string& leeway) {
  const std::string start = fabric == "mpi" ? format("mpiexec.mpich -n {} {}", processes, leeway)
                                            : format("{} launch -n {} --", leeway, processes);
  return start +
         " run pagerank --graph grid2d:800x800 --partition block --consistency rcp --iterations 600"
         " --verify=no --quiet";
}

}  // namespace

int main() {
  const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe");
  const std::string leeway =
      "'" + (self.parent_path().parent_path() / "cli" / "leeway").string() + "'";
  std::string json;
  for (const std::string fabric : {"mpi", "ofi"}) {
    std::array<std::vector<Took>, kProcesses.size()> all;
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < kProcesses.size(); ++i)
        all[i].push_back(run(command(fabric, kProcesses[i], leeway)));
    }
    const double two = middle(all[0]).processor;
    for (std::size_t i = 0; i < kProcesses.size(); ++i) {
      const Took took = middle(all[i]);
      std::string line = format("{}, {:2} processes  {:6.2f} s, {:6.2f} s of processor", fabric,
                                kProcesses[i], took.wall, took.processor);
      if (i > 0) {
        line += format(", {:.2f}x of two's (goal {}, {})", took.processor / two, kGoal,
                       took.processor / two <= kGoal ? "met" : "MISSED");
      }
      std::puts(line.c_str());
      json += format(",\"{}_{}\":{:.3f}", fabric, kProcesses[i], took.processor);
    }
  }
  std::puts(format("{{\"bench\":\"crowd\",\"machine\":\"{}\"{}}}", bench::machine(), json).c_str());
  return 0;
}
