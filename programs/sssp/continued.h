// ContinuedDistances: shortest paths after changes of the graph, from the distances before them. First the distances that rest on a lost
// arc are found (Ramalingam & Reps, 1996): a vertex is doubtful if no vertex nearer to the source that is not doubtful has an arc of the
// fitting length to it. The doubtful ones lose their distances; then they and the ends of arcs that were gained take the best of their
// inputs. Both stages begin with few vertices, and a vertex is visited only after one of its inputs has changed. If the schedule lets a
// node choose the order, the new distances spread in a third stage, by worklist, shortest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "leeway/vertex.h"
#include "programs/sssp/path_start.h"

namespace leeway {

struct KnownDistance {
  double distance = 0;
  std::uint32_t doubtful = 0;
  std::uint32_t stage = 0;
  friend bool operator==(const KnownDistance&, const KnownDistance&) = default;
};

template <bool kByWeight>
class ContinuedDistances {
 public:
  using Value = KnownDistance;
  static constexpr bool kMovesOn = false;
  static constexpr bool kWeights = kByWeight;
  static constexpr bool kAlwaysRests = true;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  /// `lists`: new distances spread by worklist, in buckets of `width`.
  ContinuedDistances(VertexId source, bool lists, double width)
      : source_(source), lists_(lists), width_(width) {}

  void settle(const LocalGraph& here) { old_ = here.records<OldDistance>(); }
  [[nodiscard]] KnownDistance init(const LocalVertex& v) const {
    return {v.id == source_ ? 0 : old_[v.local].distance, 0, 0};
  }
  [[nodiscard]] bool starts(const LocalVertex& v, const KnownDistance& value) const {
    return stage_ == 0 ? old_[v.local].loses : value.doubtful != 0 || old_[v.local].gains;
  }
  [[nodiscard]] bool concerns(const KnownDistance& changed, double weight,
                              const KnownDistance& reader) const {
    if (stage_ == 0) return reader.doubtful == 0 && changed.distance + weight == reader.distance;
    if (lists_) return false;
    const bool has_distance = reader.doubtful == 0 || reader.stage == stage_;
    return !has_distance || changed.distance + weight < reader.distance;
  }
  [[nodiscard]] KnownDistance update(const Vertex<KnownDistance>& vertex) const {
    KnownDistance own = vertex.value();
    if (vertex.id() == source_) return own;
    if (stage_ == 0) {
      if (own.distance < kFar && !is_supported(vertex, own)) own.doubtful = 1;
      return own;
    }
    if (own.doubtful != 0 && own.stage < stage_) own = {kFar, 1, stage_};
    vertex.each([&](const KnownDistance& from, double weight) {
      if ((from.doubtful == 0 || from.stage == stage_) && from.distance + weight < own.distance)
        own = {from.distance + weight, own.doubtful, stage_};
    });
    return own;
  }

  // Of the third stage.

  [[nodiscard]] bool by_list() const { return stage_ == kSpreading; }
  [[nodiscard]] KnownDistance along(const KnownDistance& from, double weight) const {
    return {from.distance + weight, 0, kSpreading};
  }
  [[nodiscard]] bool better(const KnownDistance& a, const KnownDistance& b) const {
    return a.distance < b.distance;
  }
  [[nodiscard]] double rank(const KnownDistance& value) const { return value.distance; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] bool offers(const KnownDistance& value) const {
    return value.stage + 1 == kSpreading;
  }

  [[nodiscard]] double result(const Vertex<KnownDistance>& vertex) const {
    return vertex.value().distance;
  }

  void enter(std::uint32_t stage) { stage_ = stage; }
  [[nodiscard]] static std::uint32_t stage_of(const KnownDistance& value) { return value.stage; }
  [[nodiscard]] std::uint64_t left(LocalVertex, const KnownDistance&) const { return 0; }
  [[nodiscard]] std::optional<std::uint32_t> next_stage(std::uint64_t) const {
    const std::uint32_t last = lists_ ? kSpreading : kSpreading - 1;
    return stage_ < last ? std::optional(stage_ + 1) : std::nullopt;
  }
  /// All values stay: a doubtful one of the first stage counts as infinite.
  [[nodiscard]] KnownDistance begin(LocalVertex, const KnownDistance& last) const { return last; }

 private:
  /// A nearer vertex that is not doubtful has an arc of the fitting length. Arcs of length 0 do not count: the ends of a cycle of such
  /// arcs would support each other.
  [[nodiscard]] bool is_supported(const Vertex<KnownDistance>& vertex,
                                  const KnownDistance& own) const {
    bool supported = false;
    vertex.each([&](const KnownDistance& from, double weight) {
      supported = supported || (from.doubtful == 0 && from.distance < own.distance &&
                                from.distance + weight == own.distance);
    });
    return supported;
  }

  static constexpr std::uint32_t kSpreading = 2;

  VertexId source_;
  bool lists_;
  double width_;
  std::uint32_t stage_ = 0;
  std::span<const OldDistance> old_;
};

}  // namespace leeway
