// A ready-made query over the vertices of a graph whose parts are fixed (Appendix B.2). Seen from one part, a
// vertex has a label: 0 on the part's boundary, i inside it if all it reads is labelled i - 1 or more, -i
// outside it if it is read by one labelled -i + 1. A query is a part and the least label; R_D lowers it
// by one, R_X raises it. HaloLevels are worked out once; immutable, shared by every node of a process.
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

/// For each vertex the vertices it reads.
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

/// What one part knows: its own vertices and those around it, the highest label first; within a label by
/// vertex. Places are indices into that order.
struct LabelledPart {
  std::vector<std::uint32_t> vertices;
  Level top = 0;                      ///< the highest label there is
  std::vector<std::uint32_t> counts;  ///< [i]: vertices labelled top - i or more
  std::uint32_t own = 0;              ///< those labelled 0 or more
  std::vector<std::uint64_t>
      offsets;  ///< into `sources`, for all places but those of the lowest label
  std::vector<std::uint32_t> sources;  ///< places that a place reads
  std::vector<double> weights;         ///< by place: what the program has to say of a vertex

  /// How many vertices have at least this label.
  [[nodiscard]] std::uint32_t count(Level least) const;
};

class HaloLevels {
 public:
  /// A vertex of a part, in its own order and in that of another part that reads it.
  struct Route {
    std::uint32_t from = 0, to = 0;
  };

  /// `owner` names a part below `parts` for each vertex; labels go down to -halo. `weights` are one a vertex,
  /// or none.
  HaloLevels(const InLists& lists, std::span<const PartId> owner, std::uint32_t parts, Level halo,
             std::span<const double> weights = {});

  [[nodiscard]] std::uint32_t parts() const { return static_cast<std::uint32_t>(parts_.size()); }
  [[nodiscard]] std::uint32_t vertices() const { return vertices_; }
  [[nodiscard]] const LabelledPart& part(PartId part) const { return parts_[part.index()]; }
  /// The vertices of `owner` that `reader` has labels for, in `reader`'s order.
  [[nodiscard]] std::span<const Route> routes(PartId owner, PartId reader) const {
    return routes_[owner.index() * parts_.size() + reader.index()];
  }

 private:
  void label(const InLists& lists, std::span<const PartId> owner, PartId part, Level halo);
  void connect(const InLists& lists, LabelledPart& part) const;

  std::uint32_t vertices_;
  std::vector<LabelledPart> parts_;
  std::vector<std::vector<Route>> routes_;
  std::vector<std::vector<std::uint32_t>> readers_;  // of each vertex: only while labelling
  std::vector<std::uint32_t> place_;                 // of each vertex in its owner's order
};

/// All vertices that are labelled at least `label` from where `part` sees them.
struct LabelQuery {
  const HaloLevels* labels = nullptr;
  PartId part = PartId::none();  ///< none: every vertex there is, in the graph's order
  Level label = 0;

  [[nodiscard]] bool all() const { return part == PartId::none(); }
  [[nodiscard]] std::uint32_t count() const;
  /// The vertices of the graph that it selects, in the part's order. Requires a part.
  [[nodiscard]] std::span<const std::uint32_t> vertices() const {
    return std::span(labels->part(part).vertices).first(count());
  }
  [[nodiscard]] LabelQuery moved(Level by) const { return {labels, part, label + by}; }
  /// False only where a common vertex is possible: exact for a part against another's surroundings.
  [[nodiscard]] bool disjoint(const LabelQuery& other) const;
  [[nodiscard]] LabelQuery hull(const LabelQuery& other) const {
    return {labels != nullptr ? labels : other.labels, PartId::none(), 0};
  }
  [[nodiscard]] std::string describe() const;
};

// State of the tick engine for one number a vertex, where LabelQuery selects: a part's vertices in the order of
// their labels, so that a level is a stretch of the array; or, for the whole graph, in the graph's order.
// One version of one process. One thread at a time.
class VertexState {
 public:
  using Query = LabelQuery;

  /// Places from `begin` to before `end`; of the whole graph, `vertices`.
  class Selection {
   public:
    [[nodiscard]] std::uint32_t begin() const { return begin_; }
    [[nodiscard]] std::uint32_t end() const { return end_; }
    [[nodiscard]] std::span<const std::uint32_t> vertices() const { return vertices_; }
    [[nodiscard]] std::size_t size() const { return end_ - begin_; }
    /// The `number`-th of `of` stretches.
    void stretch(std::size_t number, std::size_t of, Selection& found) const {
      found.begin_ = begin_ + static_cast<std::uint32_t>(size() * number / of);
      found.end_ = begin_ + static_cast<std::uint32_t>(size() * (number + 1) / of);
      found.vertices_.clear();
      if (vertices_.empty()) return;
      found.vertices_.assign(vertices_.begin() + found.begin_, vertices_.begin() + found.end_);
      found.end_ -= std::exchange(found.begin_, 0);
    }

   private:
    friend class VertexState;
    std::uint32_t begin_ = 0, end_ = 0;  // as many as vertices_, where there are those
    std::vector<std::uint32_t> vertices_;
  };

  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  /// What the places are places of.
  [[nodiscard]] const LabelQuery& held() const { return held_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  // What the engine needs of a state.

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
  void encode(const Selection& border, const Query& wanted, ByteWriter& out) const;
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
  /// The values of a whole graph that `encode_own` wrote; nothing for bytes that are no such.
  [[nodiscard]] static std::optional<std::vector<double>> whole(std::span<const std::byte> bytes);

 private:
  void select_vertices(const Query& inside, const std::optional<Query>& outside,
                       Selection& found) const;

  Query own_, held_;
  std::vector<double> values_;
};

}  // namespace leeway::tick
