#include "leeway/datasets/partition_report.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"
#include "leeway/datasets/plan.h"

namespace leeway {

namespace {

struct Arcs {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The arcs from `source` to `target`: neighbours in its list, for lists ascend.
Arcs arcs_between(const Graph& graph, std::uint32_t source, std::uint32_t target) {
  const auto list = graph.neighbors(VertexId(source));
  const auto [first, last] = std::equal_range(list.begin(), list.end(), VertexId(target));
  const std::uint64_t base = graph.offsets()[source];
  return {base + static_cast<std::uint64_t>(first - list.begin()),
          base + static_cast<std::uint64_t>(last - list.begin())};
}

double largest_weight(const Graph& graph, Arcs arcs) {
  double largest = 0;
  for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
    largest = std::max(largest, graph.weighted() ? std::abs(graph.weights()[arc]) : 1.0);
  }
  return largest;
}

class Reporter {
 public:
  Reporter(const Graph& graph, const Partition& partition)
      : graph_(graph), owner_(partition.owner.span()), boundary_(owner_.size(), false) {
    report_.parts.resize(partition.part_count);
  }

  PartitionReport run() {
    for (std::uint32_t v = 0; v < owner_.size(); ++v) visit(v);
    for (std::size_t v = 0; v < owner_.size(); ++v) {
      if (boundary_[v]) ++report_.parts[owner_[v].index()].boundary;
    }
    count_remote_neighbors();
    for (PartReport& part : report_.parts) {
      part.bytes = structure_bytes(counts_of(graph_, part));
    }
    report_.vertex_balance = balance(&PartReport::vertices);
    report_.arc_balance = balance(&PartReport::arcs);
    return std::move(report_);
  }

 private:
  void visit(std::uint32_t v) {
    PartReport& part = report_.parts[owner_[v].index()];
    ++part.vertices;
    part.arcs += graph_.degree(VertexId(v));
    if (graph_.names().kind() == NameKind::Strings) {
      part.name_bytes += graph_.names().ids()[v + std::size_t{1}] - graph_.names().ids()[v];
    }
    const auto list = graph_.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (owner_[list[i].index()] == owner_[v]) continue;
      ++report_.cut_arcs;
      boundary_[v] = true;
      boundary_[list[i].index()] = true;
      if (i == 0 || list[i - 1] != list[i]) count_pair(v, list[i].value());
    }
  }

  /// A pair counts where its lower vertex is the source, or where no arc leads the other way.
  void count_pair(std::uint32_t source, std::uint32_t target) {
    const Arcs back = arcs_between(graph_, target, source);
    if (source > target && back.begin < back.end) return;
    ++report_.edge_cut;
    report_.weight_cut += std::max(largest_weight(graph_, arcs_between(graph_, source, target)),
                                   largest_weight(graph_, back));
  }

  /// Visits vertices part by part; a target is stamped with the last part that has counted it.
  void count_remote_neighbors() {
    std::vector<std::uint64_t> next(report_.parts.size() + 1, 0);
    for (const PartId part : owner_) ++next[part.index() + 1];
    for (std::size_t p = 0; p < report_.parts.size(); ++p) next[p + 1] += next[p];
    std::vector<std::uint32_t> grouped(owner_.size());
    for (std::uint32_t v = 0; v < owner_.size(); ++v) grouped[next[owner_[v].index()]++] = v;
    std::vector<PartId> counted_by(owner_.size(), PartId::none());
    for (const std::uint32_t v : grouped) {
      const PartId part = owner_[v];
      for (const VertexId target : graph_.neighbors(VertexId(v))) {
        if (owner_[target.index()] == part || counted_by[target.index()] == part) continue;
        counted_by[target.index()] = part;
        ++report_.parts[part.index()].remote_neighbors;
        ++report_.parts[owner_[target.index()].index()].copies;
      }
    }
  }

  [[nodiscard]] double balance(std::uint64_t PartReport::*amount) const {
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (const PartReport& part : report_.parts) {
      largest = std::max(largest, part.*amount);
      sum += part.*amount;
    }
    if (sum == 0) return 1.0;
    return static_cast<double>(largest) * static_cast<double>(report_.parts.size()) /
           static_cast<double>(sum);
  }

  const Graph& graph_;
  std::span<const PartId> owner_;
  std::vector<bool> boundary_;
  PartitionReport report_;
};

}  // namespace

PartitionReport report_partition(const Graph& graph, const Partition& partition) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  return Reporter(graph, partition).run();
}

}  // namespace leeway
