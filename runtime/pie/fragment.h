// How a graph lies in fragments, and how the times of their rounds are predicted: what a run of a PIE program is told
// besides what every engine on vertices is. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "runtime/graph/shard.h"

namespace leeway::pie {

/// How a graph is divided.
enum class Cut : std::uint8_t {
  Edge,    ///< vertices are dealt out; an arc between two fragments has a copy in both
  Vertex,  ///< arcs are dealt out; a vertex has a copy wherever it has an arc
};

struct FragmentOptions {
  std::uint32_t workers = 0;  ///< virtual workers, each of a fragment; 0: one a node
  Cut cut = Cut::Edge;
  std::uint32_t hops = 0;  ///< behind an edge cut, that fragments hold lists of

  [[nodiscard]] std::uint32_t workers_on(std::uint32_t nodes) const {
    return workers > 0 ? workers : nodes;
  }
};

struct PredictorOptions {
  bool forest = false;    ///< by a random forest; else by the mean of what rounds took
  std::string log;        ///< of earlier rounds, to train it on; empty: the run's first
  bool keep_log = false;  ///< for a later run
};

// A fragment F_i (AAP §2): the vertices a virtual worker owns, copies of those of others that its arcs
// reach, and the lists of both that it keeps. Its vertices are numbered by place: first the inner ones,
// [0, inner_count), then the copies, those with lists ahead of those without. Immutable once made; safe to
// read from any thread; may borrow the graph's arrays.

/// A vertex's place in its fragment.
using Place = std::uint32_t;

/// A vertex as another fragment numbers it.
struct Elsewhere {
  PartId fragment{0};
  Place place = 0;
};

/// Whether a fragment also keeps its lists turned round, for functions that pull.
enum class Back : std::uint8_t {
  None,
  Copies,  ///< for each copy, who has an arc to it
  All,     ///< for each vertex
};

/// Filled by Fragmentation, which upholds the order that Fragment promises.
struct FragmentParts {
  PartId id{0};
  std::uint32_t fragment_count = 1;
  Cut cut = Cut::Edge;
  Array<VertexId> inner;               ///< by place
  std::vector<VertexId> outer;         ///< by place, from inner.size() on
  std::vector<Elsewhere> outer_homes;  ///< beside `outer`: where each is inner
  std::uint32_t listed = 0;            ///< the first so many places have lists
  Array<std::uint64_t> offsets;        ///< listed + 1
  Array<std::uint32_t> targets;        ///< places
  Array<double> weights;               ///< one an arc, or none
  std::vector<std::uint32_t> degrees;  ///< in the whole graph, where lists do not say
  Back back = Back::None;
  Array<std::uint64_t> back_offsets;  ///< one more than the places that `back` says
  Array<std::uint32_t> sources;       ///< places with lists
};

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
  /// Places below have lists: all inner ones, and copies where the cut or the hops give them some.
  [[nodiscard]] std::uint32_t listed_count() const { return parts_.listed; }
  [[nodiscard]] std::uint64_t arc_count() const { return parts_.targets.size(); }

  [[nodiscard]] bool is_inner(Place place) const { return place < inner_count_; }
  [[nodiscard]] VertexId vertex(Place place) const {
    return place < inner_count_ ? parts_.inner[place] : parts_.outer[place - inner_count_];
  }
  /// Where a vertex of the graph lies here, inner or copy.
  [[nodiscard]] std::optional<Place> find(VertexId vertex) const;
  /// The inner place of a copy.
  [[nodiscard]] Elsewhere home(Place outer) const {
    return parts_.outer_homes[outer - inner_count_];
  }

  [[nodiscard]] const std::uint64_t* offsets() const { return parts_.offsets.data(); }
  [[nodiscard]] const std::uint32_t* targets() const { return parts_.targets.data(); }
  /// Null: every arc is 1 long.
  [[nodiscard]] const double* weights() const {
    return parts_.weights.empty() ? nullptr : parts_.weights.data();
  }
  /// Arcs of the vertex in the whole graph. Requires a place with a list.
  [[nodiscard]] std::uint64_t degree(Place place) const {
    return parts_.degrees.empty() ? parts_.offsets[place + std::size_t{1}] - parts_.offsets[place]
                                  : parts_.degrees[place];
  }

  // Lists turned round, if the fragment keeps them.

  [[nodiscard]] Back back() const { return parts_.back; }
  /// The first place that has one: 0, or the first copy.
  [[nodiscard]] Place back_begin() const { return parts_.back == Back::All ? 0 : inner_count_; }
  /// From `back_begin` on.
  [[nodiscard]] const std::uint64_t* back_offsets() const { return parts_.back_offsets.data(); }
  [[nodiscard]] const std::uint32_t* sources() const { return parts_.sources.data(); }

  // The paper's border sets, as places. Of a vertex cut, every vertex that has a copy elsewhere is a border
  // vertex; only the copies' homes know of them from the start (see `Exchange`).

  /// F_i.O: copies that an arc of an inner vertex enters.
  [[nodiscard]] std::vector<Place> out_copies() const;
  /// F_i.O': inner vertices with an arc to a copy.
  [[nodiscard]] std::vector<Place> out_border() const;

  /// Memory of its own.
  [[nodiscard]] std::size_t bytes() const;

 private:
  FragmentParts parts_;
  std::uint32_t inner_count_ = 0;
};

// The index I_i (AAP §3): where else a vertex of a fragment resides, so that a changed parameter finds its
// way. A copy's parameter goes to the vertex's home; the home's own goes to all copies, once they have
// announced themselves. One thread's own.
class Routes {
 public:
  explicit Routes(const Fragment& fragment) : fragment_(fragment) {}

  /// A copy of an inner vertex lies there. Before `settle`.
  void announce(Place inner, Elsewhere copy) { announced_.push_back({inner, copy}); }
  /// All copies have announced themselves.
  void settle();

  /// Where the parameter of `place` is held besides.
  [[nodiscard]] std::span<const Elsewhere> of(Place place) const {
    if (!fragment_.is_inner(place)) return {&homes_[place - fragment_.inner_count()], 1};
    if (firsts_.empty()) return {};
    return std::span(copies_).subspan(firsts_[place],
                                      firsts_[place + std::size_t{1}] - firsts_[place]);
  }
  /// Numbers each way that `of` gives for any place: those of `place` from here on, all below `count`.
  [[nodiscard]] std::size_t first_of(Place place) const {
    if (!fragment_.is_inner(place)) return place - fragment_.inner_count();
    return homes_.size() + (firsts_.empty() ? 0 : firsts_[place]);
  }
  [[nodiscard]] std::size_t count() const { return homes_.size() + copies_.size(); }
  /// Border vertices: inner ones with copies elsewhere, and copies.
  [[nodiscard]] std::uint64_t border_count() const { return border_; }

 private:
  struct Announced {
    Place inner;
    Elsewhere copy;
  };

  const Fragment& fragment_;
  std::vector<Elsewhere> homes_;  // by copy
  std::vector<Announced> announced_;
  std::vector<std::uint32_t>
      firsts_;  // by inner place; empty: nobody has copies, or nobody said so
  std::vector<Elsewhere> copies_;
  std::uint64_t border_ = 0;
};

// A graph divided into fragments by a strategy P (AAP §2), once for all queries that are posed on it. A
// fragment is cut out when asked for, by the process that holds it. Borrows from the graph, which outlives
// it. Immutable once made; safe to use from any thread.
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
