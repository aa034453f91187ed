// Streaming partitioners: vertices arrive once, in order, and stay where they are put. They look at
// out-neighbours only and hold nothing but the owners and the parts' loads, so they serve graphs that
// METIS cannot hold. Ties go to the lighter part, then to the lower number.
#include <set>
#include <utility>
#include <vector>

#include "leeway/base/progress.h"
#include "leeway/datasets/partition_methods.h"
#include "leeway/datasets/stream_rule.h"

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

Result<Partition> stream(const Graph& graph, const PartitionOptions& options,
                         const StreamRule& rule) {
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
    double best_score = rule.score(neighbours[best], static_cast<double>(loads.of(best)));
    for (const std::uint32_t part : touched) {
      if (static_cast<double>(loads.of(part) + weight) > rule.capacity()) continue;
      const double candidate = rule.score(neighbours[part], static_cast<double>(loads.of(part)));
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
  return stream(graph, options,
                StreamRule::ldg(total_weight(graph, options.balance), options.parts));
}

Result<Partition> fennel(const Graph& graph, const PartitionOptions& options) {
  return stream(graph, options,
                StreamRule::fennel(total_weight(graph, options.balance),
                                   static_cast<double>(graph.edge_count()), options.parts));
}

}  // namespace leeway::partitioners
