// BetweennessStages: the share of shortest paths that pass through each vertex (Freeman, 1977), by Brandes' algorithm (2001) from
// each of a list of sources. Two stages for a source: depths and numbers of shortest paths flow along the arcs, then dependencies
// flow back, from the vertices one step farther away. Both are fixed points of values that are final once those that they depend on
// are, so they are reached under every schedule. Parallel arcs make different paths.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "leeway/vertex.h"
#include "programs/catalog/sources.h"

namespace leeway {

struct PathDependency {
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

  double paths = 0;  ///< shortest paths from the source; as a double: their number can exceed 2^64
  double dependency = 0;  ///< Brandes' delta
  double total = 0;       ///< of the sources before
  std::uint32_t depth = kFar;
  std::uint32_t stage = 0;
  friend bool operator==(const PathDependency&, const PathDependency&) = default;
};

class BetweennessStages {
 public:
  using Value = PathDependency;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::BothMarked;
  static constexpr bool kWeights = true;
  static constexpr bool kAlwaysRests = true;

  BetweennessStages(std::shared_ptr<const PathSources> sources, bool directed)
      : sources_(std::move(sources)), directed_(directed) {}

  [[nodiscard]] PathDependency init(const LocalVertex& v) const { return first(v.id, 0); }
  [[nodiscard]] PathDependency update(const Vertex<PathDependency>& vertex) const {
    PathDependency own = vertex.value();
    if (backward()) {
      own.dependency = dependency(vertex, own);
    } else if (vertex.id() != source()) {
      count_paths(vertex, own);
    }
    return own;
  }
  [[nodiscard]] double result(const Vertex<PathDependency>& vertex) const {
    return total_with(vertex.id(), vertex.value());
  }

  void enter(std::uint32_t stage) { stage_ = stage; }
  [[nodiscard]] static std::uint32_t stage_of(const PathDependency& value) { return value.stage; }
  [[nodiscard]] std::uint64_t left(LocalVertex, const PathDependency&) const { return 0; }
  [[nodiscard]] std::optional<std::uint32_t> next_stage(std::uint64_t) const {
    if (stage_ / 2 + std::uint64_t{1} >= sources_->count() && backward()) return std::nullopt;
    return stage_ + 1;
  }
  [[nodiscard]] PathDependency begin(const LocalVertex& v, const PathDependency& last) const {
    if (!backward()) return first(v.id, total_of(last, sources_->at(stage_ / 2 - 1) == v.id));
    PathDependency value = last;
    value.stage = stage_;
    return value;
  }

 private:
  [[nodiscard]] bool backward() const { return stage_ % 2 == 1; }
  [[nodiscard]] VertexId source() const { return sources_->at(stage_ / 2); }
  [[nodiscard]] PathDependency first(VertexId v, double total) const {
    PathDependency value{.total = total, .stage = stage_};
    if (v == source()) {
      value.depth = 0;
      value.paths = 1;
    }
    return value;
  }
  [[nodiscard]] static double total_of(const PathDependency& value, bool is_source) {
    return is_source ? value.total : value.total + value.dependency;
  }
  [[nodiscard]] double total_with(VertexId v, const PathDependency& value) const {
    return total_of(value, v == source());
  }

  void count_paths(const Vertex<PathDependency>& vertex, PathDependency& own) const {
    own.depth = PathDependency::kFar;
    own.paths = 0;
    vertex.each([&](const PathDependency& from, double mark) {
      if (from.depth >= own.depth || from.stage != stage_) return;
      if (directed_ && mark != kIncoming) return;
      if (from.depth + 1 < own.depth) {
        own.depth = from.depth + 1;
        own.paths = 0;
      }
      own.paths += from.paths;
    });
  }
  [[nodiscard]] double dependency(const Vertex<PathDependency>& vertex,
                                  const PathDependency& own) const {
    double sum = 0;
    if (own.depth == PathDependency::kFar) return sum;
    vertex.each([&](const PathDependency& to, double mark) {
      if (to.depth != own.depth + 1 || to.stage != stage_) return;
      if (directed_ && mark != kOutgoing) return;
      sum += (1 + to.dependency) / to.paths;
    });
    return own.paths * sum;
  }

  std::shared_ptr<const PathSources> sources_;
  bool directed_;
  std::uint32_t stage_ = 0;
};

}  // namespace leeway
