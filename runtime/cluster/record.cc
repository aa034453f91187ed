#include "runtime/cluster/record.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>

#include "base/archive.h"
#include "base/log.h"
#include "dsm/node.h"

namespace leeway {

namespace {

std::uint64_t total(const Record& record, std::uint64_t IterationSample::*count) {
  std::uint64_t sum = 0;
  for (const NodeRecord& node : record.nodes) {
    for (const IterationSample& sample : node.iterations) sum += sample.*count;
  }
  return sum;
}

}  // namespace

void NodeRecord::ended(const IterationSample& sample) {
  iterations.push_back(sample);
  ++counters[Counter::Iterations];
  if (progress != nullptr) progress->update(iterations.size(), sample.changed);
  if (on_ended) on_ended();
}

void NodeRecord::count_memory(const SpaceStats& space, const NodeStats& node) {
  const AccessCounts& accesses = space.accesses;
  counters[Counter::CurrentHits] = accesses.current_hits;
  counters[Counter::StaleHits] = accesses.stale_hits;
  counters[Counter::StaleMisses] = accesses.stale_misses;
  counters[Counter::CacheMisses] = accesses.cache_misses;
  counters[Counter::Reads] = space.cache.reads;
  counters[Counter::Refreshes] = space.cache.refreshes;
  counters[Counter::Evictions] = space.cache.evictions;
  counters[Counter::BlockedFetches] = node.blocked_fetches;
  counters[Counter::Messages] = node.messages_sent;
  counters[Counter::Frames] = node.transport.frames_sent;
  counters[Counter::BytesSent] = node.transport.bytes_sent;
  counters[Counter::Moves] = node.moves;
  counters[Counter::MovesByService] = node.moves_by_service;
  stale_by_age = accesses.stale_by_age;
  refreshes = space.refreshes;
  sent_by_kind = node.sent_by_kind;
}

bool Record::converged() const {
  return std::all_of(nodes.begin(), nodes.end(),
                     [](const NodeRecord& node) { return node.converged; });
}

std::uint32_t Record::iterations() const {
  std::size_t most = 0;
  for (const NodeRecord& node : nodes) most = std::max(most, node.iterations.size());
  return static_cast<std::uint32_t>(most);
}

Counters Record::counters() const {
  Counters all;
  for (const NodeRecord& node : nodes) all.add(node.counters);
  return all;
}

AccessCounts Record::accesses() const {
  const Counters all = counters();
  AccessCounts sum{.current_hits = all[Counter::CurrentHits],
                   .stale_hits = all[Counter::StaleHits],
                   .stale_misses = all[Counter::StaleMisses],
                   .cache_misses = all[Counter::CacheMisses]};
  for (const NodeRecord& node : nodes) {
    for (std::size_t age = 0; age < node.stale_by_age.size(); ++age)
      sum.stale_by_age[age] += node.stale_by_age[age];
  }
  return sum;
}

RefreshTimes Record::refresh_times() const {
  RefreshTimes all;
  for (const NodeRecord& node : nodes) all += node.refreshes;
  return all;
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
      sum[kind].messages += node.sent_by_kind[kind].messages;
      sum[kind].bytes += node.sent_by_kind[kind].bytes;
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

Duration elapsed_of(std::span<const NodeRecord> nodes) {
  if (nodes.empty()) return {};
  Instant begin = nodes.front().begin;
  Instant end = nodes.front().end;
  for (const NodeRecord& node : nodes) {
    begin = std::min(begin, node.begin);
    end = std::max(end, node.end);
  }
  return end - begin;
}

double compute_seconds(const Record& record) { return seconds(elapsed_of(record.nodes)); }

void start_at_zero(std::span<NodeRecord> nodes) {
  for (NodeRecord& node : nodes) shift_times(node, node.begin.time_since_epoch());
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
