#include "benchmarks/stopwatch.h"

#include <algorithm>
#include <fstream>

#include "base/clock.h"

namespace leeway::bench {

void race(std::vector<Contender>& contenders, int rounds) {
  const SteadyClock clock;
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const Instant start = clock.now();
      contenders[i].run();
      const double elapsed = seconds(clock.now() - start);
      if (round >= 0) times[i].push_back(elapsed);
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    contenders[i].median_seconds = times[i][times[i].size() / 2];
  }
}

std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace leeway::bench
