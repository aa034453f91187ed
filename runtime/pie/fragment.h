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
#include "runtime/graph/graph_part.h"
#include "runtime/graph/layout.h"
#include "runtime/graph/lists.h"
#include "runtime/graph/vertex_set.h"

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
  All,  ///< for each vertex, the places with an arc to it
};

/// The arrays of a Fragment. Filled by Fragmentation, which ensures the order that Fragment requires.
struct FragmentArrays {
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
  Array<std::uint64_t> back_offsets;  ///< one more than the number of places
  Array<std::uint32_t> sources;       ///< places with lists
};

/// A fragment F_i (AAP §2): the vertices that a virtual worker owns (inner vertices), copies of other vertices that
/// its arcs reach, and their neighbour lists. Vertices are numbered by place: the inner ones first, [0, inner_count),
/// then the copies, those with lists before those without. Immutable once made; safe to read from any thread; may
/// borrow the graph's arrays.
class Fragment {
 public:
  explicit Fragment(FragmentArrays parts);

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
  FragmentArrays parts_;
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

/// In a vertex cut, whether an arc belongs to the home of its target, and not of its source: to the end with fewer arcs, or the
/// earlier one (degree-based hashing: Xie et al., NIPS 2014).
template <class Vertex>
[[nodiscard]] constexpr bool target_keeps(Vertex from, std::uint64_t from_arcs, Vertex to,
                                          std::uint64_t to_arcs) {
  return to_arcs != from_arcs ? to_arcs < from_arcs : to < from;
}

/// The lists from which fragments are cut, by number. In a whole graph a vertex's number is its own; in a process's part of a
/// graph it is the rank among the vertices that the process knows, so numbers have the order of the vertices.
struct FragmentSource {
  Csr lists;                             ///< empty for a vertex whose list is not known here
  std::optional<VertexSet> known;        ///< none: a whole graph
  std::vector<VertexId> vertices;        ///< by number, if `known`
  std::vector<Elsewhere> homes;          ///< by number, if `known`
  std::vector<std::uint32_t> degrees;    ///< by number, if `known`: the length of the whole list
  std::unique_ptr<const Layout> layout;  ///< of a whole graph
  std::vector<std::vector<VertexId>>
      own;  ///< by worker, if `known`: its vertices; empty for another process's worker

  [[nodiscard]] std::uint32_t count() const { return lists.rows(); }
  [[nodiscard]] std::uint32_t number(VertexId vertex) const {
    return known ? known->rank(vertex) : vertex.value();
  }
  [[nodiscard]] VertexId vertex(std::uint32_t number) const {
    return known ? vertices[number] : VertexId(number);
  }
  [[nodiscard]] Elsewhere home(std::uint32_t number) const {
    if (known) return homes[number];
    const ObjectId object = layout->object(VertexId(number));
    return {PartId(object.home().value()), object.local().value()};
  }
  [[nodiscard]] std::uint64_t degree(std::uint32_t number) const {
    return known ? degrees[number] : lists.row(number).size();
  }
};

/// A program's needs with the cut of a run's options.
[[nodiscard]] inline FragmentNeeds with_cut(FragmentNeeds needs, const PieOptions& options) {
  needs.cut = options.cut;
  needs.hops = options.cut == Cut::Edge ? options.hops : 0;
  return needs;
}

/// A graph divided into fragments by a strategy P (AAP §2), once for all queries on it: a whole graph, from which this borrows and
/// which must outlive it, or this process's part of one. A fragment is made on request by the process that holds it. Immutable
/// once made; any thread.
class Fragmentation {
 public:
  static Result<Fragmentation> make(const Graph& graph, const Partition& partition,
                                    const FragmentNeeds& needs);
  /// Divides a graph in parts among the processes, and each process's vertices among its workers: worker w is on node w mod the
  /// number of nodes. Consumes the arcs of the part. Requires a worker for each node. `known`: as in Division::make. Collective.
  static Result<Fragmentation> build(Group& group, GraphPart& part, const PartitionOptions& how,
                                     const FragmentNeeds& needs, std::uint32_t workers,
                                     const Partition* known = nullptr);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Number of vertices of the whole graph.
  [[nodiscard]] std::uint32_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] const FragmentNeeds& needs() const { return needs_; }
  /// Whether this process has only its own workers' vertices.
  [[nodiscard]] bool in_parts() const { return source_.known.has_value(); }
  /// The inner vertices of a fragment, by place. In parts: none for another process's worker.
  [[nodiscard]] std::span<const VertexId> vertices(PartId fragment) const {
    if (in_parts()) return source_.own[fragment.index()];
    return source_.layout->vertices(NodeId(fragment.value()));
  }
  /// A hash for each fragment of its inner vertices.
  [[nodiscard]] const std::vector<std::uint64_t>& checksums() const { return checksums_; }
  [[nodiscard]] Result<Fragment> fragment(PartId id) const;
  /// Several fragments. Takes one pass over the arcs, in a vertex cut, too.
  [[nodiscard]] Result<std::vector<Fragment>> fragments(std::span<const PartId> ids) const;
  /// Frees the lists after all fragments of this process are made. Requires parts.
  void drop_lists();

 private:
  class Cutter;
  friend class FragmentBuilder;

  FragmentNeeds needs_;
  std::uint32_t count_ = 0;
  std::uint32_t vertex_count_ = 0;
  bool same_back_ = false;  // every arc has its reverse: reversed lists equal the lists
  FragmentSource source_;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace leeway::pie
