#include "leeway/programs/vertex/admission.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/programs/vertex/catalog.h"
#include "leeway/programs/vertex/diffusion.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/part_job.h"
#include "leeway/runtime/parts/part_structure.h"

namespace leeway {

Status admit_source(const GraphTotals& graph, const ProgramSettings& settings) {
  if (settings.source.value() < graph.vertices || graph.vertices == 0) return {};
  return fail(input_error("--source", "the source is not in the graph",
                          format("the graph has {} vertices", graph.vertices)));
}

Status admit_source(const Graph& graph, const ProgramSettings& settings) {
  return admit_source(GraphTotals(graph), settings);
}

namespace {

Status admit_order(const GraphTotals& graph) {
  if (graph.weight_kind != WeightKind::Complex) return {};
  return fail(input_error("--graph", "its weights are complex: they have no order",
                          "give real weights, or --weights none to count arcs"));
}

Error negative(const std::string& arc, double weight) {
  return input_error(arc,
                     format("its weight is {}: shortest paths need weights of at least 0", weight),
                     "correct the weight, or give --weights none to count arcs");
}

}  // namespace

Status admit_sssp(const Graph& graph, const ProgramSettings& settings) {
  LEEWAY_TRY(admit_source(graph, settings));
  LEEWAY_TRY(admit_order(graph));
  if (!graph.weighted()) return {};
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto weights = graph.weights(v);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] >= 0) continue;
      return fail(negative(
          format("arc {} -> {}", graph.names().name(v), graph.names().name(graph.neighbors(v)[i])),
          weights[i]));
    }
  }
  return {};
}

Status admit_weights(const GraphPart& part) {
  LEEWAY_TRY(admit_order(part.totals));
  const VertexNames& names = part.lists.names;
  for (std::uint32_t v = 0; v < part.size() && part.totals.weighted(); ++v) {
    for (std::uint64_t i = part.lists.offsets[v]; i < part.lists.offsets[v + std::size_t{1}]; ++i) {
      const double weight = part.lists.weights[i];
      if (weight >= 0) continue;
      // Of other ranges only numbers that follow each other are known here.
      const VertexId target = part.lists.targets[i];
      const std::string to = names.kind() == NameKind::Sequence
                                 ? std::to_string(names.first() - part.first() + target.value())
                             : part.holds(target)
                                 ? names.name(VertexId(target.value() - part.first()))
                                 : "another vertex";
      return fail(negative(format("arc {} -> {}", names.name(VertexId(v)), to), weight));
    }
  }
  return {};
}

Status admit_diffusion(const Graph& graph, const ProgramSettings& settings) {
  LEEWAY_ASSIGN([[maybe_unused]] const LinearProblem problem,
                LinearProblem::state(graph, settings.cells));
  return {};
}

namespace {

/// What LDBC Graphalytics defines, by our names; `cc` is its WCC, `pagerank` its PR.
constexpr std::array<std::string_view, 6> kLdbcPrograms = {"bfs", "cc",       "cdlp",
                                                           "lcc", "pagerank", "sssp"};

bool ldbc_defines(const ProgramInfo& program) {
  return std::find(kLdbcPrograms.begin(), kLdbcPrograms.end(), program.name) != kLdbcPrograms.end();
}

bool needs_symmetry(const ProgramInfo& program, const ProgramSettings& settings) {
  return program.symmetric && !settings.ldbc;
}

Error not_symmetric(const ProgramInfo& program) {
  return input_error(
      "--graph",
      format("{} needs arcs that go both ways, and this graph has one without its reverse",
             program.name),
      ldbc_defines(program)
          ? "give --undirected if the file lists each edge once, --symmetrize to add the reverses, "
            "or --ldbc to read every arc both ways"
          : "give --undirected if the file lists each edge once, or --symmetrize to add the "
            "reverses");
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
             const ProgramOptions& options) {
  LEEWAY_TRY(admit_settings(program, settings));
  LEEWAY_TRY(admit_schedule(program, settings, options.engine));
  if (program.admit != nullptr) LEEWAY_TRY(program.admit(graph, settings));
  if (!needs_symmetry(program, settings) || is_symmetric(graph)) return {};
  return fail(not_symmetric(program));
}

Status admit_part(const ProgramInfo& program, const GraphPart& part,
                  const ProgramSettings& settings, const ProgramOptions& options) {
  const auto admit_totals = [&]() -> Status {
    LEEWAY_TRY(admit_settings(program, settings));
    LEEWAY_TRY(admit_schedule(program, settings, options.engine));
    if (!program.source) return {};
    return admit_source(part.totals, settings);
  };
  return exchange_parts(options.cluster, [&](Exchange& exchange) -> Status {
    if (Status refused = admit_totals(); !refused)
      return fail(exchange.found_by_all(std::move(refused).error()));
    if (program.name == "sssp") LEEWAY_TRY(exchange.agree(admit_weights(part)));
    if (!needs_symmetry(program, settings)) return {};
    LEEWAY_ASSIGN(const bool symmetric, is_symmetric(exchange, part));
    if (symmetric) return {};
    return fail(exchange.found_by_all(not_symmetric(program)));
  });
}

}  // namespace leeway
