#include "leeway/programs/tick/ranked_parts.h"

#include <algorithm>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/runtime/shared_partition.h"

namespace leeway::tick {

RankedParts::RankedParts(const Graph& graph, const PartitionOptions& how, Level halo)
    : graph_(graph), how_(how), halo_(halo), lists_(reference::incoming(graph)) {
  for (std::uint32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
    const auto degree = static_cast<double>(graph.degree(VertexId(vertex)));
    shares_.push_back(degree > 0 ? 1 / degree : 0);
  }
}

Result<const HaloLevels*> RankedParts::divided(const DivisionKey& key) const {
  const std::lock_guard lock(mutex_);
  if (const HaloLevels* const labels = known(key)) return labels;
  LEEWAY_ASSIGN(const Partition made, partition_graph(graph_, options_of(key)));
  return keep(key, made);
}

Result<const HaloLevels*> RankedParts::start(const ClusterOptions& cluster,
                                             const DivisionKey& key) {
  apart_ = cluster.job != nullptr;
  LEEWAY_ASSIGN(const Partition made, divide_once(cluster, graph_, options_of(key)));
  return keep(key, made);
}

/// Locked.
const HaloLevels* RankedParts::known(const DivisionKey& key) const {
  for (const Division& each : divisions_) {
    if (each.key == key) return each.labels.get();
  }
  return nullptr;
}

DivisionKey RankedParts::key_of(const HaloLevels* labels) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(divisions_.begin(), divisions_.end(), [&](const Division& each) {
    return each.labels.get() == labels;
  });
  LEEWAY_CHECK(found != divisions_.end());
  return found->key;
}

Result<const HaloLevels*> RankedParts::evener(const HaloLevels* labels, std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  const auto now = std::find_if(divisions_.begin(), divisions_.end(),
                                [&](const Division& each) { return each.labels.get() == labels; });
  LEEWAY_CHECK(now != divisions_.end());
  if (how_.method == PartitionMethod::File) return labels;  // a file has one division only
  const DivisionKey key{now->key.parts, seed};
  LEEWAY_ASSIGN(const Partition other, partition_graph(graph_, options_of(key)));
  if (most_of(other) >= now->most) return labels;
  return keep(key, other);
}

PartitionOptions RankedParts::options_of(const DivisionKey& key) const {
  PartitionOptions options = how_;
  options.parts = key.parts;
  options.seed = key.seed;
  return options;
}

/// All start from the same division, and within one process all know the others too.
void RankedParts::pack_division(const HaloLevels* labels, ByteWriter& out) const {
  const DivisionKey key = key_of(labels);
  const std::lock_guard lock(mutex_);
  const bool whole = apart_ && divisions_.front().key != key;
  out.varint(key.parts);
  out.varint(key.seed);
  out.byte(whole ? 1 : 0);
  if (!whole) return;
  std::vector<std::uint32_t> owners(vertices());
  for (std::uint32_t part = 0; part < key.parts; ++part) {
    for (const std::uint32_t vertex : LabelQuery{labels, PartId(part), 0}.vertices())
      owners[vertex] = part;
  }
  for (const std::uint32_t owner : owners) out.varint(owner);
}

Result<const HaloLevels*> RankedParts::unpack_division(ByteReader& in) const {
  DivisionKey key;
  key.parts = static_cast<std::uint32_t>(in.varint());
  key.seed = in.varint();
  Partition made;
  made.part_count = key.parts;
  if (in.byte() == 0) return divided(key);
  LEEWAY_CHECK(key.parts > 0U);
  LEEWAY_ASSIGN(made.owner, Array<PartId>::make(vertices()));
  for (PartId& owner : made.owner.mutable_span())
    owner = PartId(static_cast<std::uint32_t>(in.varint_up_to(key.parts - 1)));
  const std::lock_guard lock(mutex_);
  if (const HaloLevels* const labels = known(key)) return labels;
  return keep(key, made);
}

std::uint64_t RankedParts::most_of(const Partition& partition) const {
  std::vector<std::uint64_t> work(partition.part_count);
  for (std::uint32_t vertex = 0; vertex < vertices(); ++vertex)
    work[partition.owner[vertex].index()] += 1 + lists_.of(vertex).size();
  return *std::max_element(work.begin(), work.end());
}

const HaloLevels* RankedParts::keep(const DivisionKey& key, const Partition& partition) const {
  divisions_.push_back(
      {key, most_of(partition),
       std::make_unique<const HaloLevels>(InLists{lists_.offsets, lists_.targets},
                                          partition.owner.span(), key.parts, halo_, shares_)});
  return divisions_.back().labels.get();
}

}  // namespace leeway::tick
