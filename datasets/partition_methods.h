// Graph partitioning: the scoring rules of the streaming partitioners, the methods behind `partition_graph`, skewed
// partitions for experiments, and the choice of a method for PartitionMethod::Auto.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "datasets/graph.h"

namespace leeway {

/// The score of a part for the next vertex of a stream, which depends on the number of the vertex's neighbours in the part
/// and on the part's load: linear deterministic greedy (Stanton & Kliot, KDD'12) or Fennel (Tsourakakis et al., WSDM'14).
class StreamRule {
 public:
  /// `total`: sum of the weights of all vertices.
  static StreamRule ldg(double total, std::uint32_t parts) {
    constexpr double kSlack =
        1.02;  // capacity above an equal share, so that the last vertices still have a choice
    return {std::max(std::ceil(total / parts * kSlack), 1.0), 0};
  }
  /// gamma = 1.5, the paper's recommendation, with its hard limit on imbalance.
  static StreamRule fennel(double total, double edges, std::uint32_t parts) {
    constexpr double kSlack = 1.1;
    total = std::max(total, 1.0);
    const double alpha = std::sqrt(static_cast<double>(parts)) * edges / std::pow(total, kGamma);
    return {std::max(std::ceil(total / parts * kSlack), 1.0), alpha};
  }

  /// A part whose load would exceed the capacity is not considered.
  [[nodiscard]] double capacity() const { return capacity_; }
  /// The vertex is placed in the part with the largest score. The score does not increase with the load, so among parts
  /// without neighbours only the lightest can win.
  [[nodiscard]] double score(std::uint32_t neighbours, double load) const {
    if (alpha_ == 0) return neighbours * std::max(0.0, 1.0 - load / capacity_);
    return neighbours - alpha_ * kGamma * std::pow(load, kGamma - 1.0);
  }

 private:
  static constexpr double kGamma = 1.5;
  StreamRule(double capacity, double alpha) : capacity_(capacity), alpha_(alpha) {}

  double capacity_;
  double alpha_;  // of Fennel; 0 for linear deterministic greedy
};

}  // namespace leeway

namespace leeway::partitioners {

// The methods behind partition_graph, which checks their common options before. Not for use elsewhere.
Result<Partition> metis(const Graph& graph, const PartitionOptions& options);
Result<Partition> block(const Graph& graph, const PartitionOptions& options);
Result<Partition> hash(const Graph& graph, const PartitionOptions& options);
Result<Partition> random(const Graph& graph, const PartitionOptions& options);
Result<Partition> ldg(const Graph& graph, const PartitionOptions& options);
Result<Partition> fennel(const Graph& graph, const PartitionOptions& options);
/// Reads one line for each vertex: `vertex-name part`, or only the part, in vertex order. `#` and `%` begin comments.
Result<Partition> from_file(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway::partitioners

namespace leeway {

// The choice for PartitionMethod::Auto minimizes the total time of partitioning and running. METIS cuts the fewest arcs but
// needs about a microsecond for each, many times the cost of processing an arc in memory. The vertex numbers of most real
// graphs follow their structure, and then equal ranges of vertices already cut few arcs.

/// The properties of a graph on which the choice depends.
struct CutFacts {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t block_cut = 0;  ///< arcs between parts if the parts are ranges
  std::uint64_t most_arcs = 0;  ///< maximum out-degree
  std::uint32_t parts = 1;
};

/// Up to this number of arcs METIS is chosen: it then needs about ten milliseconds.
inline constexpr std::uint64_t kArcsForMetis = 10'000;

/// The method that `options` specify: also METIS if they set an option that only METIS supports. Nothing if the choice is
/// automatic.
[[nodiscard]] std::optional<PartitionMethod> specified_method(const PartitionOptions& options);

/// Returns Metis, Block or Ldg.
[[nodiscard]] PartitionMethod choose_method(const CutFacts& facts);

/// The method that `options` specify, else the automatic choice for this graph, for which all arcs are read.
[[nodiscard]] PartitionMethod method_for(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway
