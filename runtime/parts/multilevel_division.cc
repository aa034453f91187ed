#include "leeway/runtime/parts/multilevel_division.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "leeway/datasets/graph.h"
#include "leeway/runtime/parts/deal_owners.h"
#include "leeway/runtime/parts/gather_array.h"
#include "leeway/runtime/parts/halo.h"
#include "leeway/runtime/parts/label_clusters.h"
#include "leeway/runtime/parts/part_level.h"
#include "leeway/runtime/parts/refine_division.h"

namespace leeway {

namespace {

/// A part is to be made of so many clusters, or if the graph stays too large of fewer, but not of so few that clusters
/// spoil the balance.
constexpr std::uint64_t kMostClusters = 1000;
constexpr std::uint64_t kLeastClusters = 60;
/// A cluster weighs at most so many of its level's vertices: small steps leave more to refine.
constexpr std::uint64_t kGrowth = 10;
/// Where more than this share of the vertices is left, contracting has come to its end.
constexpr double kStuck = 0.9;
/// Where more than this share of the arcs is left, the next step is larger, for each level takes memory.
constexpr double kSlow = 0.7;
constexpr double kSlack = 1.03;

class Multilevel {
 public:
  Multilevel(Exchange& exchange, const PartitionOptions& how, std::uint64_t most_arcs)
      : exchange_(exchange), how_(how), most_arcs_(most_arcs) {}

  Result<std::vector<PartId>> run(const GraphPart& part) {
    LEEWAY_ASSIGN(PartLevel finest, finest_level(exchange_, part, how_.balance));
    total_ = exchange_.sum(
        std::accumulate(finest.weights.begin(), finest.weights.end(), std::uint64_t{0}));
    levels_.push_back(std::move(finest));
    while (arcs() > most_arcs_ && contract_once()) {
    }
    LEEWAY_ASSIGN(std::vector<PartId> owners, divide_coarsest());
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (i < coarse_of_.size()) {
        owners = ask_homes<PartId>(exchange_, levels_[i + 1].ranges, coarse_of_[i], owners);
        levels_.pop_back();
      }
      const Halo halo(exchange_, levels_[i].ranges, levels_[i].targets);
      refine_division(exchange_, levels_[i], halo, most_of_a_part(), owners);
    }
    return owners;
  }

 private:
  [[nodiscard]] std::uint64_t arcs() {
    return exchange_.sum(std::uint64_t{levels_.back().targets.size()});
  }
  [[nodiscard]] std::uint64_t most_of_a_part() const {
    return static_cast<std::uint64_t>(
        std::ceil(kSlack * static_cast<double>(total_) / exchange_.count()));
  }

  /// False where the level is as coarse as it gets.
  bool contract_once() {
    const PartLevel& level = levels_.back();
    const std::uint64_t vertices = level.ranges.firsts().back();
    if (vertices == 0) return false;
    const std::uint64_t most = total_ / (clusters_ * exchange_.count());
    const std::uint64_t limit =
        std::max<std::uint64_t>(2, std::min(most, total_ * growth_ / vertices));
    const Halo halo(exchange_, level.ranges, level.targets);
    const LabelClusters found = find_clusters(exchange_, level, halo, limit);
    Contraction made = contract(exchange_, level, halo, found.labels, found.label_weights);
    const auto left = static_cast<double>(made.coarser.ranges.firsts().back());
    if (left > kStuck * static_cast<double>(vertices)) {
      const bool may_go_on = clusters_ > kLeastClusters;
      clusters_ = std::max(kLeastClusters, clusters_ / 4);
      growth_ *= 4;
      return may_go_on;
    }
    const auto before = static_cast<double>(arcs());
    levels_.push_back(std::move(made.coarser));
    coarse_of_.push_back(std::move(made.coarse_of));
    if (static_cast<double>(arcs()) > kSlow * before) growth_ *= 4;
    return true;
  }

  Result<std::vector<PartId>> divide_coarsest() {
    const PartLevel& level = levels_.back();
    std::vector<std::uint64_t> degrees(level.size());
    for (std::uint32_t v = 0; v < level.size(); ++v)
      degrees[v] = level.offsets[v + std::size_t{1}] - level.offsets[v];
    LEEWAY_ASSIGN(const auto all, gather_array<std::uint64_t>(exchange_, degrees));
    LEEWAY_ASSIGN(auto targets, gather_array<VertexId>(exchange_, level.targets));
    LEEWAY_ASSIGN(const auto arc_weights,
                  gather_array<std::uint32_t>(exchange_, level.arc_weights));
    LEEWAY_ASSIGN(const auto weights, gather_array<std::uint32_t>(exchange_, level.weights));
    Result<Partition> divided = Partition{};
    if (exchange_.self() == NodeId(0))
      divided = by_metis(all.span(), std::move(targets), arc_weights.span(), weights.span());
    return deal_owners(exchange_, level.ranges, owners_of(divided));
  }

  Result<Partition> by_metis(std::span<const std::uint64_t> degrees, Array<VertexId> targets,
                             std::span<const std::uint32_t> arc_weights,
                             std::span<const std::uint32_t> weights) {
    GraphParts parts;
    LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(degrees.size() + 1));
    for (std::size_t v = 0; v < degrees.size(); ++v)
      parts.offsets.mutable_span()[v + 1] = parts.offsets[v] + degrees[v];
    parts.targets = std::move(targets);
    LEEWAY_ASSIGN(parts.weights, Array<double>::make(arc_weights.size()));
    std::copy(arc_weights.begin(), arc_weights.end(), parts.weights.mutable_span().begin());
    parts.weight_kind = WeightKind::Integer;
    parts.directed = false;
    parts.names = VertexNames::sequence(0, static_cast<std::uint32_t>(degrees.size()));
    const Graph graph(std::move(parts));
    // METIS adds weights up in 31 bits.
    const std::uint64_t unit = total_ / (std::uint64_t{1} << 30U) + 1;
    std::vector<std::uint32_t> scaled(weights.begin(), weights.end());
    for (std::uint32_t& weight : scaled)
      weight = static_cast<std::uint32_t>((weight + unit - 1) / unit);
    PartitionOptions wanted = how_;
    wanted.parts = exchange_.count();
    wanted.edge_weights = true;
    wanted.vertex_weights = scaled;
    return partition_graph(graph, wanted);
  }

  Exchange& exchange_;
  const PartitionOptions& how_;
  const std::uint64_t most_arcs_;
  std::uint64_t total_ = 0;
  std::uint64_t clusters_ = kMostClusters;
  std::uint64_t growth_ = kGrowth;
  std::vector<PartLevel> levels_;
  std::vector<std::vector<VertexId>> coarse_of_;  // from each level but the coarsest to the next
};

}  // namespace

Result<std::vector<PartId>> multilevel_division(Exchange& exchange, const GraphPart& part,
                                                const PartitionOptions& how,
                                                std::uint64_t most_arcs) {
  return Multilevel(exchange, how, most_arcs).run(part);
}

}  // namespace leeway
