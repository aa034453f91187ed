// Refuses, before any of it is asked for, more memory than is free: the system may grant what it cannot
// give, and end somebody for it later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "programs/vertex/catalog.h"

namespace leeway::cli {

/// The same for the nodes of one process, be they threads or virtual: what each takes before it holds
/// anything. An Environment error with the number that fits.
Status admit_nodes(std::uint32_t nodes, bool threads);

/// An Environment error that names `flag` if `count` `things` ("cells", "fish") do not fit.
Status admit_memory(std::string_view flag, std::string_view things, std::uint64_t count,
                    std::uint64_t bytes_each);

// How a graph is divided for a run where nobody has said it.

/// What was said, else what suits the graph and the network.
void settle_method(const ClusterOptions& cluster, const Graph& graph, PartitionOptions& how);

/// The division into so many parts of so many vertices that a file holds; null: it holds none such, or something was
/// said that none can be held against.
Result<std::shared_ptr<const Partition>> stored_division(const std::string& path,
                                                         std::uint64_t vertices,
                                                         const PartitionOptions& how);

/// Settles the method of a run on vertices: what was said, else the division that the graph's file holds for as many parts, else
/// what suits the graph and the network. Returns the seconds that this took.
Result<double> settle_division(const std::string& path, const Graph& graph,
                               ProgramOptions& options);

// What an LDBC graph's .properties file says of how an algorithm is run on it, as defaults of the settings that
// nobody has set.

/// Fills in --iterations, --damping and --source for this program where `options` leave them open, if its graph
/// is an LDBC graph, and says in `from_properties` what it took and from which line.
Status take_ldbc_defaults(const ProgramInfo& program, Options& options);

// A graph wherever a command takes one: a file in any readable format, Leeway's binary form, or a spec.

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
