#include <charconv>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"
#include "leeway/cli/result_tables.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/overwriting.h"
#include "leeway/datasets/partition_report.h"

namespace leeway::cli {

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

/// Refuses, before any work, an output that cannot be written.
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
  std::string text = "[";
  for (const PartReport& part : report.parts) {
    text += format(
        R"({}{{"vertices": {}, "arcs": {}, "boundary": {}, "remote_neighbors": {}, "bytes": {}}})",
        text.size() > 1 ? ", " : "", part.vertices, part.arcs, part.boundary, part.remote_neighbors,
        part.bytes);
  }
  return text + "]";
}

}  // namespace

Result<int> run_partition(const Invocation& invocation) {
  PartitionOptions options = invocation.options.partition;
  LEEWAY_ASSIGN(options.parts, part_count(invocation.argument(1)));
  // Who divides a graph by itself keeps the division, and wants the best.
  if (options.method == PartitionMethod::Auto) options.method = PartitionMethod::Metis;
  const std::string path = invocation.argument(2);
  LEEWAY_ASSIGN(const ResultFormat format, check_owners_output(path, invocation));
  LEEWAY_ASSIGN(const Graph graph, open_graph(invocation.argument(0), invocation.options));

  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const Partition partition, divide_graph(graph, options, invocation.options));
  const double took = seconds(clock.now() - started);
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
  LEEWAY_TRY(say_beside({{"OUT", path}}, facts.show(json) + (json ? "" : parts_table(report))));
  return 0;
}

}  // namespace leeway::cli
