// The index I_i (AAP §3): where else a vertex of a fragment resides, so that a changed parameter finds its
// way. A copy's parameter goes to the vertex's home; the home's own goes to all copies, once they have
// announced themselves. One thread's own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/runtime/pie/fragment.h"

namespace leeway::pie {

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

}  // namespace leeway::pie
