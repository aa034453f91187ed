// Everybody's values at node 0: for who has room for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/result.h"
#include "leeway/runtime/parts/exchange.h"

namespace leeway {

/// Node after node, at node 0; elsewhere none. Collective.
template <class T>
Result<Array<T>> gather_array(Exchange& exchange, std::span<const T> mine) {
  std::vector<std::uint64_t> at;
  std::vector<std::uint64_t> ends;
  std::uint64_t total = 0;
  for (const std::uint64_t size : exchange.share(std::uint64_t{mine.size()})) {
    at.push_back(total);
    total += size;
    ends.push_back(total);
  }
  const bool first = exchange.self() == NodeId(0);
  auto all = Array<T>::make(first ? total : 0);
  LEEWAY_TRY(exchange.agree(all ? Status{} : fail(all.error())));
  exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
    std::uint64_t& place = at[from.index()];
    const std::uint64_t count = bytes.size() / sizeof(T);
    exchange.require(first && bytes.size() % sizeof(T) == 0 && count <= ends[from.index()] - place,
                     from);
    std::memcpy(static_cast<void*>(all->mutable_span().data() + place), bytes.data(), bytes.size());
    place += count;
  });
  constexpr std::size_t kStep = Exchange::kMessageBytes / sizeof(T);
  for (std::size_t i = 0; i < mine.size(); i += kStep)
    exchange.send(NodeId(0), std::as_bytes(mine.subspan(i, std::min(kStep, mine.size() - i))));
  exchange.end();
  for (std::uint32_t from = 0; first && from < at.size(); ++from)
    exchange.require(at[from] == ends[from], NodeId(from));
  return all;
}

}  // namespace leeway
