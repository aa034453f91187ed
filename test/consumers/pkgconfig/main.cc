// A user's program: a ring of ten vertices, divided between two nodes.
#include <cstdio>

#include "leeway/leeway.h"

namespace {

leeway::Result<leeway::PartitionReport> divide_ring() {
  leeway::EdgeChunkBuilder edges;
  for (std::uint32_t i = 0; i < 10; ++i) {
    edges.add(leeway::VertexId(i), leeway::VertexId((i + 1) % 10));
  }
  leeway::EdgeList list;
  LEEWAY_ASSIGN(auto chunk, edges.finish());
  list.chunks.push_back(std::move(chunk));
  leeway::GraphShape shape;
  shape.vertex_count = 10;
  shape.directed = false;
  shape.names = leeway::VertexNames::sequence(0, 10);
  LEEWAY_ASSIGN(const auto graph, leeway::build_graph(std::move(list), std::move(shape), {}));

  leeway::PartitionOptions options;
  options.parts = 2;
  LEEWAY_ASSIGN(const auto partition, leeway::partition_graph(graph, options));
  return leeway::report_partition(graph, partition);
}

}  // namespace

int main() {
  const auto report = divide_ring();
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
    return report.error().exit_code();
  }
  const auto line = leeway::format("cut {} of {} parts", report->edge_cut, report->parts.size());
  std::puts(line.c_str());
  return 0;
}
