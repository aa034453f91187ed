// What one share of a text file gave, before its ids are numbered: the ends of its edges are what the file calls
// them. A whole file is one share; several, read side by side, are numbered and judged together by whoever reads
// them (runtime/parts).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/build_graph.h"
#include "datasets/byte_stream.h"
#include "datasets/parse.h"
#include "datasets/vertex_numbering.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

/// What the ends of the edges are.
enum class EndKind {
  Vertices,  ///< vertices: the shape has their number and their names
  Small,     ///< ids below 2^32, as they are
  Wide,      ///< places among the block's wide_names
  Words,     ///< places among the block's text_names
};

/// How a matrix lists its entries.
struct EntryListing {
  bool half = false;               ///< each entry off the diagonal became two arcs, one mirrored
  std::uint64_t first_line = 0;    ///< behind the size line
  std::uint64_t first_column = 0;  ///< the vertex that column 1 became
};

struct ListedShare {
  std::vector<ParsedBlock> blocks;
  WeightKind weight_kind = WeightKind::None;  ///< Integer where no weight of this share is broken
  EndKind ends = EndKind::Vertices;
  GraphShape shape;      ///< direction; of Vertices all of it
  DeclaredIds declared;  ///< of Small
  // What the header says there is, where it says so, and the lines to be held to it.
  std::optional<std::uint64_t> said_edges;
  std::optional<std::uint64_t> said_vertices;
  std::string said_at;  ///< "file:line"
  std::string_view said_of = "edges";
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;            ///< of the whole file
  std::optional<std::uint64_t> left;  ///< bipartite: users among the vertices, if the header says
  /// A coordinate matrix lists each of its entries once, and a symmetric one on one side of its diagonal: to be looked
  /// for when all shares are together. Lines are 0 where there is none.
  std::optional<EntryListing> once;
  std::uint64_t above_line = 0;  ///< in the file, of an entry above the diagonal
  bool below = false;            ///< some entry stands below
  bool wide_ids = false;         ///< some id needs 64 bits: to be read again, as Wide
};

/// What falls to options.share of a file that several may read side by side; nothing for any other. `wide`: ids of
/// 64 bits.
Result<std::optional<ListedShare>> list_share(const std::filesystem::path& path,
                                              const LoadOptions& options, bool wide);

/// The error for a matrix in a file that lists this entry for the second time: the arc it became.
Error entry_twice(const EntryListing& listing, const std::filesystem::path& path, VertexId row,
                  VertexId column);
/// The error for a symmetric matrix that lists both halves, an entry above its diagonal at `where`.
Error both_halves(const std::string& where);

/// True if no option asks for another graph than a file holds.
[[nodiscard]] bool leaves_graph(const LoadOptions& options);

/// Holds a header to what all shares gave together.
Status check_said(const ListedShare& share, std::uint64_t rows, std::uint64_t vertices);

/// The only share of a file, numbered.
Result<ListedGraph> number_share(ListedShare share, unsigned threads);

// One function a format: from a file's text or bytes to its edges and shape. `load_graph` finds the
// right one; nobody else calls these. Every fault of the input is an Error with file and line.

/// A file that may be opened more than once (a second look when ids turn out to need 64 bits).
struct InputFile {
  std::string name;  ///< for messages
  std::function<Result<std::unique_ptr<ByteSource>>()> open;
  std::filesystem::path path;  ///< empty for memory
};

using FormatReader = Result<ListedGraph> (*)(const InputFile& file, const LoadOptions& options);

Result<ListedGraph> read_edge_list(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_csv(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_gap_el(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_gap_wel(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_gap_sg(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_gap_wsg(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_matrix_market(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_dimacs(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_metis(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_ldbc(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_ldbc_adjacency(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_ratings(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_jester(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_binary(const InputFile& file, const LoadOptions& options);
/// The mapped graph itself, for options that leave it as it is.
Result<Graph> map_binary(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_npz(const InputFile& file, const LoadOptions& options);
Result<ListedGraph> read_graphml(const InputFile& file, const LoadOptions& options);

// Shares of a file, where the format can be read so: what falls to options.share, or nothing where this file cannot
// be shared out. `wide`: ids of 64 bits.

using ShareReader = Result<std::optional<ListedShare>> (*)(const InputFile& file,
                                                           const LoadOptions& options, bool wide);

Result<std::optional<ListedShare>> share_edge_list(const InputFile& file,
                                                   const LoadOptions& options, bool wide);
Result<std::optional<ListedShare>> share_gap_el(const InputFile& file, const LoadOptions& options,
                                                bool wide);
Result<std::optional<ListedShare>> share_gap_wel(const InputFile& file, const LoadOptions& options,
                                                 bool wide);
Result<std::optional<ListedShare>> share_matrix_market(const InputFile& file,
                                                       const LoadOptions& options, bool wide);
Result<std::optional<ListedShare>> share_dimacs(const InputFile& file, const LoadOptions& options,
                                                bool wide);

/// Refuses a count of vertices that no VertexId holds, or that a file of so many bytes of text
/// cannot mean: memory is spent on what a file holds, not on what its header claims.
Status check_vertex_count(std::uint64_t count, std::uint64_t bytes, const std::string& where);
/// The error for a header that says `said` where there are `found`.
Error count_mismatch(const std::string& where, std::string_view of_what, std::uint64_t said,
                     std::uint64_t found);

/// True unless the caller wants no weights or others than the file's.
[[nodiscard]] inline bool keeps_weights(const LoadOptions& options) {
  return options.weights == Weights::File;
}

}  // namespace leeway
