// NAME.properties beside an LDBC Graphalytics graph: lines "graph.NAME.key = value" that say what the graph
// is and how algorithms are to be run on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "leeway/result.h"

namespace leeway {

/// Something a line of the file says.
template <class T>
struct LdbcSaid {
  T value{};
  std::uint64_t line = 0;
};

struct LdbcProperties {
  std::filesystem::path path;  ///< empty: there is no such file
  std::optional<LdbcSaid<std::string>> vertex_file, edge_file;
  std::optional<LdbcSaid<std::uint64_t>> vertices, edges;  ///< meta.*
  std::optional<LdbcSaid<bool>> directed;
  std::optional<LdbcSaid<std::uint64_t>> pr_iterations, cdlp_iterations;
  std::optional<LdbcSaid<double>> pr_damping;
  std::optional<LdbcSaid<std::string>> bfs_source, sssp_source;

  /// "FILE:LINE", for messages.
  [[nodiscard]] std::string at(std::uint64_t line) const;
};

/// The graph's name with its folder from any of its files' paths, or from itself: NAME, NAME.v, NAME.e.zst,
/// NAME.properties.
[[nodiscard]] std::filesystem::path ldbc_stem(const std::filesystem::path& path);
/// True if the path names one of an LDBC graph's files, or its stem while a .v or a .properties file is there.
[[nodiscard]] bool names_ldbc_graph(const std::filesystem::path& path);
/// All optional where there is no such file. Keys that are none of ours are passed over; a value that makes
/// no sense is an error with its line.
Result<LdbcProperties> read_ldbc_properties(const std::filesystem::path& stem);

}  // namespace leeway
