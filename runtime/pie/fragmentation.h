// A graph divided into fragments by a strategy P (AAP §2), once for all queries that are posed on it. A
// fragment is cut out when asked for, by the process that holds it. Borrows from the graph, which outlives
// it. Immutable once made; safe to use from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/adjacency.h"
#include "leeway/runtime/layout.h"
#include "leeway/runtime/pie/fragment.h"

namespace leeway::pie {

struct FragmentNeeds {
  Reads lists = Reads::Out;  ///< which arcs stand in a vertex's list
  bool weights = false;
  Cut cut = Cut::Edge;
  /// The d of the candidate set C_i: copies up to so many hops behind the cut have their lists too. Of an
  /// edge cut only.
  std::uint32_t hops = 0;
  Back back = Back::None;
};

class Fragmentation {
 public:
  /// A vertex cut puts an arc where the end with fewer arcs is at home (degree-based hashing: Xie et al.,
  /// NIPS 2014).
  static Result<Fragmentation> make(const Graph& graph, const Partition& partition,
                                    const FragmentNeeds& needs);

  [[nodiscard]] std::uint32_t count() const { return layout_->node_count(); }
  [[nodiscard]] std::uint32_t vertex_count() const { return layout_->vertex_count(); }
  [[nodiscard]] const FragmentNeeds& needs() const { return needs_; }
  /// The vertices that are inner in a fragment, by place.
  [[nodiscard]] std::span<const VertexId> vertices(PartId fragment) const {
    return layout_->vertices(NodeId(fragment.value()));
  }
  [[nodiscard]] Result<Fragment> fragment(PartId id) const;

 private:
  class Cutter;

  FragmentNeeds needs_;
  bool same_back_ = false;  // every arc has its reverse: lists turned round are the lists
  std::unique_ptr<Layout> layout_;
  std::unique_ptr<Adjacency> lists_;
};

}  // namespace leeway::pie
