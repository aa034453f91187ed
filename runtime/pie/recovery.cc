#include "runtime/pie/recovery.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/format.h"
#include "base/log.h"
#include "runtime/cluster/group.h"
#include "snapshot/source.h"

namespace leeway::pie {

namespace {

/// Bound on a number of workers that a peer gives.
constexpr std::uint64_t kMostWorkers = 1U << 20U;

/// Sends the owners of all vertices from `guide` to the processes without them, which take them.
void pass_partition(Group& group, NodeId guide, const std::vector<std::uint8_t>& left,
                    const std::optional<WhatIsLeft>& own, Continuation& agreed) {
  std::vector<std::byte> bytes;
  group.begin([&](NodeId from, std::span<const std::byte> piece) {
    group.require(from == guide && !own, from);
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  const bool awaited = std::find(left.begin(), left.end(), 0) != left.end();
  if (group.self() == guide && awaited) {
    const Partition partition = own->partition();
    ByteWriter out;
    out.varint(partition.part_count);
    out.raw(std::as_bytes(partition.owner.span()));
    const std::span<const std::byte> all = out.span();
    for (std::uint32_t to = 0; to < left.size(); ++to) {
      if (left[to] == 0) group.send_list(NodeId(to), all);
    }
  }
  group.end();
  if (own) return;
  ByteReader in(bytes);
  agreed.partition.emplace();
  agreed.partition->part_count = static_cast<std::uint32_t>(in.varint_up_to(kMostWorkers));
  const auto owners = in.raw(in.left());
  group.require(!in.failed() && owners.size() % sizeof(PartId) == 0, guide);
  auto made = Array<PartId>::make(owners.size() / sizeof(PartId));
  group.require(made.has_value(), guide);
  agreed.partition->owner = std::move(*made);
  std::memcpy(static_cast<void*>(agreed.partition->owner.mutable_span().data()), owners.data(),
              owners.size());
  const auto all = agreed.partition->owner.span();
  group.require(
      std::all_of(all.begin(), all.end(),
                  [&](PartId owner) { return owner.value() < agreed.partition->part_count; }),
      guide);
}

Status meet(Group& group, const std::optional<WhatIsLeft>& own, const std::string& folder,
            Continuation& agreed) {
  agreed = {};
  const std::vector<std::uint8_t> left = group.share<std::uint8_t>(own ? 1 : 0);
  const auto first = std::find(left.begin(), left.end(), 1);
  if (first == left.end()) return {};
  const NodeId guide(static_cast<std::uint32_t>(first - left.begin()));
  std::uint64_t newest = 0;
  if (group.self() == guide && !folder.empty()) {
    if (const auto source = snapshot::Source::open(folder)) newest = source->manifest().number;
  }
  agreed.checkpoint = group.broadcast(newest, guide);
  pass_partition(group, guide, left, own, agreed);
  using WorkerResults =
      std::vector<std::vector<std::byte>>;  // by worker; empty: of another process
  const auto all = group.share_bytes(archived(own ? own->results : WorkerResults()));
  for (std::uint32_t from = 0; from < all.size(); ++from) {
    WorkerResults results;
    group.require(load_archived(all[from], results) && results.size() <= kMostWorkers,
                  NodeId(from));
    for (std::size_t worker = 0; worker < results.size(); ++worker) {
      if (results[worker].empty()) continue;
      if (agreed.results.size() <= worker) agreed.results.resize(worker + 1);
      agreed.results[worker] = std::move(results[worker]);
    }
  }
  return {};
}

}  // namespace

Result<Continuation> agree_after_loss(const ClusterOptions& cluster,
                                      const std::optional<WhatIsLeft>& left,
                                      const std::string& folder) {
  Job& job = *cluster.job;
  while (true) {
    job.note_rejoined();
    Continuation agreed;
    const Status met =
        with_group(cluster, [&](Group& group) { return meet(group, left, folder, agreed); });
    if (met) return agreed;
    if (!job.recoverable() || !job.lost_a_node()) return fail(met.error());
    log_info("another process was lost meanwhile; joining again");
    LEEWAY_TRY(job.rejoin());
  }
}

}  // namespace leeway::pie
