// Files of an LDBC Graphalytics graph: NAME.v, NAME.e, and NAME.properties, whose lines "graph.NAME.key = value" describe
// the graph and the parameters of the benchmark's algorithms. ldbc.cc also holds the readers of both LDBC formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace leeway {

/// A value of the properties file, with its line number.
template <class T>
struct LdbcEntry {
  T value{};
  std::uint64_t line = 0;
};

/// What a properties file prescribes for one algorithm.
struct LdbcAlgorithm {
  std::optional<LdbcEntry<std::uint64_t>> iterations;
  std::optional<LdbcEntry<double>> damping;
  std::optional<LdbcEntry<std::string>> source;
};

struct LdbcProperties {
  std::filesystem::path path;  ///< empty: there is no such file
  std::optional<LdbcEntry<std::string>> vertex_file, edge_file;
  std::optional<LdbcEntry<std::uint64_t>> vertices, edges;  ///< meta.*
  std::optional<LdbcEntry<bool>> directed;
  std::map<std::string, LdbcAlgorithm, std::less<>> algorithms;  ///< "pr", "bfs" and so on

  /// Without values if the file has none for it.
  [[nodiscard]] LdbcAlgorithm algorithm(std::string_view name) const;

  /// "FILE:LINE", for messages.
  [[nodiscard]] std::string at(std::uint64_t line) const;
};

/// The path of the graph without suffixes, from the path of any of its files: NAME, NAME.v, NAME.e.zst, NAME.properties.
[[nodiscard]] std::filesystem::path ldbc_stem(const std::filesystem::path& path);
/// True if the path names one of an LDBC graph's files, or is their stem and a .v or .properties file exists.
[[nodiscard]] bool names_ldbc_graph(const std::filesystem::path& path);
/// Without a properties file, all members are empty. Unknown keys are ignored; an invalid value is an error that names the
/// line.
Result<LdbcProperties> read_ldbc_properties(const std::filesystem::path& stem);

}  // namespace leeway
