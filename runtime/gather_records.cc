#include <utility>

#include "leeway/runtime/gather.h"
#include "leeway/runtime/run_record.h"

namespace leeway {

namespace {

/// A node's record without its lists.
struct Numbers {
  std::uint64_t vertices, arcs, remote, bytes, cache_capacity, converged;
  Instant end;
  SpaceStats space;
  NodeStats node;
  snapshot::Counts snapshots;
};

void shift(NodeLog& log) {
  const Duration start = log.begin.time_since_epoch();
  log.begin -= start;
  log.end -= start;
  for (IterationSample& sample : log.iterations) sample.at -= start;
  for (ActivitySpan& span : log.spans) {
    span.begin -= start;
    span.end -= start;
  }
}

}  // namespace

Status gather_records(Node& node, std::vector<NodeRecord>& records) {
  NodeRecord& mine = records[node.self().index()];
  shift(mine.log);  // clocks of different machines have nothing in common but the barrier before
  const Numbers numbers{mine.vertices,       mine.arcs,          mine.remote,  mine.bytes,
                        mine.cache_capacity, mine.log.converged, mine.log.end, mine.space,
                        mine.node,           mine.snapshots};
  LEEWAY_ASSIGN(const auto all, gather_at_first<Numbers>(node, "numbers", std::span(&numbers, 1)));
  LEEWAY_ASSIGN(auto iterations,
                gather_at_first<IterationSample>(node, "iterations",
                                                 std::span(std::as_const(mine.log.iterations))));
  LEEWAY_ASSIGN(auto spans, gather_at_first<ActivitySpan>(
                                node, "spans", std::span(std::as_const(mine.log.spans))));
  for (std::size_t i = 0; node.self() == NodeId(0) && i < records.size(); ++i) {
    const Numbers& its = all[i].front();
    records[i].vertices = its.vertices;
    records[i].arcs = its.arcs;
    records[i].remote = its.remote;
    records[i].bytes = its.bytes;
    records[i].cache_capacity = its.cache_capacity;
    records[i].space = its.space;
    records[i].node = its.node;
    records[i].snapshots = its.snapshots;
    records[i].log.begin = Instant{};
    records[i].log.end = its.end;
    records[i].log.converged = its.converged != 0;
    records[i].log.iterations = std::move(iterations[i]);
    records[i].log.spans = std::move(spans[i]);
  }
  return {};
}

}  // namespace leeway
