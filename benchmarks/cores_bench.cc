// bench-cores: the present speedup by a second core of this machine, as the time of one thread over that of two
// threads with half of the work each. The maximum is 2. It is lower if the cores are hyperthreads of one core or
// other processes use them; no program with two threads or nodes can exceed it.

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "benchmarks/harness.h"

namespace {

using namespace leeway;

constexpr std::size_t kTable = std::size_t{1}
                               << 23U;  // 64 MiB: more than the private cache of a core
constexpr unsigned kShift = 64 - 23;  // the upper bits of a random number are a place in the table
static_assert(~std::uint64_t{0} >> kShift == kTable - 1);
constexpr std::size_t kReads = std::size_t{1} << 24U;
constexpr std::size_t kSteps = std::size_t{1} << 28U;
constexpr int kRounds = 3;

/// Reads random elements of a table of kTable numbers; generating an index costs less than a read.
double read_at_random(const std::vector<double>& table, std::size_t reads, std::uint64_t seed) {
  double sum = 0;
  std::uint64_t place = seed;
  for (std::size_t i = 0; i < reads; ++i) {
    place = place * 6364136223846793005ULL + 1442695040888963407ULL;
    sum += table[place >> kShift];
  }
  return sum;
}

double compute(std::size_t steps) {
  std::array<double, 4> strands = {1, 2, 3, 4};
  for (std::size_t i = 0; i < steps / strands.size(); ++i) {
    for (double& strand : strands) strand = strand * 0.999999 + 1e-6;
  }
  return strands[0] + strands[1] + strands[2] + strands[3];
}

void by_two(const std::function<void(std::uint64_t)>& half) {
  std::thread other([&] { half(2); });
  half(1);
  other.join();
}

}  // namespace

int main() {
  const std::vector<double> table(kTable, 1.0);
  const auto reads = [&](std::size_t count, std::uint64_t seed) {
    bench::keep(read_at_random(table, count, seed));
  };
  std::vector<bench::Contender> race = {
      {"random reads, one thread", bench::elapsed([&] { reads(kReads, 1); })},
      {"random reads, two threads",
       bench::elapsed([&] { by_two([&](std::uint64_t seed) { reads(kReads / 2, seed); }); })},
      {"arithmetic, one thread", bench::elapsed([] { bench::keep(compute(kSteps)); })},
      {"arithmetic, two threads",
       bench::elapsed([] { by_two([](std::uint64_t) { bench::keep(compute(kSteps / 2)); }); })},
  };
  bench::race(race, kRounds);
  const double reading = race[0].median / race[1].median;
  const double computing = race[2].median / race[3].median;
  for (const bench::Contender& each : race)
    std::printf("%-26s %6.3f s\n", each.name.c_str(), each.median);
  std::printf("two cores are worth %.2f in random reads, %.2f in arithmetic\n", reading, computing);
  bench::print_json("cores", [&](JsonWriter& json) {
    json.member("reads", reading, ".3f").member("arithmetic", computing, ".3f");
  });
  return 0;
}
