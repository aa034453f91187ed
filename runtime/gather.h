// Brings lists that every node has to the first node, through the shared memory itself, so that it works
// over every fabric. Collective.
#pragma once

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "leeway/dsm/dsm.h"

namespace leeway {

namespace gather_detail {

/// Every node's `mine`, one after the other, at node 0; nothing elsewhere. `counts` by node, known there.
template <class T>
Result<std::vector<std::vector<T>>> fetch_all(Node& node, const std::string& name,
                                              std::span<const T> mine,
                                              std::span<const std::uint64_t> counts) {
  const bool first = node.self() == NodeId(0);
  SpaceOptions space;
  space.name = name;
  space.local_objects = static_cast<std::uint32_t>(mine.size());
  space.remote_objects = 0;
  for (std::size_t i = 1; first && i < counts.size(); ++i)
    space.remote_objects += static_cast<std::uint32_t>(counts[i]);
  LEEWAY_ASSIGN(auto dsm, Dsm<T>::open(node, space));
  for (std::size_t i = 0; i < mine.size(); ++i)
    dsm.space().values().template store_as<T>(i, mine[i]);
  node.barrier();
  std::vector<std::vector<T>> lists(counts.size());
  for (std::uint32_t from = 0; first && from < counts.size(); ++from) {
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < counts[from]; ++i) {
      LEEWAY_ASSIGN(const Handle handle, dsm.resolve({NodeId(from), LocalIndex(i)}));
      handles.push_back(handle);
    }
    if (from != 0) dsm.replicate(std::span<const Handle>(handles));
    for (const Handle handle : handles) lists[from].push_back(dsm.fetch(handle));
  }
  node.barrier();
  return lists;
}

}  // namespace gather_detail

/// At node 0 every node's list, by node; elsewhere empty lists. Every node gives the same name.
template <class T>
Result<std::vector<std::vector<T>>> gather_at_first(Node& node, const std::string& name,
                                                    std::span<const T> mine) {
  const std::vector<std::uint64_t> ones(node.node_count(), 1);
  const std::uint64_t count = mine.size();
  LEEWAY_ASSIGN(const auto counts,
                gather_detail::fetch_all<std::uint64_t>(node, name + " counts", {&count, 1}, ones));
  std::vector<std::uint64_t> flat(node.node_count());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!counts[i].empty()) flat[i] = counts[i].front();
  }
  return gather_detail::fetch_all<T>(node, name, mine, flat);
}

}  // namespace leeway
