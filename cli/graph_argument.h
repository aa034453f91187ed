// A graph wherever a command takes one: a file in any readable format, Leeway's binary form, or a spec.
#pragma once

#include <optional>
#include <string>

#include "leeway/base/result.h"
#include "leeway/cli/options.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"

namespace leeway::cli {

/// Loads or generates; shows on standard error that it is at work.
Result<Graph> open_graph(const std::string& argument, const Options& options);

/// Takes a graph that was given as an argument, as --graph is; empty: none was. Not both.
Status take_graph_argument(const std::string& argument, Options& options);

/// The graph of a run: opened for it, or lent by a caller inside the process.
class RunGraph {
 public:
  static Result<RunGraph> of(const Options& options);
  [[nodiscard]] const Graph& operator*() const { return lent_ != nullptr ? *lent_ : own_; }

 private:
  const Graph* lent_ = nullptr;
  Graph own_;
};

/// Generates from a spec, a file of that name or not; shows that it is at work.
Result<Graph> make_graph(const std::string& spec, const Options& options);

/// Partitions as `how` says; shows that it is at work.
Result<Partition> divide_graph(const Graph& graph, PartitionOptions how, const Options& options);

/// Refuses, before any work, an output whose name asks for nothing that can be written, that is `input`, or
/// that may not be replaced.
Status check_graph_output(const std::string& path, const std::string& input,
                          const Options& options);

/// Writes in the format `options.to` or the name asks for; nothing stays under the name if it fails.
Status save_graph(const Graph& graph, const std::string& path, const Options& options);

}  // namespace leeway::cli
