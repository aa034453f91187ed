#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

namespace {

Result<int> write_and_say(const Graph& graph, const std::string& path, const Options& options) {
  LEEWAY_TRY(save_graph(graph, path, options));
  if (options.quiet) return 0;
  LEEWAY_TRY(say_beside({{"OUT", path}}, format("{}: {} vertices, {} edges\n", path,
                                                format_count(graph.vertex_count()),
                                                format_count(graph.edge_count()))));
  return 0;
}

}  // namespace

Result<int> run_convert(const Invocation& invocation) {
  LEEWAY_TRY(
      check_graph_output(invocation.argument(1), invocation.argument(0), invocation.options));
  LEEWAY_ASSIGN(const Graph graph, open_graph(invocation.argument(0), invocation.options));
  return write_and_say(graph, invocation.argument(1), invocation.options);
}

Result<int> run_generate(const Invocation& invocation) {
  LEEWAY_TRY(check_graph_output(invocation.argument(1), "", invocation.options));
  LEEWAY_ASSIGN(const Graph graph, make_graph(invocation.argument(0), invocation.options));
  return write_and_say(graph, invocation.argument(1), invocation.options);
}

}  // namespace leeway::cli
