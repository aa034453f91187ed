#include "leeway/runtime/parts/deal_owners.h"

#include <utility>

namespace leeway {

Result<std::vector<PartId>> deal_owners(Exchange& exchange, const VertexRanges& ranges,
                                        const Result<std::span<const PartId>>& all) {
  std::vector<std::vector<PartId>> owners(exchange.count());
  const bool first = exchange.self() == NodeId(0);
  LEEWAY_TRY(exchange.agree(first && !all ? fail(all.error()) : Status{}));
  for (std::uint32_t node = 0; first && node < owners.size(); ++node) {
    const auto range = all->subspan(ranges.first(NodeId(node)), ranges.size(NodeId(node)));
    owners[node].assign(range.begin(), range.end());
  }
  auto got = exchange.swap(owners);
  exchange.require(got.front().size() == ranges.size(exchange.self()), NodeId(0));
  return std::move(got.front());
}

}  // namespace leeway
