#include "leeway/programs/tick/ranked_parts.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway {

RankedParts::RankedParts(const Graph& graph, PartitionMethod method, Level halo)
    : graph_(graph), method_(method), halo_(halo), lists_(reference::incoming(graph)) {
  for (std::uint32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
    const auto degree = static_cast<double>(graph.degree(VertexId(vertex)));
    shares_.push_back(degree > 0 ? 1 / degree : 0);
  }
}

Result<const Labels*> RankedParts::divided(const DivisionKey& key) const {
  const std::lock_guard lock(mutex_);
  for (const Division& each : divisions_) {
    if (each.key == key) return each.labels.get();
  }
  LEEWAY_ASSIGN(const Partition made, partition(key));
  return keep(key, made);
}

DivisionKey RankedParts::key_of(const Labels* labels) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(divisions_.begin(), divisions_.end(), [&](const Division& each) {
    return each.labels.get() == labels;
  });
  LEEWAY_CHECK(found != divisions_.end());
  return found->key;
}

Result<const Labels*> RankedParts::evener(const Labels* labels, std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  const auto now = std::find_if(divisions_.begin(), divisions_.end(),
                                [&](const Division& each) { return each.labels.get() == labels; });
  LEEWAY_CHECK(now != divisions_.end());
  const DivisionKey key{now->key.parts, seed};
  LEEWAY_ASSIGN(const Partition other, partition(key));
  if (most_of(other) >= now->most) return labels;
  return keep(key, other);
}

Result<Partition> RankedParts::partition(const DivisionKey& key) const {
  PartitionOptions options;
  options.method = method_;
  options.parts = key.parts;
  options.balance = BalanceBy::Arcs;
  options.seed = key.seed;
  return partition_graph(graph_, options);
}

std::uint64_t RankedParts::most_of(const Partition& partition) const {
  std::vector<std::uint64_t> work(partition.part_count);
  for (std::uint32_t vertex = 0; vertex < vertices(); ++vertex)
    work[partition.owner[vertex].index()] += 1 + lists_.of(vertex).size();
  return *std::max_element(work.begin(), work.end());
}

const Labels* RankedParts::keep(const DivisionKey& key, const Partition& partition) const {
  divisions_.push_back(
      {key, most_of(partition),
       std::make_unique<const Labels>(InLists{lists_.offsets, lists_.targets},
                                      partition.owner.span(), key.parts, halo_, shares_)});
  return divisions_.back().labels.get();
}

}  // namespace leeway
