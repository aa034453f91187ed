// The checkpoints of a PIE run: when they are taken, and continuing from one.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "runtime/pie/engine.h"

namespace leeway::pie {

namespace {

// Longest wait before node 0 checks whether a checkpoint is due.
constexpr Duration kLook = std::chrono::milliseconds(20);

}  // namespace

bool PieEngine::checks_between_phases() const {
  return options_.schedule.model == Scheduler::Hsync || together_ == Together::Sync;
}

/// Called after receiving, between rounds.
void PieEngine::look_for_checkpoint() {
  if (checkpoints_ == nullptr || over_) return;
  const bool first = endpoint_.self() == NodeId(0);
  if (!(first && (checks_between_phases() || regroup_)) &&
      checkpoints_->should_request(slots_, endpoint_.now())) {
    if (first) {
      checkpoints_->arrived(NodeId(0), checkpoints_->next());
    } else {
      send(NodeId(0), frame_of(PieMessageKind::RequestCheckpoint).take());
    }
  }
  save_if_wanted();
  const auto failures = checkpoints_->new_failures();
  if (!failures) return;
  if (first) return checkpoints_->note_failures(NodeId(0), *failures);
  ByteWriter frame = frame_of(PieMessageKind::CheckpointFailures);
  frame.varint(*failures);
  send(NodeId(0), frame.take());
}

/// Nothing is sent between saving the state and passing on the token. Messages with the token are taken afterwards.
void PieEngine::save_if_wanted() {
  if (!checkpoints_->wanted() || !checkpoints_->may_save(slots_)) return;
  const TokenCheckpoints::CheckpointId id = *checkpoints_->wanted();
  const std::size_t bytes = checkpoints_->save(slots_, {}, endpoint_.now());
  endpoint_.charge(Work{.bytes = 2 * bytes});
  ByteWriter frame = phase_frame_of(PieMessageKind::Token);
  frame.varint(id.run);
  frame.varint(id.number);
  broadcast(frame);
  checkpoints_->arrived(endpoint_.self(), id);
  const std::vector<DeferredMessage> due = std::exchange(with_token_, {});
  for (const DeferredMessage& kept : due) on_frame(kept.from, kept.frame);
}

/// All nodes do so before they send anything in the next phase.
void PieEngine::take_between_phases(const TokenCheckpoints::CheckpointId& id) {
  const HsyncState hsync{options_.schedule.model == Scheduler::Hsync, together_, apart_for_,
                         hsync_.memory()};
  const std::size_t bytes = checkpoints_->take_between_phases(id, slots_, hsync, endpoint_.now());
  endpoint_.charge(Work{.bytes = 2 * bytes});
}

void PieEngine::on_checkpoint(NodeId from, PieMessageKind kind, ByteReader& in) {
  TokenCheckpoints::CheckpointId id;
  std::uint64_t failures = 0;
  if (kind == PieMessageKind::Token) id = {in.varint(), in.varint()};
  if (kind == PieMessageKind::CheckpointFailures) failures = in.varint();
  if (in.failed() || checkpoints_ == nullptr) return;
  if (kind == PieMessageKind::RequestCheckpoint) checkpoints_->request();
  if (kind == PieMessageKind::CheckpointFailures) checkpoints_->note_failures(from, failures);
  if (kind != PieMessageKind::Token) return;
  checkpoints_->arrived(from, id);
  // mutant: a-message-with-the-token-is-taken-before-the-state-is-saved
  save_if_wanted();
}

bool PieEngine::restore() {
  if (saved_ == nullptr) return true;
  const SavedWorkers& saved = *std::exchange(saved_, nullptr);
  if (saved.hsync.chosen && options_.schedule.model == Scheduler::Hsync) {
    together_ = saved.hsync.together;
    apart_for_ = saved.hsync.apart_for;
    hsync_.restore(saved.hsync.memory);
    for (WorkerSlot& slot : slots_) slot.worker().pace(pacing());
  }
  bool same_pacing = true;
  for (WorkerSlot& slot : slots_) {
    const auto& state = saved.states[slot.id().index()];
    LEEWAY_CHECK(state.has_value());
    ByteReader in(*state);
    same_pacing = slot.restore(in) && same_pacing;
    if (in.failed() || !in.at_end()) return false;
  }
  for (const LateMessage& late : saved.late) {
    WorkerSlot* const to = slot_of(late.to);
    if (to == nullptr) continue;  // of another node in this process
    if (!late.message.empty() && !to->worker().receive(late.from, late.message, false))
      return false;
    if (same_pacing) to->worker().heard(late.from, false);
  }
  for (WorkerSlot& slot : slots_) send_messages(slot);  // held back under another pacing
  return true;
}

/// Wakes a waiting node regularly, so that node 0 starts a checkpoint in time.
std::optional<Instant> PieEngine::wake_for_checkpoint(std::optional<Instant> deadline) {
  if (checkpoints_ == nullptr) return deadline;
  const Instant look = endpoint_.now() + kLook;
  return deadline ? std::min(*deadline, look) : look;
}

}  // namespace leeway::pie
