// What a vertex that arrives in a stream is drawn to: the rules of linear deterministic greedy (Stanton & Kliot,
// KDD'12) and of Fennel (Tsourakakis et al., WSDM'14), which look at how many of its neighbours each part has and at
// what each part holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

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
