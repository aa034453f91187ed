// What a vertex that arrives in a stream is drawn to: the rules of linear deterministic greedy (Stanton & Kliot,
// KDD'12) and of Fennel (Tsourakakis et al., WSDM'14), which look at how many of its neighbours each part has and at
// what each part holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

class StreamRule {
 public:
  /// `total`: what all vertices weigh.
  static StreamRule ldg(double total, std::uint32_t parts) {
    constexpr double kSlack =
        1.02;  // room beyond an equal share, so that the last vertices still choose
    return {std::max(std::ceil(total / parts * kSlack), 1.0), 0};
  }
  /// gamma = 1.5, the paper's recommendation, with its hard limit on imbalance.
  static StreamRule fennel(double total, double edges, std::uint32_t parts) {
    constexpr double kSlack = 1.1;
    total = std::max(total, 1.0);
    const double alpha = std::sqrt(static_cast<double>(parts)) * edges / std::pow(total, kGamma);
    return {std::max(std::ceil(total / parts * kSlack), 1.0), alpha};
  }

  /// A part that would hold more is not considered.
  [[nodiscard]] double capacity() const { return capacity_; }
  /// Largest where the vertex is wanted most; never rises with the load, so among parts without neighbours only the
  /// lightest can win.
  [[nodiscard]] double score(std::uint32_t neighbours, double load) const {
    if (alpha_ == 0) return neighbours * std::max(0.0, 1.0 - load / capacity_);
    return neighbours - alpha_ * kGamma * std::pow(load, kGamma - 1.0);
  }

 private:
  static constexpr double kGamma = 1.5;
  StreamRule(double capacity, double alpha) : capacity_(capacity), alpha_(alpha) {}

  double capacity_;
  double alpha_;  // Fennel's, 0 for the other rule
};

}  // namespace leeway

namespace leeway::partitioners {

// The methods behind partition_graph, which has checked the options they share. Not for use elsewhere.
Result<Partition> metis(const Graph& graph, const PartitionOptions& options);
Result<Partition> block(const Graph& graph, const PartitionOptions& options);
Result<Partition> hash(const Graph& graph, const PartitionOptions& options);
Result<Partition> random(const Graph& graph, const PartitionOptions& options);
Result<Partition> ldg(const Graph& graph, const PartitionOptions& options);
Result<Partition> fennel(const Graph& graph, const PartitionOptions& options);
/// One line a vertex: `vertex-name part`, or the part alone, in vertex order. `#` and `%` begin comments.
Result<Partition> from_file(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway::partitioners

namespace leeway {

// Skewed partitions on purpose, to see what a straggler does (AAP §7, Exp-4: r = largest part over
// median part, counted in vertices).

/// Makes part 0 `ratio` times the median part and all others equal, as nearly as whole vertices allow.
/// Vertices move along the cut, best connected first. Requires ratio >= 1, two or more parts unless it
/// is 1, and vertices enough that no part becomes empty (Input errors). Of two parts, the smaller is
/// the median.
Status skew_partition(const Graph& graph, double ratio, Partition& partition);

// Which method divides a graph where nobody has said it: the one after which the answer comes soonest, dividing
// included. METIS cuts the fewest arcs but takes about a microsecond for each, many times what a run that reads
// memory spends on it; the numbers of real graphs mostly run along their structure, and then equal ranges cut
// few arcs at once.

/// What a graph is judged by.
struct CutFacts {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t block_cut = 0;  ///< arcs between parts if the parts are ranges
  std::uint64_t most_arcs = 0;  ///< out of one vertex
  std::uint32_t parts = 1;
};

/// METIS up to so many arcs: it takes about ten milliseconds.
inline constexpr std::uint64_t kArcsForMetis = 10'000;

/// What `options` ask for, METIS where they speak of something that it alone heeds; none if that is left to us.
[[nodiscard]] std::optional<PartitionMethod> method_said(const PartitionOptions& options);

/// One of Metis, Block and Ldg.
[[nodiscard]] PartitionMethod choose_method(const CutFacts& facts);

/// The method that `options` ask for, else the one to take for this graph, of which every arc is looked at.
[[nodiscard]] PartitionMethod method_for(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway
