#include <algorithm>
#include <limits>
#include <string>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"

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
    case WeightKind::Complex:
      return "complex";
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
  std::uint64_t isolated = 0;    ///< no arc leaves them
  std::uint64_t duplicates = 0;  ///< arcs that repeat the one before them
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
      // An undirected edge stands twice; it is counted where it runs upwards.
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
  if (graph.weight_kind() != WeightKind::Complex) return;
  const auto [below, above] =
      std::minmax_element(graph.imaginary().begin(), graph.imaginary().end());
  facts.real("imaginary_min", "  least imaginary part", *below);
  facts.real("imaginary_max", "  greatest imaginary part", *above);
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
  if (count > 0) facts.text("first_names", "the first are", first_names(graph.names()));
  facts.bytes("memory_bytes", "memory", graph.bytes());
  LEEWAY_TRY(print(facts.show(invocation.options.json)));
  return 0;
}

}  // namespace leeway::cli
