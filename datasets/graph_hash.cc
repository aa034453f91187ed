#include "datasets/graph_hash.h"

#include <bit>
#include <cstddef>

#include "base/bytes.h"
#include "base/format.h"

namespace leeway {

namespace {

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }

std::uint64_t hash_lists(VertexId first, std::span<const std::uint64_t> offsets,
                         std::span<const VertexId> targets, std::span<const double> weights) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::uint64_t source = mix64(first.value() + i);
    if (weights.empty()) {
      for (std::uint64_t arc = offsets[i]; arc < offsets[i + 1]; ++arc)
        sum += mix64(source + targets[arc].value());
    } else {
      for (std::uint64_t arc = offsets[i]; arc < offsets[i + 1]; ++arc)
        sum += mix64(mix64(source + targets[arc].value()) ^ bits_of(weights[arc]));
    }
  }
  return sum;
}

}  // namespace

std::uint64_t hash_arcs(VertexId first, const GraphArrays& lists) {
  return hash_lists(first, lists.offsets.span(), lists.targets.span(), lists.weights.span());
}

std::string hash_text(const GraphTotals& graph, std::uint64_t arcs) {
  return format("{:016x}", mix64(mix64(graph.vertices * 2 + (graph.directed ? 1 : 0)) ^ arcs));
}

std::string hash_of(const Graph& graph) {
  return hash_text(GraphTotals(graph),
                   hash_lists(VertexId(0), graph.offsets(), graph.targets(), graph.weights()));
}

std::string hash_text(std::span<const double> numbers) {
  std::uint64_t hash = 0;
  for (const double number : numbers) hash = mix64(hash ^ bits_of(number));
  return format("{:016x}", mix64(hash));
}

}  // namespace leeway
