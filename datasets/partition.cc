#include "leeway/datasets/partition.h"

#include <algorithm>
#include <array>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/base/progress.h"
#include "leeway/datasets/partition_auto.h"
#include "leeway/datasets/partition_methods.h"
#include "leeway/datasets/partition_skew.h"

namespace leeway {

namespace {

constexpr std::array<PartitionMethodInfo, 8> kMethods = {{
    {PartitionMethod::Auto, "auto", "what the graph's arcs speak for (the default)"},
    {PartitionMethod::Metis, "metis", "METIS k-way, the smallest cut"},
    {PartitionMethod::Block, "block", "contiguous ranges of vertices"},
    {PartitionMethod::Hash, "hash", "by a hash of the vertex and the seed"},
    {PartitionMethod::Random, "random", "a seeded shuffle, dealt out evenly"},
    {PartitionMethod::Ldg, "ldg", "linear deterministic greedy, one streaming pass"},
    {PartitionMethod::Fennel, "fennel", "Fennel, one streaming pass"},
    {PartitionMethod::File, "file", "owners from a text file, written file:PATH"},
}};

Status check_options(const Graph& graph, const PartitionOptions& options) {
  const bool from_file = options.method == PartitionMethod::File;
  if (options.parts == 0 && !from_file) {
    return fail(input_error("partition", "0 parts asked for", "ask for at least 1"));
  }
  if (options.parts > kMaxParts) {
    return fail(input_error("partition", format("{} parts asked for", options.parts),
                            format("ask for at most {}", kMaxParts)));
  }
  if (!options.vertex_weights.empty() && options.vertex_weights.size() != graph.vertex_count()) {
    return fail(input_error("partition",
                            format("{} vertex weights for {} vertices",
                                   options.vertex_weights.size(), graph.vertex_count()),
                            "give one weight a vertex"));
  }
  if (options.edge_weights && graph.weight_kind() != WeightKind::Integer &&
      graph.weight_kind() != WeightKind::Real) {
    return fail(input_error("--edge-weights", "the graph has no real weights",
                            "leave edge weights off, or load the graph with weights"));
  }
  return {};
}

Result<Partition> by_method(const Graph& graph, const PartitionOptions& options) {
  switch (method_for(graph, options)) {
    case PartitionMethod::Auto:
      break;  // was settled
    case PartitionMethod::Metis:
      return partitioners::metis(graph, options);
    case PartitionMethod::Block:
      return partitioners::block(graph, options);
    case PartitionMethod::Hash:
      return partitioners::hash(graph, options);
    case PartitionMethod::Random:
      return partitioners::random(graph, options);
    case PartitionMethod::Ldg:
      return partitioners::ldg(graph, options);
    case PartitionMethod::Fennel:
      return partitioners::fennel(graph, options);
    case PartitionMethod::File:
      return partitioners::from_file(graph, options);
  }
  LEEWAY_UNREACHABLE("partition method", static_cast<int>(options.method));
}

}  // namespace

std::span<const PartitionMethodInfo> partition_methods() { return kMethods; }

std::string_view partition_method_name(PartitionMethod method) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                  [&](const auto& info) { return info.method == method; });
  LEEWAY_CHECK(found != kMethods.end());
  return found->name;
}

Status parse_partition_method(std::string_view text, PartitionOptions& options) {
  constexpr std::string_view kFilePrefix = "file:";
  const auto found = std::find_if(kMethods.begin(), kMethods.end(), [&](const auto& info) {
    return info.name == text && info.method != PartitionMethod::File;
  });
  if (found != kMethods.end()) {
    options.method = found->method;
    return {};
  }
  const bool prefixed = text.starts_with(kFilePrefix) && text.size() > kFilePrefix.size();
  if (prefixed || (text.find_first_of("/.") != text.npos && text.find(':') == text.npos)) {
    options.method = PartitionMethod::File;
    options.owner_file = prefixed ? text.substr(kFilePrefix.size()) : text;
    return {};
  }
  std::vector<std::string_view> names;
  for (const auto& info : kMethods) {
    names.push_back(info.method == PartitionMethod::File ? "file:PATH" : info.name);
  }
  return fail(
      input_error("partition", format("unknown method '{}'", text), did_you_mean(text, names)));
}

Result<Partition> partition_graph(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_TRY(check_options(graph, options));
  if (options.progress != nullptr) {
    options.progress->start("partitioning", graph.vertex_count(), "vertices");
  }
  LEEWAY_ASSIGN(Partition partition, by_method(graph, options));
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  if (options.skew) LEEWAY_TRY(skew_partition(graph, *options.skew, partition));
  return partition;
}

}  // namespace leeway
