// Graphs: vertex names, the graph in memory, options for loading and generating, graph specs, file formats, and partitions
// with their reports.
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
#include "base/result.h"

namespace leeway {

/// How vertices are named in the input. Internally vertices are numbered 0 … n-1; outputs use the names.
enum class NameKind : std::uint32_t {
  Sequence = 0,  ///< the name of vertex i is first + i; nothing is stored
  Numbers = 1,   ///< sparse 64-bit ids, ascending: vertex order is numeric order
  Strings = 2,   ///< text, in order of first appearance in the input
};

/// The names of a graph's vertices. Immutable, so safe to read from any thread. Move-only.
class VertexNames {
 public:
  /// The name of vertex i is first + i.
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
  /// The vertex with this name, if there is one. Numeric names must consist of decimal digits.
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

/// The kind of the weights of a graph.
enum class WeightKind : std::uint32_t {
  None = 0,
  Integer = 1,  ///< whole numbers up to 2^53, so that a double holds them exactly
  Real = 2,
};

/// The arrays and properties of a Graph. They must satisfy the requirements of Graph's constructor.
struct GraphArrays {
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< bipartite: vertices below this are users; 0 = not bipartite
  Array<std::uint64_t> offsets;  ///< n + 1 values, ascending, from 0 to the number of arcs
  Array<VertexId> targets;       ///< the concatenated lists, each ascending
  Array<double> weights;         ///< one for each arc unless None
  VertexNames names;             ///< one for each vertex
};

/// A graph or sparse matrix in memory: for each vertex (row) its out-arcs, ascending by target. An undirected edge is in the
/// lists of both its ends; a self-loop is listed once. A matrix is a directed graph whose weights are its values. A rating
/// matrix is a bipartite graph: users first, then items. Immutable, so safe to read from any thread. Move-only. Owns its
/// arrays or keeps their mapped file open.
class Graph {
 public:
  Graph() = default;  ///< no vertices
  /// Requires consistent array sizes (checked) and ascending lists (not checked).
  explicit Graph(GraphArrays parts);

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
  /// Weights of the arcs in `neighbors`, in the same order. Requires a weighted graph.
  [[nodiscard]] std::span<const double> weights(VertexId vertex) const {
    return parts_.weights.span().subspan(offsets()[vertex.index()], degree(vertex));
  }

  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return parts_.offsets.span(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return parts_.targets.span(); }
  [[nodiscard]] std::span<const double> weights() const { return parts_.weights.span(); }
  [[nodiscard]] const VertexNames& names() const { return parts_.names; }
  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const;
  /// Moves the parts out; the graph is empty afterwards.
  [[nodiscard]] GraphArrays take() && {
    vertex_count_ = 0;
    return std::exchange(parts_, {});
  }

  /// Same direction, weights, arcs and names, bit for bit.
  [[nodiscard]] bool operator==(const Graph& other) const;

 private:
  GraphArrays parts_;
  std::uint32_t vertex_count_ = 0;
};

/// The properties of a whole graph that each process knows, whichever arcs it holds.
struct GraphTotals {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< as stored: an undirected edge is two
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< as in GraphArrays

  GraphTotals() = default;
  // Implicit, so that a Graph can be passed wherever its totals are expected.
  GraphTotals(const Graph& graph)  // NOLINT(google-explicit-constructor)
      : vertices(graph.vertex_count()),
        arcs(graph.arc_count()),
        directed(graph.directed()),
        weight_kind(graph.weight_kind()),
        left_count(graph.left_count()) {}

  [[nodiscard]] bool weighted() const { return weight_kind != WeightKind::None; }
};

/// One of `count` equal shares of a range: the bytes of a file, or the indices of a generator. Shares are consecutive in the
/// order of their indices, so the concatenated results do not depend on the number of shares.
struct Share {
  std::uint32_t index = 0;
  std::uint32_t count = 1;

  /// First item of the share among `total` items; its end is the first item of the next share.
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

class Progress;

/// Auto: as the format or the header of the file states; an edge list without such a statement is directed.
enum class Direction { Auto, Directed, Undirected };
/// Auto: duplicates are kept, but are an error in formats that do not allow them (Matrix Market).
enum class Duplicates { Auto, Keep, Merge };
/// The weight of a merged edge.
enum class MergeWeights { Sum, Min, Max, First, Last };
enum class SelfLoops { Keep, Drop };
/// File: the weights of the file, if any; None: no weights; Random: drawn by the seed.
enum class Weights { File, None, Random };

/// How a graph is read or generated. The defaults do not change the graph of a file.
struct LoadOptions {
  std::optional<std::string> format;  ///< name of a format; detected if absent
  // Only for CSV:
  std::string columns;  ///< "A,B" or "A,B,W", each a title or a position from 1; empty: by titles
  char delimiter = 0;   ///< 0: detected
  std::optional<bool> header;  ///< whether the first row has titles; detected if absent
  Direction direction = Direction::Auto;
  bool symmetrize = false;  ///< add every arc's reverse; the graph becomes undirected
  Duplicates duplicates = Duplicates::Auto;
  MergeWeights merge_weights = MergeWeights::Sum;
  SelfLoops self_loops = SelfLoops::Keep;
  Weights weights = Weights::File;
  std::uint64_t seed = 1;   ///< for random weights and generated graphs
  double weight_low = 1.0;  ///< random weights are whole numbers in [low, high]
  double weight_high = 100.0;
  /// True if an option is set that applies only to CSV.
  [[nodiscard]] bool has_csv_options() const {
    return !columns.empty() || delimiter != 0 || header.has_value();
  }
  Share share;  ///< share of the edges to list, if several processes read or generate a graph
  unsigned threads = 0;          ///< 0 = all cores that this process may use
  Progress* progress = nullptr;  ///< if not null: receives the progress of the work
};

struct ListedGraph;  // build_graph.h

/// A kind of graph spec. A spec is a text that defines a graph instead of a file: "kron:16", "grid2d:100x80", "known:karate".
/// An unknown kind, a missing or extra part, or an impossible size is an Input error that shows an example.
struct GraphSpecInfo {
  std::string_view form;  ///< "kron:SCALE[:DEGREE]"
  std::string_view example;
  std::string_view summary;
  bool drawn = false;  ///< the graph is random and depends on the seed
};
/// Every kind of spec, for help texts.
[[nodiscard]] std::span<const GraphSpecInfo> graph_specs();

/// True for a text that begins with a kind and a colon. Any other text with a colon may be a file name.
[[nodiscard]] bool is_graph_spec(std::string_view text);

/// The Input error for a text that is neither an existing file nor a spec.
Error no_such_graph(std::string_view text);

/// True for a spec of a random graph.
[[nodiscard]] bool is_drawn_spec(std::string_view text);

/// The size of a spec's graph, computed without generating it.
struct SpecSize {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< approximate; an undirected edge counts as two
  bool directed = false;
  bool weighted = false;
  std::uint32_t width = 0, height = 0;  ///< of a plane grid in row order; 0 for other graphs
};
Result<SpecSize> size_of_spec(std::string_view spec, const LoadOptions& options);

/// Generates the graph of a spec. More than 2^32 - 2 vertices, or more memory than is available, is an error before anything
/// is allocated.
Result<Graph> generate(std::string_view spec, const LoadOptions& options);
/// The edges of `options.share`, without building a graph; the same errors.
Result<ListedGraph> list_spec(std::string_view spec, const LoadOptions& options);

struct FormatInfo {
  std::string_view name;         ///< for `--format`
  std::string_view description;  ///< one line for help texts
};

/// All formats that can be read.
[[nodiscard]] std::span<const FormatInfo> readable_formats();

/// Loads a graph file. The format is options.format, else it is detected from the content and the name of the file; .gz, .zst
/// and .xz are decompressed. Uses options.threads threads; peak memory is close to that of the graph. The Error of a
/// malformed file names file and line.
Result<Graph> load_graph(const std::filesystem::path& path, const LoadOptions& options);

/// Loads `bytes` like the content of a file with this name.
Result<Graph> load_graph_from_memory(std::string_view bytes, const std::string& name,
                                     const LoadOptions& options);

/// The name of the format that `load_graph` would choose.
Result<std::string_view> detect_format(const std::filesystem::path& path);

/// All formats that `write_graph` can write.
[[nodiscard]] std::span<const FormatInfo> writable_formats();

/// The format that the suffix of a name selects; an edge list without a suffix. An Input error for an unknown suffix.
Result<std::string_view> format_of_name(const std::filesystem::path& path);

/// Writes a graph to a file that other tools can read. Properties that a text format cannot express are in comment lines
/// (docs/formats.md), so load_graph returns an equal graph. Writes a temporary file, syncs and renames it; if it fails, no
/// file is left under the name. Compressed if the name ends in .gz, .zst or .xz. Without `format`, the name selects it.
Status write_graph(const Graph& graph, const std::filesystem::path& path,
                   std::optional<std::string> format = {});

/// A partition of a graph's vertices: the part (owner) of each vertex, one part for each node. Parts may be empty, and there
/// may be more parts than vertices. Owns its array; move-only. Invariant: every owner is below `part_count`.
struct Partition {
  std::uint32_t part_count = 1;
  Array<PartId> owner;  ///< one for each vertex
};

enum class PartitionMethod {
  Auto,    ///< Metis, Block or Ldg, chosen by the graph's size and arcs (see partition_methods.h)
  Metis,   ///< METIS k-way: smallest cut; holds the symmetrised graph in memory, below 2^31 arcs
  Block,   ///< contiguous ranges of vertices
  Hash,    ///< by a hash of vertex and seed; no memory, balanced on average
  Random,  ///< a seeded shuffle, distributed evenly
  Ldg,     ///< linear deterministic greedy (Stanton & Kliot, KDD'12): one pass over the vertices
  Fennel,  ///< Fennel (Tsourakakis et al., WSDM'14): one pass, gamma = 1.5
  File,    ///< owners read from a text file
};

/// The quantity that is balanced among the parts.
enum class BalanceBy {
  Vertices,
  Arcs,  ///< a vertex weighs one plus its out-arcs
};

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::Auto;
  std::uint32_t parts = 1;  ///< 0 with File: the number of parts in the file
  BalanceBy balance = BalanceBy::Vertices;
  /// METIS: minimize the cut weight instead of the number of cut edges. Requires real or integer weights.
  bool edge_weights = false;
  /// METIS: the weight of each vertex, instead of `balance`. Empty, or one positive number for each vertex.
  std::span<const std::uint32_t> vertex_weights;
  std::uint64_t seed = 1;  ///< for Metis, 1 is the seed that `gpmetis` uses by default
  /// METIS: number of runs, of which the best is kept; 0 = four for small graphs, one for large ones.
  unsigned tries = 0;
  std::string owner_file;        ///< for File
  Progress* progress = nullptr;  ///< if not null: receives the progress of the work
  std::optional<double>
      skew;  ///< make part 0 this many times the median part (see partition_methods.h)
};

/// A larger number of parts is refused as a probable typing error.
inline constexpr std::uint32_t kMaxParts = std::uint32_t{1} << 20;

struct PartitionMethodInfo {
  PartitionMethod method;
  std::string_view name;
  std::string_view summary;
};
/// All methods with their names on the command line, in the order of the help text.
[[nodiscard]] std::span<const PartitionMethodInfo> partition_methods();
[[nodiscard]] std::string_view partition_method_name(PartitionMethod method);

/// Sets the method (and owner file) from "auto", "metis", "block", …; any other text that contains '/' or '.', or "file:PATH",
/// is an owner file.
Status parse_partition_method(std::string_view text, PartitionOptions& options);

/// The part of one vertex under PartitionMethod::Hash.
[[nodiscard]] PartId hashed_part(VertexId vertex, std::uint32_t parts, std::uint64_t seed);
/// The part of one of `count` vertices under PartitionMethod::Random: part sizes differ by at most one.
[[nodiscard]] PartId assigned_part(VertexId vertex, std::uint64_t count, std::uint32_t parts,
                                   std::uint64_t seed);

/// Partitions a graph. The same graph, options and seed give the same partition.
Result<Partition> partition_graph(const Graph& graph, const PartitionOptions& options);

/// The size of one part of a partition. A remote neighbour needs one cache slot at run time, so a plan of memory and traffic
/// is based on these numbers.
struct PartReport {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;              ///< out-arcs of its vertices
  std::uint64_t boundary = 0;          ///< its vertices with an arc to or from another part
  std::uint64_t remote_neighbors = 0;  ///< distinct targets of its arcs in other parts
  std::uint64_t copies = 0;            ///< copies of its vertices in the parts that read them
  std::uint64_t name_bytes = 0;        ///< characters of its vertices' names, if names are text
  std::uint64_t bytes = 0;             ///< its share of the graph in memory (see plan.h)
};

/// The cut and the balance of a partition.
struct PartitionReport {
  std::vector<PartReport> parts;
  /// Number of pairs of vertices in different parts that are joined by an arc in either direction: METIS' definition of the
  /// cut of an unweighted graph.
  std::uint64_t edge_cut = 0;
  /// The sum over the same pairs of the largest weight of their arcs; equals `edge_cut` without weights.
  double weight_cut = 0;
  std::uint64_t cut_arcs = 0;
  double vertex_balance = 1;  ///< largest part over the mean: 1 is perfect
  double arc_balance = 1;
};

[[nodiscard]] PartitionReport report_partition(const Graph& graph, const Partition& partition);

}  // namespace leeway
