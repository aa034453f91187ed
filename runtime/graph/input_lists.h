// Builds the input lists of a node's vertices in handles (InputLists), and all lists of a local graph from lists by vertex
// number (write_lists).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/csr.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

/// The handles that the updates of a node's vertices read, vertex by vertex: local ones first, else in the order of the list that
/// is added. Not thread-safe.
class InputLists {
 public:
  /// The handle of an input that is left out.
  static constexpr std::uint32_t kDropped = std::numeric_limits<std::uint32_t>::max();

  struct Size {
    std::uint32_t vertices = 0;
    std::uint32_t copies = 0;
    std::uint64_t inputs = 0;  ///< upper bound
    bool weighted = false;
  };

  static Result<InputLists> make(const Size& size) {
    InputLists made;
    made.size_ = size;
    LEEWAY_ASSIGN(made.lists_.offsets, Array<std::uint64_t>::make(size.vertices + std::size_t{1}));
    LEEWAY_ASSIGN(made.lists_.targets, Array<std::uint32_t>::make(size.inputs));
    LEEWAY_ASSIGN(made.lists_.weights, Array<double>::make(size.weighted ? size.inputs : 0));
    LEEWAY_ASSIGN(made.local_, Array<std::uint32_t>::make(size.vertices + std::size_t{1}));
    return made;
  }

  /// Adds the list of the next vertex. `handle_of(u)` may return kDropped.
  template <class HandleOf>
  void add(std::span<const std::uint32_t> list, std::span<const double> weights,
           HandleOf&& handle_of) {
    std::uint32_t* const targets = lists_.targets.mutable_span().data();
    double* const kept = lists_.weights.mutable_span().data();
    const std::uint64_t begin = at_;
    copies_.clear();
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::uint32_t handle = handle_of(list[k]);
      if (handle < size_.vertices) {
        targets[at_] = handle;
        if (size_.weighted) kept[at_] = weights[k];
        ++at_;
      } else if (handle != kDropped) {
        copies_.push_back({handle, size_.weighted ? weights[k] : 0});
      }
    }
    local_.mutable_span()[vertex_] = static_cast<std::uint32_t>(at_ - begin);
    for (const FoundCopy& copy : copies_) {
      targets[at_] = copy.handle;
      if (size_.weighted) kept[at_] = copy.weight;
      ++at_;
    }
    lists_.offsets.mutable_span()[++vertex_] = at_;
  }

  /// Call once, after the last list.
  void take(LocalArrays& arrays) {
    lists_.targets.shrink(at_);
    if (size_.weighted) lists_.weights.shrink(at_);
    arrays.inputs = std::move(lists_);
    arrays.local_inputs = std::move(local_);
  }

 private:
  struct FoundCopy {
    std::uint32_t handle;
    double weight;
  };

  InputLists() = default;

  Size size_;
  Csr lists_;
  Array<std::uint32_t> local_;     // by vertex: number of local inputs
  std::size_t vertex_ = 0;         // row of the next list
  std::uint64_t at_ = 0;           // begin of the next list
  std::vector<FoundCopy> copies_;  // those of the list that is added
};

/// Writes the lists of a node in handles that `needs` selects. list(v) returns the neighbours of a vertex and their weights, handle_of(v,
/// u) the handle of neighbour u, as for `InputLists::add`. `read_back`: each vertex's readers are the vertices that it reads.
template <class ListOf, class HandleOf>
Status write_lists(const LocalNeeds& needs, const InputLists::Size& size, bool read_back,
                   const ListOf& list, const HandleOf& handle_of, LocalArrays& arrays) {
  const std::uint32_t handles = size.vertices + size.copies;
  if (!needs.inputs) {
    if (!needs.readers) return {};
    LEEWAY_ASSIGN(Csr all, collect(handles, size.weighted, [&](auto&& use) {
                    for (std::uint32_t v = 0; v < size.vertices; ++v) {
                      const auto [targets, weights] = list(v);
                      for (std::size_t k = 0; k < targets.size(); ++k) {
                        const std::uint32_t handle = handle_of(v, targets[k]);
                        if (handle != InputLists::kDropped)
                          use(handle, v, size.weighted ? weights[k] : 0);
                      }
                    }
                  }));
    arrays.set_readers(std::move(all), size.vertices);
    return {};
  }
  LEEWAY_ASSIGN(InputLists lists, InputLists::make(size));
  for (std::uint32_t v = 0; v < size.vertices; ++v) {
    const auto [targets, weights] = list(v);
    lists.add(targets, weights, [&](std::uint32_t u) { return handle_of(v, u); });
  }
  lists.take(arrays);
  if (!needs.readers) return {};
  if (!read_back) {
    LEEWAY_ASSIGN(Csr all, reversed(arrays.inputs, handles));
    arrays.set_readers(std::move(all), size.vertices);
    return {};
  }
  arrays.inputs_read_back = true;
  LEEWAY_ASSIGN(arrays.copy_readers, collect(size.copies, size.weighted, [&](auto&& use) {
                  const Csr& inputs = arrays.inputs;
                  for (std::uint32_t v = 0; v < size.vertices; ++v) {
                    for (std::uint64_t i = inputs.offsets[v] + arrays.local_inputs[v];
                         i < inputs.offsets[v + std::size_t{1}]; ++i)
                      use(inputs.targets[i] - size.vertices, v,
                          size.weighted ? inputs.weights[i] : 0);
                  }
                }));
  return {};
}

}  // namespace leeway
