#include "leeway/benchmarks/replay/workbench.h"

#include <array>

#include "leeway/base/format.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kIterations = 2;
constexpr std::array<std::uint32_t, 4> kWrites = {1, 2, 3, 4};

}  // namespace

SyntheticPlan Workbench::plan(std::string mode, std::uint32_t usual_iterations) const {
  SyntheticPlan plan;
  plan.mode = std::move(mode);
  plan.warm = true;
  plan.iterations = settings_.iterations.value_or(usual_iterations);
  plan.network = settings_.network;
  plan.cost = settings_.cost;
  plan.seed = settings_.seed;
  return plan;
}

Result<SyntheticResult> Workbench::run(const SyntheticPlan& plan) {
  say_(format("{}, {} writes, {} bytes", plan.mode, plan.writes, plan.object_bytes));
  return run_synthetic(graph_, plan);
}

Result<const MultipleWrites*> Workbench::multiple_writes(bool spread) {
  std::optional<MultipleWrites>& known = multiple_writes_[spread ? 1 : 0];
  if (known) return &*known;
  MultipleWrites measured;
  measured.writes.assign(kWrites.begin(), kWrites.end());
  const auto measure = [&](const char* mode, std::vector<SyntheticResult>& into) -> Status {
    for (const std::uint32_t writes : kWrites) {
      SyntheticPlan each = plan(mode, kIterations);
      each.writes = writes;
      each.spread_writes = spread;
      measured.iterations = each.iterations;
      LEEWAY_ASSIGN(SyntheticResult result, run(each));
      into.push_back(std::move(result));
    }
    return {};
  };
  LEEWAY_TRY(measure("scp", measured.scp));
  LEEWAY_TRY(measure("scp+pb", measured.scp_pb));
  LEEWAY_TRY(measure("rcp", measured.rcp));
  known = std::move(measured);
  return &*known;
}

Figure Workbench::blank(std::string name, std::string title, const SyntheticPlan& plan) const {
  Figure figure;
  figure.name = std::move(name);
  figure.title = std::move(title);
  const CostModel& cost = settings_.cost;
  figure.configuration = {
      {"graph", format("{}: {} vertices, {} arcs, {} of them cut", graph_.name,
                       format_count(graph_.vertices), format_count(graph_.arcs),
                       format_count(graph_.cut_arcs))},
      {"nodes", format("{} virtual, METIS partition", graph_.parts.size())},
      {"network", settings_.network.name},
      {"cost model",
       format("fetch {} ps, store {} ps, edge {} ps, vertex {} ps, byte {} ps", cost.fetch_ps,
              cost.store_ps, cost.edge_ps, cost.vertex_ps, cost.byte_ps)},
      {"iterations", std::to_string(plan.iterations)},
      {"seed", std::to_string(settings_.seed)},
  };
  figure.notes.push_back(
      "caches are filled before the clock starts, so that a short run stands for a long one");
  if (settings_.stand_in) {
    figure.notes.push_back(
        "LEEWAY_DATA is not set: a generated power-law graph stands in for a social one");
  }
  return figure;
}

std::vector<std::string> raw_columns() {
  return {"mode",         "writes",         "spread_writes", "object_bytes",
          "barrier",      "latency_min_ns", "iterations",    "virtual_seconds",
          "events",       "messages",       "bytes",         "blocked_fetches",
          "current_hits", "stale_hits",     "misses",        "digest"};
}

std::vector<std::string> raw_cells(const SyntheticPlan& plan, const SyntheticResult& result) {
  return {plan.mode,
          std::to_string(plan.writes),
          plan.spread_writes ? "yes" : "no",
          std::to_string(plan.object_bytes),
          plan.barrier ? "yes" : "no",
          std::to_string(plan.network.latency_ns.front()),
          std::to_string(plan.iterations),
          format("{:.9f}", result.seconds),
          std::to_string(result.events),
          std::to_string(result.messages),
          std::to_string(result.bytes),
          std::to_string(result.blocked_fetches),
          std::to_string(result.current_hits),
          std::to_string(result.stale_hits),
          std::to_string(result.misses),
          format("x{:016x}", result.digest)};
}

std::vector<double> seconds_of(std::span<const SyntheticResult> results) {
  std::vector<double> seconds;
  for (const SyntheticResult& result : results) seconds.push_back(result.seconds);
  return seconds;
}

std::vector<double> ratios(std::span<const double> of, std::span<const double> to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
  return ratios;
}

std::string listed(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += format("{}{:.2f}", text.empty() ? "" : " ", number);
  return text;
}

std::span<const Replay> replays() {
  static constexpr std::array kAll = {
      Replay{"fig12", "ASPIRE Figure 12: several writes an iteration, beside one write",
             replay_fig12},
      Replay{"fig13", "ASPIRE Figure 13: several writes an iteration, beside SCP", replay_fig13},
      Replay{"fig14", "ASPIRE Figure 14: object sizes", replay_fig14},
      Replay{"fig15", "ASPIRE Figure 15: fetch delay and the greatest staleness", replay_fig15},
  };
  return kAll;
}

}  // namespace leeway::replay
