#include "leeway/cli/graph_argument.h"

#include <filesystem>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/base/progress.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"
#include "leeway/datasets/write_graph.h"

namespace leeway::cli {

namespace {

Result<Graph> load(const std::string& argument, const LoadOptions& options) {
  if (!std::filesystem::exists(argument) && is_graph_spec(argument)) return generate(argument, options);
  return load_graph(argument, options);
}

}  // namespace

Result<Graph> open_graph(const std::string& argument, const Options& options) {
  const SteadyClock clock;
  const ProgressStyle style = progress_style(stderr, options.quiet);
  Progress progress(format("reading {}", argument), 0, "graphs", style, clock);
  auto graph = load(argument, options.load);
  if (graph) progress.update(1, format("{} vertices", format_count(graph->vertex_count())));
  return graph;
}

bool is_binary_name(const std::string& path) { return path.ends_with(".lwg"); }

Status save_graph(const Graph& graph, const std::string& path, const Options& options) {
  if (options.to == "binary" || (!options.to && is_binary_name(path))) return write_binary(graph, path);
  return write_graph(graph, path, options.to);
}

}  // namespace leeway::cli
