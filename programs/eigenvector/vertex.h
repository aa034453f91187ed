// EigenvectorPower: eigenvector centrality (Bonacich, 1972) by power iteration on A^T + I, as NetworkX: the shift keeps bipartite
// graphs from alternating. Each superstep divides by the sum of the values before it, so all values of a superstep must belong
// together: bsp only. Parallel arcs count once each.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "leeway/vertex.h"

namespace leeway {

template <bool kByWeight>
class EigenvectorPower {
 public:
  using Value = double;
  static constexpr bool kWeights = kByWeight;

  /// `strongest`: an upper bound of the sum of weights of any vertex's arcs.
  EigenvectorPower(std::uint64_t vertices, double strongest, double tolerance)
      : count_(static_cast<double>(vertices)),
        unit_(std::ldexp(1.0, 60) / (strongest + 2)),
        tolerance_(tolerance) {}

  [[nodiscard]] double init(VertexId) const { return 1 / count_; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    double sum = vertex.value();
    if constexpr (kByWeight) {
      vertex.each([&](double value, double weight) { sum += weight * value; });
    } else {
      vertex.each([&](double value) { sum += value; });
    }
    return sum * scale_;
  }
  /// As a share of the sum of all values.
  [[nodiscard]] double moved(LocalVertex, double old, double now) const {
    return std::abs(now - old) * scale_;
  }
  [[nodiscard]] std::optional<double> resting_move() const {
    if (tolerance_ <= 0) return std::nullopt;
    return tolerance_ / count_;
  }
  [[nodiscard]] std::uint64_t gather(LocalVertex, double value) const {
    return static_cast<std::uint64_t>(value * unit_);
  }
  void gathered(std::uint64_t sum) {
    if (sum > 0) scale_ = unit_ / static_cast<double>(sum);
  }

 private:
  double count_;
  double unit_;  // gathered sums are whole multiples of its reciprocal
  double tolerance_;
  double scale_ = 1;
};

}  // namespace leeway
