#include "leeway/programs/vertex/admission.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "leeway/base/format.h"
#include "leeway/programs/vertex/catalog.h"
#include "leeway/programs/vertex/diffusion.h"

namespace leeway {

Status admit_source(const Graph& graph, const ProgramSettings& settings) {
  if (settings.source.value() < graph.vertex_count() || graph.vertex_count() == 0) return {};
  return fail(input_error("--source", "the source is not in the graph",
                          format("the graph has {} vertices", graph.vertex_count())));
}

Status admit_sssp(const Graph& graph, const ProgramSettings& settings) {
  LEEWAY_TRY(admit_source(graph, settings));
  if (graph.weight_kind() == WeightKind::Complex) {
    return fail(input_error("--graph", "its weights are complex: they have no order",
                            "give real weights, or --weights none to count arcs"));
  }
  if (!graph.weighted()) return {};
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto weights = graph.weights(v);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] >= 0) continue;
      return fail(input_error(
          format("arc {} -> {}", graph.names().name(v), graph.names().name(graph.neighbors(v)[i])),
          format("its weight is {}: shortest paths need weights of at least 0", weights[i]),
          "correct the weight, or give --weights none to count arcs"));
    }
  }
  return {};
}

Status admit_diffusion(const Graph& graph, const ProgramSettings&) {
  return LinearProblem::admit(graph);
}

namespace {

/// What LDBC Graphalytics defines, by our names; `cc` is its WCC, `pagerank` its PR.
constexpr std::array<std::string_view, 6> kLdbcPrograms = {"bfs", "cc",       "cdlp",
                                                           "lcc", "pagerank", "sssp"};

bool ldbc_defines(const ProgramInfo& program) {
  return std::find(kLdbcPrograms.begin(), kLdbcPrograms.end(), program.name) != kLdbcPrograms.end();
}

Status admit_symmetry(const ProgramInfo& program, const Graph& graph,
                      const ProgramSettings& settings) {
  if (!program.symmetric || settings.ldbc || is_symmetric(graph)) return {};
  return fail(input_error(
      "--graph",
      format("{} needs arcs that go both ways, and this graph has one without its reverse",
             program.name),
      ldbc_defines(program)
          ? "give --undirected if the file lists each edge once, --symmetrize to add the reverses, "
            "or --ldbc to read every arc both ways"
          : "give --undirected if the file lists each edge once, or --symmetrize to add the "
            "reverses"));
}

/// Settings that the program has no use for.
Status admit_settings(const ProgramInfo& program, const ProgramSettings& settings) {
  if (settings.source_said && !program.source) {
    return fail(input_error("--source", format("{} does not start from a vertex", program.name),
                            "leave --source out"));
  }
  if (settings.ldbc && !ldbc_defines(program)) {
    return fail(input_error("--ldbc", format("LDBC Graphalytics does not define {}", program.name),
                            "leave --ldbc out; it defines bfs, cc, cdlp, lcc, pagerank and sssp"));
  }
  return {};
}

Status admit_schedule(const ProgramInfo& program, const ProgramSettings& settings,
                      const EngineOptions& engine) {
  const bool bsp = engine.scheduler == Scheduler::Bsp;
  const bool pie = program.engine == "pie";
  if (settings.ldbc && pie && !program.exact) {
    return fail(input_error(
        "--engine",
        format("LDBC defines {} by so many rounds over all vertices, which fragments have not",
               program.name),
        "give --engine vertex --scheduler bsp"));
  }
  if (settings.ldbc && !bsp && !program.exact) {
    return fail(input_error("--scheduler",
                            format("LDBC defines {} by synchronous rounds, which {} has not",
                                   program.name, scheduler_name(engine.scheduler)),
                            "give --scheduler bsp"));
  }
  return {};
}

}  // namespace

Status admit(const ProgramInfo& program, const Graph& graph, const ProgramSettings& settings,
             const RunOptions& options) {
  LEEWAY_TRY(admit_settings(program, settings));
  LEEWAY_TRY(admit_schedule(program, settings, options.engine));
  if (program.admit != nullptr) LEEWAY_TRY(program.admit(graph, settings));
  return admit_symmetry(program, graph, settings);
}

}  // namespace leeway
