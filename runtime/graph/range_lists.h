// The lists of a node in handles if its vertices are a range and copies have the order of their vertices (RangeLists).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/csr.h"
#include "runtime/graph/local_graph.h"
#include "runtime/graph/vertex_set.h"

namespace leeway {

/// Then handles follow from vertex numbers by subtraction and by rank, and a list that ascends consists of three stretches:
/// copies before the range, local vertices, and copies after it. Call `meet`, then `fill`. Not thread-safe.
class RangeLists {
 public:
  struct Range {
    std::uint32_t first = 0;  ///< the first vertex
    std::uint32_t count = 0;
    std::uint32_t row = 0;  ///< the row of its list
  };
  /// `lists`: by vertex numbers, ascending. `vertices`: of the whole graph.
  RangeLists(const LocalNeeds& needs, const Csr& lists, Range range, std::uint64_t vertices)
      : needs_(needs), lists_(lists), range_(range), copies_(vertices, listed()) {}

  /// Finds the vertices that need a copy. `boundary`: also marks the local vertices that read remote ones.
  void meet(std::vector<std::uint64_t>* boundary) {
    if (boundary != nullptr) boundary->assign(range_.count / 64 + 1, 0);
    for (std::uint32_t v = 0; v < range_.count; ++v) {
      bool reads_remote = false;
      for (const std::uint32_t u : row(v)) {
        if (is_local(u)) continue;
        copies_.add(VertexId(u));
        reads_remote = true;
      }
      if (boundary != nullptr && reads_remote) (*boundary)[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    copies_.settle();
  }
  [[nodiscard]] const VertexSet& copies() const { return copies_; }

  /// `read_back`: each vertex's readers are the vertices that it reads.
  Status fill(bool read_back, LocalArrays& arrays) const {
    if (needs_.inputs) {
      LEEWAY_ASSIGN(arrays.local_inputs, Array<std::uint32_t>::make(range_.count + std::size_t{1}));
      LEEWAY_ASSIGN(arrays.inputs, written(true, arrays.local_inputs.mutable_span().data()));
    }
    if (!needs_.readers) return {};
    const bool weighted = lists_.weighted();
    if (!read_back) {
      LEEWAY_ASSIGN(Csr all, collect(range_.count + copies_.count(), weighted,
                                     [&](auto&& use) { each_input(use); }));
      arrays.set_readers(std::move(all), range_.count);
      return {};
    }
    arrays.inputs_read_back = needs_.inputs;
    if (!needs_.inputs) {
      LEEWAY_ASSIGN(arrays.local_readers, written(false, nullptr));
    }
    LEEWAY_ASSIGN(arrays.copy_readers, collect(copies_.count(), weighted, [&](auto&& use) {
                    for (std::uint32_t v = 0; v < range_.count; ++v) {
                      const auto list = row(v);
                      for (std::size_t i = 0; i < list.size(); ++i) {
                        if (!is_local(list[i])) use(rank(list[i]), v, weight(v, i));
                      }
                    }
                  }));
    return {};
  }

 private:
  [[nodiscard]] std::uint64_t listed() const {
    return lists_.offsets[range_.row + std::size_t{range_.count}] - lists_.offsets[range_.row];
  }
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t v) const {
    return lists_.row(range_.row + v);
  }
  [[nodiscard]] double weight(std::uint32_t v, std::size_t i) const {
    return lists_.weighted() ? lists_.weights[lists_.offsets[range_.row + std::size_t{v}] + i] : 0;
  }
  [[nodiscard]] bool is_local(std::uint32_t vertex) const {
    return vertex - range_.first < range_.count;
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t vertex) const {
    return copies_.rank(VertexId(vertex));
  }

  /// Calls use(handle, local vertex, weight) for each input.
  template <class Use>
  void each_input(const Use& use) const {
    for (std::uint32_t v = 0; v < range_.count; ++v) {
      const auto list = row(v);
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::uint32_t u = list[i];
        if (needs_.drop_loops && u == range_.first + v) continue;
        use(is_local(u) ? u - range_.first : range_.count + rank(u), v, weight(v, i));
      }
    }
  }

  /// The lists in handles; without `remote`, of local vertices only. `locals`: receives the number of local entries of each.
  [[nodiscard]] Result<Csr> written(bool remote, std::uint32_t* locals) const {
    Csr made;
    LEEWAY_ASSIGN(made.offsets, Array<std::uint64_t>::make(range_.count + std::size_t{1}));
    LEEWAY_ASSIGN(made.targets, Array<std::uint32_t>::make(listed()));
    LEEWAY_ASSIGN(made.weights, Array<double>::make(lists_.weighted() ? listed() : 0));
    const auto offsets = made.offsets.mutable_span();
    std::uint32_t* const targets = made.targets.mutable_span().data();
    double* const weights = lists_.weighted() ? made.weights.mutable_span().data() : nullptr;
    std::uint64_t at = 0;
    for (std::uint32_t v = 0; v < range_.count; ++v) {
      const auto list = row(v);
      const auto own = lists_.row_weights(range_.row + v);
      std::size_t below = 0;
      std::size_t inside = 0;
      for (const std::uint32_t u : list) {
        below += u < range_.first ? 1 : 0;
        inside += is_local(u) ? 1 : 0;
      }
      const std::uint64_t begin = at;
      for (std::size_t i = below; i < below + inside; ++i) {
        if (needs_.drop_loops && list[i] == range_.first + v) continue;
        targets[at] = list[i] - range_.first;
        if (weights != nullptr) weights[at] = own[i];
        ++at;
      }
      if (locals != nullptr) locals[v] = static_cast<std::uint32_t>(at - begin);
      const auto put_copies = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i, ++at) {
          targets[at] = range_.count + rank(list[i]);
          if (weights != nullptr) weights[at] = own[i];
        }
      };
      if (remote) put_copies(0, below);
      if (remote) put_copies(below + inside, list.size());
      offsets[v + std::size_t{1}] = at;
    }
    made.targets.shrink(at);
    if (weights != nullptr) made.weights.shrink(at);
    return made;
  }

  const LocalNeeds& needs_;
  const Csr& lists_;
  Range range_;
  VertexSet copies_;
};

}  // namespace leeway
