// Streaming partitioners: vertices arrive once, in order, and stay where they are put. They look at
// out-neighbours only and hold nothing but the owners and the parts' loads, so they serve graphs that
// METIS cannot hold. Ties go to the lighter part, then to the lower number.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "leeway/base/progress.h"
#include "leeway/datasets/partition_methods.h"

namespace leeway::partitioners {

namespace {

/// The parts' loads, and which part is lightest.
class Loads {
 public:
  explicit Loads(std::uint32_t parts) : load_(parts, 0) {
    for (std::uint32_t part = 0; part < parts; ++part)
      ordered_.emplace_hint(ordered_.end(), 0, part);
  }
  [[nodiscard]] std::uint64_t of(std::uint32_t part) const { return load_[part]; }
  [[nodiscard]] std::uint32_t lightest() const { return ordered_.begin()->second; }
  void add(std::uint32_t part, std::uint64_t weight) {
    ordered_.erase({load_[part], part});
    load_[part] += weight;
    ordered_.emplace(load_[part], part);
  }

 private:
  std::vector<std::uint64_t> load_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> ordered_;
};

std::uint64_t weight_of(const Graph& graph, BalanceBy balance, VertexId vertex) {
  return balance == BalanceBy::Vertices ? 1 : 1 + graph.degree(vertex);
}

/// `score(neighbours, load)` is largest where the vertex is wanted most and never rises with load, so
/// among parts without neighbours only the lightest can win. Parts at `capacity` are not considered.
template <class Score>
Result<Partition> stream(const Graph& graph, const PartitionOptions& options, double capacity,
                         const Score& score) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const auto owner = owners.mutable_span();
  Loads loads(options.parts);
  std::vector<std::uint32_t> neighbours(options.parts, 0);
  std::vector<std::uint32_t> touched;
  constexpr std::uint32_t kReportEvery = 1U << 14U;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    if (options.progress != nullptr && v % kReportEvery == 0) options.progress->update(v);
    for (const VertexId target : graph.neighbors(VertexId(v))) {
      if (target.value() >= v) break;  // lists ascend: from here on nothing is placed yet
      const std::uint32_t part = owner[target.index()].value();
      if (neighbours[part]++ == 0) touched.push_back(part);
    }
    const std::uint64_t weight = weight_of(graph, options.balance, VertexId(v));
    std::uint32_t best = loads.lightest();
    double best_score = score(neighbours[best], loads.of(best));
    for (const std::uint32_t part : touched) {
      if (static_cast<double>(loads.of(part) + weight) > capacity) continue;
      const double candidate = score(neighbours[part], loads.of(part));
      if (std::pair(-candidate, std::pair(loads.of(part), part)) <
          std::pair(-best_score, std::pair(loads.of(best), best))) {
        best = part;
        best_score = candidate;
      }
    }
    owner[v] = PartId(best);
    loads.add(best, weight);
    for (const std::uint32_t part : touched) neighbours[part] = 0;
    touched.clear();
  }
  return Partition{options.parts, std::move(owners)};
}

double total_weight(const Graph& graph, BalanceBy balance) {
  const std::uint64_t arcs = balance == BalanceBy::Vertices ? 0 : graph.arc_count();
  return static_cast<double>(graph.vertex_count() + arcs);
}

}  // namespace

Result<Partition> ldg(const Graph& graph, const PartitionOptions& options) {
  constexpr double kSlack =
      1.02;  // room beyond an equal share, so that the last vertices still choose
  const double share = total_weight(graph, options.balance) / options.parts;
  const double capacity = std::max(std::ceil(share * kSlack), 1.0);
  return stream(graph, options, capacity, [&](std::uint32_t neighbours, std::uint64_t load) {
    return neighbours * std::max(0.0, 1.0 - static_cast<double>(load) / capacity);
  });
}

Result<Partition> fennel(const Graph& graph, const PartitionOptions& options) {
  constexpr double kGamma = 1.5;  // the paper's recommendation, with its hard limit on imbalance
  constexpr double kSlack = 1.1;
  const double total = std::max(total_weight(graph, options.balance), 1.0);
  const double capacity = std::max(std::ceil(total / options.parts * kSlack), 1.0);
  const double alpha = std::sqrt(static_cast<double>(options.parts)) *
                       static_cast<double>(graph.edge_count()) / std::pow(total, kGamma);
  return stream(graph, options, capacity, [&](std::uint32_t neighbours, std::uint64_t load) {
    return neighbours - alpha * kGamma * std::pow(static_cast<double>(load), kGamma - 1.0);
  });
}

}  // namespace leeway::partitioners
