// HubsAuthorities: Kleinberg's HITS (1999) by power iteration. Supersteps alternate: an authority is the sum of the hubs that lead
// to it, a hub the sum of the authorities that it leads to; each is divided by the sum of the vector that it was computed from. All
// values of a superstep must belong together: bsp only. Parallel arcs count once each.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "leeway/vertex.h"

namespace leeway {

struct HubAuthority {
  double hub = 0;
  double authority = 0;
  std::uint64_t step = 0;  ///< even: the hub is newer
  [[nodiscard]] double newest() const { return step % 2 == 0 ? hub : authority; }
  friend bool operator==(const HubAuthority&, const HubAuthority&) = default;
};

class HubsAuthorities {
 public:
  using Value = HubAuthority;
  static constexpr Reads kReads = Reads::BothMarked;
  static constexpr bool kWeights = true;

  /// `most_arcs`: an upper bound of the arcs of any vertex, in either direction.
  HubsAuthorities(std::uint64_t vertices, bool directed, double most_arcs, double tolerance)
      : count_(static_cast<double>(vertices)),
        directed_(directed),
        unit_(std::ldexp(1.0, 60) / (most_arcs + 2)),
        tolerance_(tolerance) {}

  [[nodiscard]] HubAuthority init(VertexId) const { return {1 / count_, 0, 0}; }
  [[nodiscard]] HubAuthority update(const Vertex<HubAuthority>& vertex) const {
    HubAuthority now = vertex.value();
    const bool to_authority = now.step++ % 2 == 0;
    const double mark = to_authority ? kIncoming : kOutgoing;
    double sum = 0;
    vertex.each([&](const HubAuthority& other, double arc) {
      if (!directed_ || arc == mark) sum += to_authority ? other.hub : other.authority;
    });
    (to_authority ? now.authority : now.hub) = sum * scale_;
    return now;
  }
  /// As a share of the sum of the vector that changes.
  [[nodiscard]] double moved(LocalVertex, const HubAuthority& old, const HubAuthority& now) const {
    const double move = std::abs(now.hub - old.hub) + std::abs(now.authority - old.authority);
    return scale_before_ > 0 ? move * scale_before_ : 1;
  }
  [[nodiscard]] std::optional<double> resting_move() const {
    if (tolerance_ <= 0) return std::nullopt;
    return tolerance_ / count_;
  }
  [[nodiscard]] std::uint64_t gather(LocalVertex, const HubAuthority& value) const {
    return static_cast<std::uint64_t>(value.newest() * unit_);
  }
  void gathered(std::uint64_t sum) {
    scale_before_ = std::exchange(scale_, sum > 0 ? unit_ / static_cast<double>(sum) : 1);
    scale_before_ = std::exchange(has_both_, true) ? scale_before_ : 0;
  }
  [[nodiscard]] std::array<float, 2> result(const Vertex<HubAuthority>& vertex) const {
    return {static_cast<float>(vertex.value().hub), static_cast<float>(vertex.value().authority)};
  }

 private:
  double count_;
  bool directed_;
  double unit_;  // gathered sums are whole multiples of its reciprocal
  double tolerance_;
  double scale_ = 1;         // reciprocal of the sum of the newest vector
  double scale_before_ = 0;  // the same of the vector before; 0: not known
  bool has_both_ = false;
};

}  // namespace leeway
