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

/// Generates from a spec, a file of that name or not; shows that it is at work.
Result<Graph> make_graph(const std::string& spec, const Options& options);

/// Partitions as `how` says; shows that it is at work.
Result<Partition> divide_graph(const Graph& graph, PartitionOptions how, const Options& options);

/// Writes in the format `options.to` or the name asks for; nothing stays under the name if it fails.
Status save_graph(const Graph& graph, const std::string& path, const Options& options);

/// True for names that ask for the binary form.
[[nodiscard]] bool is_binary_name(const std::string& path);

}  // namespace leeway::cli
