// State of the tick engine for one number a vertex, where LabelQuery selects: a part's vertices in the order of
// their labels, so that a level is a stretch of the array; or, for the whole graph, in the graph's order.
// One version of one process. One thread at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/runtime/tick/halo_levels.h"

namespace leeway::tick {

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
