// The map: over network latency and conditions, which mode takes least time, and by how much.
#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/law_trials.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kNodes = 8;
constexpr std::uint32_t kSlowPercent = 300;
constexpr std::array<std::uint64_t, 7> kLatenciesNs = {3,      25,      250,      2'500,
                                                       25'000, 250'000, 2'500'000};
constexpr std::array<std::string_view, 7> kDecades = {"1",    "10",   "10^2", "10^3",
                                                      "10^4", "10^5", "10^6"};
constexpr std::uint64_t kPicosecondsPerByte = 800;  // 10 Gbit/s
constexpr std::uint64_t kMostHandlingNs = 2'000;
/// The form of `ec2` over its median: eleven values from the least to the greatest, then its spikes'.
constexpr std::array<double, 11> kUneven = {0.47, 0.62, 0.72, 0.81, 0.91, 1,
                                            1.16, 1.41, 1.88, 3.12, 12.5};
constexpr std::array<double, 5> kSpikes = {12.5, 31, 50, 78, 125};
constexpr std::uint64_t kSpikesPerMillion = 10'000;

struct Conditions {
  const char* name;
  bool uneven;
  bool slow;
};
constexpr std::array<Conditions, 4> kConditions = {{{"even", false, false},
                                                    {"uneven network", true, false},
                                                    {"slow node", false, true},
                                                    {"uneven and slow node", true, true}}};

/// Others, so that the fit has more to go by.
std::vector<LawInput> wide_inputs() {
  return {{"small world by METIS", "small-world:256:8:0.1", PartitionMethod::Metis},
          {"powerlaw at random", "powerlaw:300:2", PartitionMethod::Random},
          {"grid at random", "grid2d:24x24", PartitionMethod::Random}};
}

std::vector<LawInput> inputs_of(bool full_scale) {
  if (full_scale) {
    return {{"grid in ranges", "grid2d:64x64", PartitionMethod::Block},
            {"kron by METIS", "kron:10:8", PartitionMethod::Metis},
            {"kron at random", "kron:10:8", PartitionMethod::Random}};
  }
  return {{"grid in ranges", "grid2d:32x32", PartitionMethod::Block},
          {"kron by METIS", "kron:8:8", PartitionMethod::Metis},
          {"kron at random", "kron:8:8", PartitionMethod::Random}};
}

std::vector<std::uint64_t> scaled(std::span<const double> form, std::uint64_t median) {
  std::vector<std::uint64_t> values;
  for (const double each : form)
    values.push_back(static_cast<std::uint64_t>(each * static_cast<double>(median)));
  return values;
}

NetworkProfile network_of(std::uint64_t latency_ns, bool uneven) {
  NetworkProfile network;
  network.name = format("{} ns", latency_ns);
  network.latency_ns = {latency_ns};
  network.picoseconds_per_byte = kPicosecondsPerByte;
  network.send_cost_ns = std::min(latency_ns / 2, kMostHandlingNs);
  network.receive_cost_ns = network.send_cost_ns;
  if (!uneven) return network;
  network.latency_ns = scaled(kUneven, latency_ns);
  network.spike_per_million = kSpikesPerMillion;
  network.spike_ns = scaled(kSpikes, latency_ns);
  return network;
}

LawPoint point_of(std::string_view program, const LawInput& input, const Conditions& conditions,
                  std::size_t decade, std::uint32_t nodes) {
  LawPoint point;
  point.program = program;
  point.input = input;
  point.nodes = nodes;
  point.slow_percent = conditions.slow ? kSlowPercent : 100;
  point.conditions = conditions.name;
  point.network = kDecades[decade];
  point.profile = network_of(kLatenciesNs[decade], conditions.uneven);
  return point;
}

using Row = std::vector<LawResult>;  // one program, input and conditions, by decade

double rcp_gain(const LawResult& each) { return time_ratio(each, "scp", "rcp"); }
/// The paper's programs are PIE programs; heat has no such form.
double aap_gain(const LawResult& each) {
  const bool pie = std::isfinite(each.times[law::mode_place("pie-bsp")]);
  return pie ? time_ratio(each, "pie-bsp", "pie-aap") : time_ratio(each, "bsp", "aap");
}

void add_means(const std::vector<Row>& rows, std::string_view program, std::string what,
               double (*gain)(const LawResult&), Rows& table) {
  std::vector<Cell> cells = {program, std::move(what), "geometric mean"};
  for (std::size_t decade = 0; decade < kDecades.size(); ++decade) {
    std::vector<double> ratios;
    for (const Row& row : rows) {
      const double ratio = gain(row[decade]);
      if (row.front().point.program == program && std::isfinite(ratio)) ratios.push_back(ratio);
    }
    cells.push_back(cell_if(!ratios.empty(), geometric_mean(ratios)));
  }
  table.add(cells);
}

void tabulate(const std::vector<Row>& rows, Figure& figure) {
  std::vector<Column> columns = {shown("program"), shown("input"), shown("conditions")};
  for (const std::string_view decade : kDecades)
    columns.push_back(shown(std::string(decade), ".2f"));
  Rows table(figure, columns);
  for (const Row& row : rows) {
    const LawPoint& point = row.front().point;
    std::vector<Cell> cells = {point.program, point.input.name, point.conditions};
    for (const LawResult& each : row) cells.emplace_back(law::modes()[each.best].name);
    table.add(cells);
  }
  for (const std::string_view program : law::programs()) {
    add_means(rows, program, "SCP over RCP", rcp_gain, table);
    add_means(rows, program, "BSP over AAP", aap_gain, table);
  }
}

ColourMap map_of(const std::vector<Row>& rows, std::string_view program) {
  ColourMap map;
  map.title = format("{}: the mode that takes least time", program);
  map.across = "one-way latency over the price of a hit";
  map.columns.assign(kDecades.begin(), kDecades.end());
  for (const law::Mode& mode : law::modes()) map.kinds.emplace_back(mode.name);
  map.contours = {{"SCP over RCP", {2.04, 4.6}, {}}, {"BSP over AAP", {4.8}, {}}};
  for (const Row& row : rows) {
    const LawPoint& point = row.front().point;
    if (point.program != program) continue;
    map.rows.push_back(format("{}, {}", point.input.name, point.conditions));
    std::vector<std::size_t> kinds;
    std::array<std::vector<double>, 2> gains;
    for (const LawResult& each : row) {
      kinds.push_back(each.best);
      gains[0].push_back(rcp_gain(each));
      gains[1].push_back(aap_gain(each));
    }
    map.cells.push_back(std::move(kinds));
    map.contours[0].values.push_back(std::move(gains[0]));
    map.contours[1].values.push_back(std::move(gains[1]));
  }
  return map;
}

/// A gain that the paper reports is found if any point has it; the share of points says how typical it is.
Claim claim_of(const std::vector<Row>& rows, std::string words, double paper,
               double (*gain)(const LawResult&)) {
  double most = 0;
  std::size_t reached = 0;
  std::size_t all = 0;
  for (const Row& row : rows) {
    for (const LawResult& each : row) {
      const double ratio = gain(each);
      if (!std::isfinite(ratio)) continue;
      ++all;
      reached += ratio >= paper ? 1 : 0;
      most = std::max(most, ratio);
    }
  }
  return {std::move(words), format("at least one point of the map reaches {}", paper),
          format("{} of {} points, at most {:.2f}", reached, all, most), reached > 0};
}

Figure blank(const std::vector<LawInput>& inputs, std::uint32_t nodes, std::uint64_t seed) {
  Figure figure;
  figure.configuration = {
      {"nodes", format("{} virtual", nodes)},
      {"cost model", "default; a hit is 2.5 ns"},
      {"network", "10 Gbit/s; a frame costs each end half its latency, at most 2 us"},
      {"uneven", "latencies and spikes of ec2's form, about the same median"},
      {"slow node", "node 0 takes three times as long to compute"},
      {"ap, ssp, aap", "over rcp; ssp's bound is 3"},
      {"seed", std::to_string(seed)},
  };
  for (const LawInput& input : inputs) figure.configuration.emplace_back(input.name, input.spec);
  figure.notes = {
      "times are virtual: simulated, not measured",
      "columns are the one-way latency over the price of a hit; cells are the best mode",
      "BSP over AAP is of the PIE engine, but for heat, which has no such form"};
  return figure;
}

Result<Figure> map_over(Laboratory& lab, const std::vector<LawInput>& inputs) {
  LawTrials trials(lab);
  const std::uint32_t nodes = lab.nodes(kNodes);
  const std::size_t conditions =
      lab.settings().full_scale ? kConditions.size() : kConditions.size() - 1;
  std::vector<Row> rows;
  std::vector<LawResult> all;
  for (const std::string_view program : law::programs()) {
    for (const LawInput& input : inputs) {
      for (std::size_t i = 0; i < conditions; ++i) {
        Row row;
        for (std::size_t decade = 0; decade < kDecades.size(); ++decade) {
          LEEWAY_ASSIGN(LawResult each,
                        trials.run(point_of(program, input, kConditions[i], decade, nodes)));
          all.push_back(each);
          row.push_back(std::move(each));
        }
        rows.push_back(std::move(row));
      }
    }
  }
  Figure figure = blank(inputs, nodes, lab.settings().seed);
  tabulate(rows, figure);
  add_raw(all, figure);
  for (const std::string_view program : law::programs())
    figure.maps.push_back(map_of(rows, program));
  figure.claims = {
      claim_of(rows, "RCP is 2.04 times as fast as SCP", 2.04, rcp_gain),
      claim_of(rows, "RCP is 4.6 times as fast as SCP", 4.6, rcp_gain),
      claim_of(rows, "AAP is 4.8 times as fast as BSP", 4.8, aap_gain),
  };
  return figure;
}

}  // namespace

Result<Figure> replay_law(Laboratory& lab) {
  return map_over(lab, inputs_of(lab.settings().full_scale));
}

Result<Figure> replay_law_wide(Laboratory& lab) { return map_over(lab, wide_inputs()); }

}  // namespace leeway::replay
