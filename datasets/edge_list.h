// Edges on their way from a reader or generator to a Graph: a row of chunks, each packed so that a
// run of edges with one source stores the source once. Order counts: it decides which duplicate is
// first. A chunk is made by one thread; chunks may be made side by side and put in order
// afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"

namespace leeway {

/// Packed edges in memory of their own, given back when the chunk is destroyed. Move-only.
class EdgeChunk {
 public:
  [[nodiscard]] std::size_t size() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return targets_.span(); }
  /// The source of each run of edges, in order.
  [[nodiscard]] std::span<const VertexId> run_sources() const { return sources_.span(); }
  /// One an edge, or empty when the list has no weights.
  [[nodiscard]] std::span<const double> weights() const { return weights_.span(); }
  /// One an edge, or empty when the weights are not complex.
  [[nodiscard]] std::span<const double> imaginary() const { return imaginary_.span(); }

  /// Calls `visit(index, source, target)` for each edge in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const VertexId* targets = targets_.data();
    const VertexId* source =
        sources_.data();  // the first edge always starts a run: its bit is left out
    const std::size_t count = size();
    for (std::size_t word = 0; word * 64 < count; ++word) {
      std::uint64_t starts = word == 0 ? starts_[0] & ~std::uint64_t{1} : starts_[word];
      const std::size_t end = count < word * 64 + 64 ? count : word * 64 + 64;
      for (std::size_t i = word * 64; i < end; ++i, starts >>= 1) {
        source += starts & 1;
        visit(i, *source, targets[i]);
      }
    }
  }

  /// Replaces every source by `source_of(source)` and every target by `target_of(target)`.
  template <class SourceMap, class TargetMap>
  void relabel(SourceMap&& source_of, TargetMap&& target_of) {
    for (VertexId& vertex : sources_.mutable_span()) vertex = source_of(vertex);
    for (VertexId& vertex : targets_.mutable_span()) vertex = target_of(vertex);
  }

 private:
  friend class EdgeChunkBuilder;
  Array<std::uint64_t> starts_;  // bit i: edge i begins a new run
  Array<VertexId> sources_;
  Array<VertexId> targets_;
  Array<double> weights_;
  Array<double> imaginary_;
};

/// Collects edges and packs them. One thread at a time; may be used again after `finish`.
class EdgeChunkBuilder {
 public:
  void add(VertexId source, VertexId target) {
    const std::size_t index = targets_.size();
    if (index % 64 == 0) starts_.push_back(0);
    if (index == 0 || sources_.back() != source) {
      starts_.back() |= std::uint64_t{1} << (index % 64);
      sources_.push_back(source);
    }
    targets_.push_back(target);
  }
  /// Every edge of a list has a weight or none has (checked when packed).
  void add(VertexId source, VertexId target, double weight) {
    add(source, target);
    weights_.push_back(weight);
  }
  void add(VertexId source, VertexId target, double real, double imaginary) {
    add(source, target, real);
    imaginary_.push_back(imaginary);
  }
  [[nodiscard]] std::size_t size() const { return targets_.size(); }

  /// The packed edges; the builder is empty afterwards. Fails when memory is refused.
  Result<EdgeChunk> finish();

 private:
  std::vector<std::uint64_t> starts_;
  std::vector<VertexId> sources_;
  std::vector<VertexId> targets_;
  std::vector<double> weights_;
  std::vector<double> imaginary_;
};

/// All edges of a graph to be. Owns its chunks; whoever consumes it may free them one by one.
struct EdgeList {
  std::vector<EdgeChunk> chunks;
  WeightKind weight_kind = WeightKind::None;  ///< what every chunk carries

  [[nodiscard]] std::uint64_t size() const;
};

}  // namespace leeway
