// Loads a graph into the nodes of a job, each its own part (load_part), and numbers vertices by their names in the
// input where no node has memory for all names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "datasets/readers.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Consecutive names held by a node. The names of all nodes, in their order, are the names of all vertices.
struct NameBlock {
  NameKind kind = NameKind::Sequence;
  std::uint64_t count = 0;  ///< of all vertices
  std::uint64_t first = 0;  ///< Sequence: the name of vertex 0
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> words;
};

/// Numbers the ends of this node's edges, as one reader of the whole file would (datasets/vertex_numbering.h).
/// Numeric names are ranked by ranges, one for each node. Text names are numbered in the order of their first
/// occurrence in the file; a hash of the name selects the node that determines the first occurrence. Collective.
Result<NameBlock> number_ends(Group& group, ListedShare& share);

/// Distributes names by ranges of vertices, which begin at `firsts`. Returns the names of this node's range.
/// Collective.
Result<VertexNames> scatter_names(Group& group, const NameBlock& names,
                                  const std::vector<std::uint64_t>& firsts);

// The edges that one node has read, before arcs are exchanged: its share of a text file, of a .lwg file's vertices
// or of a generator's indices; for an input that cannot be read in shares, node 0 has all edges. Vertices are
// numbered.
struct Listing {
  ArcRule rule;
  WeightKind kind = WeightKind::None;
  std::vector<EdgeChunk> chunks;
  std::uint32_t left = 0;
  std::optional<EntryListing> once;
  NameBlock names;
  std::optional<Graph> whole;
};

/// Reads the edges of one graph argument. Every function is collective.
class Lister {
 public:
  Lister(Group& group, const std::string& argument, const LoadOptions& options)
      : group_(group), argument_(argument), options_(options) {
    options_.share = {group.self().value(), group.count()};
  }

  Status list_spec(Listing& listing);
  Status list_binary(Listing& listing);
  /// False if the file cannot be read by shares.
  Result<bool> list_text(Listing& listing);
  /// Node 0 reads the whole graph with all options applied, so the arcs need no further processing.
  Status list_whole(Listing& listing);

  /// An Input error unless `mark` is equal on all nodes, which shows that they read the same file.
  Status same_file(std::uint64_t mark);
  /// The most general kind of any node: Integer only if all nodes' weights are integers.
  [[nodiscard]] WeightKind widest(WeightKind mine);

 private:
  Status list_range(Listing& listing);
  Status check_halves(const ListedShare& mine);
  Status check_ends(const ListedShare& mine);

  Group& group_;
  const std::string& argument_;
  LoadOptions options_;
};

/// How the graph was read.
enum class LoadedBy {
  Shares,   ///< every node read or generated its own share
  OneNode,  ///< node 0 read the whole graph
};

struct LoadedPart {
  GraphPart part;
  LoadedBy by = LoadedBy::Shares;
};

/// Loads a graph file or the graph of a spec (`argument`) into the nodes of a job. Text is read in parallel by
/// ranges of bytes, a .lwg file by ranges of vertices, and a generated graph is generated in shares; any other input
/// is read by node 0 and distributed. The graph equals the one that load_graph or generate return, for any number of
/// nodes. `balance`: the quantity that is equal in all ranges. One node reports an error in the input, with its line
/// in the file. Requires that nodes are processes. Collective.
Result<LoadedPart> load_part(const ClusterOptions& cluster, const std::string& argument,
                             const LoadOptions& options, BalanceBy balance);

}  // namespace leeway
