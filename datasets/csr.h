// Neighbour lists as arrays (Csr), built from arcs in any order (collect) and reversed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "base/array.h"
#include "base/result.h"

namespace leeway {

/// Lists of numbers, one for each row, in one array, with weights or without. The arrays may be views.
struct Csr {
  Array<std::uint64_t> offsets;  ///< rows + 1 values; empty: there are no lists
  Array<std::uint32_t> targets;
  Array<double> weights;  ///< one for each entry, or none

  [[nodiscard]] std::uint32_t rows() const {
    return offsets.empty() ? 0 : static_cast<std::uint32_t>(offsets.size() - 1);
  }
  [[nodiscard]] bool weighted() const { return !weights.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t r) const {
    return targets.span().subspan(offsets[r], offsets[r + std::size_t{1}] - offsets[r]);
  }
  /// In the order of `row`; empty without weights.
  [[nodiscard]] std::span<const double> row_weights(std::uint32_t r) const {
    if (!weighted()) return {};
    return weights.span().subspan(offsets[r], offsets[r + std::size_t{1}] - offsets[r]);
  }
  [[nodiscard]] std::size_t bytes() const {
    return offsets.bytes() + targets.bytes() + weights.bytes();
  }

  /// Borrows the arrays. Without the first `skipped` rows.
  [[nodiscard]] Csr view(std::uint32_t skipped = 0) const {
    return {.offsets = Array<std::uint64_t>::view(offsets.span().subspan(skipped), nullptr),
            .targets = Array<std::uint32_t>::view(targets.span(), nullptr),
            .weights = Array<double>::view(weights.span(), nullptr)};
  }

  /// Calls use(target, row, weight) for each entry of rows [first, last).
  template <class Use>
  void for_each(std::uint32_t first, std::uint32_t last, Use&& use) const {
    for (std::uint32_t r = first; r < last; ++r) {
      for (std::uint64_t i = offsets[r]; i < offsets[r + std::size_t{1}]; ++i)
        use(targets[i], r, weighted() ? weights[i] : 0);
    }
  }
};

/// Lists with `rows` rows from entries in any order. `each(use)` must call use(row, target, weight) for every entry, in the
/// order in which the entries of a row are to be listed; it is called twice and must do the same both times.
template <class Each>
Result<Csr> collect(std::uint32_t rows, bool weighted, Each&& each) {
  Csr lists;
  // offsets[r + 2] first counts the entries of r, then offsets[r + 1] is the begin of its list, and finally its end.
  LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::make(rows + std::size_t{2}));
  const auto offsets = lists.offsets.mutable_span();
  each([&](std::uint32_t row, std::uint32_t, double) { ++offsets[row + std::size_t{2}]; });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  LEEWAY_ASSIGN(lists.targets, Array<std::uint32_t>::make(offsets.back()));
  LEEWAY_ASSIGN(lists.weights, Array<double>::make(weighted ? offsets.back() : 0));
  const auto targets = lists.targets.mutable_span();
  const auto weights = lists.weights.mutable_span();
  each([&](std::uint32_t row, std::uint32_t target, double weight) {
    const std::uint64_t place = offsets[row + std::size_t{1}]++;
    targets[place] = target;
    if (weighted) weights[place] = weight;
  });
  lists.offsets.shrink(rows + std::size_t{1});
  return lists;
}

/// For each number below `rows`, the rows that list it, ascending, with the weights of the entries.
inline Result<Csr> reversed(const Csr& lists, std::uint32_t rows) {
  return collect(rows, lists.weighted(), [&](auto&& use) { lists.for_each(0, lists.rows(), use); });
}

}  // namespace leeway
