#include "runtime/cluster/record.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>

#include "base/archive.h"

namespace leeway {

namespace {

template <class Count>
std::uint64_t total(const Record& record, Count&& count) {
  std::uint64_t sum = 0;
  for (const NodeRecord& node : record.nodes) sum += count(node);
  return sum;
}

std::uint64_t total(const Record& record, std::uint64_t IterationSample::*count) {
  return total(record, [count](const NodeRecord& node) {
    std::uint64_t sum = 0;
    for (const IterationSample& sample : node.log.iterations) sum += sample.*count;
    return sum;
  });
}

}  // namespace

bool Record::converged() const {
  return std::all_of(nodes.begin(), nodes.end(),
                     [](const NodeRecord& node) { return node.log.converged; });
}

std::uint32_t Record::iterations() const {
  std::size_t most = 0;
  for (const NodeRecord& node : nodes) most = std::max(most, node.log.iterations.size());
  return static_cast<std::uint32_t>(most);
}

AccessCounts Record::accesses() const {
  AccessCounts sum;
  for (const NodeRecord& node : nodes) sum += node.space.accesses;
  return sum;
}

snapshot::Counts Record::snapshots() const {
  snapshot::Counts sum;
  for (const NodeRecord& node : nodes) {
    sum.taken += node.snapshots.taken;
    sum.failed += node.snapshots.failed;
    sum.skipped += node.snapshots.skipped;
    sum.bytes += node.snapshots.bytes;
    sum.paused_ns = std::max(sum.paused_ns, node.snapshots.paused_ns);
    sum.longest_ns = std::max(sum.longest_ns, node.snapshots.longest_ns);
    sum.written_ns += node.snapshots.written_ns;
  }
  return sum;
}

std::uint64_t Record::blocked_fetches() const {
  return total(*this, [](const NodeRecord& node) { return node.node.blocked_fetches; });
}
std::uint64_t Record::refreshes() const {
  return total(*this, [](const NodeRecord& node) { return node.space.cache.refreshes; });
}
std::uint64_t Record::messages() const {
  return total(*this, [](const NodeRecord& node) { return node.node.messages_sent; });
}
std::uint64_t Record::bytes() const {
  return total(*this, [](const NodeRecord& node) { return node.node.transport.bytes_sent; });
}
std::uint64_t Record::visited() const { return total(*this, &IterationSample::visited); }
std::uint64_t Record::changed() const { return total(*this, &IterationSample::changed); }

NotFinite Record::not_finite() const {
  NotFinite all;
  for (const NodeRecord& node : nodes) all.add(node.not_finite);
  return all;
}

KindCounts Record::sent_by_kind() const {
  KindCounts sum{};
  for (const NodeRecord& node : nodes) {
    for (std::size_t kind = 0; kind < sum.size(); ++kind) {
      sum[kind].messages += node.node.sent_by_kind[kind].messages;
      sum[kind].bytes += node.node.sent_by_kind[kind].bytes;
    }
  }
  return sum;
}

std::string_view message_kind_name(MessageKind kind) {
  static constexpr std::array<std::string_view, kLastMessageKind + std::size_t{1}> kNames = {
      "",      "link",  "read",      "reply",   "invalidate", "ack",
      "evict", "write", "write-ack", "decline", "collective"};
  return kNames[static_cast<std::size_t>(kind)];
}

double compute_seconds(const Record& record) {
  if (record.nodes.empty()) return 0;
  Instant begin = record.nodes.front().log.begin;
  Instant end = record.nodes.front().log.end;
  for (const NodeRecord& node : record.nodes) {
    begin = std::min(begin, node.log.begin);
    end = std::max(end, node.log.end);
  }
  return seconds(end - begin);
}

SpaceStats since(const SpaceStats& now, const SpaceStats& before) {
  SpaceStats stats = difference(now, before);
  stats.bytes = now.bytes;
  return stats;
}

NodeStats since(const NodeStats& now, const NodeStats& before) {
  NodeStats stats = difference(now, before);
  stats.waiting_frames = now.waiting_frames;
  return stats;
}

std::uint64_t peak_memory() {
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  rusage children{};  // such as the one that ran METIS; includes memory inherited from this process
  ::getrusage(RUSAGE_CHILDREN, &children);
  return static_cast<std::uint64_t>(std::max(own.ru_maxrss, children.ru_maxrss)) * 1024;
}

}  // namespace leeway
