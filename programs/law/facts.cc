#include "leeway/programs/law/facts.h"

#include <algorithm>
#include <cmath>

#include "leeway/datasets/partition_report.h"

namespace leeway::law {

namespace {

constexpr double kNanosecond = 1e-9;
constexpr double kPicosecond = 1e-12;

/// At probability `p` of an inverse distribution; straight lines between its values.
double quantile(const std::vector<std::uint64_t>& values, double p) {
  const double at = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= values.size()) return static_cast<double>(values.back());
  const double part = at - static_cast<double>(below);
  return (1 - part) * static_cast<double>(values[below]) +
         part * static_cast<double>(values[below + 1]);
}

constexpr int kSteps = 1000;

double mean_of(const std::vector<std::uint64_t>& values) {
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += quantile(values, (i + 0.5) / kSteps);
  return sum / kSteps;
}

/// Of the largest of `count` draws: the mean of the quantiles at p^(1/count).
double largest_of(const std::vector<std::uint64_t>& values, double count) {
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += quantile(values, std::pow((i + 0.5) / kSteps, 1 / count));
  return sum / kSteps;
}

const Mode& mode_named(std::string_view name) { return modes()[mode_place(name)]; }

}  // namespace

NetworkFacts facts_of(const NetworkProfile& network, std::uint32_t nodes) {
  const double spiky = static_cast<double>(network.spike_per_million) * 1e-6;
  const double spike = mean_of(network.spike_ns);
  const double some = 1 - std::pow(1 - spiky, nodes);  // that any of the frames meets one
  NetworkFacts facts;
  facts.mean = kNanosecond * (mean_of(network.latency_ns) + spiky * spike);
  facts.worst = kNanosecond * (largest_of(network.latency_ns, nodes) + some * spike);
  facts.handling =
      kNanosecond * static_cast<double>(network.send_cost_ns + network.receive_cost_ns);
  facts.byte = kPicosecond * static_cast<double>(network.picoseconds_per_byte);
  return facts;
}

Result<ProgramFacts> facts_of(const Setup& setup) {
  ProgramFacts facts;
  facts.nodes = setup.nodes();
  for (const std::uint32_t percent : setup.slowdown_percent)
    facts.slowest = std::max(facts.slowest, percent / 100.0);
  const PartitionReport report = report_partition(*setup.graph, *setup.division);
  facts.vertices = static_cast<double>(setup.graph->vertex_count());
  facts.arcs = static_cast<double>(setup.graph->arc_count());
  facts.largest = report.arc_balance;
  facts.cut = static_cast<double>(report.cut_arcs) / std::max(1.0, facts.arcs);
  for (const PartReport& part : report.parts)
    facts.remote = std::max(facts.remote, static_cast<double>(part.remote_neighbors));
  const NetworkProfile free;
  LEEWAY_ASSIGN(const RunRecord bsp, simulate(setup, mode_named("bsp"), free));
  facts.bsp_time = bsp.phases.compute;
  facts.bsp_rounds = bsp.iterations();
  facts.bsp_bytes = static_cast<double>(bsp.bytes());
  facts.bsp_messages = static_cast<double>(bsp.messages());
  facts.bsp_changed = static_cast<double>(bsp.changed());
  LEEWAY_ASSIGN(const RunRecord ap, simulate(setup, mode_named("ap"), free));
  facts.ap_time = ap.phases.compute;
  facts.ap_rounds = ap.iterations();
  LEEWAY_ASSIGN(const RunRecord push, simulate(setup, mode_named("rcp+push"), free));
  facts.push_time = push.phases.compute;
  facts.push_rounds = push.iterations();
  if (!has_form(setup.program, mode_named("pie-bsp"))) return facts;
  LEEWAY_ASSIGN(const RunRecord pie, simulate(setup, mode_named("pie-bsp"), free));
  facts.pie_time = pie.phases.compute;
  facts.pie_rounds = pie.iterations();
  facts.pie_bytes = static_cast<double>(pie.bytes());
  facts.pie_messages = static_cast<double>(pie.messages());
  return facts;
}

namespace {
constexpr std::array<std::string_view, kFacts> kNames = {
    "nodes",     "slowest",     "vertices",   "arcs",         "largest",      "remote",
    "cut",       "bsp_time",    "bsp_rounds", "bsp_bytes",    "bsp_messages", "bsp_changed",
    "pie_time",  "pie_rounds",  "pie_bytes",  "pie_messages", "ap_time",      "ap_rounds",
    "push_time", "push_rounds", "net_mean",   "net_worst",    "net_handling", "net_byte"};
}  // namespace

std::span<const std::string_view, kFacts> fact_names() { return kNames; }

std::array<double, kFacts> fact_values(const ProgramFacts& p, const NetworkFacts& n) {
  return {p.nodes,     p.slowest,     p.vertices,   p.arcs,         p.largest,      p.remote,
          p.cut,       p.bsp_time,    p.bsp_rounds, p.bsp_bytes,    p.bsp_messages, p.bsp_changed,
          p.pie_time,  p.pie_rounds,  p.pie_bytes,  p.pie_messages, p.ap_time,      p.ap_rounds,
          p.push_time, p.push_rounds, n.mean,       n.worst,        n.handling,     n.byte};
}

}  // namespace leeway::law
