#include "programs/lcc/clustering.h"

#include "programs/triangles/triangle_counter.h"

namespace leeway {

Result<std::vector<ClusteringRow>> count_clustering(Group& group, const GraphPart& part,
                                                    unsigned threads) {
  const bool directed = part.totals.directed;
  LEEWAY_ASSIGN(const auto counted, directed ? count_opposite_arcs(group, part, threads)
                                             : count_triangles<TriangleRow>(group, part, threads));
  std::vector<ClusteringRow> rows;
  rows.reserve(counted.size());
  for (const TriangleRow& each : counted) {
    const auto near = static_cast<double>(each.near);
    const auto arcs = static_cast<double>(directed ? each.count : 2 * each.count);
    rows.push_back({near >= 2 ? arcs / (near * (near - 1)) : 0, each.entries});
  }
  return rows;
}

}  // namespace leeway
