// ASPIRE's own tables, computed from the prices of its machine: RCP's columns of Tables 3 and 5 in the paper.

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/median.h"
#include "benchmarks/replay/aspire.h"

using namespace leeway;
using namespace leeway::replay;

namespace {

struct TableCell {
  std::string_view program, input;
  double
      arcs;  ///< of the paper's Table 2, read by a sweep; twice where the program reads arcs both ways
  double sweeps;  ///< of our run with filled caches
  double copies;  ///< of a node, scaled to the paper's size
  double filled;  ///< the paper's seconds, Table 5
  double cold;    ///< the paper's seconds, Table 3
};

/// Sweeps and copies are those that `LEEWAY_DATA=… leeway replay aspire-prices --seeds 1` prints.
constexpr std::array<TableCell, 18> kCells = {{
    {"CC", "Orkut", 234'370'166, 5, 1'564e3, 90.31, 710.13},
    {"CC", "LiveJournal", 2 * 68'993'773.0, 5, 282e3, 22.09, 316.46},
    {"CC", "Pokec", 2 * 30'622'564.0, 4, 267e3, 7.1, 154.70},
    {"CC", "HiggsTwitter", 2 * 14'855'875.0, 5, 106e3, 4.1, 78.11},
    {"CC", "RoadNetCA", 5'533'214, 533, 0.1e3, 56.96, 69.10},
    {"CC", "RoadNetTX", 3'843'320, 321, 0.1e3, 50.94, 66.26},
    {"GC", "Orkut", 234'370'166, 6, 1'564e3, 92.79, 733.03},
    {"GC", "LiveJournal", 2 * 68'993'773.0, 7, 282e3, 17.44, 254.53},
    {"GC", "Pokec", 2 * 30'622'564.0, 8, 267e3, 8.81, 101.09},
    {"GC", "HiggsTwitter", 2 * 14'855'875.0, 7, 106e3, 3.59, 35.48},
    {"GC", "RoadNetCA", 5'533'214, 5, 0.1e3, 0.93, 0.95},
    {"GC", "RoadNetTX", 3'843'320, 5, 0.1e3, 0.53, 0.64},
    {"SSSP", "Orkut", 234'370'166, 10, 1'564e3, 161.88, 714.98},
    {"SSSP", "LiveJournal", 68'993'773, 14, 282e3, 21.73, 317.62},
    {"SSSP", "Pokec", 30'622'564, 11, 238e3, 9.47, 118.72},
    {"SSSP", "HiggsTwitter", 14'855'875, 10, 61e3, 2.5, 39.98},
    {"SSSP", "RoadNetCA", 5'533'214, 590, 0.1e3, 49.47, 72.30},
    {"SSSP", "RoadNetTX", 3'843'320, 425, 0.1e3, 44.21, 73.28},
}};

double filled_seconds(const TableCell& cell) {
  return cell.arcs / 16 * cell.sweeps * aspire_prices().fetch_ns * 1e-9;
}

double factor(double a, double b) { return std::max(a / b, b / a); }

}  // namespace

TEST_CASE("the price of a local fetch gives RCP's times of ASPIRE's Table 5") {
  std::size_t within_two = 0;
  for (const TableCell& cell : kCells) {
    INFO(cell.program << " on " << cell.input << ": " << filled_seconds(cell));
    CHECK(factor(filled_seconds(cell), cell.filled) < 3.2);
    within_two += factor(filled_seconds(cell), cell.filled) < 2 ? 1 : 0;
  }
  CHECK(within_two >= 15);
}

TEST_CASE("the price of a miss gives what filling the caches adds to RCP's times in Table 3") {
  for (const TableCell& cell : kCells) {
    if (cell.copies < 1e3) continue;  // roads
    const double cold = cell.filled + cell.copies * aspire_prices().miss_us * 1e-6;
    INFO(cell.program << " on " << cell.input << ": " << cold);
    CHECK(factor(cold, cell.cold) < 2);
  }
}

TEST_CASE("the prices are the medians over the tables' cells") {
  std::vector<double> fetches, misses;
  for (const TableCell& cell : kCells) {
    fetches.push_back(cell.filled * 16 / (cell.arcs * cell.sweeps) * 1e9);
    if (cell.copies > 1e3) misses.push_back((cell.cold - cell.filled) / cell.copies * 1e6);
  }
  CHECK(aspire_prices().fetch_ns == Approx(median(fetches)).epsilon(0.15));
  CHECK(aspire_prices().miss_us == Approx(median(misses)).epsilon(0.15));
}

TEST_CASE("with 5.5 us a fetch half of Table 5's runs could not finish a sweep") {
  std::size_t impossible = 0;
  for (const TableCell& cell : kCells) impossible += cell.arcs / 16 * 5.5e-6 > cell.filled ? 1 : 0;
  CHECK(impossible >= 6);
}
