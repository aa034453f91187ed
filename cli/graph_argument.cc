#include "leeway/cli/graph_argument.h"

#include <filesystem>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/cli/output.h"
#include "leeway/cli/watch.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"
#include "leeway/datasets/overwriting.h"
#include "leeway/datasets/write_graph.h"

namespace leeway::cli {

Status take_graph_argument(const std::string& argument, Options& options) {
  if (argument.empty()) return {};
  const Said* const said = find_said(options, "graph");
  if (said != nullptr && said->where == "--graph") {
    return fail(input_error("GRAPH", format("'{}' is given, and --graph, too", argument),
                            "give one of the two"));
  }
  return apply_setting(*find_setting("graph"), argument, "GRAPH", options);
}

namespace {

Result<Graph> load(const std::string& argument, const LoadOptions& options) {
  if (!std::filesystem::exists(argument) && is_graph_spec(argument))
    return generate(argument, options);
  return load_graph(argument, options);
}

/// `make()`, and a line of the log on what came of it.
template <class Make>
Result<Graph> logged(const std::string& name, Make&& make) {
  const SteadyClock clock;
  const Instant started = clock.now();
  Result<Graph> graph = make();
  if (graph) {
    log_info("{}: {} vertices, {} arcs, {} in memory, after {:.3f} s", name, graph->vertex_count(),
             graph->arc_count(), format_bytes(static_cast<double>(graph->bytes())),
             seconds(clock.now() - started));
  }
  return graph;
}

}  // namespace

Result<Graph> open_graph(const std::string& argument, const Options& options) {
  Watch watch(options);
  LoadOptions how = options.load;
  how.progress = watch.progress();
  return logged(argument, [&] { return load(argument, how); });
}

Result<RunGraph> RunGraph::of(const Options& options) {
  RunGraph graph;
  graph.lent_ = options.lent;
  if (options.lent != nullptr) return graph;
  LEEWAY_ASSIGN(graph.own_, open_graph(*options.graph, options));
  return graph;
}

Result<Graph> make_graph(const std::string& spec, const Options& options) {
  Watch watch(options);
  LoadOptions how = options.load;
  how.progress = watch.progress();
  return logged(spec, [&] { return generate(spec, how); });
}

Result<Partition> divide_graph(const Graph& graph, PartitionOptions how, const Options& options) {
  Watch watch(options);
  how.progress = watch.progress();
  const SteadyClock clock;
  const Instant started = clock.now();
  auto partition = partition_graph(graph, how);
  if (partition) {
    log_info("divided into {} parts by {} after {:.3f} s", partition->part_count,
             partition_method_name(how.method), seconds(clock.now() - started));
  }
  return partition;
}

Status check_graph_output(const std::string& path, const std::string& input,
                          const Options& options) {
  if (!options.to && !is_binary_name(path)) {
    LEEWAY_ASSIGN(const std::string_view format, format_of_name(path));
    if (format == "binary") {
      return fail(input_error(
          path, "the binary form is mapped from its file, so it cannot be packed", "name it .lwg"));
    }
  }
  if (!options.force) LEEWAY_TRY(check_keeps({input}, {{"the output", path}}));
  return may_replace(path).map([](bool) {});
}

Status save_graph(const Graph& graph, const std::string& path, const Options& options) {
  Watch watch(options);
  watch.progress()->start("writing " + path);
  if (options.to == "binary" || (!options.to && is_binary_name(path)))
    return write_binary(graph, path);
  return write_graph(graph, path, options.to);
}

}  // namespace leeway::cli
