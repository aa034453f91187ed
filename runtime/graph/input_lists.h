// Builds the input lists of a node's vertices in handles (InputLists), and the lists of readers of each handle
// (turn_lists).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "runtime/graph/shard.h"

namespace leeway {

/// The ends of the runs of handles: within a run, handles are in the graph's vertex order. There is a run for each
/// group of this node's vertices and for each group of every other node's. `remote` must ascend.
[[nodiscard]] inline std::vector<std::uint32_t> find_runs(const VertexGroups& groups, NodeId self,
                                                          std::span<const ObjectId> remote) {
  std::vector<std::uint32_t> ends = groups[self.index()];
  if (remote.empty()) return ends;
  const auto local = ends.empty() ? 0 : ends.back();
  const auto run_of = [&](ObjectId id) {
    const auto& there = groups[id.home().index()];
    return std::pair(id.home(),
                     std::ranges::upper_bound(there, id.local().value()) - there.begin());
  };
  auto before = run_of(remote.front());
  for (std::uint32_t i = 1; i < remote.size(); ++i) {
    const auto run = run_of(remote[i]);
    if (std::exchange(before, run) != run) ends.push_back(local + i);
  }
  return ends;
}

/// Finds the run of a handle. The run at the begin of each block of handles is precomputed, in a table small enough
/// for the processor's first-level cache.
class RangeFinder {
 public:
  RangeFinder(std::vector<std::uint32_t> ends, std::uint32_t handles) : ends_(std::move(ends)) {
    std::uint32_t run = 0;
    for (std::uint64_t first = 0; first <= handles; first += kBlock) {
      while (run < ends_.size() && ends_[run] <= first) ++run;
      first_run_.push_back(run);
    }
    ends_.push_back(std::numeric_limits<std::uint32_t>::max());
  }

  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const {
    std::uint32_t run = first_run_[handle / kBlock];
    while (handle >= ends_[run]) ++run;
    return run;
  }
  [[nodiscard]] std::size_t count() const { return ends_.size(); }

 private:
  static constexpr std::uint32_t kBlock = 512;
  std::vector<std::uint32_t> ends_;       // the last one is larger than any handle
  std::vector<std::uint32_t> first_run_;  // by block
};

/// The handles that the updates of a node's vertices read, vertex by vertex. Each list is written run by run
/// (find_runs), so that long lists are read in the order of memory. Most lists arrive in the graph's order and then
/// need no sorting. Not thread-safe.
class InputLists {
 public:
  /// The handle of an input that is left out.
  static constexpr std::uint32_t kDropped = std::numeric_limits<std::uint32_t>::max();

  struct Size {
    std::uint32_t vertices = 0;
    std::uint32_t remote = 0;
    std::uint64_t inputs = 0;  ///< upper bound
    bool weighted = false;
  };

  /// `ends`: from `find_runs`, or only the number of local vertices. `sorts`: lists are sorted by handle; otherwise
  /// the local inputs and the remote ones each keep their order of arrival.
  static Result<InputLists> make(const Size& size, std::vector<std::uint32_t> ends, bool sorts) {
    InputArrays arrays;
    LEEWAY_ASSIGN(arrays.offsets, Array<std::uint64_t>::make(size.vertices + std::size_t{1}));
    LEEWAY_ASSIGN(arrays.local, Array<std::uint32_t>::make(size.vertices + std::size_t{1}));
    LEEWAY_ASSIGN(arrays.inputs, Array<std::uint32_t>::make(size.inputs));
    LEEWAY_ASSIGN(arrays.weights, Array<double>::make(size.weighted ? size.inputs : 0));
    return InputLists(size, std::move(arrays),
                      RangeFinder(std::move(ends), size.vertices + size.remote), sorts);
  }

  /// Adds the list of the next vertex. `handle_of(u)` may return kDropped.
  template <class HandleOf>
  void add(std::span<const VertexId> list, std::span<const double> weights, HandleOf&& handle_of) {
    if (sorts_ && list.size() <= kShort) {
      add_short(list, weights, handle_of);
    } else {
      add_by_runs(list, weights, handle_of);
    }
  }

  /// Call once, after the last list.
  [[nodiscard]] InputArrays take() {
    arrays_.inputs.shrink(at_);
    if (size_.weighted) arrays_.weights.shrink(at_);
    return std::move(arrays_);
  }

 private:
  /// Up to this length, insertion sort is faster than counting runs.
  static constexpr std::size_t kShort = 12;
  struct FoundInput {
    std::uint32_t handle;
    std::uint32_t run;
  };

  InputLists(const Size& size, InputArrays arrays, RangeFinder runs, bool sorts)
      : size_(size),
        arrays_(std::move(arrays)),
        runs_(std::move(runs)),
        first_remote_(runs_.of(size.vertices)),
        sorts_(sorts),
        offsets_(arrays_.offsets.mutable_span().data()),
        local_(arrays_.local.mutable_span().data()),
        inputs_(arrays_.inputs.mutable_span().data()),
        weights_(arrays_.weights.mutable_span().data()) {}

  template <class HandleOf>
  void add_short(std::span<const VertexId> list, std::span<const double> weights,
                 HandleOf&& handle_of) {
    const std::uint64_t begin = at_;
    std::uint32_t local = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::uint32_t handle = handle_of(list[k]);
      if (handle == kDropped) continue;
      local += handle < size_.vertices ? 1 : 0;
      std::uint64_t place = at_++;
      for (; place > begin && inputs_[place - 1] > handle; --place) {
        inputs_[place] = inputs_[place - 1];
        if (size_.weighted) weights_[place] = weights_[place - 1];
      }
      inputs_[place] = handle;
      if (size_.weighted) weights_[place] = weights[k];
    }
    end_list(local);
  }

  template <class HandleOf>
  void add_by_runs(std::span<const VertexId> list, std::span<const double> weights,
                   HandleOf&& handle_of) {
    const std::uint64_t begin = at_;
    found_.resize(list.size());
    next_.assign(runs_.count() + 1, 0);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::uint32_t handle = handle_of(list[k]);
      found_[k] = {handle, handle == kDropped ? kDropped : runs_.of(handle)};
      if (handle != kDropped) ++next_[found_[k].run + std::size_t{1}];
    }
    next_[0] = begin;
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    const std::uint64_t local_end = next_[first_remote_];
    at_ = next_.back();
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (found_[k].handle == kDropped) continue;
      const std::uint64_t place = next_[found_[k].run]++;
      inputs_[place] = found_[k].handle;
      if (size_.weighted) weights_[place] = weights[k];
    }
    if (sorts_) sort(begin);
    end_list(static_cast<std::uint32_t>(local_end - begin));
  }

  /// Sorts the list that begins at `begin` by handle, unless it is sorted.
  void sort(std::uint64_t begin) {
    if (std::is_sorted(inputs_ + begin, inputs_ + at_)) return;
    if (!size_.weighted) return std::sort(inputs_ + begin, inputs_ + at_);
    pairs_.clear();
    for (std::uint64_t i = begin; i < at_; ++i) pairs_.emplace_back(inputs_[i], weights_[i]);
    std::ranges::stable_sort(pairs_, std::less(), &std::pair<std::uint32_t, double>::first);
    for (std::uint64_t i = begin; i < at_; ++i)
      std::tie(inputs_[i], weights_[i]) = pairs_[i - begin];
  }

  void end_list(std::uint32_t local) {
    local_[vertex_] = local;
    offsets_[++vertex_] = at_;
  }

  Size size_;
  InputArrays arrays_;
  RangeFinder runs_;
  std::uint32_t first_remote_;  // a run
  bool sorts_;
  std::uint64_t* offsets_;
  std::uint32_t* local_;
  std::uint32_t* inputs_;
  double* weights_;
  std::size_t vertex_ = 0;           // of the next list
  std::uint64_t at_ = 0;             // begin of the next list
  std::vector<FoundInput> found_;    // by index in the list
  std::vector<std::uint64_t> next_;  // by run: position of its next input
  std::vector<std::pair<std::uint32_t, double>> pairs_;
};

/// The readers of each handle. `each(use)` must call use(handle, reader, weight) for every input of every vertex, in
/// the order in which the readers of a handle are to be listed; it is called twice and must do the same both times.
template <class Each>
Result<DependentArrays> turn_lists(std::uint32_t handles, bool weighted, Each&& each) {
  DependentArrays turned;
  // offsets[h + 2] first counts the readers of h, then offsets[h + 1] is the begin of its list, and finally its end.
  LEEWAY_ASSIGN(turned.offsets, Array<std::uint64_t>::make(handles + std::size_t{2}));
  const auto offsets = turned.offsets.mutable_span();
  each([&](std::uint32_t handle, std::uint32_t, double) { ++offsets[handle + std::size_t{2}]; });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  LEEWAY_ASSIGN(turned.readers, Array<std::uint32_t>::make(offsets.back()));
  LEEWAY_ASSIGN(turned.weights, Array<double>::make(weighted ? offsets.back() : 0));
  const auto readers = turned.readers.mutable_span();
  const auto weights = turned.weights.mutable_span();
  each([&](std::uint32_t handle, std::uint32_t reader, double weight) {
    const std::uint64_t place = offsets[handle + std::size_t{1}]++;
    readers[place] = reader;
    if (weighted) weights[place] = weight;
  });
  turned.offsets.shrink(handles + std::size_t{1});
  return turned;
}

/// Builds all input lists, or the lists of readers without storing the input lists. list(v) returns the neighbours of
/// a vertex and their weights, handle_of(v, u) the handle of neighbour u, as for `InputLists::add`.
template <class ListOf, class HandleOf>
[[nodiscard]] InputArrays write_lists(InputLists lists, std::uint32_t vertices, const ListOf& list,
                                      const HandleOf& handle_of) {
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const auto [targets, weights] = list(v);
    lists.add(targets, weights, [&](VertexId u) { return handle_of(v, u); });
  }
  return lists.take();
}
template <class ListOf, class HandleOf>
Result<DependentArrays> turn_unwritten(const InputLists::Size& size, const ListOf& list,
                                       const HandleOf& handle_of) {
  return turn_lists(size.vertices + size.remote, size.weighted, [&](auto&& use) {
    for (std::uint32_t v = 0; v < size.vertices; ++v) {
      const auto [targets, weights] = list(v);
      for (std::size_t k = 0; k < targets.size(); ++k) {
        const std::uint32_t handle = handle_of(v, targets[k]);
        if (handle != InputLists::kDropped) use(handle, v, size.weighted ? weights[k] : 0);
      }
    }
  });
}

}  // namespace leeway
