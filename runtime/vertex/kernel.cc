#include "runtime/vertex/kernel.h"

#include <algorithm>

#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

std::uint32_t SweepContext::bounded_look_ahead(bool all_run) const {
  return all_run ? options.lookahead : std::min(1U, options.lookahead);
}

std::uint64_t SweepContext::batch_size() const {
  const std::uint64_t price = cost.fetch_ps + cost.edge_ps;
  return std::max<std::uint64_t>(1, options.batch_ps / std::max<std::uint64_t>(1, price));
}

bool SweepContext::alone() const { return node.node_count() == 1; }

void SweepContext::charge(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t stores) const {
  node.transport().charge({.fetches = arcs, .stores = stores, .edges = arcs, .vertices = vertices});
}

void SweepContext::progress() const { node.progress(); }

void OfferCounts::add(const OfferCounts& more) {
  unpublished.insert(unpublished.end(), more.unpublished.begin(), more.unpublished.end());
  arcs += more.arcs;
  visited += more.visited;
  changed += more.changed;
}

}  // namespace leeway
