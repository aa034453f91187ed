// The sources of a program that computes paths from many vertices: one, a sample, or all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "datasets/graph.h"

namespace leeway {

struct ProgramParameters;

class PathSources {
 public:
  /// The given source, else a sample of `parameters.samples` vertices drawn by `seed`, else all vertices.
  PathSources(const GraphTotals& graph, const ProgramParameters& parameters, std::uint64_t seed);

  /// The same for a run, shared by its nodes. Warns of a run from all vertices of a large graph, which takes hours.
  static std::shared_ptr<const PathSources> for_run(const GraphTotals& graph,
                                                    const ProgramParameters& parameters,
                                                    std::uint64_t seed);

  [[nodiscard]] std::uint64_t count() const { return all_ > 0 ? all_ : chosen_.size(); }
  /// Requires number < count().
  [[nodiscard]] VertexId at(std::uint64_t number) const {
    return all_ > 0 ? VertexId(static_cast<std::uint32_t>(number)) : chosen_[number];
  }
  [[nodiscard]] bool has(VertexId vertex) const;
  [[nodiscard]] std::vector<VertexId> list() const;
  /// Whether every vertex is a source.
  [[nodiscard]] bool all() const { return all_ > 0; }

 private:
  std::uint64_t all_ = 0;         // the number of vertices, if each of them is a source; else 0
  std::vector<VertexId> chosen_;  // ascending
};

}  // namespace leeway
