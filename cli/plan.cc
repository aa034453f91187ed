#include "leeway/datasets/plan.h"

#include <algorithm>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

namespace {

constexpr std::size_t kNodesShown = 32;

std::string shown(std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string nodes_table(const MemoryPlan& plan) {
  std::vector<std::vector<std::string>> rows = {
      {"node", "vertices", "arcs", "remote", "structure", "names", "values", "cache", "total"}};
  for (std::size_t i = 0; i < plan.nodes.size() && i < kNodesShown; ++i) {
    const NodePlan& node = plan.nodes[i];
    rows.push_back({std::to_string(i), format_count(node.vertices), format_count(node.arcs),
                    format_count(node.remote_neighbors), shown(node.structure_bytes),
                    shown(node.name_bytes), shown(node.value_bytes), shown(node.cache_bytes),
                    shown(node.total_bytes())});
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
        R"("value_bytes": {}, "cache_bytes": {}, "total_bytes": {}}})",
        text.size() > 1 ? ", " : "", node.vertices, node.arcs, node.remote_neighbors,
        node.structure_bytes, node.name_bytes, node.value_bytes, node.cache_bytes,
        node.total_bytes());
  }
  return text + "]";
}

}  // namespace

Result<int> run_plan(const Invocation& invocation) {
  const Options& options = invocation.options;
  LEEWAY_ASSIGN(const Graph graph, open_graph(invocation.argument(0), options));
  PartitionOptions how = options.partition;
  how.parts = options.nodes.value_or(1);
  LEEWAY_ASSIGN(const Partition partition, divide_graph(graph, how, options));
  const MemoryPlan plan =
      plan_memory(graph, report_partition(graph, partition), how.method, options.value_size);

  std::uint64_t largest = 0;
  for (const NodePlan& node : plan.nodes) largest = std::max(largest, node.total_bytes());
  Facts facts;
  facts.text("graph", "graph", invocation.argument(0));
  facts.count("nodes", "nodes", options.nodes.value_or(1));
  facts.text("method", "partition", partition_method_name(how.method));
  facts.bytes("graph_bytes", "whole graph", plan.graph_bytes);
  facts.bytes("load_peak_bytes", "loading, at its peak", plan.load_peak_bytes);
  facts.bytes("partition_bytes", "partitioning, beside it", plan.partition_bytes);
  facts.bytes("largest_node_bytes", "largest node", largest);
  if (options.json) facts.raw("per_node", nodes_json(plan));
  LEEWAY_TRY(print(facts.show(options.json) + (options.json ? "" : nodes_table(plan))));
  return 0;
}

}  // namespace leeway::cli
