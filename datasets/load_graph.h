// Any graph file to a Graph: the format from what is asked for, else from the file's content and
// name; .gz, .zst and .xz unpacked on the way.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/load_options.h"

namespace leeway {

struct FormatInfo {
  std::string_view name;         ///< for `--format`
  std::string_view description;  ///< one line for help texts
};

/// Every format that can be read.
[[nodiscard]] std::span<const FormatInfo> readable_formats();

/// Peak memory stays near the graph's own. Uses options.threads threads. The Error of a broken file
/// names file and line.
Result<Graph> load_graph(const std::filesystem::path& path, const LoadOptions& options);

/// As if `bytes` were the content of a file called `name`.
Result<Graph> load_graph_from_memory(std::string_view bytes, const std::string& name,
                                     const LoadOptions& options);

/// The name of the format `load_graph` would choose.
Result<std::string_view> detect_format(const std::filesystem::path& path);

}  // namespace leeway
