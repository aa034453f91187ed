// Commands that read, convert, generate, partition and plan graphs: `leeway info`, `partition`, `plan`, `convert`,
// `generate`.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "app/graph_argument.h"
#include "app/output.h"
#include "app/result_table.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/peak_plan.h"
#include "datasets/binary.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"
#include "datasets/partition_methods.h"
#include "datasets/plan.h"
#include "runtime/graph/division.h"
#include "runtime/graph/lists.h"

namespace leeway::cli {

namespace {

std::string_view kind_name(WeightKind kind) {
  switch (kind) {
    case WeightKind::None:
      return "none";
    case WeightKind::Integer:
      return "integer";
    case WeightKind::Real:
      return "real";
  }
  return "unknown";
}

std::string_view kind_name(NameKind kind) {
  switch (kind) {
    case NameKind::Sequence:
      return "sequence";
    case NameKind::Numbers:
      return "numbers";
    case NameKind::Strings:
      return "strings";
  }
  return "unknown";
}

struct Degrees {
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  std::uint64_t isolated = 0;    ///< vertices without outgoing arcs
  std::uint64_t duplicates = 0;  ///< arcs equal to their predecessor in the list
};

Degrees degrees_of(const Graph& graph) {
  Degrees degrees;
  if (graph.vertex_count() > 0) degrees.least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t i = 0; i < graph.vertex_count(); ++i) {
    const auto list = graph.neighbors(VertexId(i));
    degrees.least = std::min<std::uint64_t>(degrees.least, list.size());
    degrees.greatest = std::max<std::uint64_t>(degrees.greatest, list.size());
    degrees.isolated += list.empty() ? 1 : 0;
    for (std::size_t at = 1; at < list.size(); ++at) {
      // An undirected edge is stored twice; its duplicates are counted at the lower endpoint.
      if (list[at] == list[at - 1] && (graph.directed() || list[at].value() >= i))
        ++degrees.duplicates;
    }
  }
  return degrees;
}

void add_weights(const Graph& graph, Facts& facts) {
  facts.text("weights", "weights", kind_name(graph.weight_kind()));
  if (!graph.weighted() || graph.weights().empty()) return;
  const auto [low, high] = std::minmax_element(graph.weights().begin(), graph.weights().end());
  facts.real("weight_min", "  least", *low);
  facts.real("weight_max", "  greatest", *high);
}

std::string first_names(const VertexNames& names) {
  constexpr std::uint32_t kShown = 5;
  std::string text;
  for (std::uint32_t v = 0; v < std::min(names.count(), kShown); ++v)
    text += (v == 0 ? "" : ", ") + names.name(VertexId(v));
  return names.count() > kShown ? text + ", ..." : text;
}

}  // namespace

Result<int> run_info(const Invocation& invocation) {
  LEEWAY_ASSIGN(const Graph graph, open_graph(invocation.argument(0), invocation.options));
  const Degrees degrees = degrees_of(graph);
  const double count = graph.vertex_count();
  Facts facts;
  facts.text("graph", "graph", invocation.argument(0));
  facts.count("vertices", "vertices", graph.vertex_count());
  facts.count("edges", "edges", graph.edge_count());
  facts.count("arcs", "arcs", graph.arc_count());
  facts.text("direction", "direction", graph.directed() ? "directed" : "undirected");
  if (graph.left_count() > 0) facts.count("users", "users (then items)", graph.left_count());
  add_weights(graph, facts);
  facts.count("degree_min", "least degree", degrees.least);
  facts.real("degree_mean", "mean degree",
             count > 0 ? static_cast<double>(graph.arc_count()) / count : 0.0);
  facts.count("degree_max", "greatest degree", degrees.greatest);
  facts.count("without_out_arcs", "without an out-arc", degrees.isolated);
  facts.count("self_loops", "self-loops", graph.self_loop_count());
  facts.count("duplicates", "duplicate edges", degrees.duplicates);
  facts.text("names", "names", kind_name(graph.names().kind()));
  if (count > 0) facts.text("first_names", "first names", first_names(graph.names()));
  facts.bytes("memory_bytes", "memory", graph.bytes());
  LEEWAY_TRY(print(facts.show(invocation.options.json)));
  return 0;
}

namespace {

constexpr std::size_t kPartsShown = 32;

Result<std::uint32_t> part_count(const std::string& text) {
  std::uint32_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault != std::errc() || end != text.data() + text.size() || count == 0 || count > kMaxParts) {
    return fail(input_error("leeway partition", format("'{}' is not a number of parts", text),
                            format("give one from 1 to {}", kMaxParts)));
  }
  return count;
}

/// Returns an error, before any work, if the output cannot be written.
Result<ResultFormat> check_owners_output(const std::string& path, const Invocation& invocation) {
  if (path.empty()) return ResultFormat::Text;
  if (!invocation.options.force)
    LEEWAY_TRY(check_keeps({invocation.argument(0), invocation.options.partition.owner_file},
                           {{"OUT", path}}));
  LEEWAY_TRY(may_replace(path));
  return is_binary_name(path) ? Result<ResultFormat>(ResultFormat::Text) : result_format(path);
}

std::string parts_table(const PartitionReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"part", "vertices", "arcs", "boundary", "remote", "bytes"}};
  for (std::size_t i = 0; i < report.parts.size() && i < kPartsShown; ++i) {
    const PartReport& part = report.parts[i];
    rows.push_back({std::to_string(i), format_count(part.vertices), format_count(part.arcs),
                    format_count(part.boundary), format_count(part.remote_neighbors),
                    format_bytes(static_cast<double>(part.bytes))});
  }
  std::string text = "\n" + table(rows);
  if (report.parts.size() > kPartsShown) {
    text += format("… and {} more; --json lists all\n", report.parts.size() - kPartsShown);
  }
  return text;
}

std::string parts_json(const PartitionReport& report) {
  JsonWriter json;
  json.array(report.parts, [&](const PartReport& part) {
    json.object([&] {
      json.member("vertices", part.vertices).member("arcs", part.arcs);
      json.member("boundary", part.boundary).member("remote_neighbors", part.remote_neighbors);
      json.member("bytes", part.bytes);
    });
  });
  return std::move(json).text();
}

}  // namespace

Result<int> run_partition(const Invocation& invocation) {
  PartitionOptions options = invocation.options.partition;
  LEEWAY_ASSIGN(options.parts, part_count(invocation.argument(1)));
  // A user who partitions explicitly stores the result, so quality matters more than time.
  if (options.method == PartitionMethod::Auto) options.method = PartitionMethod::Metis;
  const std::string path = invocation.argument(2);
  LEEWAY_ASSIGN(const ResultFormat format, check_owners_output(path, invocation));
  LEEWAY_ASSIGN(const Graph graph, open_graph(invocation.argument(0), invocation.options));

  if (options.parts > graph.vertex_count()) {
    log_warning("the graph has {} vertices, so {} of {} parts are empty", graph.vertex_count(),
                options.parts - graph.vertex_count(), options.parts);
  }
  const Stopwatch watch;
  LEEWAY_ASSIGN(const Partition partition, divide_graph(graph, options, invocation.options));
  const double took = watch.elapsed_seconds();
  const PartitionReport report = report_partition(graph, partition);

  if (is_binary_name(path)) {
    LEEWAY_TRY(write_binary(graph, path, &partition));
  } else if (!path.empty()) {
    LEEWAY_ASSIGN(const auto sink, create_sink(path));
    LEEWAY_TRY(write_results(owners_table(graph, partition), format, *sink));
  }
  Facts facts;
  facts.text("graph", "graph", invocation.argument(0));
  facts.text("method", "method", partition_method_name(options.method));
  facts.count("parts", "parts", partition.part_count);
  facts.count("edge_cut", "edge cut", report.edge_cut);
  if (graph.weighted()) facts.real("weight_cut", "weight cut", report.weight_cut);
  facts.count("cut_arcs", "cut arcs", report.cut_arcs);
  facts.real("vertex_balance", "balance (vertices)", report.vertex_balance);
  facts.real("arc_balance", "balance (arcs)", report.arc_balance);
  facts.real("seconds", "seconds", took);
  const bool json = invocation.options.json;
  if (json) facts.raw("sizes", parts_json(report));
  LEEWAY_TRY(print_message({{"OUT", path}}, facts.show(json) + (json ? "" : parts_table(report))));
  return 0;
}

namespace {

constexpr std::size_t kNodesShown = 32;

std::string bytes_text(std::uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string nodes_table(const MemoryEstimate& estimate) {
  std::vector<std::vector<std::string>> rows = {{"node", "vertices", "arcs", "remote", "structure",
                                                 "names", "values", "cache", "total", "loading"}};
  for (std::size_t i = 0; i < estimate.nodes.size() && i < kNodesShown; ++i) {
    const NodeEstimate& node = estimate.nodes[i];
    rows.push_back({std::to_string(i), format_count(node.vertices), format_count(node.arcs),
                    format_count(node.remote_neighbors), bytes_text(node.structure_bytes),
                    bytes_text(node.name_bytes), bytes_text(node.value_bytes),
                    bytes_text(node.cache_bytes), bytes_text(node.total_bytes()),
                    bytes_text(node.load_bytes)});
  }
  std::string text = "\n" + table(rows);
  if (estimate.nodes.size() > kNodesShown) {
    text += format("… and {} more; --json lists all\n", estimate.nodes.size() - kNodesShown);
  }
  return text;
}

std::string nodes_json(const MemoryEstimate& estimate) {
  JsonWriter json;
  json.array(estimate.nodes, [&](const NodeEstimate& node) {
    json.object([&] {
      json.member("vertices", node.vertices).member("arcs", node.arcs);
      json.member("remote_neighbors", node.remote_neighbors);
      json.member("structure_bytes", node.structure_bytes).member("name_bytes", node.name_bytes);
      json.member("value_bytes", node.value_bytes).member("cache_bytes", node.cache_bytes);
      json.member("total_bytes", node.total_bytes()).member("load_bytes", node.load_bytes);
    });
  });
  return std::move(json).text();
}

std::string peaks_table(const std::vector<PlannedPeak>& peaks) {
  std::vector<std::vector<std::string>> rows = {
      {"peak of a run of", "engine", "one process", "largest of all, mpi", "ofi"}};
  for (const PlannedPeak& peak : peaks) {
    const bool several = peak.of_largest > 0;
    rows.push_back({std::string(peak.program), std::string(peak.engine), bytes_text(peak.alone),
                    several ? bytes_text(peak.of_largest) : "",
                    several ? bytes_text(peak.of_largest + kLibfabricBytes) : ""});
  }
  return "\n" + table(rows);
}

std::string peaks_json(const std::vector<PlannedPeak>& peaks) {
  JsonWriter json;
  json.array(peaks, [&](const PlannedPeak& peak) {
    json.object([&] {
      json.member("engine", peak.engine).member("program", peak.program);
      json.member("one_process_bytes", peak.alone);
      if (peak.of_largest == 0) return;
      json.member("largest_mpi_bytes", peak.of_largest);
      json.member("largest_ofi_bytes", peak.of_largest + kLibfabricBytes);
    });
  });
  return std::move(json).text();
}

/// Graphs with more arcs take minutes to generate and divide; their plan is estimated.
constexpr std::uint64_t kMostGeneratedArcs = std::uint64_t{1} << 26U;

struct Planned {
  PartitionMethod method;
  PlannedGraph graph;
  std::string basis;
};

/// From the counts only.
Planned estimated(const GraphCounts& counts, PartitionMethod method, const CommandOptions& options,
                  std::string basis) {
  const std::uint32_t nodes = options.nodes.value_or(1);
  return {method,
          {.counts = counts,
           .estimate = estimate_memory(counts, nodes, method, options.value_size),
           .cut_share = static_cast<double>(nodes - 1) / nodes},
          std::move(basis)};
}

/// The size of a spec's graph, if the graph is too large to generate here; none: generate it.
Result<std::optional<GraphCounts>> counts_of_spec(const std::string& argument,
                                                  const CommandOptions& options) {
  if (std::filesystem::exists(argument) || !is_graph_spec(argument))
    return std::optional<GraphCounts>();
  LEEWAY_ASSIGN(const SpecSize size, size_of_spec(argument, options.load));
  const bool directed =
      size.directed && options.load.direction != Direction::Undirected && !options.load.symmetrize;
  const GraphCounts counts{.vertices = size.vertices,
                           .arcs = size.arcs,
                           .weight_kind = size.weighted ? WeightKind::Real : WeightKind::None,
                           .directed = directed};
  if (counts.arcs <= kMostGeneratedArcs && load_peak_bytes(counts) < memory_room().left)
    return std::optional<GraphCounts>();
  return std::optional(counts);
}

Result<Planned> plan_for(const std::string& argument, const CommandOptions& options) {
  PartitionOptions how = options.partition;
  how.parts = options.nodes.value_or(1);
  LEEWAY_ASSIGN(const auto counts, counts_of_spec(argument, options));
  if (counts) {
    // The cut of a range partition is unknown without the graph. For a graph of this size, processes use ranges.
    const auto fitting =
        counts->arcs <= kArcsForMetis ? PartitionMethod::Metis : PartitionMethod::Block;
    how.method = specified_method(how).value_or(fitting);
    return estimated(*counts, how.method, options,
                     "estimated from the spec; the graph was not made");
  }
  LEEWAY_ASSIGN(const Graph graph, open_graph(argument, options));
  const GraphCounts whole = counts_of(graph);
  const PartitionMethod of_whole = method_for(graph, how);
  how.method =
      specified_method(how).value_or(is_gathered(whole.arcs) ? of_whole : PartitionMethod::Block);
  if (partitioner_bytes(whole, how.parts, how.method) > memory_room().left)
    return estimated(whole, how.method, options,
                     "estimated; this machine has no room to divide the graph");
  LEEWAY_ASSIGN(const Partition partition, divide_graph(graph, how, options));
  const PartitionReport report = report_partition(graph, partition);
  LEEWAY_ASSIGN(const Csr lists, lists_of(graph, Reads::Out, false));
  Planned planned{how.method,
                  {.counts = whole,
                   .estimate = estimate_memory(graph, report, how.method, options.value_size),
                   .has_loops = has_loops(lists)},
                  "counted"};
  planned.graph.estimate.partition_bytes = partitioner_bytes(whole, how.parts, of_whole);
  if (whole.arcs > 0)
    planned.graph.cut_share =
        static_cast<double>(report.cut_arcs) / static_cast<double>(whole.arcs);
  return planned;
}

}  // namespace

Result<int> run_plan(const Invocation& invocation) {
  const CommandOptions& options = invocation.options;
  LEEWAY_ASSIGN(const Planned planned, plan_for(invocation.argument(0), options));
  const MemoryEstimate& estimate = planned.graph.estimate;
  std::uint64_t largest = 0;
  for (const NodeEstimate& node : estimate.nodes) largest = std::max(largest, node.total_bytes());
  Facts facts;
  facts.text("graph", "graph", invocation.argument(0));
  facts.count("nodes", "nodes", options.nodes.value_or(1));
  facts.text("method", "partition", partition_method_name(planned.method));
  facts.text("basis", "basis", planned.basis);
  facts.bytes("graph_bytes", "whole graph", estimate.graph_bytes);
  facts.bytes("load_peak_bytes", "loading, at its peak", estimate.load_peak_bytes);
  facts.bytes("partition_bytes", "partitioning, in addition", estimate.partition_bytes);
  facts.bytes("largest_node_bytes", "largest node", largest);
  const std::vector<PlannedPeak> peaks = plan_peaks(planned.graph);
  if (options.json) {
    facts.raw("per_node", nodes_json(estimate));
    facts.raw("peaks", peaks_json(peaks));
    LEEWAY_TRY(print(facts.show(true)));
    return 0;
  }
  LEEWAY_TRY(print(facts.show(false) + nodes_table(estimate) + peaks_table(peaks)));
  return 0;
}

namespace {

Result<int> write_and_report(const Graph& graph, const std::string& path,
                             const CommandOptions& options) {
  LEEWAY_TRY(save_graph(graph, path, options));
  if (options.json) {
    Facts facts;
    facts.text("file", "", path);
    facts.count("vertices", "", graph.vertex_count());
    facts.count("edges", "", graph.edge_count());
    facts.count("arcs", "", graph.arc_count());
    LEEWAY_TRY(print_message({{"OUT", path}}, facts.show(true)));
    return 0;
  }
  if (options.quiet) return 0;
  LEEWAY_TRY(print_message({{"OUT", path}}, format("{}: {} vertices, {} edges\n", path,
                                                   format_count(graph.vertex_count()),
                                                   format_count(graph.edge_count()))));
  return 0;
}

}  // namespace

Result<int> run_convert(const Invocation& invocation) {
  LEEWAY_TRY(
      check_graph_output(invocation.argument(1), invocation.argument(0), invocation.options));
  LEEWAY_ASSIGN(const Graph graph, open_graph(invocation.argument(0), invocation.options));
  return write_and_report(graph, invocation.argument(1), invocation.options);
}

Result<int> run_generate(const Invocation& invocation) {
  LEEWAY_TRY(check_graph_output(invocation.argument(1), "", invocation.options));
  LEEWAY_ASSIGN(const Graph graph, make_graph(invocation.argument(0), invocation.options));
  return write_and_report(graph, invocation.argument(1), invocation.options);
}

}  // namespace leeway::cli
