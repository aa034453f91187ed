// A graph divided and labelled for PageRank in ticks: by how many parts and by which seed, each division made
// once and kept for as long as this is. Shared by every node of a process; thread-safe. Other processes make the
// same of the same graph, number of parts and seed.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/runtime/tick/labels.h"

namespace leeway {

/// What a division is made from.
struct DivisionKey {
  std::uint32_t parts = 1;
  std::uint64_t seed = 1;
  friend bool operator==(const DivisionKey&, const DivisionKey&) = default;
};

class RankedParts {
 public:
  /// Labels go down to -halo. The graph outlives this.
  RankedParts(const Graph& graph, PartitionMethod method, Level halo);

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(shares_.size());
  }
  /// The vertices that each vertex reads.
  [[nodiscard]] const reference::Lists& lists() const { return lists_; }
  /// 1 / out-degree of each vertex; 0 for one without arcs. Labels have it as their weights.
  [[nodiscard]] std::span<const double> shares() const { return shares_; }

  /// An error where the graph cannot be divided so.
  Result<const Labels*> divided(const DivisionKey& key) const;
  /// The division that `labels` is of, which `divided` gave.
  [[nodiscard]] DivisionKey key_of(const Labels* labels) const;
  /// Another division if its busiest part has less to do than that of `labels`, else the same again.
  Result<const Labels*> evener(const Labels* labels, std::uint64_t seed) const;

 private:
  struct Division {
    DivisionKey key;
    std::uint64_t most = 0;  // arcs read and vertices of the busiest part
    std::unique_ptr<const Labels> labels;
  };

  Result<Partition> partition(const DivisionKey& key) const;
  [[nodiscard]] std::uint64_t most_of(const Partition& partition) const;
  const Labels* keep(const DivisionKey& key, const Partition& partition) const;

  const Graph& graph_;
  PartitionMethod method_;
  Level halo_;
  reference::Lists lists_;
  std::vector<double> shares_;
  mutable std::mutex mutex_;
  mutable std::vector<Division> divisions_;
};

}  // namespace leeway
