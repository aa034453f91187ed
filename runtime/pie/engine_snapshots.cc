// Where a PIE engine's loop and its frames meet snapshots (see snapshots.h).
#include <algorithm>
#include <chrono>

#include "leeway/runtime/pie/engine.h"

namespace leeway::pie {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(20);

}  // namespace

/// After whatever has come: between rounds, so that results are of whole ones.
void Engine::look_for_snapshot() {
  if (snapshots_ == nullptr || over_) return;
  const bool first = endpoint_.self() == NodeId(0);
  if (snapshots_->wants(slots_, endpoint_.now())) {
    if (first) {
      ByteWriter frame = frame_of(Kind::Snapshot);
      const Snapshots::Request request = snapshots_->next();
      frame.varint(request.run);
      frame.varint(request.number);
      broadcast(frame);
      snapshots_->request(request);
    } else {
      send(NodeId(0), frame_of(Kind::SnapshotWish).take());
    }
  }
  snapshots_->take(slots_, endpoint_.now());
  const auto failures = snapshots_->new_failures();
  if (!failures) return;
  if (first) return snapshots_->note_failures(NodeId(0), *failures);
  ByteWriter frame = frame_of(Kind::SnapshotFailures);
  frame.varint(*failures);
  send(NodeId(0), frame.take());
}

void Engine::on_snapshot(NodeId from, Kind kind, ByteReader& in) {
  Snapshots::Request request;
  std::uint64_t failures = 0;
  if (kind == Kind::Snapshot) request = {in.varint(), in.varint()};
  if (kind == Kind::SnapshotFailures) failures = in.varint();
  if (in.failed() || snapshots_ == nullptr) return;
  if (kind == Kind::Snapshot) snapshots_->request(request);
  if (kind == Kind::SnapshotFailures) snapshots_->note_failures(from, failures);
  if (kind == Kind::SnapshotWish) snapshots_->ask();
}

/// Node 0 looks out for the time of the next snapshot, whatever else it waits for.
std::optional<Instant> Engine::wake_for_snapshot(std::optional<Instant> deadline) {
  if (snapshots_ == nullptr) return deadline;
  const Instant look = endpoint_.now() + kLook;
  return deadline ? std::min(*deadline, look) : look;
}

}  // namespace leeway::pie
