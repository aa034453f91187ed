// One function a format: from a file's text or bytes to its edges and shape. `load_graph` finds the
// right one; nobody else calls these. Every fault of the input is an Error with file and line.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "leeway/base/result.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/listed_share.h"
#include "leeway/datasets/load_options.h"

namespace leeway {

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
