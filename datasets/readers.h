// The readers of all graph formats: one function for each format, from a file to edges and shape, and the result of
// reading one share of a file, whose ids are not numbered yet. A whole file is one share; shares that several processes
// read in parallel are numbered and checked together in runtime/graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"
#include "datasets/parse.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

/// The meaning of the ends of the edges of a share.
enum class EndKind {
  Vertices,  ///< vertices: the shape has their count and their names
  Small,     ///< ids below 2^32 - 2, stored directly
  Wide,      ///< indices into the block's wide_names
  Words,     ///< indices into the block's text_names
};

/// How a matrix file lists its entries; needed to report a duplicate entry.
struct EntryListing {
  bool half = false;             ///< each off-diagonal entry became two arcs, one of them mirrored
  std::uint64_t first_line = 0;  ///< the line after the size line
  std::uint64_t first_column = 0;  ///< the vertex of column 1
};

/// The edges of one share of a file.
struct ListedShare {
  std::vector<ParsedBlock> blocks;
  WeightKind weight_kind = WeightKind::None;  ///< Integer if all weights of this share are integers
  EndKind ends = EndKind::Vertices;
  GraphShape shape;      ///< with Vertices complete, otherwise only the direction
  DeclaredIds declared;  ///< with Small
  // Counts that the header declares, if any, and the counts of this share to compare them with.
  std::optional<std::uint64_t> declared_edges;
  std::optional<std::uint64_t> declared_vertices;
  std::string declared_at;                   ///< "file:line"
  std::string_view declared_unit = "edges";  ///< the unit of declared_edges and rows
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;            ///< of the whole file
  std::optional<std::uint64_t> left;  ///< bipartite: number of users, if the header declares it
  /// A coordinate matrix must list each entry once, and a symmetric one only on one side of its diagonal; this is checked
  /// when all shares are together. Empty if duplicates are allowed.
  std::optional<EntryListing> once;
  std::uint64_t above_line = 0;  ///< line of an entry above the diagonal; 0: there is none
  bool below = false;            ///< there is an entry below the diagonal
  bool wide_ids = false;         ///< an id needs 64 bits: the file must be read again as Wide
};

/// For formats that list each undirected edge at both its ends. The sum over all edges of a file is 0 if every edge has its
/// reverse with the same weight: the hashes of both cancel. (A hash collision is negligible.)
std::uint64_t imbalance_of_ends(const EdgeChunk& chunk);
/// Returns an Input error that names an edge which its two ends list differently. `first`: the file's number of vertex 0.
Status check_both_ends(std::span<const EdgeChunk* const> chunks, std::uint64_t first,
                       const std::string& where);

/// The share `options.share` of a file; nothing if its format or content cannot be read in shares. `wide`: ids of 64 bits.
Result<std::optional<ListedShare>> list_share(const std::filesystem::path& path,
                                              const LoadOptions& options, bool wide);

/// The error for a matrix file that lists an entry twice, given as the arc that it became.
Error entry_twice(const EntryListing& listing, const std::filesystem::path& path, VertexId row,
                  VertexId column);
/// The error for a symmetric matrix that lists both halves; `where` is the line of an entry above the diagonal.
Error both_halves(const std::string& where);

/// True if no option changes the graph of a file.
[[nodiscard]] bool leaves_graph(const LoadOptions& options);

/// Compares the counts that the header declares with the totals over all shares.
Status check_declared_counts(const ListedShare& share, std::uint64_t rows, std::uint64_t vertices);

/// Numbers the vertices of a file that was read as a single share.
Result<ListedGraph> number_share(ListedShare share, unsigned threads);

// One reader for each format, selected by `load_graph`. Every fault of the input is an Error with file and line.

/// An input file that can be opened more than once: it is read again if ids need 64 bits.
struct InputFile {
  std::string name;  ///< for messages
  std::function<Result<std::unique_ptr<ByteSource>>()> open;
  std::filesystem::path path;  ///< empty for memory
};

using FormatReader = Result<ListedGraph> (*)(const InputFile& file, const LoadOptions& options);

Result<ListedGraph> read_edge_list(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_csv(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_gap_sg(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_gap_wsg(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_matrix_market(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_dimacs(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_metis(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_ldbc(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_ratings(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_jester(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_binary(const InputFile& file, const LoadOptions& options);
/// The mapped graph itself. Requires options that do not change the graph (`leaves_graph`).
Result<Graph> map_binary(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_npz(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_graphml(const InputFile& file, const LoadOptions& options);

/// Reads the share `options.share` of a file. Nothing if this file cannot be read in shares. `wide`: ids of 64 bits.
using ShareReader = Result<std::optional<ListedShare>> (*)(const InputFile& file,
                                                           const LoadOptions& options, bool wide);

Result<std::optional<ListedShare>> share_edge_list(const InputFile& file,
                                                   const LoadOptions& options, bool wide);
Result<std::optional<ListedShare>> share_matrix_market(const InputFile& file,
                                                       const LoadOptions& options, bool wide);
Result<std::optional<ListedShare>> share_dimacs(const InputFile& file, const LoadOptions& options,
                                                bool wide);

/// A line that is not an edge because it has `columns` columns.
Error no_edge(std::string where, std::size_t columns, std::string_view line, std::string remedy);

/// An error for a vertex count that exceeds VertexId, or that is implausible for a file of `bytes` bytes of text: a damaged
/// header must not cause a huge allocation.
Status check_vertex_count(std::uint64_t count, std::uint64_t bytes, const std::string& where);
/// The error for a header that states `stated` items of a file that has `found`.
Error count_mismatch(const std::string& where, std::string_view of_what, std::uint64_t stated,
                     std::uint64_t found);

/// The error for complex values, for a reader that is to keep the weights.
Error complex_values(std::string where);

/// True if the weights of the file are used.
[[nodiscard]] inline bool keeps_weights(const LoadOptions& options) {
  return options.weights == Weights::File;
}

}  // namespace leeway
