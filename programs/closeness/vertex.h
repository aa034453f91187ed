// DistanceSums: for every vertex the sum of the distances from the sources that reach it, or of their reciprocals. Each stage
// computes the distances from kLanes sources together, as shortest-path programs do, under every schedule. A distance is a number of
// arcs, or with kByWeight a sum of weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "leeway/vertex.h"
#include "programs/catalog/sources.h"

namespace leeway {

template <class Distance>
struct DistanceLanes {
  static constexpr std::size_t kLanes = 8;
  std::array<Distance, kLanes> at{};  ///< from the sources of the stage
  double total = 0;                   ///< over the sources of the stages before
  std::uint32_t reached = 0;          ///< number of sources in `total`, without the vertex
  std::uint32_t stage = 0;
  friend bool operator==(const DistanceLanes&, const DistanceLanes&) = default;
};

enum class DistanceTerm : std::uint8_t { Distance, Reciprocal };

struct DistanceSum {
  double total = 0;
  double reached = 0;  ///< number of sources in `total`
};

template <bool kByWeight>
class DistanceSums {
  using Distance = std::conditional_t<kByWeight, double, std::uint32_t>;
  using Lanes = DistanceLanes<Distance>;
  static constexpr std::size_t kLanes = Lanes::kLanes;
  /// Half of the largest number, so that a sum with the length of an arc does not overflow.
  static constexpr Distance kFar = std::numeric_limits<Distance>::max() / 2;

 public:
  using Value = Lanes;
  static constexpr bool kMovesOn = false;
  static constexpr bool kWeights = kByWeight;
  static constexpr bool kAlwaysRests = true;

  DistanceSums(std::shared_ptr<const PathSources> sources, DistanceTerm term)
      : sources_(std::move(sources)), term_(term) {}

  [[nodiscard]] Lanes init(const LocalVertex& v) const {
    Lanes lanes;
    start(v.id, lanes);
    return lanes;
  }
  [[nodiscard]] Lanes update(const Vertex<Lanes>& vertex) const {
    Lanes own = vertex.value();
    vertex.each([&](const Lanes& from, double weight) {
      if (from.stage != stage_) return;
      const Distance length = kByWeight ? static_cast<Distance>(weight) : Distance{1};
      for (std::size_t i = 0; i < kLanes; ++i)
        own.at[i] = std::min(own.at[i], static_cast<Distance>(from.at[i] + length));
    });
    for (Distance& distance : own.at) distance = std::min(distance, kFar);
    return own;
  }
  [[nodiscard]] DistanceSum result(const Vertex<Lanes>& vertex) const {
    const Lanes lanes = added_up(vertex.value());
    return {lanes.total, static_cast<double>(lanes.reached)};
  }

  void enter(std::uint32_t stage) { stage_ = stage; }
  [[nodiscard]] static std::uint32_t stage_of(const Lanes& lanes) { return lanes.stage; }
  [[nodiscard]] std::uint64_t left(LocalVertex, const Lanes&) const { return 0; }
  [[nodiscard]] std::optional<std::uint32_t> next_stage(std::uint64_t) const {
    if ((stage_ + std::uint64_t{1}) * kLanes >= sources_->count()) return std::nullopt;
    return stage_ + 1;
  }
  [[nodiscard]] Lanes begin(const LocalVertex& v, const Lanes& last) const {
    Lanes lanes = added_up(last);
    lanes.stage = stage_;
    start(v.id, lanes);
    return lanes;
  }

 private:
  void start(VertexId v, Lanes& lanes) const {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint64_t number = stage_ * std::uint64_t{kLanes} + i;
      lanes.at[i] = number < sources_->count() && sources_->at(number) == v ? Distance{0} : kFar;
    }
  }
  /// With the distances of the stage in the total. Distances of 0 have no reciprocal: the source itself, and arcs of weight 0.
  [[nodiscard]] Lanes added_up(const Lanes& given) const {
    Lanes lanes = given;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto distance = static_cast<double>(lanes.at[i]);
      if (lanes.at[i] == kFar) continue;
      if (term_ == DistanceTerm::Distance) {
        lanes.total += distance;
        ++lanes.reached;
      } else if (distance > 0) {
        lanes.total += 1 / distance;
        ++lanes.reached;
      }
    }
    return lanes;
  }

  std::shared_ptr<const PathSources> sources_;
  DistanceTerm term_;
  std::uint32_t stage_ = 0;
};

}  // namespace leeway
