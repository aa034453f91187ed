#include "leeway/programs/piece/vertex_programs.h"

#include <array>
#include <limits>

#include "leeway/base/check.h"
#include "leeway/programs/vertex/diffusion.h"
#include "leeway/programs/vertex/grouping.h"
#include "leeway/programs/vertex/paths.h"
#include "leeway/programs/vertex/structure.h"
#include "leeway/runtime/piece/vertex_pieces.h"

namespace leeway::piece {

namespace {

/// One run's surroundings.
struct Setting {
  const Graph& graph;
  const VertexJob& job;
  const ClusterOptions& cluster;
  const PieceOptions& options;
};

template <class Kept, class P>
Result<VertexOutcome> run(const Setting& at, const P& program, Shown shown) {
  LEEWAY_ASSIGN(auto ran, run_vertices(at.graph, program, at.job.partition, at.job.pieces,
                                       at.cluster, at.options));
  std::vector<Kept> values(ran.values.begin(), ran.values.end());
  return VertexOutcome{{std::move(values), shown}, std::move(ran.record)};
}
template <class P>
Result<VertexOutcome> counted(const Setting& at, const P& program, Shown shown) {
  return run<std::uint64_t>(at, program, shown);
}
template <class P>
Result<VertexOutcome> measured(const Setting& at, const P& program, Shown shown) {
  return run<double>(at, program, shown);
}

template <class P>
Result<VertexOutcome> settled(const Setting& at) {
  constexpr double kTolerance = 1e-9;
  LEEWAY_ASSIGN(const auto problem, LinearProblem::make(at.graph));
  return measured(at, P(problem, at.job.settings.tolerance.value_or(kTolerance)), Shown::Real);
}

Result<VertexOutcome> depths(const Setting& at) {
  LEEWAY_ASSIGN(auto ran, counted(at, Bfs(at.job.settings.source), Shown::Depth));
  for (std::uint64_t& depth : std::get<std::vector<std::uint64_t>>(ran.values.by_vertex)) {
    if (depth == Bfs::kFar) depth = std::numeric_limits<std::uint64_t>::max();
  }
  return ran;
}

struct Known {
  std::string_view name;
  Result<VertexOutcome> (*run)(const Setting& at);
};
constexpr std::array kKnown = {
    Known{"sssp",
          [](const Setting& at) {
            return measured(at, Sssp(at.graph, at.job.settings.source), Shown::Distance);
          }},
    Known{"bfs", depths},
    Known{"paths",
          [](const Setting& at) {
            return counted(at, PathCount(at.job.settings.source), Shown::Paths);
          }},
    Known{"cc", [](const Setting& at) { return counted(at, Components(at.graph), Shown::Vertex); }},
    Known{"cdlp", [](const Setting& at) { return counted(at, Communities(), Shown::Vertex); }},
    Known{"coloring", [](const Setting& at) { return counted(at, Colouring(), Shown::Count); }},
    Known{"heat", settled<Heat>},
    Known{"wave", settled<Wave>},
    Known{"lcc", [](const Setting& at) { return measured(at, Clustering(at.graph), Shown::Real); }},
    Known{"degree", [](const Setting& at) { return counted(at, Degree(at.graph), Shown::Count); }},
};

}  // namespace

std::span<const std::string_view> vertex_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kKnown.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kKnown[i].name;
    return names;
  }();
  return kNames;
}

Result<VertexOutcome> run_vertex_program(std::string_view name, const Graph& graph,
                                         const VertexJob& job, const ClusterOptions& cluster,
                                         const PieceOptions& options) {
  for (const Known& known : kKnown) {
    if (known.name == name) return known.run({graph, job, cluster, options});
  }
  LEEWAY_UNREACHABLE("no such vertex program", name);
}

}  // namespace leeway::piece
