// A fragment F_i (AAP §2): the vertices a virtual worker owns, copies of those of others that its arcs
// reach, and the lists of both that it keeps. Its vertices are numbered by place: first the inner ones,
// [0, inner_count), then the copies, those with lists ahead of those without. Immutable once made; safe to
// read from any thread; may borrow the graph's arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/runtime/pie/fragment_options.h"

namespace leeway::pie {

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

}  // namespace leeway::pie
