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
  // Only node 0 is sent anything.
  const bool first = exchange.self() == NodeId(0);
  std::vector<std::uint64_t> sizes = exchange.share(std::uint64_t{mine.size()});
  if (!first) sizes.assign(sizes.size(), 0);
  ListJoiner<T> joiner(exchange, sizes);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(exchange.agree(all ? Status{} : fail(all.error())));
  exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
    exchange.require(first, from);
    joiner.take(from, bytes, all->mutable_span());
  });
  constexpr std::size_t kStep = Exchange::kMessageBytes / sizeof(T);
  for (std::size_t i = 0; i < mine.size(); i += kStep)
    exchange.send(NodeId(0), std::as_bytes(mine.subspan(i, std::min(kStep, mine.size() - i))));
  exchange.end();
  joiner.finish();
  return all;
}

}  // namespace leeway
