// Homes of the vertices of a run without work collocation (ASPIRE §4.3). The vertices that a node computes are assigned to
// the other nodes in turn, so that no node is the home of a vertex that it computes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/dsm/dsm.h"

namespace leeway {

class ScatteredHomes {
 public:
  /// `counts`: vertices that each node computes. Requires two nodes (checked).
  explicit ScatteredHomes(std::vector<std::uint64_t> counts) : counts_(std::move(counts)) {
    LEEWAY_CHECK(nodes() > 1u);
  }

  /// Of the vertex that `id`'s home computes, by its place there.
  [[nodiscard]] ObjectId operator()(ObjectId id) const {
    const std::uint32_t owner = id.home().value();
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t home = (owner + 1 + id.local().value() % others) % nodes();
    std::uint64_t before = id.local().value() / others;
    for (std::uint32_t earlier = 0; earlier < owner; ++earlier) before += dealt(earlier, home);
    return {NodeId(home), LocalIndex(static_cast<std::uint32_t>(before))};
  }
  /// How many live at a node.
  [[nodiscard]] std::uint32_t count_at(NodeId home) const {
    std::uint64_t count = 0;
    for (std::uint32_t owner = 0; owner < nodes(); ++owner) count += dealt(owner, home.value());
    return static_cast<std::uint32_t>(count);
  }

 private:
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Vertices of `owner` that live at `home`.
  [[nodiscard]] std::uint64_t dealt(std::uint32_t owner, std::uint32_t home) const {
    if (owner == home) return 0;
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t turn = (home + nodes() - owner - 1) % nodes();
    return (counts_[owner] + others - 1 - turn) / others;
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace leeway
