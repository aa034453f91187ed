#include "app/source.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "base/format.h"
#include "base/log.h"
#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "programs/reference/kernels.h"
#include "transport/launch.h"

namespace leeway::app {

namespace {

bool leads_away(const Graph& graph, VertexId vertex) {
  const auto reached = graph.neighbors(vertex);
  return std::any_of(reached.begin(), reached.end(), [&](VertexId v) { return v != vertex; });
}

}  // namespace

bool begins_at_one(const Program& program) {
  return program.takes(Parameter::Source) && !program.takes(Parameter::Samples);
}

Status find_source(const Graph& graph, const CommandOptions& options, ProgramCall& call) {
  if (!options.source) {
    if (!begins_at_one(*call.program)) return {};
    VertexId first(0);
    while (first.value() < graph.vertex_count() && !leads_away(graph, first)) first = first.next();
    if (first.value() < graph.vertex_count()) call.parameters.source = first;
    return {};
  }
  const auto vertex = graph.names().find(*options.source);
  if (!vertex) {
    return fail(no_such_source(*options.source));
  }
  call.parameters.source = *vertex;
  call.parameters.source_given = true;
  return {};
}

Status read_vertex_files(const Graph& graph, const CommandOptions& options,
                         ProgramParameters& parameters) {
  const VertexNames& names = graph.names();
  CellValues& cells = parameters.cells;
  if (!options.personalization.empty()) {
    LEEWAY_ASSIGN(parameters.personalization,
                  read_vertex_values(options.personalization, names, 0));
  }
  if (!options.rhs.empty()) {
    LEEWAY_ASSIGN(cells.right_side, read_vertex_values(options.rhs, names, 0));
  }
  if (!options.start.empty()) {
    LEEWAY_ASSIGN(cells.start, read_vertex_values(options.start, names, 0));
  }
  if (options.fixed.empty()) return {};
  LEEWAY_ASSIGN(cells.fixed, read_vertex_values(options.fixed, names, std::nan("")));
  return {};
}

Result<std::vector<double>> read_old_answer(const std::string& path, const VertexNames& names,
                                            Shown shown) {
  std::vector<double> values(names.count());
  const auto take = [&](VertexId vertex, std::string_view field) -> Status {
    double& value = values[vertex.index()];
    if (field == "infinity" || field == "unreachable") {
      value = std::numeric_limits<double>::infinity();
      return {};
    }
    if (shown == Shown::Vertex) {
      const auto named = names.find(field);
      if (!named)
        return fail(input_error("", format("the graph has no vertex '{}'", field),
                                "give the values that --out wrote for this graph"));
      value = named->value();
      return {};
    }
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (problem == std::errc{} && end == field.data() + field.size()) return {};
    return fail(input_error("", format("'{}' is not a number", field),
                            "give the values that --out FILE.txt wrote"));
  };
  LEEWAY_ASSIGN(const VertexColumn column, read_vertex_column(path, names, "value", take));
  if (column.complete()) return values;
  return fail(input_error(path, format("it has no value of vertex {}", column.first_missing(names)),
                          "give the answer of the whole graph"));
}

void look_at_source(const Graph& graph, const ProgramCall& call) {
  if (!call.program->takes(Parameter::Source) || graph.vertex_count() == 0) return;
  if (!call.parameters.source_given && !begins_at_one(*call.program)) return;
  const VertexId source = call.parameters.source;
  if (leads_away(graph, source)) return;
  const VertexId busiest = reference::busiest(graph);
  warn_of_isolated_source(graph.names().name(source),
                          leads_away(graph, busiest) ? graph.names().name(busiest) : std::string());
}

std::string shown_source(const Graph& graph, const ProgramCall& call,
                         const CommandOptions& options) {
  if (graph.vertex_count() == 0) return "none";
  if (!options.source && !begins_at_one(*call.program)) return "all vertices";
  const std::string name(graph.names().name(call.parameters.source));
  return options.source ? name : default_source(name, call.parameters.source);
}

Error no_such_source(const std::string& name) {
  return input_error("--source", format("the graph has no vertex '{}'", name),
                     "name a vertex as the input does; leeway info shows the first names");
}

std::string default_source(const std::string& name, VertexId vertex) {
  return format("{} ({})", name,
                vertex == VertexId(0) ? "the first" : "the first with an arc to another vertex");
}

void warn_of_isolated_source(const std::string& name, const std::string& busiest) {
  const auto needs_no_quotes = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const bool plain = std::all_of(busiest.begin(), busiest.end(), needs_no_quotes);
  log_warning("source '{}' reaches no other vertex; {}", name,
              busiest.empty() ? "no vertex has an arc to another"
                              : format("--source {} is the vertex with most arcs",
                                       plain ? busiest : shell_quoted(busiest)));
}

}  // namespace leeway::app
