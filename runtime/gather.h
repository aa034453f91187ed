// Brings lists that every node has to the first node, through the shared memory itself, so that it works
// over every fabric. Collective.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "leeway/dsm/node.h"

namespace leeway {

/// At node 0 every node's bytes, by node; elsewhere empty lists. Every node gives the same name.
Result<std::vector<std::vector<std::byte>>> gather_bytes_at_first(Node& node,
                                                                  const std::string& name,
                                                                  std::span<const std::byte> mine);

/// The same of lists of plain values.
template <class T>
  requires std::is_trivially_copyable_v<T>
Result<std::vector<std::vector<T>>> gather_at_first(Node& node, const std::string& name,
                                                    std::span<const T> mine) {
  LEEWAY_ASSIGN(const auto bytes, gather_bytes_at_first(node, name, std::as_bytes(mine)));
  std::vector<std::vector<T>> lists(bytes.size());
  for (std::size_t from = 0; from < bytes.size(); ++from) {
    lists[from].resize(bytes[from].size() / sizeof(T));
    if (!lists[from].empty())
      std::memcpy(static_cast<void*>(lists[from].data()), bytes[from].data(), bytes[from].size());
  }
  return lists;
}

}  // namespace leeway
