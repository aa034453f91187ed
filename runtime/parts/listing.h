// What each node of a job has of a graph's edges before arcs change hands: its share of a text, of a .lwg file's vertices
// or of a generator's indices; or, of an input that cannot be shared out, all of it at node 0. Vertices are numbered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/datasets/listed_share.h"
#include "leeway/datasets/load_options.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/numbering.h"

namespace leeway {

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

}  // namespace leeway
