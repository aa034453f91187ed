#include "runtime/pie/checkpoints.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/archive.h"
#include "base/check.h"
#include "snapshot/recorder.h"

namespace leeway::pie {

namespace {

// A node's own bytes in a snapshot: version, division, Hsync's state; for each worker of
// the node: its number, the length of its state, its state; then for each message in flight: receiver, sender, length,
// message.
constexpr std::uint8_t kStateVersion = 2;
constexpr std::uint64_t kNoWorker = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TokenCheckpoints::TokenCheckpoints(Checkpointer::CheckpointOptions options, std::uint64_t division)
    : options_(options),
      checkpointer_(std::move(options)),
      division_(division),
      tokens_(options_.parts, 0),
      failures_(options_.parts, 0) {}

void TokenCheckpoints::begin(Instant now) {
  running_ = true;
  checkpointer_.begin(now);
}

std::uint64_t TokenCheckpoints::iterations(const std::vector<WorkerSlot>& slots) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const WorkerSlot& slot : slots) least = std::min<std::uint64_t>(least, slot.iterations());
  return slots.empty() ? 0 : least;
}

bool TokenCheckpoints::may_save(const std::vector<WorkerSlot>& slots) const {
  return running_ && std::all_of(slots.begin(), slots.end(), [](const WorkerSlot& slot) {
           return slot.statistics().rounds_run() > 0;
         });
}

bool TokenCheckpoints::should_request(const std::vector<WorkerSlot>& slots, Instant now) {
  return may_save(slots) && !open_ && !wanted_ &&
         checkpointer_.should_request(now, iterations(slots));
}

void TokenCheckpoints::arrived(NodeId from, const CheckpointId& id) {
  if (ended_) return;
  tokens_[from.index()] = id.number;
  if (id.number > token_) wanted_ = id;
  write_if_complete();
}

std::size_t TokenCheckpoints::copy_states(const std::vector<WorkerSlot>& slots,
                                          const HsyncState& hsync) {
  vertices_.clear();
  results_.clear();
  states_.clear();
  late_.clear();
  states_.byte(kStateVersion);
  save_all(states_, division_, hsync);
  ByteWriter state;
  for (const WorkerSlot& slot : slots) {
    const Fragment& fragment = slot.worker().fragment();
    // Results of different lengths have no place in a snapshot.
    if (options_.plan->of.state_bytes > 0) {
      for (Place p = 0; p < fragment.inner_count(); ++p)
        vertices_.push_back(fragment.vertex(p).value());
      slot.worker().write_results(results_);
    }
    if (!slot.worker().saves()) continue;
    slot.save(state);
    states_.varint(slot.id().value());
    states_.varint(state.size());
    states_.raw(state.span());
    state.clear();
  }
  states_.varint(kNoWorker);
  return states_.size() + results_.size();
}

std::size_t TokenCheckpoints::save(const std::vector<WorkerSlot>& slots, const HsyncState& hsync,
                                   Instant now) {
  const Instant began = clock_.now();
  open_ = std::exchange(wanted_, std::nullopt);
  token_ = open_->number;
  taken_ = now;
  rounds_ = iterations(slots);
  const std::size_t bytes = copy_states(slots, hsync);
  checkpointer_.paused(clock_.now() - began);
  return bytes;
}

std::size_t TokenCheckpoints::take_between_phases(const CheckpointId& id,
                                                  const std::vector<WorkerSlot>& slots,
                                                  const HsyncState& hsync, Instant now) {
  if (!running_) return 0;
  wanted_ = id;
  std::fill(tokens_.begin(), tokens_.end(), id.number);
  const std::size_t bytes = save(slots, hsync, now);
  write_if_complete();
  return bytes;
}

void TokenCheckpoints::add(PartId to, PartId from, std::span<const std::byte> message) {
  late_.varint(to.value());
  late_.varint(from.value());
  late_.varint(message.size());
  late_.raw(message);
}

bool TokenCheckpoints::all_have_saved() const {
  return std::all_of(tokens_.begin(), tokens_.end(),
                     [this](std::uint64_t token) { return token >= token_; });
}

void TokenCheckpoints::write_if_complete() {
  if (!open_ || !all_have_saved()) return;
  const CheckpointId id = *std::exchange(open_, std::nullopt);
  checkpointer_.take(id, taken_, rounds_, [&](snapshot::Part& part, snapshot::PartHeader header) {
    header.state_bytes = options_.plan->of.state_bytes;
    header.entries = vertices_.size();
    header.own_bytes = states_.size() + late_.size();
    part.shape(header);
    std::copy(vertices_.begin(), vertices_.end(), part.vertices().begin());
    const auto put = [](std::span<std::byte> to, std::span<const std::byte> from) {
      if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
    };
    put(part.states(), results_.span());
    put(part.own(), states_.span());
    put(part.own().subspan(states_.size()), late_.span());
  });
}

void TokenCheckpoints::note_failures(NodeId node, std::uint64_t count) {
  failures_[node.index()] = count;
  if (open_) checkpointer_.give_up(*std::exchange(open_, std::nullopt));
  checkpointer_.note_failures(
      std::accumulate(failures_.begin(), failures_.end(), std::uint64_t{0}));
}

namespace {

/// Reads one node's bytes. False if they are of another version or division.
bool read_part(std::span<const std::byte> own, std::uint64_t division,
               const std::function<bool(PartId)>& wanted, SavedWorkers& into, bool& damaged) {
  ByteReader in(own);
  std::uint64_t of = 0;
  if (in.byte() != kStateVersion) return false;
  load_all(in, of, into.hsync);
  if (of != division) return false;
  const std::uint64_t workers = into.states.size();
  std::uint64_t worker = in.varint();
  for (; worker != kNoWorker && !in.failed(); worker = in.varint()) {
    const auto state = in.raw(in.varint());
    if (worker >= workers) in.fail();
    if (in.failed() || !wanted(PartId(static_cast<std::uint32_t>(worker)))) continue;
    into.states[worker].emplace(state.begin(), state.end());
  }
  while (!in.at_end()) {
    LateMessage late;
    late.to = PartId(static_cast<std::uint32_t>(in.varint_up_to(workers - 1)));
    late.from = PartId(static_cast<std::uint32_t>(in.varint_up_to(workers - 1)));
    const auto message = in.raw(in.varint());
    if (in.failed() || !wanted(late.to)) continue;
    late.message.assign(message.begin(), message.end());
    into.late.push_back(std::move(late));
  }
  damaged = in.failed();
  return true;
}

}  // namespace

Result<std::optional<SavedWorkers>> saved_workers(const snapshot::Source& source,
                                                  std::uint32_t workers, std::uint64_t division,
                                                  const std::function<bool(PartId)>& wanted) {
  SavedWorkers saved;
  saved.states.resize(workers);
  bool same = true;
  LEEWAY_TRY(source.each_part([&](const snapshot::Part& part) -> Status {
    bool damaged = false;
    same = same && read_part(part.own(), division, wanted, saved, damaged);
    if (!damaged) return {};
    return fail(snapshot::damaged(source.path(), "the states of its workers cannot be read"));
  }));
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    same = same && (saved.states[worker].has_value() || !wanted(PartId(worker)));
  if (!same) return std::optional<SavedWorkers>();
  return std::optional<SavedWorkers>(std::move(saved));
}

}  // namespace leeway::pie
