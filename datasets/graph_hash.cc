#include "datasets/graph_hash.h"

#include <bit>

#include "base/bytes.h"
#include "base/format.h"

namespace leeway {

std::uint64_t begin_hash(const GraphTotals& graph) {
  return mix64(graph.vertices) ^ (graph.directed ? 1 : 0);
}
std::uint64_t hash_offset(std::uint64_t hash, std::uint64_t offset) { return mix64(hash ^ offset); }
std::uint64_t hash_targets(std::uint64_t hash, std::span<const VertexId> targets) {
  for (const VertexId target : targets) hash = (hash ^ target.value()) * 0x9e3779b97f4a7c15U;
  return hash;
}
std::uint64_t hash_weights(std::uint64_t hash, std::span<const double> weights) {
  for (const double weight : weights) hash = mix64(hash ^ std::bit_cast<std::uint64_t>(weight));
  return hash;
}
std::string hash_text(std::uint64_t hash) { return format("{:016x}", mix64(hash)); }

std::string hash_of(const Graph& graph) {
  std::uint64_t hash = begin_hash(graph);
  for (const std::uint64_t offset : graph.offsets()) hash = hash_offset(hash, offset);
  return hash_text(hash_weights(hash_targets(hash, graph.targets()), graph.weights()));
}

}  // namespace leeway
