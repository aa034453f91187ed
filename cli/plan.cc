#include "leeway/datasets/plan.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/base/machine_room.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/partition_auto.h"

namespace leeway::cli {

namespace {

constexpr std::size_t kNodesShown = 32;

std::string shown(std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string nodes_table(const MemoryPlan& plan) {
  std::vector<std::vector<std::string>> rows = {{"node", "vertices", "arcs", "remote", "structure",
                                                 "names", "values", "cache", "total", "loading"}};
  for (std::size_t i = 0; i < plan.nodes.size() && i < kNodesShown; ++i) {
    const NodePlan& node = plan.nodes[i];
    rows.push_back({std::to_string(i), format_count(node.vertices), format_count(node.arcs),
                    format_count(node.remote_neighbors), shown(node.structure_bytes),
                    shown(node.name_bytes), shown(node.value_bytes), shown(node.cache_bytes),
                    shown(node.total_bytes()), shown(node.load_bytes)});
  }
  std::string text = "\n" + table(rows);
  if (plan.nodes.size() > kNodesShown) {
    text += format("… and {} more; --json lists all\n", plan.nodes.size() - kNodesShown);
  }
  return text;
}

std::string nodes_json(const MemoryPlan& plan) {
  std::string text = "[";
  for (const NodePlan& node : plan.nodes) {
    text += format(
        R"({}{{"vertices": {}, "arcs": {}, "remote_neighbors": {}, "structure_bytes": {}, "name_bytes": {}, )"
        R"("value_bytes": {}, "cache_bytes": {}, "total_bytes": {}, "load_bytes": {}}})",
        text.size() > 1 ? ", " : "", node.vertices, node.arcs, node.remote_neighbors,
        node.structure_bytes, node.name_bytes, node.value_bytes, node.cache_bytes,
        node.total_bytes(), node.load_bytes);
  }
  return text + "]";
}

constexpr std::uint64_t kMadeArcs = std::uint64_t{1}
                                    << 26U;  // more take minutes to make and divide

struct Planned {
  PartitionMethod method;
  MemoryPlan plan;
  std::string basis;
};

/// From counts alone, where the graph is a spec that is not worth making, or has no room here.
Result<std::optional<GraphCounts>> counts_of_spec(const std::string& argument,
                                                  const Options& options) {
  if (std::filesystem::exists(argument) || !is_graph_spec(argument))
    return std::optional<GraphCounts>();
  LEEWAY_ASSIGN(const SpecSize size, size_of_spec(argument, options.load));
  const bool directed =
      size.directed && options.load.direction != Direction::Undirected && !options.load.symmetrize;
  const GraphCounts counts{.vertices = size.vertices,
                           .arcs = size.arcs,
                           .weight_kind = size.weighted ? WeightKind::Real : WeightKind::None,
                           .directed = directed};
  if (counts.arcs <= kMadeArcs && load_peak_bytes(counts) < memory_room().left)
    return std::optional<GraphCounts>();
  return std::optional(counts);
}

Result<Planned> plan_for(const std::string& argument, const Options& options) {
  PartitionOptions how = options.partition;
  how.parts = options.nodes.value_or(1);
  LEEWAY_ASSIGN(const auto counts, counts_of_spec(argument, options));
  if (counts) {
    // What ranges cut is seen only once it is made; processes take ranges of so large a graph.
    const auto fitting =
        counts->arcs <= kArcsForMetis ? PartitionMethod::Metis : PartitionMethod::Block;
    how.method = method_said(how).value_or(fitting);
    return Planned{how.method, plan_memory(*counts, how.parts, how.method, options.value_size),
                   "estimated from the spec; the graph was not made"};
  }
  LEEWAY_ASSIGN(const Graph graph, open_graph(argument, options));
  const GraphCounts whole = counts_of(graph);
  how.method = method_for(graph, how);
  if (partitioner_bytes(whole, how.parts, how.method) > memory_room().left) {
    return Planned{how.method, plan_memory(whole, how.parts, how.method, options.value_size),
                   "estimated; this machine has no room to divide the graph"};
  }
  LEEWAY_ASSIGN(const Partition partition, divide_graph(graph, how, options));
  return Planned{
      how.method,
      plan_memory(graph, report_partition(graph, partition), how.method, options.value_size),
      "counted"};
}

}  // namespace

Result<int> run_plan(const Invocation& invocation) {
  const Options& options = invocation.options;
  LEEWAY_ASSIGN(const Planned planned, plan_for(invocation.argument(0), options));
  const MemoryPlan& plan = planned.plan;

  std::uint64_t largest = 0;
  for (const NodePlan& node : plan.nodes) largest = std::max(largest, node.total_bytes());
  Facts facts;
  facts.text("graph", "graph", invocation.argument(0));
  facts.count("nodes", "nodes", options.nodes.value_or(1));
  facts.text("method", "partition", partition_method_name(planned.method));
  facts.text("basis", "basis", planned.basis);
  facts.bytes("graph_bytes", "whole graph", plan.graph_bytes);
  facts.bytes("load_peak_bytes", "loading, at its peak", plan.load_peak_bytes);
  facts.bytes("partition_bytes", "partitioning, beside it", plan.partition_bytes);
  facts.bytes("largest_node_bytes", "largest node", largest);
  if (options.json) facts.raw("per_node", nodes_json(plan));
  LEEWAY_TRY(print(facts.show(options.json) + (options.json ? "" : nodes_table(plan))));
  return 0;
}

}  // namespace leeway::cli
