#include "leeway/cli/graph_argument.h"

#include <filesystem>

#include "leeway/cli/watch.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"
#include "leeway/datasets/write_graph.h"

namespace leeway::cli {

namespace {

Result<Graph> load(const std::string& argument, const LoadOptions& options) {
  if (!std::filesystem::exists(argument) && is_graph_spec(argument))
    return generate(argument, options);
  return load_graph(argument, options);
}

}  // namespace

Result<Graph> open_graph(const std::string& argument, const Options& options) {
  Watch watch(options);
  LoadOptions how = options.load;
  how.progress = watch.progress();
  return load(argument, how);
}

Result<Graph> make_graph(const std::string& spec, const Options& options) {
  Watch watch(options);
  LoadOptions how = options.load;
  how.progress = watch.progress();
  return generate(spec, how);
}

Result<Partition> divide_graph(const Graph& graph, PartitionOptions how, const Options& options) {
  Watch watch(options);
  how.progress = watch.progress();
  return partition_graph(graph, how);
}

bool is_binary_name(const std::string& path) { return path.ends_with(".lwg"); }

Status save_graph(const Graph& graph, const std::string& path, const Options& options) {
  Watch watch(options);
  watch.progress()->start("writing " + path);
  if (options.to == "binary" || (!options.to && is_binary_name(path)))
    return write_binary(graph, path);
  return write_graph(graph, path, options.to);
}

}  // namespace leeway::cli
