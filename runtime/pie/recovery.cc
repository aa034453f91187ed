#include "runtime/pie/recovery.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/bytes.h"
#include "base/format.h"
#include "base/log.h"
#include "runtime/cluster/exchange.h"
#include "snapshot/source.h"

namespace leeway::pie {

namespace {

/// Bound on a number of workers that a peer gives.
constexpr std::uint64_t kMostWorkers = 1U << 20U;

std::vector<std::byte> packed(const std::optional<WhatIsLeft>& left) {
  ByteWriter out;
  if (!left) return out.take();
  for (std::size_t worker = 0; worker < left->results.size(); ++worker) {
    if (left->results[worker].empty()) continue;
    out.varint(worker);
    out.varint(left->results[worker].size());
    out.raw(left->results[worker]);
  }
  return out.take();
}

void unpack(std::span<const std::byte> bytes, std::vector<std::vector<std::byte>>& results,
            Exchange& exchange, NodeId from) {
  ByteReader in(bytes);
  while (!in.at_end() && !in.failed()) {
    const std::uint64_t worker = in.varint();
    const auto piece = in.raw(in.varint());
    exchange.require(!in.failed() && worker < kMostWorkers, from);
    if (results.size() <= worker) results.resize(worker + 1);
    results[worker].assign(piece.begin(), piece.end());
  }
}

/// Sends the owners of all vertices from `guide` to the processes without them, which take them.
void pass_partition(Exchange& exchange, NodeId guide, const std::vector<std::uint8_t>& left,
                    const std::optional<WhatIsLeft>& own, Continuation& agreed) {
  std::vector<std::byte> bytes;
  exchange.begin([&](NodeId from, std::span<const std::byte> piece) {
    exchange.require(from == guide && !own, from);
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  const bool awaited = std::find(left.begin(), left.end(), 0) != left.end();
  if (exchange.self() == guide && awaited) {
    const Partition partition = own->partition();
    ByteWriter out;
    out.varint(partition.part_count);
    out.raw(std::as_bytes(partition.owner.span()));
    const std::span<const std::byte> all = out.span();
    for (std::uint32_t to = 0; to < left.size(); ++to) {
      for (std::size_t at = 0; left[to] == 0 && at < all.size(); at += Exchange::kMessageBytes)
        exchange.send(NodeId(to),
                      all.subspan(at, std::min(Exchange::kMessageBytes, all.size() - at)));
    }
  }
  exchange.end();
  if (own) return;
  ByteReader in(bytes);
  agreed.partition.emplace();
  agreed.partition->part_count = static_cast<std::uint32_t>(in.varint_up_to(kMostWorkers));
  const auto owners = in.raw(in.left());
  exchange.require(!in.failed() && owners.size() % sizeof(PartId) == 0, guide);
  auto made = Array<PartId>::make(owners.size() / sizeof(PartId));
  exchange.require(made.has_value(), guide);
  agreed.partition->owner = std::move(*made);
  std::memcpy(static_cast<void*>(agreed.partition->owner.mutable_span().data()), owners.data(),
              owners.size());
  const auto all = agreed.partition->owner.span();
  exchange.require(
      std::all_of(all.begin(), all.end(),
                  [&](PartId owner) { return owner.value() < agreed.partition->part_count; }),
      guide);
}

Status meet(Exchange& exchange, const std::optional<WhatIsLeft>& own, const std::string& folder,
            Continuation& agreed) {
  agreed = {};
  const std::vector<std::uint8_t> left = exchange.share<std::uint8_t>(own ? 1 : 0);
  const auto first = std::find(left.begin(), left.end(), 1);
  if (first == left.end()) return {};
  const NodeId guide(static_cast<std::uint32_t>(first - left.begin()));
  std::uint64_t newest = 0;
  if (exchange.self() == guide && !folder.empty()) {
    if (const auto source = snapshot::Source::open(folder)) newest = source->manifest().number;
  }
  agreed.checkpoint = exchange.share(newest)[guide.index()];
  pass_partition(exchange, guide, left, own, agreed);
  const auto all = exchange.share_bytes(packed(own));
  for (std::uint32_t from = 0; from < all.size(); ++from)
    unpack(all[from], agreed.results, exchange, NodeId(from));
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
    const Status met = exchange_parts(
        cluster, [&](Exchange& exchange) { return meet(exchange, left, folder, agreed); });
    if (met) return agreed;
    if (!job.recoverable() || !job.lost_a_node()) return fail(met.error());
    log_info("another process was lost meanwhile; joining again");
    LEEWAY_TRY(job.rejoin());
  }
}

}  // namespace leeway::pie
