// A Graph to a text file that other tools read and that our readers give back unchanged: what the
// format cannot say stands in comment lines (docs/formats.md).
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/load_graph.h"

namespace leeway {

/// Every text format that can be written.
[[nodiscard]] std::span<const FormatInfo> writable_formats();

/// The format a name's suffix asks for; an edge list without one. An Input error for a suffix that means
/// nothing here.
Result<std::string_view> format_of_name(const std::filesystem::path& path);

/// Writes aside, syncs, renames; nothing stays under the name when it fails. Compressed if the name
/// ends in .gz, .zst or .xz. Without a `format`, the name decides.
Status write_graph(const Graph& graph, const std::filesystem::path& path,
                   std::optional<std::string> format = {});

}  // namespace leeway
