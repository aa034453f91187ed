// A small graph as a user would hand it over: names, edges in the order of the file, the file's form. And
// what the command's reading flags make of it, worked out here from docs/formats.md alone, so that
// nothing of the library's readers decides what the right answer is. Pure but for `write_graph`.
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
  std::vector<std::string> names;  ///< one a vertex; numbers ascend
  bool words = false;              ///< the names are no numbers
  bool directed = true;            ///< as the file says
  bool weighted = false;
  FileForm form = FileForm::Edges;
  std::uint32_t users = 0;  ///< Ratings: so many vertices stand on the left
  std::vector<InputEdge> edges;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names.size()); }
};

/// Takes out the vertices from `first` to before `end`, which is at most its size, with their edges.
void remove_vertices(InputGraph& graph, std::uint32_t first, std::uint32_t end);

/// One setting of a run: a flag without its dashes; a switch has no value.
struct Choice {
  std::string name, value;
};
using Choices = std::vector<Choice>;

/// The value of the flag, "" for a switch; nothing if it was not given.
[[nodiscard]] std::optional<std::string> chosen(const Choices& choices, std::string_view name);

/// What the command is to compute on.
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
  /// The neighbours that "both ways" means: of a directed graph either end of every arc, an arc each way
  /// twice; of an undirected one its edges.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> both_ways() const;
};

/// The graph that --directed, --undirected, --symmetrize, --self-loops, --duplicates, --merge-weights and
/// --weights make of the file.
[[nodiscard]] Lists read_as(const InputGraph& graph, const Choices& choices);

/// Writes the graph's files beside `stem`; gives what --graph is to be.
std::string write_graph(const InputGraph& graph, const std::string& stem);
/// What file names `write_graph` used.
[[nodiscard]] std::vector<std::string> graph_files(const InputGraph& graph,
                                                   const std::string& stem);

/// Shortest decimal that reads back as the same number.
[[nodiscard]] std::string decimal(double value);

}  // namespace leeway::answers
