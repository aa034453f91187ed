// What else the user gives about a graph: the source of paths, and files of cell values.
#pragma once

#include <string>

#include "app/run_options.h"
#include "base/result.h"
#include "datasets/graph.h"

namespace leeway::app {

/// Sets the source, if --source names a vertex.
/// Without --source: the first vertex with an arc to another vertex; vertex 0 if there is none.
Status find_source(const Graph& graph, const CommandOptions& options, ProgramCall& call);
/// Warns if the source leads to no other vertex.
void look_at_source(const Graph& graph, const ProgramCall& call);
/// The source as shown to the user.
[[nodiscard]] std::string shown_source(const Graph& graph, const ProgramCall& call,
                                       const CommandOptions& options);
/// Whether a run that is given no source has one. Programs that take samples begin at all vertices instead.
[[nodiscard]] bool begins_at_one(const Program& program);
[[nodiscard]] Error no_such_source(const std::string& name);
/// Warns that no other vertex is reachable from the source, which usually is a mistyped name.
/// `busiest`: the vertex with most arcs, empty if no vertex has one to another vertex.
void warn_of_isolated_source(const std::string& name, const std::string& busiest);
/// The source of a run that was given none, for the report.
[[nodiscard]] std::string default_source(const std::string& name, VertexId vertex);

/// Reads the files of values by vertex: cells, shares of restarts.
Status read_vertex_files(const Graph& graph, const CommandOptions& options,
                         ProgramParameters& parameters);

/// Reads the answer of --from, by vertex (Continuation::old).
Result<std::vector<double>> read_old_answer(const std::string& path, const VertexNames& names,
                                            Shown shown);

}  // namespace leeway::app
