// The shipped programs from C++: a graph that stays in memory, programs on it by their names, and changes of the graph.
//
//   leeway::GraphSession session(std::move(graph), options);
//   auto paths = leeway::value_or_exit(session.run("sssp", {.source = leeway::VertexId(7)}));
//   leeway::value_or_exit(session.change({{.source = leeway::VertexId(1), .target = leeway::VertexId(2)}}));
//   paths = leeway::value_or_exit(session.renew(paths));  // continues from the old distances
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "datasets/graph_changes.h"
#include "leeway/options.h"
#include "programs/catalog/continuation.h"
#include "programs/catalog/program.h"

namespace leeway {

/// The answer of a shipped program on the graph of a session.
struct KeptAnswer {
  const Program* program = nullptr;
  EngineName engine = EngineName::Vertex;
  ProgramParameters parameters;
  std::size_t version = 0;  ///< number of batches of changes before
  /// By vertex, in every process: infinity for what is unreachable, a vertex as its number. Empty if a vertex has several values.
  std::vector<double> numbers;
  ProgramResult result;  ///< in a job of processes: complete in the first one only
};

/// A graph in memory. Not thread-safe. In a job, every process holds the whole graph and makes the same calls.
class GraphSession {
 public:
  explicit GraphSession(Graph graph, RunOptions options = {})
      : graph_(std::move(graph)), options_(std::move(options)) {}

  [[nodiscard]] const Graph& graph() const { return *graph_.graph(); }
  /// Applies a batch of changes; after an error nothing has changed.
  Status change(const std::vector<GraphChange>& changes) { return graph_.change(changes); }

  /// Runs a program from nothing: one of `leeway programs` that runs on a graph and on this engine. One that needs supersteps runs under
  /// bsp, whatever the options say.
  Result<KeptAnswer> run(std::string_view program, const ProgramParameters& parameters = {},
                         EngineName engine = EngineName::Vertex) const;
  /// The same answer for the present graph: continues from it if the program can (EngineRun::continues), else runs from nothing.
  Result<KeptAnswer> renew(const KeptAnswer& answer) const;

 private:
  Result<KeptAnswer> answered_by(const Program& program, EngineName engine,
                                 const ProgramParameters& parameters) const;

  ChangingGraph graph_;
  RunOptions options_;
};

}  // namespace leeway
