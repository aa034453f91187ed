#include "runtime/cluster/snapshot_taker.h"

#include <utility>
#include <vector>

#include "snapshot/recorder.h"

namespace leeway {

SnapshotTaker::SnapshotTaker(Node& node, TakerOptions options, LayOut lay_out)
    : node_(node),
      options_(std::move(options)),
      lay_out_(std::move(lay_out)),
      recorder_(std::make_unique<snapshot::Recorder>(
          *options_.plan, node.self().value(), options_.background,
          options_.own_process || node.self() == NodeId(0))) {}
SnapshotTaker::~SnapshotTaker() = default;

Result<std::unique_ptr<SnapshotTaker>> SnapshotTaker::open(Node& node, TakerOptions options,
                                                           LayOut lay_out, bool& refused) {
  auto taker = std::unique_ptr<SnapshotTaker>(
      new SnapshotTaker(node, std::move(options), std::move(lay_out)));
  snapshot::Recorder& recorder = *taker->recorder_;
  const bool first = node.self() == NodeId(0);
  const Status opened = first ? recorder.open() : Status{};
  const auto sums = node.sum(std::vector<std::uint64_t>{
      recorder.run(), first && opened ? recorder.next_number() : 0, opened ? 0U : 1U});
  refused = sums[2] > 0;
  if (!opened) return fail(opened.error());
  if (refused) return nullptr;
  taker->run_ = sums[0];
  taker->number_ = sums[1] - 1;
  const Status same = taker->options_.own_process
                          ? snapshot::check_same_folder(taker->options_.plan->folder, taker->run_,
                                                        node.self().value())
                          : Status{};
  refused = node.sum(std::vector<std::uint64_t>{same ? 0U : 1U})[0] > 0;
  if (!same) return fail(same.error());
  if (refused) return nullptr;
  return taker;
}

snapshot::Counts SnapshotTaker::counts() const { return recorder_->counts(); }

void SnapshotTaker::begin() { recorder_->begin(node_.transport().now()); }

std::array<std::uint64_t, SnapshotTaker::kNumbers> SnapshotTaker::numbers(std::uint64_t rounds) {
  const bool due = recorder_->should_request(node_.transport().now(), rounds);
  const bool first = node_.self() == NodeId(0);
  return {due && first ? 1U : 0U, due && !first ? 1U : 0U, recorder_->failures()};
}

void SnapshotTaker::agreed(std::span<const std::uint64_t> sums) {
  recorder_->note_failures(sums[2]);
  if (sums[1] > 0) recorder_->request();
  if (sums[0] == 0) return;
  // mutant: a-node-writes-the-snapshot-before
  ++number_;
  open_ = true;
}

void SnapshotTaker::take(std::uint64_t rounds) {
  open_ = false;
  const Instant began = clock_.now();
  if (snapshot::Part* const part = recorder_->blank()) {
    snapshot::PartHeader header;
    header.part = node_.self().value();
    header.parts = node_.node_count();
    header.number = number_;
    header.run = run_;
    lay_out_(*part, header);
    recorder_->write(node_.transport().now(), rounds);
  }
  recorder_->paused(clock_.now() - began);
}

void SnapshotTaker::close() {
  recorder_->end_writing();
  node_.barrier();
  recorder_->close();
}

}  // namespace leeway
