// A small graph in the form of a user's file: names, edges in file order, and the file format. Also
// the effect of the command's reading flags on it, computed from docs/formats.md alone, so that the
// right answer does not depend on the library's readers. Pure except `write_graph`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway::answers {

struct InputEdge {
  std::uint32_t from = 0, to = 0;
  double weight = 1;
};

enum class FileForm : std::uint8_t {
  Edges,    ///< an edge list; vertices without edges are listed in its comments
  Ldbc,     ///< NAME.v, NAME.e and NAME.properties
  Matrix,   ///< Matrix Market; an edge list if it is undirected or its names are not 1, 2, …
  Ratings,  ///< user::item::rating
};

struct InputGraph {
  std::vector<std::string> names;  ///< one per vertex; numbers are ascending
  bool words = false;              ///< the names are not numbers
  bool directed = true;            ///< as declared in the file
  bool weighted = false;
  FileForm form = FileForm::Edges;
  std::uint32_t users = 0;  ///< Ratings: number of vertices on the left
  std::vector<InputEdge> edges;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names.size()); }
};

/// Removes the vertices [first, end) with their edges; `end` is at most the graph's size.
void remove_vertices(InputGraph& graph, std::uint32_t first, std::uint32_t end);

/// One setting of a run: a flag without its dashes; a switch has an empty value.
struct Choice {
  std::string name, value;
};
using Choices = std::vector<Choice>;

/// The value of the flag, "" for a switch; nothing if it was not given.
[[nodiscard]] std::optional<std::string> chosen(const Choices& choices, std::string_view name);

/// The graph that the command must compute on.
struct Lists {
  struct Arc {
    std::uint32_t to = 0;
    double weight = 1;
  };
  bool directed = true;
  bool weighted = false;
  std::vector<std::vector<Arc>> out;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(out.size()); }
  /// Every arc has its reverse, weights aside.
  [[nodiscard]] bool symmetric() const;
  /// The neighbours in both directions. In a directed graph both ends of every arc, so a pair of
  /// opposite arcs counts twice; in an undirected graph the edges.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> both_ways() const;
};

/// The graph that results from the file with --directed, --undirected, --symmetrize, --self-loops,
/// --duplicates, --merge-weights and --weights.
[[nodiscard]] Lists read_as(const InputGraph& graph, const Choices& choices);

/// Writes the files of the graph with the prefix `stem`; returns the value for --graph.
std::string write_graph(const InputGraph& graph, const std::string& stem);
/// The name of the format in which `write_graph` writes it.
[[nodiscard]] std::string format_of(const InputGraph& graph);
/// The names of the files that `write_graph` wrote.
[[nodiscard]] std::vector<std::string> graph_files(const InputGraph& graph,
                                                   const std::string& stem);

/// Shortest decimal that parses to the same number.
[[nodiscard]] std::string decimal(double value);

}  // namespace leeway::answers
