#include "programs/reference/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bucket_queue.h"
#include "base/check.h"
#include "base/disjoint_sets.h"
#include "base/parallel.h"

namespace leeway::reference {
namespace {

Lists collect(const Graph& graph, bool outgoing, bool incoming) {
  const std::uint32_t n = graph.vertex_count();
  Lists lists;
  lists.offsets.assign(std::size_t{n} + 1, 0);
  for (VertexId v(0); v.value() < n; v = v.next()) {
    if (outgoing) lists.offsets[v.index() + 1] += graph.degree(v);
    if (!incoming) continue;
    for (const VertexId target : graph.neighbors(v)) ++lists.offsets[target.index() + 1];
  }
  for (std::size_t v = 0; v < n; ++v) lists.offsets[v + 1] += lists.offsets[v];
  lists.targets.resize(lists.offsets.back());
  std::vector<std::uint64_t> place(lists.offsets.begin(), lists.offsets.end() - 1);
  for (VertexId v(0); v.value() < n; v = v.next()) {
    for (const VertexId target : graph.neighbors(v)) {
      if (outgoing) lists.targets[place[v.index()]++] = target.value();
      if (incoming) lists.targets[place[target.index()]++] = v.value();
    }
  }
  return lists;
}

}  // namespace

Lists incoming(const Graph& graph) { return collect(graph, !graph.directed(), graph.directed()); }

Lists both_ways(const Graph& graph) { return collect(graph, true, graph.directed()); }

VertexId busiest(const Graph& graph) {
  VertexId best(0);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (graph.degree(v) > graph.degree(best)) best = v;
  }
  return best;
}

PullPageRank::PullPageRank(const Graph& graph)
    : count_(graph.vertex_count()), incoming_(incoming(graph)), per_arc_(count_) {
  for (VertexId v(0); v.value() < count_; v = v.next()) {
    const std::uint64_t degree = graph.degree(v);
    if (degree == 0) {
      dangling_.push_back(v.value());
    } else {
      per_arc_[v.index()] = 1.0 / static_cast<double>(degree);
    }
  }
}

std::vector<double> PullPageRank::run(std::uint32_t iterations, double damping) const {
  std::vector<double> rank(count_, count_ == 0 ? 0.0 : 1.0 / count_);
  std::vector<double> share(count_);
  const std::uint32_t* targets = incoming_.targets.data();
  for (std::uint32_t i = 0; i < iterations; ++i) {
    double dangling = 0;
    for (const std::uint32_t v : dangling_) dangling += rank[v];
    for (std::uint32_t v = 0; v < count_; ++v) share[v] = rank[v] * per_arc_[v];
    const double base = (1 - damping + damping * dangling) / count_;
    std::uint64_t arc = 0;
    for (std::uint32_t v = 0; v < count_; ++v) {
      const std::uint64_t end = incoming_.offsets[v + 1];
      StrandSum<double> sum;
      for (; end - arc >= 4; arc += 4) {
        sum.add(share[targets[arc]]);
        sum.add(share[targets[arc + 1]]);
        sum.add(share[targets[arc + 2]]);
        sum.add(share[targets[arc + 3]]);
      }
      for (; arc < end; ++arc) sum.add(share[targets[arc]]);
      rank[v] = base + damping * sum.total();
    }
  }
  return rank;
}

DeltaStepping::DeltaStepping(const Graph& graph, double delta) : graph_(graph), delta_(delta) {
  if (delta_ > 0) return;
  if (!graph.weighted() || graph.arc_count() == 0) {
    delta_ = 1;
    return;
  }
  double sum = 0;
  for (const double weight : graph.weights()) sum += weight;
  const double mean_weight = sum / static_cast<double>(graph.arc_count());
  // The higher the mean degree, the narrower a bucket can be with enough work.
  const double mean_degree =
      static_cast<double>(graph.arc_count()) / static_cast<double>(graph.vertex_count());
  delta_ = std::max(mean_weight * 8 / std::max(mean_degree, 1.0), 1e-300);
}

std::vector<double> DeltaStepping::run(VertexId source) const {
  LEEWAY_CHECK(source.value() < graph_.vertex_count());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::uint64_t* offsets = graph_.offsets().data();
  const VertexId* targets = graph_.targets().data();
  const double* weights = graph_.weighted() ? graph_.weights().data() : nullptr;
  std::vector<double> distance(graph_.vertex_count(), kInfinity);
  BucketQueue queue(delta_);
  std::vector<std::uint32_t> work;
  distance[source.index()] = 0;
  queue.add(source.value(), 0);
  for (std::size_t bucket = queue.take(work); !work.empty(); bucket = queue.take(work)) {
    for (const std::uint32_t v : work) {
      const double reached = distance[v];
      // Processed with an earlier bucket; uses the rounding that chose the bucket.
      if (queue.bucket_of(reached) < bucket) continue;
      for (std::uint64_t arc = offsets[v]; arc < offsets[v + 1]; ++arc) {
        const std::uint32_t target = targets[arc].value();
        const double through = reached + (weights == nullptr ? 1.0 : weights[arc]);
        if (through >= distance[target]) continue;
        distance[target] = through;
        queue.add(target, through);
      }
    }
    work.clear();
  }
  return distance;
}

std::vector<std::uint32_t> sampled_components(const Graph& graph) {
  DisjointSets sets(graph.vertex_count());
  const NeighbourLists<VertexId> lists{.count = graph.vertex_count(),
                                       .offsets = graph.offsets().data(),
                                       .targets = graph.targets().data()};
  // In a directed graph, an arc into the largest set may be stored only at a vertex outside it.
  if (graph.directed()) {
    join_all(sets, lists);
  } else {
    join_sampled(sets, lists);
  }
  sets.flatten();
  return sets.take();
}

}  // namespace leeway::reference
