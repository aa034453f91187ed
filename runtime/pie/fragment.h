// Fragments of a graph (AAP §2) for PIE programs: Fragmentation divides the graph by a partition strategy, Fragment
// is one part, Routes is the index of the fragments that hold a vertex.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/csr.h"
#include "datasets/graph.h"
#include "leeway/options.h"
#include "runtime/graph/layout.h"
#include "runtime/graph/lists.h"

namespace leeway::pie {

/// The index of a vertex within its fragment.
using Place = std::uint32_t;

/// A vertex in another fragment, by that fragment's numbering.
struct Elsewhere {
  PartId fragment{0};
  Place place = 0;
};

/// Which reversed lists a fragment keeps, for functions that pull.
enum class Back : std::uint8_t {
  None,
  Copies,  ///< for each copy, the places with an arc to it
  All,     ///< for each vertex
};

/// The arrays of a Fragment. Filled by Fragmentation, which ensures the order that Fragment requires.
struct FragmentParts {
  PartId id{0};
  std::uint32_t fragment_count = 1;
  Cut cut = Cut::Edge;
  Array<VertexId> inner;               ///< by place
  std::vector<VertexId> outer;         ///< by place, from inner.size() on
  std::vector<Elsewhere> outer_homes;  ///< for each of `outer`: the place where the vertex is inner
  std::uint32_t listed = 0;            ///< number of places with lists, which come first
  Array<std::uint64_t> offsets;        ///< listed + 1 values
  Array<std::uint32_t> targets;        ///< places
  Array<double> weights;               ///< one for each arc, or none
  std::vector<std::uint32_t>
      degrees;  ///< in the whole graph, if they differ from the lists' lengths
  Back back = Back::None;
  Array<std::uint64_t> back_offsets;  ///< one more than the number of places that `back` covers
  Array<std::uint32_t> sources;       ///< places with lists
};

/// A fragment F_i (AAP §2): the vertices that a virtual worker owns (inner vertices), copies of other vertices that
/// its arcs reach, and their neighbour lists. Vertices are numbered by place: the inner ones first, [0, inner_count),
/// then the copies, those with lists before those without. Immutable once made; safe to read from any thread; may
/// borrow the graph's arrays.
class Fragment {
 public:
  explicit Fragment(FragmentParts parts);

  [[nodiscard]] PartId id() const { return parts_.id; }
  [[nodiscard]] std::uint32_t fragment_count() const { return parts_.fragment_count; }
  [[nodiscard]] Cut cut() const { return parts_.cut; }
  [[nodiscard]] std::uint32_t inner_count() const { return inner_count_; }
  [[nodiscard]] std::uint32_t outer_count() const {
    return static_cast<std::uint32_t>(parts_.outer.size());
  }
  [[nodiscard]] std::uint32_t vertex_count() const { return inner_count_ + outer_count(); }
  /// Number of places with lists: all inner vertices, then copies that have lists by the cut or the hops.
  [[nodiscard]] std::uint32_t listed_count() const { return parts_.listed; }
  [[nodiscard]] std::uint64_t arc_count() const { return parts_.targets.size(); }

  [[nodiscard]] bool is_inner(Place place) const { return place < inner_count_; }
  [[nodiscard]] VertexId vertex(Place place) const {
    return place < inner_count_ ? parts_.inner[place] : parts_.outer[place - inner_count_];
  }
  /// The place of a vertex of the graph in this fragment, inner or copy.
  [[nodiscard]] std::optional<Place> find(VertexId vertex) const;
  /// The fragment and the place where the copy `outer` is inner.
  [[nodiscard]] Elsewhere home(Place outer) const {
    return parts_.outer_homes[outer - inner_count_];
  }

  [[nodiscard]] const std::uint64_t* offsets() const { return parts_.offsets.data(); }
  [[nodiscard]] const std::uint32_t* targets() const { return parts_.targets.data(); }
  /// Null: every arc has the weight 1.
  [[nodiscard]] const double* weights() const {
    return parts_.weights.empty() ? nullptr : parts_.weights.data();
  }
  /// Out-degree of the vertex in the whole graph. Requires a place with a list.
  [[nodiscard]] std::uint64_t degree(Place place) const {
    return parts_.degrees.empty() ? parts_.offsets[place + std::size_t{1}] - parts_.offsets[place]
                                  : parts_.degrees[place];
  }

  // Reversed lists, if the fragment keeps them.

  [[nodiscard]] Back back() const { return parts_.back; }
  /// The first place with a reversed list: 0, or the first copy.
  [[nodiscard]] Place back_begin() const { return parts_.back == Back::All ? 0 : inner_count_; }
  /// Indexed from `back_begin` on.
  [[nodiscard]] const std::uint64_t* back_offsets() const { return parts_.back_offsets.data(); }
  [[nodiscard]] const std::uint32_t* sources() const { return parts_.sources.data(); }

  // The paper's border sets, as places. In a vertex cut, every vertex with a copy elsewhere is a border vertex; only
  // the homes of the copies know these after all copies are announced (Routes).

  /// F_i.O: copies that an arc of an inner vertex enters.
  [[nodiscard]] std::vector<Place> out_copies() const;
  /// F_i.O': inner vertices with an arc to a copy.
  [[nodiscard]] std::vector<Place> out_border() const;

  /// Memory of its own arrays.
  [[nodiscard]] std::size_t bytes() const;

 private:
  FragmentParts parts_;
  std::uint32_t inner_count_ = 0;
};

// The index I_i (AAP §3): the other fragments that hold a vertex, to which a changed parameter is sent. A copy's
// parameter is sent to the vertex's home, and the home's to all copies after they have been announced. Not
// thread-safe.
class Routes {
 public:
  explicit Routes(const Fragment& fragment) : fragment_(fragment) {}

  /// Adds a copy of an inner vertex. Call before `settle`.
  void announce(Place inner, Elsewhere copy) { announced_.push_back({inner, copy}); }
  /// Call once all copies are announced.
  void settle();

  /// The places of the same vertex in other fragments.
  [[nodiscard]] std::span<const Elsewhere> of(Place place) const {
    if (!fragment_.is_inner(place)) return {&homes_[place - fragment_.inner_count()], 1};
    if (firsts_.empty()) return {};
    return std::span(copies_).subspan(firsts_[place],
                                      firsts_[place + std::size_t{1}] - firsts_[place]);
  }
  /// The entries of `of` for all places are numbered below `count`; this is the number of the first entry of `place`.
  [[nodiscard]] std::size_t first_of(Place place) const {
    if (!fragment_.is_inner(place)) return place - fragment_.inner_count();
    return homes_.size() + (firsts_.empty() ? 0 : firsts_[place]);
  }
  [[nodiscard]] std::size_t count() const { return homes_.size() + copies_.size(); }
  /// Number of border vertices: inner ones with copies elsewhere, and copies.
  [[nodiscard]] std::uint64_t border_count() const { return border_; }

 private:
  struct Announced {
    Place inner;
    Elsewhere copy;
  };

  const Fragment& fragment_;
  std::vector<Elsewhere> homes_;  // by copy
  std::vector<Announced> announced_;
  /// By inner place: index of the first copy in copies_; empty: no copies are announced.
  std::vector<std::uint64_t> firsts_;
  std::vector<Elsewhere> copies_;
  std::uint64_t border_ = 0;
};

/// The properties of fragments that a program needs.
struct FragmentNeeds {
  Reads lists = Reads::Out;  ///< the arcs in a vertex's list
  bool weights = false;
  Cut cut = Cut::Edge;
  /// Edge cut: the d of the candidate set C_i; copies up to this number of hops beyond the cut have their lists too.
  std::uint32_t hops = 0;
  Back back = Back::None;
};

/// A graph divided into fragments by a strategy P (AAP §2), once for all queries on it. A fragment is made on request
/// by the process that holds it. Borrows from the graph, which must outlive it. Immutable once made; any thread.
class Fragmentation {
 public:
  /// In a vertex cut, an arc belongs to the home of the end with fewer arcs (degree-based hashing: Xie et al., NIPS
  /// 2014).
  static Result<Fragmentation> make(const Graph& graph, const Partition& partition,
                                    const FragmentNeeds& needs);

  [[nodiscard]] std::uint32_t count() const { return layout_->node_count(); }
  [[nodiscard]] std::uint32_t vertex_count() const { return layout_->vertex_count(); }
  [[nodiscard]] const FragmentNeeds& needs() const { return needs_; }
  /// The inner vertices of a fragment, by place.
  [[nodiscard]] std::span<const VertexId> vertices(PartId fragment) const {
    return layout_->vertices(NodeId(fragment.value()));
  }
  [[nodiscard]] Result<Fragment> fragment(PartId id) const;

 private:
  class Cutter;

  FragmentNeeds needs_;
  bool same_back_ = false;  // every arc has its reverse: reversed lists equal the lists
  std::unique_ptr<Layout> layout_;
  Csr lists_;
};

}  // namespace leeway::pie
