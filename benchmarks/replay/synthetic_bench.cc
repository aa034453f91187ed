#include "leeway/benchmarks/replay/synthetic_bench.h"

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

Result<SyntheticBench> SyntheticBench::on(const Graph& graph, const DefaultGraph& source,
                                          const Laboratory& lab) {
  LEEWAY_ASSIGN(auto laid, lay_out(graph, source.source.substr(source.source.rfind('/') + 1),
                                   lab.nodes(16), lab.settings().seed));
  return SyntheticBench(std::move(laid), source.stand_in, lab);
}

SyntheticPlan SyntheticBench::plan(std::string mode, std::uint32_t usual_iterations) const {
  SyntheticPlan plan;
  plan.mode = std::move(mode);
  plan.warm = true;
  plan.iterations = lab_->settings().iterations.value_or(usual_iterations);
  plan.network = lab_->network("infiniband");
  plan.cost = CostModel::tardis();
  plan.seed = lab_->settings().seed;
  return plan;
}

Result<SyntheticResult> SyntheticBench::run(const SyntheticPlan& plan) {
  lab_->say(format("{}, {} writes, {} bytes", plan.mode, plan.writes, plan.object_bytes));
  return run_synthetic(graph_, plan);
}

Result<const MultipleWrites*> SyntheticBench::multiple_writes(bool spread) {
  std::optional<MultipleWrites>& known = multiple_writes_[spread ? 1 : 0];
  if (known) return &*known;
  MultipleWrites measured;
  const std::pair<const char*, std::vector<SyntheticResult>*> modes[] = {
      {"scp", &measured.scp}, {"scp+pb", &measured.scp_pb}, {"rcp", &measured.rcp}};
  for (const auto& [mode, results] : modes) {
    for (const std::uint32_t writes : kWrites) {
      SyntheticPlan each = plan(mode);
      each.writes = writes;
      each.spread_writes = spread;
      LEEWAY_ASSIGN(results->emplace_back(), run(each));
    }
  }
  known = std::move(measured);
  return &*known;
}

Figure SyntheticBench::blank(const SyntheticPlan& plan) const {
  Figure figure;
  figure.configuration = {
      {"graph", format("{}: {} vertices, {} arcs, {} of them cut", graph_.name,
                       format_count(graph_.vertices), format_count(graph_.arcs),
                       format_count(graph_.cut_arcs))},
      {"nodes", format("{} virtual, METIS partition", graph_.parts.size())},
      {"network", plan.network.name},
      {"cost model", prices_of(plan.cost)},
      {"iterations", std::to_string(plan.iterations)},
      {"seed", std::to_string(plan.seed)},
  };
  figure.notes.push_back(
      "caches are filled before the clock starts, so that a short run stands for a long one");
  if (stand_in_) {
    figure.notes.push_back(
        "LEEWAY_DATA is not set: a generated power-law graph stands in for a social one");
  }
  return figure;
}

std::vector<Column> raw_columns(std::vector<Column> first) {
  for (const char* name :
       {"mode", "writes", "spread_writes", "object_bytes", "barrier", "latency_min_ns",
        "iterations", "virtual_seconds", "events", "messages", "bytes", "blocked_fetches",
        "current_hits", "stale_hits", "misses", "digest"})
    first.push_back(raw(name, ".9f"));
  return first;
}

std::vector<Cell> raw_cells(const SyntheticPlan& plan, const SyntheticResult& result,
                            std::vector<Cell> first) {
  const std::vector<Cell> cells = {plan.mode,           plan.writes,
                                   plan.spread_writes,  plan.object_bytes,
                                   plan.barrier,        plan.network.latency_ns.front(),
                                   plan.iterations,     result.seconds,
                                   result.events,       result.messages,
                                   result.bytes,        result.blocked_fetches,
                                   result.current_hits, result.stale_hits,
                                   result.misses,       format("x{:016x}", result.digest)};
  first.insert(first.end(), cells.begin(), cells.end());
  return first;
}

std::vector<double> seconds_of(std::span<const SyntheticResult> results) {
  std::vector<double> seconds;
  for (const SyntheticResult& result : results) seconds.push_back(result.seconds);
  return seconds;
}

}  // namespace leeway::replay
