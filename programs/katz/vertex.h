// Katz: Katz's centrality (1953): x = b + a A^T x, in which every walk that ends at a vertex counts a to the power of its length.
// Converges under every schedule if `a` is below the reciprocal of the largest eigenvalue. Parallel arcs count once each.
#pragma once

#include <cmath>

#include "leeway/vertex.h"

namespace leeway {

template <bool kByWeight>
class Katz {
 public:
  using Value = double;
  static constexpr bool kMovesOn = false;
  static constexpr bool kWeights = kByWeight;

  Katz(double attenuation, double tolerance) : attenuation_(attenuation), tolerance_(tolerance) {}

  [[nodiscard]] double init(VertexId) const { return 1; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    double sum = 0;
    if constexpr (kByWeight) {
      vertex.each([&](double value, double weight) { sum += weight * value; });
    } else {
      vertex.each([&](double value) { sum += value; });
    }
    return 1 + attenuation_ * sum;
  }
  [[nodiscard]] bool changed(double old, double now) const {
    if (!std::isfinite(now)) return std::isfinite(old);
    return std::abs(now - old) > tolerance_ * now;
  }
  [[nodiscard]] double moved(LocalVertex, double old, double now) const {
    return std::abs(now - old);
  }

 private:
  double attenuation_;
  double tolerance_;
};

}  // namespace leeway
