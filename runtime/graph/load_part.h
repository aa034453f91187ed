// From what a file calls its vertices to numbers, where every node has read a share of the file and none has room for
// all names: numbers are ranked by ranges, each node one range; words are numbered in the order in which the file
// first says them, by way of a hash that says which node decides who was first. The numbers are those that one
// reader of the whole file gives (datasets/vertex_numbering.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/build_graph.h"
#include "datasets/readers.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "runtime/cluster/exchange.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Names that follow each other, of vertices from `from` on; those of the next node's follow.
struct NameStretch {
  NameKind kind = NameKind::Sequence;
  std::uint64_t count = 0;  ///< of all vertices
  std::uint64_t first = 0;  ///< of a sequence: what vertex 0 is called
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> words;
};

/// Numbers the ends of this node's edges. Collective.
Result<NameStretch> number_ends(Exchange& exchange, ListedShare& share);

/// Deals names out by ranges of vertices, which begin at `firsts`: what this node's range is called. Collective.
Result<VertexNames> deal_names(Exchange& exchange, const NameStretch& names,
                               const std::vector<std::uint64_t>& firsts);

// What each node of a job has of a graph's edges before arcs change hands: its share of a text, of a .lwg file's vertices
// or of a generator's indices; or, of an input that cannot be shared out, all of it at node 0. Vertices are numbered.
struct Listing {
  ArcRule rule;
  WeightKind kind = WeightKind::None;
  std::vector<EdgeChunk> chunks;
  std::uint32_t left = 0;
  std::optional<EntryListing> once;
  NameStretch names;
  std::optional<Graph> whole;
};

/// Lists one argument of a command. Collective, each of its functions.
class Lister {
 public:
  Lister(Exchange& exchange, const std::string& argument, const LoadOptions& options)
      : exchange_(exchange), argument_(argument), options_(options) {
    options_.share = {exchange.self().value(), exchange.count()};
  }

  Status list_spec(Listing& listing);
  Status list_binary(Listing& listing);
  /// False if the file cannot be read by shares.
  Result<bool> list_text(Listing& listing);
  /// By node 0, for all, as options ask: nothing is left to be done to the arcs.
  Status list_whole(Listing& listing);

  /// An Input error unless all nodes have the same mark of the file.
  Status same_file(std::uint64_t mark);
  /// Integer only where all nodes' weights are.
  [[nodiscard]] WeightKind widest(WeightKind mine);

 private:
  Status list_range(Listing& listing);
  Status check_halves(const ListedShare& mine);

  Exchange& exchange_;
  const std::string& argument_;
  LoadOptions options_;
};

// Brings a graph into the nodes of a job, each its own part: text is read side by side by ranges of bytes, a .lwg
// file by ranges of vertices, a generated graph made by each node in part. What cannot be read so, node 0 reads alone and
// deals out. The same graph for any number of nodes: what load_graph or generate give.

/// How the graph was brought in.
enum class LoadedBy {
  Shares,   ///< every node read or made its own share
  OneNode,  ///< node 0 read it whole
};

struct LoadedPart {
  GraphPart part;
  LoadedBy by = LoadedBy::Shares;
};

/// `argument`: a file or a spec. `balance`: what the ranges have the same amount of. Where nodes are processes. A
/// fault is told by one node, with the file's own line. Collective.
Result<LoadedPart> load_part(const ClusterOptions& cluster, const std::string& argument,
                             const LoadOptions& options, BalanceBy balance);

}  // namespace leeway
