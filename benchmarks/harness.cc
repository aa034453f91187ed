#include "benchmarks/harness.h"

#include <time.h>

#include <cstdio>
#include <fstream>

#include "base/clock.h"
#include "base/format.h"
#include "base/median.h"

namespace leeway::bench {

namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::function<double()> elapsed(std::function<void()> run) {
  return [run = std::move(run)] {
    const Stopwatch watch;
    run();
    return watch.elapsed_seconds();
  };
}

void race(std::vector<Contender>& contenders, int rounds, int warm_up) {
  std::vector<std::vector<double>> values(contenders.size());
  for (int round = -warm_up; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double value = contenders[i].measure();
      if (round >= 0) values[i].push_back(value);
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i)
    contenders[i].median = median(std::move(values[i]));
}

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool meets(double value, double goal, bool at_least) {
  return goal == 0 || (at_least ? value >= goal : value <= goal);
}

const char* verdict(bool met) { return met ? "met" : "MISSED"; }

bool print_table(const std::vector<Measurement>& all) {
  bool met = true;
  for (const Measurement& each : all) {
    const bool good = meets(each.ratio, each.goal, each.at_least);
    met = met && good;
    const std::string ratio = each.ratio == 0 ? "" : format("{:5.2f}x", each.ratio);
    const std::string goal =
        each.goal == 0
            ? ""
            : format("goal {} {:.1f}  {}", each.at_least ? ">=" : "<=", each.goal, verdict(good));
    std::puts(format("{:44} {:9.2f} {:4} {:8} {}", each.name, each.value, each.unit, ratio, goal)
                  .c_str());
  }
  return met;
}

void print_json(std::string_view bench, const std::function<void(JsonWriter&)>& members) {
  JsonWriter json;
  json.object([&] {
    json.member("bench", bench).member("machine", processor());
    members(json);
  });
  std::puts(json.text().c_str());
}

}  // namespace leeway::bench
