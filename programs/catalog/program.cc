#include "programs/catalog/program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/format.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/lists.h"

namespace leeway {

const EngineRun* Program::on(EngineName engine) const {
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&](const EngineRun& each) { return each.engine == engine; });
  return found == engines.end() ? nullptr : &*found;
}

bool Program::takes(Parameter parameter) const {
  return std::any_of(engines.begin(), engines.end(),
                     [&](const EngineRun& each) { return each.takes.has(parameter); });
}

const Program* find_program(std::string_view name) {
  const auto all = all_programs();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Program& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const EngineRun* find_run(std::string_view name, EngineName engine) {
  const Program* const program = find_program(name);
  return program == nullptr ? nullptr : program->on(engine);
}

std::vector<std::string_view> programs_with(ProgramFact fact, std::span<const EngineName> engines) {
  std::vector<std::string_view> names;
  for (const Program& program : all_programs()) {
    const bool has =
        std::any_of(program.engines.begin(), program.engines.end(), [&](const EngineRun& run) {
          const bool named = engines.empty() ||
                             std::find(engines.begin(), engines.end(), run.engine) != engines.end();
          return named && fact(program, run);
        });
    if (has) names.push_back(program.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string alternatives(std::span<const std::string_view> names, std::string_view word) {
  if (names.size() < 2) return std::string(names.empty() ? "" : names.front());
  return format("{} {} {}", fmt::join(names.first(names.size() - 1), ", "), word, names.back());
}

std::string_view shown_name(Shown shown) {
  switch (shown) {
    case Shown::Real:
      return "real";
    case Shown::Distance:
      return "distance";
    case Shown::Count:
      return "count";
    case Shown::Depth:
      return "depth";
    case Shown::Paths:
      return "paths";
    case Shown::Vertex:
      return "vertex";
    case Shown::Side:
      return "side";
  }
  LEEWAY_UNREACHABLE(shown);
}

namespace {

constexpr std::string_view kLdbcUnreached = "9223372036854775807";

std::string shown_real(double value, bool ldbc) {
  if (std::isinf(value)) return "infinity";
  return ldbc ? format("{:.15e}", value) : format("{}", value);
}

}  // namespace

std::string shown_value(const ProgramValues& values, VertexId vertex, const VertexNames& names,
                        bool ldbc) {
  if (values.row > 0) {
    std::string text;
    for (std::size_t k = 0; k < values.row; ++k)
      text += format("{}{}", k == 0 ? "" : " ", values.rows[vertex.index() * values.row + k]);
    return text;
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&values.by_vertex))
    return shown_real((*reals)[vertex.index()], ldbc);
  const std::uint64_t value =
      std::get<std::vector<std::uint64_t>>(values.by_vertex)[vertex.index()];
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  if (values.shown == Shown::Vertex) return names.name(VertexId(static_cast<std::uint32_t>(value)));
  if (value == kNone && values.shown == Shown::Depth)
    return std::string(ldbc ? kLdbcUnreached : "unreachable");
  if (value == kNone && values.shown == Shown::Side) return "none";
  if (value == kNone && values.shown == Shown::Paths) return format("more than {}", kLdbcUnreached);
  return std::to_string(value);
}

namespace {

// Requirements on input, checked before any work. Every error contains a remedy.

Status admit_source(const GraphTotals& graph, const ProgramParameters& parameters) {
  if (parameters.source.value() < graph.vertices || graph.vertices == 0) return {};
  return fail(input_error("--source", "the source is not in the graph",
                          format("the graph has {} vertices", graph.vertices)));
}

Error negative(const std::string& arc, double weight) {
  return input_error(arc,
                     format("its weight is {}: the program needs weights of at least 0", weight),
                     "correct the weight, or give --weights none to count arcs");
}

/// All weights are at least 0.
Status admit_weights(const Graph& graph) {
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

/// All weights of the part are at least 0.
Status admit_weights(const GraphPart& part) {
  const VertexNames& names = part.lists.names;
  for (std::uint32_t v = 0; v < part.size() && part.totals.weighted(); ++v) {
    for (std::uint64_t i = part.lists.offsets[v]; i < part.lists.offsets[v + std::size_t{1}]; ++i) {
      const double weight = part.lists.weights[i];
      if (weight >= 0) continue;
      // For vertices of other ranges, this process has only consecutive numeric names.
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

bool needs_symmetry(const Program& program, const ProgramParameters& parameters) {
  return program.symmetric && !parameters.ldbc;
}

Error not_symmetric(const Program& program) {
  return input_error(
      "--graph",
      format("{} needs arcs that go both ways, and this graph has one without its reverse",
             program.name),
      program.ldbc != Ldbc::Nothing
          ? "give --undirected if the file lists each edge once, --symmetrize to add the reverses, "
            "or --ldbc to read every arc both ways"
          : "give --undirected if the file lists each edge once, or --symmetrize to add the "
            "reverses");
}

/// Refuses parameters that the program does not use.
Status admit_parameters(const Program& program, const ProgramParameters& parameters) {
  if (parameters.source_given && !program.takes(Parameter::Source)) {
    return fail(input_error("--source", format("{} does not start from a vertex", program.name),
                            "leave --source out"));
  }
  if (parameters.source_given && parameters.samples) {
    return fail(input_error("--samples", "the paths begin at the one vertex of --source",
                            "leave one of the two out"));
  }
  if (parameters.ldbc && program.ldbc == Ldbc::Nothing) {
    const auto defined = programs_with(
        [](const Program& each, const EngineRun&) { return each.ldbc != Ldbc::Nothing; });
    return fail(
        input_error("--ldbc", format("LDBC Graphalytics does not define {}", program.name),
                    format("leave --ldbc out; it defines {}", alternatives(defined, "and"))));
  }
  return {};
}

/// Whether weights count, and so must not be negative.
bool counts_weights(const Program& program, const ProgramParameters& parameters) {
  return program.weighted || parameters.by_weight;
}

Status admit_by_weight(const GraphTotals& graph, const ProgramParameters& parameters) {
  if (!parameters.by_weight || graph.weighted()) return {};
  return fail(
      input_error("--by-weight", "the graph has no weights",
                  "leave --by-weight out, or give a graph with weights or --weights random"));
}

Status admit_schedule(const Program& program, EngineName engine,
                      const ProgramParameters& parameters, const EngineOptions& options) {
  const Scheduler scheduler = options.scheduler;
  if (program.on(engine)->staged && options.iterations) {
    return fail(input_error("--iterations",
                            format("{} runs in stages, each until no value changes", program.name),
                            "leave --iterations out"));
  }
  if (parameters.continuation && (options.iterations || parameters.ldbc)) {
    return fail(input_error(options.iterations ? "--iterations" : "--ldbc",
                            "a run that continues after --changes ends when no value changes",
                            "leave it out"));
  }
  const bool bsp = scheduler == Scheduler::Bsp;
  if (parameters.ldbc && engine == EngineName::Pie && !program.exact) {
    return fail(input_error(
        "--engine",
        format("LDBC defines {} by rounds over all vertices, which the pie engine does not run",
               program.name),
        "give --engine vertex --scheduler bsp"));
  }
  if (parameters.ldbc && !bsp && !program.exact) {
    return fail(input_error("--scheduler",
                            format("LDBC defines {} by synchronous rounds, which {} does not run",
                                   program.name, scheduler_name(scheduler)),
                            "give --scheduler bsp"));
  }
  return {};
}

}  // namespace

Status admit(const Program& program, EngineName engine, const Graph& graph,
             const ProgramParameters& parameters, const RunOptions& options) {
  LEEWAY_TRY(admit_parameters(program, parameters));
  LEEWAY_TRY(admit_schedule(program, engine, parameters, options.vertex));
  if (program.takes(Parameter::Source)) LEEWAY_TRY(admit_source(GraphTotals(graph), parameters));
  LEEWAY_TRY(admit_by_weight(graph, parameters));
  if (counts_weights(program, parameters)) LEEWAY_TRY(admit_weights(graph));
  if (program.admit != nullptr) LEEWAY_TRY(program.admit(graph, parameters));
  if (!needs_symmetry(program, parameters) || is_symmetric(graph)) return {};
  return fail(not_symmetric(program));
}

Status admit_part(const Program& program, EngineName engine, const GraphPart& part,
                  const ProgramParameters& parameters, const RunOptions& options) {
  const auto admit_totals = [&]() -> Status {
    LEEWAY_TRY(admit_parameters(program, parameters));
    LEEWAY_TRY(admit_schedule(program, engine, parameters, options.vertex));
    LEEWAY_TRY(admit_by_weight(part.totals, parameters));
    if (!program.takes(Parameter::Source)) return {};
    return admit_source(part.totals, parameters);
  };
  return with_group(options.cluster, [&](Group& group) -> Status {
    if (Status refused = admit_totals(); !refused)
      return fail(group.found_by_all(std::move(refused).error()));
    if (counts_weights(program, parameters)) LEEWAY_TRY(group.agree(admit_weights(part)));
    if (!needs_symmetry(program, parameters) || is_symmetric(group, part)) return {};
    return fail(group.found_by_all(not_symmetric(program)));
  });
}

}  // namespace leeway
