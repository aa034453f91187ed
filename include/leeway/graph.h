// What a graph's vertices were called where they came from. Inside, vertices are 0 … n-1; outputs give
// these names back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "leeway/result.h"

namespace leeway {

enum class NameKind : std::uint32_t {
  Sequence = 0,  ///< vertex i is called first + i; nothing is stored
  Numbers = 1,   ///< sparse 64-bit ids, ascending: vertex order is numeric order
  Strings = 2,   ///< text, in order of first appearance in the input
};

/// Immutable once made. Thread-safe to read. Move-only.
class VertexNames {
 public:
  /// Vertex i is called first + i.
  static VertexNames sequence(std::uint64_t first, std::uint32_t count);
  /// Requires `ids` strictly ascending (checked).
  static VertexNames numbers(Array<std::uint64_t> ids);
  /// Name i is bytes[offsets[i] .. offsets[i+1]). Requires distinct names and offsets.size() = n + 1.
  /// `sorted` lists the vertices in byte order of their names, for `find`.
  static VertexNames strings(Array<std::uint64_t> offsets, Array<char> bytes,
                             Array<VertexId> sorted);

  VertexNames() = default;

  [[nodiscard]] NameKind kind() const { return kind_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::string name(VertexId vertex) const;
  /// The vertex of this name, if there is one. Numbers must be written as decimal digits.
  [[nodiscard]] std::optional<VertexId> find(std::string_view name) const;

  [[nodiscard]] const Array<std::uint64_t>& ids() const { return numbers_; }  ///< or string offsets
  [[nodiscard]] const Array<char>& text() const { return text_; }
  [[nodiscard]] const Array<VertexId>& sorted() const { return sorted_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  NameKind kind_ = NameKind::Sequence;
  std::uint32_t count_ = 0;
  std::uint64_t first_ = 0;
  Array<std::uint64_t> numbers_;  // ids of Numbers, offsets of Strings
  Array<char> text_;
  Array<VertexId> sorted_;
};

// A graph or sparse matrix in memory: for each vertex (row) its out-arcs, ascending by target. An
// undirected edge stands in both its ends' lists; a self-loop stands once. A matrix is a directed
// graph whose weights are its values. A rating matrix is bipartite: users first, then items.
enum class WeightKind : std::uint32_t {
  None = 0,
  Integer = 1,  ///< whole numbers up to 2^53, so that a double holds them exactly
  Real = 2,
  Complex = 3,  ///< a second array holds the imaginary parts
};

/// What a Graph is made of. Whoever fills one upholds what Graph's constructor checks.
struct GraphParts {
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< bipartite: vertices below this are users; 0 = not bipartite
  Array<std::uint64_t> offsets;  ///< n + 1 values, ascending, from 0 to the number of arcs
  Array<VertexId> targets;       ///< the lists one after the other, each ascending
  Array<double> weights;         ///< one an arc unless None
  Array<double> imaginary;       ///< one an arc for Complex
  VertexNames names;             ///< one a vertex
};

/// Immutable, so safe to read from any thread. Move-only. Owns its arrays (or their mapping).
class Graph {
 public:
  Graph() = default;  ///< no vertices
  /// Requires array sizes that fit together (checked); the order inside is the maker's duty.
  explicit Graph(GraphParts parts);

  [[nodiscard]] std::uint32_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] std::uint64_t arc_count() const { return parts_.targets.size(); }
  /// Arcs of a directed graph; edges, self-loops included, of an undirected one.
  [[nodiscard]] std::uint64_t edge_count() const;
  [[nodiscard]] std::uint64_t self_loop_count() const;
  [[nodiscard]] bool directed() const { return parts_.directed; }
  [[nodiscard]] WeightKind weight_kind() const { return parts_.weight_kind; }
  [[nodiscard]] bool weighted() const { return parts_.weight_kind != WeightKind::None; }
  [[nodiscard]] std::uint32_t left_count() const { return parts_.left_count; }

  [[nodiscard]] std::uint64_t degree(VertexId vertex) const {
    return offsets()[vertex.index() + 1] - offsets()[vertex.index()];
  }
  [[nodiscard]] std::span<const VertexId> neighbors(VertexId vertex) const {
    return targets().subspan(offsets()[vertex.index()], degree(vertex));
  }
  /// Beside `neighbors`. Requires a weighted graph.
  [[nodiscard]] std::span<const double> weights(VertexId vertex) const {
    return parts_.weights.span().subspan(offsets()[vertex.index()], degree(vertex));
  }

  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return parts_.offsets.span(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return parts_.targets.span(); }
  [[nodiscard]] std::span<const double> weights() const { return parts_.weights.span(); }
  [[nodiscard]] std::span<const double> imaginary() const { return parts_.imaginary.span(); }
  [[nodiscard]] const VertexNames& names() const { return parts_.names; }
  /// Memory of all arrays.
  [[nodiscard]] std::size_t bytes() const;
  /// What it is made of; nothing is left of it.
  [[nodiscard]] GraphParts take() && {
    vertex_count_ = 0;
    return std::exchange(parts_, {});
  }

  /// Same direction, weights, arcs and names, bit for bit.
  [[nodiscard]] bool operator==(const Graph& other) const;

 private:
  GraphParts parts_;
  std::uint32_t vertex_count_ = 0;
};

// Which of several equal shares of a work is meant: the bytes of a file, the numbers of a generator. Shares follow
// each other in the order of their indices, so what comes of all of them, put together, does not depend on how
// many there are.
struct Share {
  std::uint32_t index = 0;
  std::uint32_t count = 1;

  /// Where it begins among `total` items; the next one's beginning is its end.
  [[nodiscard]] std::uint64_t begin(std::uint64_t total) const { return before(total, index); }
  [[nodiscard]] std::uint64_t end(std::uint64_t total) const {
    return before(total, index + std::uint64_t{1});
  }
  [[nodiscard]] bool whole() const { return count == 1; }

 private:
  [[nodiscard]] std::uint64_t before(std::uint64_t total, std::uint64_t shares) const {
    return total / count * shares + total % count * shares / count;
  }
};

// How a graph is to be read or generated: every choice has a default that is stated here and in
// `--help`, and none changes what a file says unless asked to.
class Progress;

/// Direction::Auto: what the format or the file's header says; an edge list that says nothing is
/// directed.
enum class Direction { Auto, Directed, Undirected };
/// Auto: kept, but refused where the format says that there are none (Matrix Market).
enum class Duplicates { Auto, Keep, Merge };
/// Which weight a merged edge has.
enum class MergeWeights { Sum, Min, Max, First, Last };
enum class SelfLoops { Keep, Drop };
/// File: as the file has them (if it has any); None: leave them out; Random: drawn by seed.
enum class Weights { File, None, Random };

struct LoadOptions {
  std::optional<std::string> format;  ///< a format's name; detected when absent
  // Of CSV alone:
  std::string
      columns;         ///< "A,B" or "A,B,W", each a title or a place from 1; empty: by their titles
  char delimiter = 0;  ///< 0: detected
  std::optional<bool> header;  ///< whether the first row holds titles; by its content when absent
  Direction direction = Direction::Auto;
  bool symmetrize = false;  ///< add every arc's reverse; the graph becomes undirected
  Duplicates duplicates = Duplicates::Auto;
  MergeWeights merge_weights = MergeWeights::Sum;
  SelfLoops self_loops = SelfLoops::Keep;
  Weights weights = Weights::File;
  std::uint64_t seed = 1;   ///< for random weights and generated graphs
  double weight_low = 1.0;  ///< random weights are whole numbers in [low, high]
  double weight_high = 100.0;
  /// Whether something is said that only CSV can heed.
  [[nodiscard]] bool speaks_of_csv() const {
    return !columns.empty() || delimiter != 0 || header.has_value();
  }
  Share share;           ///< what of the edges to list, where a graph is read or made by several
  unsigned threads = 0;  ///< 0 = every core this process may use
  Progress* progress = nullptr;  ///< told how far the work has come, if somebody watches
};

// Graphs named by a few words instead of a file: "kron:16", "grid2d:100x80", "known:karate". A spec is
// strict: an unknown kind, a missing or extra part, a size that cannot be held is an Input error that shows
// an example.
struct ListedGraph;  // build_graph.h

struct GraphSpecInfo {
  std::string_view form;  ///< "kron:SCALE[:DEGREE]"
  std::string_view example;
  std::string_view summary;
  bool drawn = false;  ///< by the seed
};
/// Every kind of spec, for help texts.
[[nodiscard]] std::span<const GraphSpecInfo> graph_specs();

/// True for text that begins with a kind and a colon; what else contains a colon may be a file.
[[nodiscard]] bool is_graph_spec(std::string_view text);

/// True for a spec of a kind that is drawn at random.
[[nodiscard]] bool is_drawn_spec(std::string_view text);

/// How large a spec's graph is, told without making it.
struct SpecSize {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< about; as stored, an undirected edge is two
  bool directed = false;
  bool weighted = false;
  std::uint32_t width = 0, height = 0;  ///< of a plane of vertices, row by row; 0: it is none
};
Result<SpecSize> size_of_spec(std::string_view spec, const LoadOptions& options);

/// Sizes are refused before anything is allocated: more than 2^32 - 2 vertices, or more memory than the
/// machine has.
Result<Graph> generate(std::string_view spec, const LoadOptions& options);
/// The edges that fall to `options.share`, not yet a graph; errors alike.
Result<ListedGraph> list_spec(std::string_view spec, const LoadOptions& options);

// Any graph file to a Graph: the format from what is asked for, else from the file's content and
// name; .gz, .zst and .xz unpacked on the way.
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

// A Graph to a text file that other tools read and that our readers give back unchanged: what the
// format cannot say stands in comment lines (docs/formats.md).

/// Every text format that can be written.
[[nodiscard]] std::span<const FormatInfo> writable_formats();

/// The format a name's suffix asks for; an edge list without one. An Input error for a suffix that means
/// nothing here.
Result<std::string_view> format_of_name(const std::filesystem::path& path);

/// Writes aside, syncs, renames; nothing stays under the name when it fails. Compressed if the name
/// ends in .gz, .zst or .xz. Without a `format`, the name decides.
Status write_graph(const Graph& graph, const std::filesystem::path& path,
                   std::optional<std::string> format = {});

// Dividing a graph's vertices among parts, one part a node: every method behind one call. A partition
// names an owner for each vertex; parts may be empty, and there may be more parts than vertices.
class Progress;

/// Owns its array; move-only. Invariant: every owner is below `part_count`.
struct Partition {
  std::uint32_t part_count = 1;
  Array<PartId> owner;  ///< one a vertex
};

enum class PartitionMethod {
  Auto,    ///< whichever of the others the graph's arcs speak for (see partition_auto.h)
  Metis,   ///< METIS k-way: smallest cut; holds the symmetrised graph in memory, below 2^31 arcs
  Block,   ///< contiguous ranges of vertices
  Hash,    ///< by a hash of vertex and seed; needs no memory, balanced on average
  Random,  ///< a seeded shuffle dealt out evenly
  Ldg,     ///< linear deterministic greedy (Stanton & Kliot, KDD'12): one pass over the vertices
  Fennel,  ///< Fennel (Tsourakakis et al., WSDM'14): one pass, gamma = 1.5
  File,    ///< owners read from a text file
};

/// What parts are to have the same amount of.
enum class BalanceBy {
  Vertices,
  Arcs,  ///< a vertex weighs one plus its out-arcs
};

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::Auto;
  std::uint32_t parts = 1;  ///< 0 with File: as many as the file speaks of
  BalanceBy balance = BalanceBy::Vertices;
  /// METIS: cut little weight rather than few edges. Requires a real or integer weighted graph.
  bool edge_weights = false;
  /// METIS: what each vertex weighs, instead of `balance`. Empty, or one positive number a vertex.
  std::span<const std::uint32_t> vertex_weights;
  std::uint64_t seed = 1;  ///< for Metis, 1 is the seed that `gpmetis` uses by default
  /// METIS: runs of which the best is kept; 0 = four on small graphs, one on large ones.
  unsigned tries = 0;
  std::string owner_file;        ///< for File
  Progress* progress = nullptr;  ///< told how far the work has come, if somebody watches
  std::optional<double>
      skew;  ///< make part 0 this many times the median part (see partition_skew.h)
};

/// More parts than this are taken for a slip of the pen.
inline constexpr std::uint32_t kMaxParts = std::uint32_t{1} << 20;

struct PartitionMethodInfo {
  PartitionMethod method;
  std::string_view name;
  std::string_view summary;
};
/// Every method with its name on the command line, in the order help lists them.
[[nodiscard]] std::span<const PartitionMethodInfo> partition_methods();
[[nodiscard]] std::string_view partition_method_name(PartitionMethod method);

/// Sets method (and owner file) from "auto", "metis", "block", …; anything else with a '/' or '.' in it, or
/// "file:PATH", is an owner file.
Status parse_partition_method(std::string_view text, PartitionOptions& options);

/// Hash, of one vertex.
[[nodiscard]] PartId hashed_part(VertexId vertex, std::uint32_t parts, std::uint64_t seed);
/// Random, of one of `count` vertices: parts get equally many, or one more.
[[nodiscard]] PartId dealt_part(VertexId vertex, std::uint64_t count, std::uint32_t parts,
                                std::uint64_t seed);

/// Same graph, options and seed: same partition.
Result<Partition> partition_graph(const Graph& graph, const PartitionOptions& options);

// What a partition costs: the cut, the balance, and what each part will hold. A remote neighbour is one
// cache slot at run time, so these numbers are what a plan of memory and traffic starts from.
struct PartReport {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;              ///< out-arcs of its vertices
  std::uint64_t boundary = 0;          ///< its vertices with an arc to or from another part
  std::uint64_t remote_neighbors = 0;  ///< distinct vertices of other parts its arcs lead to
  std::uint64_t copies = 0;      ///< of its vertices, counted once for each part that reads them
  std::uint64_t name_bytes = 0;  ///< characters of its vertices' names, where they are text
  std::uint64_t bytes = 0;       ///< its share of the graph in memory (see plan.h)
};

struct PartitionReport {
  std::vector<PartReport> parts;
  /// Pairs of vertices joined by one or more arcs in either direction, in different parts: what METIS
  /// calls the cut of an unweighted graph.
  std::uint64_t edge_cut = 0;
  /// The same with each pair counting the largest weight of its arcs; equals `edge_cut` without weights.
  double weight_cut = 0;
  std::uint64_t cut_arcs = 0;
  double vertex_balance = 1;  ///< largest part over the mean: 1 is perfect
  double arc_balance = 1;
};

[[nodiscard]] PartitionReport report_partition(const Graph& graph, const Partition& partition);

}  // namespace leeway
