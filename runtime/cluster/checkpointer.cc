#include "runtime/cluster/checkpointer.h"

#include <utility>
#include <vector>

#include "snapshot/recorder.h"

namespace leeway {

Checkpointer::Checkpointer(CheckpointOptions options)
    : options_(std::move(options)),
      recorder_(std::make_unique<snapshot::Recorder>(
          *options_.plan, options_.self.value(), options_.background,
          options_.own_process || options_.self == NodeId(0))),
      same_folder_(!options_.own_process) {}
Checkpointer::~Checkpointer() = default;

Status Checkpointer::open() {
  LEEWAY_TRY(recorder_->open());
  next_ = recorder_->next_number();
  return {};
}

Checkpointer::CheckpointId Checkpointer::next() { return {recorder_->run(), next_++}; }

Status Checkpointer::check_same_folder(std::uint64_t run) {
  if (same_folder_) return {};
  LEEWAY_TRY(snapshot::check_same_folder(options_.plan->folder, run, options_.self.value()));
  same_folder_ = true;
  return {};
}

void Checkpointer::begin(Instant now) { recorder_->begin(now); }

bool Checkpointer::should_request(Instant now, std::uint64_t rounds) {
  return recorder_->should_request(now, rounds);
}

void Checkpointer::request() { recorder_->request(); }

void Checkpointer::take(const CheckpointId& id, Instant now, std::uint64_t rounds,
                        const LayOut& lay_out) {
  const Instant began = clock_.now();
  const Status same = check_same_folder(id.run);
  if (!same) return recorder_->complain(same.error());
  if (snapshot::Part* const part = recorder_->blank()) {
    lay_out(*part, {.part = options_.self.value(),
                    .parts = options_.parts,
                    .number = id.number,
                    .run = id.run});
    recorder_->write(now, rounds);
  }
  recorder_->paused(clock_.now() - began);
}

void Checkpointer::paused(Duration time) { recorder_->paused(time); }

std::uint64_t Checkpointer::failures() const { return recorder_->failures(); }

std::optional<std::uint64_t> Checkpointer::new_failures() {
  const std::uint64_t now = recorder_->failures();
  if (now == std::exchange(reported_, now)) return std::nullopt;
  return now;
}

void Checkpointer::note_failures(std::uint64_t all) { recorder_->note_failures(all); }

void Checkpointer::give_up(const CheckpointId& id) { recorder_->give_up(id.number); }

void Checkpointer::end_writing() { recorder_->end_writing(); }

snapshot::Counts Checkpointer::close() {
  recorder_->close();
  return recorder_->counts();
}

snapshot::Counts Checkpointer::counts() const { return recorder_->counts(); }

CheckpointVotes::CheckpointVotes(Node& node, Checkpointer::CheckpointOptions options,
                                 Checkpointer::LayOut lay_out)
    : node_(node), checkpointer_(std::move(options)), lay_out_(std::move(lay_out)) {}

Result<std::unique_ptr<CheckpointVotes>> CheckpointVotes::open(
    Node& node, Checkpointer::CheckpointOptions options, Checkpointer::LayOut lay_out,
    bool& refused) {
  options.self = node.self();
  options.parts = node.node_count();
  auto votes = std::unique_ptr<CheckpointVotes>(
      new CheckpointVotes(node, std::move(options), std::move(lay_out)));
  Checkpointer& checkpointer = votes->checkpointer_;
  const bool first = node.self() == NodeId(0);
  const Status opened = first ? checkpointer.open() : Status{};
  const Checkpointer::CheckpointId next =
      first && opened ? checkpointer.next() : Checkpointer::CheckpointId{};
  const auto sums = node.sum(std::vector<std::uint64_t>{next.run, next.number, opened ? 0U : 1U});
  refused = sums[2] > 0;
  if (!opened) return fail(opened.error());
  if (refused) return nullptr;
  votes->last_ = {sums[0], sums[1] - 1};
  const Status same = checkpointer.check_same_folder(sums[0]);
  refused = node.sum(std::vector<std::uint64_t>{same ? 0U : 1U})[0] > 0;
  if (!same) return fail(same.error());
  if (refused) return nullptr;
  return votes;
}

void CheckpointVotes::begin() { checkpointer_.begin(node_.transport().now()); }

std::array<std::uint64_t, CheckpointVotes::kNumbers> CheckpointVotes::numbers(
    std::uint64_t rounds) {
  rounds_ = rounds_before_stage_ + rounds;
  const bool due = checkpointer_.should_request(node_.transport().now(), rounds_);
  const bool first = node_.self() == NodeId(0);
  return {due && first ? 1U : 0U, due && !first ? 1U : 0U, checkpointer_.failures()};
}

void CheckpointVotes::agreed(std::span<const std::uint64_t> sums) {
  checkpointer_.note_failures(sums[2]);
  if (sums[1] > 0) checkpointer_.request();
  if (sums[0] == 0) return;
  // mutant: a-node-writes-the-snapshot-before
  ++last_.number;
  open_ = true;
}

void CheckpointVotes::take(std::uint64_t rounds) {
  open_ = false;
  checkpointer_.take(last_, node_.transport().now(), rounds_before_stage_ + rounds, lay_out_);
}

void CheckpointVotes::close() {
  checkpointer_.end_writing();
  node_.relaxed_barrier();
  (void)checkpointer_.close();
}

}  // namespace leeway
