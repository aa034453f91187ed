// States of the tick engine on the vertices of a graph with a fixed partition (Appendix B.2): HaloLevels computes the
// labels, LabelQuery is a ready-made query, VertexState a state with a value per vertex.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "leeway/tick_program.h"

namespace leeway::tick {

/// For each vertex the list of vertices that it reads.
struct InLists {
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> sources;

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(offsets.size() - 1);
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t vertex) const {
    return sources.subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

/// One part's view: its own vertices and those around it, sorted by label (highest first) and then by vertex. A place
/// is an index into this order.
struct LabelledPart {
  std::vector<std::uint32_t> vertices;
  Level top = 0;                      ///< highest label
  std::vector<std::uint32_t> counts;  ///< [i]: number of vertices with labels of at least top - i
  std::uint32_t own = 0;              ///< number of vertices with labels of at least 0
  /// Offsets into `sources`, for all places except those of the lowest label.
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> sources;  ///< places that each place reads
  std::vector<double> weights;         ///< by place: the program's value of the vertex

  /// Number of vertices with at least this label.
  [[nodiscard]] std::uint32_t count(Level least) const;
};

/// The labels of all parts. Seen from one part, a vertex has a label: 0 on the part's boundary; i inside the part, if
/// all vertices it reads have labels of at least i - 1; -i outside, if a vertex with the label -i + 1 reads it. A
/// query is a part and a smallest label; R_D lowers it by one, R_X raises it. Computed once; immutable, shared by all
/// nodes of a process.
class HaloLevels {
 public:
  /// A vertex of a part: its place there, and its place in another part that reads it.
  struct Route {
    std::uint32_t from = 0, to = 0;
  };

  /// `owner`: the part of each vertex, below `parts`. Labels go down to -halo. `weights`: one for each vertex, or
  /// none.
  HaloLevels(const InLists& lists, std::span<const PartId> owner, std::uint32_t parts, Level halo,
             std::span<const double> weights = {});

  [[nodiscard]] std::uint32_t parts() const { return static_cast<std::uint32_t>(parts_.size()); }
  [[nodiscard]] std::uint32_t vertices() const { return vertices_; }
  [[nodiscard]] const LabelledPart& part(PartId part) const { return parts_[part.index()]; }
  /// The vertices of `owner` that have labels in `reader`, in `reader`'s order.
  [[nodiscard]] std::span<const Route> routes(PartId owner, PartId reader) const {
    return routes_[owner.index() * parts_.size() + reader.index()];
  }

 private:
  void label(const InLists& lists, std::span<const PartId> owner, PartId part, Level halo);
  void connect(const InLists& lists, LabelledPart& part) const;

  std::uint32_t vertices_;
  std::vector<LabelledPart> parts_;
  std::vector<std::vector<Route>> routes_;
  std::vector<std::vector<std::uint32_t>> readers_;  // readers of each vertex; only while labelling
  std::vector<std::uint32_t> place_;                 // by vertex: its place in its owner's order
};

/// Selects the vertices with labels of at least `label`, as seen from `part`.
struct LabelQuery {
  const HaloLevels* labels = nullptr;
  PartId part = PartId::none();  ///< none: all vertices, in the graph's order
  Level label = 0;

  [[nodiscard]] bool all() const { return part == PartId::none(); }
  [[nodiscard]] std::uint32_t count() const;
  /// The selected vertices of the graph, in the part's order. Requires a part.
  [[nodiscard]] std::span<const std::uint32_t> vertices() const {
    return std::span(labels->part(part).vertices).first(count());
  }
  [[nodiscard]] LabelQuery moved(Level by) const { return {labels, part, label + by}; }
  /// False if a common vertex is possible; exact for a part and another part's surroundings.
  [[nodiscard]] bool disjoint(const LabelQuery& other) const;
  [[nodiscard]] LabelQuery hull(const LabelQuery& other) const {
    return {labels != nullptr ? labels : other.labels, PartId::none(), 0};
  }
  [[nodiscard]] std::string describe() const;
};

// A state of the tick engine with one double for each vertex, for LabelQuery. A part's vertices are ordered by label,
// so that a level is a prefix of the array; for the whole graph they are in the graph's order. One version of one
// process. Used by one thread at a time.
class VertexState {
 public:
  using Query = LabelQuery;

  /// The places [begin, end); for the whole graph, `vertices`.
  class Selection {
   public:
    [[nodiscard]] std::uint32_t begin() const { return begin_; }
    [[nodiscard]] std::uint32_t end() const { return end_; }
    [[nodiscard]] std::span<const std::uint32_t> vertices() const { return vertices_; }
    [[nodiscard]] std::size_t size() const { return end_ - begin_; }
    /// The `number`-th of `of` consecutive parts.
    void slice(std::size_t number, std::size_t of, Selection& found) const {
      found.begin_ = begin_ + static_cast<std::uint32_t>(size() * number / of);
      found.end_ = begin_ + static_cast<std::uint32_t>(size() * (number + 1) / of);
      found.vertices_.clear();
      if (vertices_.empty()) return;
      found.vertices_.assign(vertices_.begin() + found.begin_, vertices_.begin() + found.end_);
      found.end_ -= std::exchange(found.begin_, 0);
    }

   private:
    friend class VertexState;
    std::uint32_t begin_ = 0, end_ = 0;  // [0, vertices_.size()) if vertices_ is used
    std::vector<std::uint32_t> vertices_;
  };

  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  /// The query that defines the places.
  [[nodiscard]] const LabelQuery& held() const { return held_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  // The functions that the engine requires of a state.

  void reset(const Query& own, const Query& held) {
    own_ = own;
    held_ = held;
    values_.resize(held.count());
  }
  void select(const Query& inside, const std::optional<Query>& outside, Selection& found) const {
    if (held_.all()) return select_vertices(inside, outside, found);
    found.end_ = inside.count();
    found.begin_ = outside ? outside->count() : 0;
  }
  void keep_private(const std::optional<Query>& inner) { (void)inner; }
  void select_border(Selection& found) const { select(own_, std::nullopt, found); }
  void mark_own() {}
  void drop_others() {}
  void encode(const Selection& border, const Query& requested, ByteWriter& out) const;
  void encode_own(ByteWriter& out) const;
  [[nodiscard]] bool decode(ByteReader& in);
  void arrange() {}
  void copy(const Query& query, VertexState& other) const;
  [[nodiscard]] std::optional<std::string> stray(const Selection& border, const Query& own,
                                                 std::span<const Query> others) const {
    (void)border, (void)own, (void)others;  // vertices do not move
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> misplaced(std::span<const Query> parts) const;
  [[nodiscard]] static std::optional<std::string> difference(const VertexState& a,
                                                             const VertexState& b);
  void poison();
  /// The values of a whole graph from the bytes of `encode_own`; none for invalid bytes.
  [[nodiscard]] static std::optional<std::vector<double>> whole(std::span<const std::byte> bytes);

 private:
  void select_vertices(const Query& inside, const std::optional<Query>& outside,
                       Selection& found) const;

  Query own_, held_;
  std::vector<double> values_;
};

}  // namespace leeway::tick
