// From what a file calls its vertices to numbers, where every node has read a share of the file and none has room for
// all names: numbers are ranked by ranges, each node one range; words are numbered in the order in which the file
// first says them, by way of a hash that says which node decides who was first. The numbers are those that one
// reader of the whole file gives (datasets/vertex_numbering.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/listed_share.h"
#include "leeway/datasets/vertex_names.h"
#include "leeway/runtime/parts/exchange.h"

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

}  // namespace leeway
