#include "runtime/pie/snapshots.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace leeway::pie {

Snapshots::Snapshots(PieSnapshotOptions options)
    : options_(std::move(options)),
      recorder_(options_.plan, options_.self.value(), options_.background,
                options_.own_process || options_.self == NodeId(0)),
      failures_(options_.nodes, 0) {}

Status Snapshots::open() {
  LEEWAY_TRY(recorder_.open());
  number_ = recorder_.next_number();
  return {};
}

void Snapshots::begin(Instant now) {
  running_ = true;
  recorder_.begin(now);
}

std::uint64_t Snapshots::iterations(const std::vector<WorkerSlot>& slots) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const WorkerSlot& slot : slots) least = std::min<std::uint64_t>(least, slot.iterations());
  return slots.empty() ? 0 : least;
}

/// False while a worker has none; true for a node without workers.
bool Snapshots::has_results(const std::vector<WorkerSlot>& slots) {
  return std::all_of(slots.begin(), slots.end(),
                     [](const WorkerSlot& slot) { return slot.statistics().rounds_run() > 0; });
}

bool Snapshots::should_request(const std::vector<WorkerSlot>& slots, Instant now) {
  return running_ && has_results(slots) && recorder_.should_request(now, iterations(slots));
}

void Snapshots::note_failures(NodeId node, std::uint64_t count) {
  failures_[node.index()] = count;
  recorder_.note_failures(std::accumulate(failures_.begin(), failures_.end(), std::uint64_t{0}));
}

std::optional<std::uint64_t> Snapshots::new_failures() {
  const std::uint64_t now = recorder_.failures();
  if (now == std::exchange(reported_failures_, now)) return std::nullopt;
  return now;
}

void Snapshots::take(std::vector<WorkerSlot>& slots, Instant now) {
  if (!open_ || !running_ || !has_results(slots)) return;
  write(slots, *std::exchange(open_, std::nullopt), now);
}

void Snapshots::write(std::vector<WorkerSlot>& slots, const SnapshotRequest& request, Instant now) {
  const Instant began = clock_.now();
  if (options_.own_process && !same_folder_) {
    const Status same =
        snapshot::check_same_folder(options_.plan.folder, request.run, options_.self.value());
    if (!same) return recorder_.complain(same.error());
    same_folder_ = true;
  }
  snapshot::Part* const part = recorder_.blank();
  if (part != nullptr) {
    snapshot::PartHeader header{.part = options_.self.value(),
                                .parts = options_.nodes,
                                .state_bytes = options_.plan.of.state_bytes,
                                .number = request.number,
                                .run = request.run};
    for (const WorkerSlot& slot : slots) header.entries += slot.worker().fragment().inner_count();
    part->shape(header);
    std::size_t at = 0;
    for (const WorkerSlot& slot : slots) {
      const Fragment& fragment = slot.worker().fragment();
      ByteWriter states;
      slot.worker().write_results(states);
      if (!states.empty())
        std::memcpy(&part->states()[at * header.state_bytes], states.span().data(), states.size());
      for (Place p = 0; p < fragment.inner_count(); ++p)
        part->vertices()[at++] = fragment.vertex(p).value();
    }
    recorder_.write(now, iterations(slots));
  }
  recorder_.paused(clock_.now() - began);
}

snapshot::Counts Snapshots::close() {
  recorder_.close();
  return recorder_.counts();
}

}  // namespace leeway::pie
