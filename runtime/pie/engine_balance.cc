// Balancing a running query: virtual workers move between nodes at the end of a phase, when no message is in flight.
#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/check.h"
#include "runtime/pie/engine.h"

namespace leeway::pie {

/// A worker of this node has run a round. Rounds in step have phases anyway, whose markers report what is due.
void PieEngine::look_for_balance(const WorkerSlot& slot) {
  if (!balancer_.on() || together_ == Together::Sync || balance_requested_ || !balancer_.due(slot))
    return;
  balance_requested_ = true;
  if (endpoint_.self() == NodeId(0)) return;
  send(NodeId(0), phase_frame_of(PieMessageKind::RequestBalance).take());
}

/// Whether node 0 must end this asynchronous phase. Not during a checkpoint: a node that has saved its workers must not
/// send one to a node that has not.
bool PieEngine::must_end_phase() const {
  if (together_ == Together::Sync || regroup_ || over_ || endpoint_.self() != NodeId(0))
    return false;
  if (balance_requested_ && (checkpoints_ == nullptr || !checkpoints_->in_progress())) return true;
  return options_.schedule.model == Scheduler::Hsync &&
         seconds(endpoint_.now() - phase_began_) >= apart_for_;
}

void PieEngine::on_loads(NodeId from, ByteReader& in) {
  LoadReport report;
  load_all(in, report);
  std::size_t workers = 0;
  for (const NodeId node : nodes_of_) workers += node == from ? 1 : 0;
  if (report.workers.size() != workers) in.fail();
  for (std::size_t i = 0; i < report.workers.size() && !in.failed(); ++i) {
    const PartId worker = report.workers[i].worker;
    if (worker.value() >= nodes_of_.size() || nodes_of_[worker.index()] != from ||
        (i > 0 && worker <= report.workers[i - 1].worker))
      in.fail();
  }
  if (in.failed()) return;
  markers_.balance = markers_.balance || report.due;
  markers_.loads.insert(markers_.loads.end(), report.workers.begin(), report.workers.end());
}

/// All nodes have ended the phase and received all its messages. They find the same places, because the markers give all
/// of them the same loads.
Status PieEngine::balance() {
  std::vector<NodeId> places = balancer_.places(nodes_of_, markers_.loads, endpoint_.node_count());
  if (places != nodes_of_) LEEWAY_TRY(move_workers(std::move(places)));
  for (const WorkerSlot& slot : slots_) balancer_.mark(slot);
  std::fill(progress_.begin(), progress_.end(),
            NodeProgress{.active = false, .slowest = Round::none(), .fastest = Round(0)});
  for (const LoadReport::WorkerLoad& load : markers_.loads) {
    NodeProgress& progress = progress_[nodes_of_[load.worker.index()].index()];
    progress.fastest = std::max(progress.fastest, load.round);
    if (!load.active) continue;
    progress.active = true;
    progress.slowest = std::min(progress.slowest, load.round);
  }
  sent_progress_ = progress_[endpoint_.self().index()];
  balance_requested_ = false;
  return {};
}

Status PieEngine::move_workers(std::vector<NodeId> places) {
  const NodeId self = endpoint_.self();
  const std::vector<NodeId> before = std::exchange(nodes_of_, std::move(places));
  ++record_.counters[Counter::Balancings];
  std::size_t awaited = 0;
  for (std::size_t worker = 0; worker < before.size(); ++worker) {
    if (before[worker] == nodes_of_[worker]) continue;
    record_.counters[Counter::MovedWorkers] += before[worker] == self ? 1 : 0;
    awaited += nodes_of_[worker] == self ? 1 : 0;
  }
  send_leaving_workers();
  endpoint_.wait_until(
      {"a worker that moves after phase", phase_}, [this] { receive(); },
      [&] { return moved_.size() >= awaited; });
  for (const auto& [from, worker, state] : std::exchange(moved_, {})) {
    ByteReader in(state);
    const bool comes =
        worker < before.size() && before[worker] == from && nodes_of_[worker] == self;
    if (!comes) endpoint_.refuse(from);
    LEEWAY_TRY(take_worker(PartId(static_cast<std::uint32_t>(worker)), in));
    if (in.failed() || !in.at_end()) endpoint_.refuse(from);
  }
  std::sort(slots_.begin(), slots_.end(),
            [](const WorkerSlot& a, const WorkerSlot& b) { return a.id() < b.id(); });
  index_workers();
  queue_.restart();
  return {};
}

/// A worker that comes to this node at the end of the phase.
void PieEngine::on_move(NodeId from, ByteReader& in) {
  ArrivingWorker arriving{.from = from, .worker = in.varint(), .state = Frame()};
  const auto state = in.raw(in.left());
  arriving.state.assign(state.begin(), state.end());
  const bool again = std::any_of(moved_.begin(), moved_.end(), [&](const ArrivingWorker& other) {
    return other.worker == arriving.worker;
  });
  if (in.failed() || again) return in.fail();
  moved_.push_back(std::move(arriving));
}

void PieEngine::send_leaving_workers() {
  for (WorkerSlot& slot : slots_) {
    const NodeId to = nodes_of_[slot.id().index()];
    if (to == endpoint_.self()) continue;
    ByteWriter frame = phase_frame_of(PieMessageKind::Move);
    frame.varint(slot.id().value());
    slot.pack(frame);
    endpoint_.charge(Work{.bytes = frame.size()});
    send(to, frame.take());
  }
  std::vector<PartId> left;
  std::erase_if(slots_, [&](const WorkerSlot& slot) {
    if (nodes_of_[slot.id().index()] == endpoint_.self()) return false;
    left.push_back(slot.id());
    return true;
  });
  for (const PartId worker : left) moves_.leave(worker);
}

/// A fragment is made here from this node's graph, which costs a pass over its part.
Status PieEngine::take_worker(PartId id, ByteReader& in) {
  const std::size_t bytes = in.left();
  LEEWAY_ASSIGN(auto worker, moves_.arrive(id));
  slots_.emplace_back(id, std::move(worker), options_);
  WorkerSlot& slot = slots_.back();
  const Fragment& fragment = slot.worker().fragment();
  endpoint_.charge(
      Work{.edges = fragment.arc_count(), .vertices = fragment.vertex_count(), .bytes = bytes});
  // As all workers are paced at the end of a phase, so that the state fits.
  slot.worker().pace(options_.schedule.model == Scheduler::Hsync ? Pacing::Off : pacing());
  slot.unpack(in, endpoint_.now());
  return {};
}

}  // namespace leeway::pie
