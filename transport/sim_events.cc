// What happens in the virtual cluster, in order: the queue of events, and what each of them does.
#include <algorithm>
#include <utility>

#include "leeway/transport/sim_engine.h"

namespace leeway {

void SimCluster::Engine::push(Event event) {
  event.order = order_++;
  if (event.at == now_) {
    ready_.push_back(event);
    return;
  }
  std::uint32_t place = static_cast<std::uint32_t>(later_.size());
  if (free_events_.empty()) {
    later_.push_back(event);
  } else {
    place = free_events_.back();
    free_events_.pop_back();
    later_[place] = event;
  }
  queue_.push({event.at, event.order, place});
}

/// Time does not pass while an event is ready, so what waits in the heap goes first only when it is due
/// at this very moment and was pushed earlier.
bool SimCluster::Engine::next_is_ready() const {
  if (ready_.empty() || queue_.empty()) return !ready_.empty();
  return Later()(queue_.top(), {ready_.front().at, ready_.front().order, 0});
}

SimCluster::Engine::Event SimCluster::Engine::take_next() {
  Event event;
  if (next_is_ready()) {
    event = ready_.front();
    ready_.pop_front();
  } else {
    const std::uint32_t place = queue_.top().event;
    event = later_[place];
    free_events_.push_back(place);
    queue_.pop();
  }
  return event;
}

void SimCluster::Engine::plan_faults() {
  for (const auto& crash : options_.faults.crashes) {
    push({.at = crash.at, .kind = EventKind::Crash, .node = crash.node});
  }
}

void SimCluster::Engine::handle(const Event& event) {
  ++events_;
  digest(static_cast<std::uint64_t>(event.at.time_since_epoch().count()));
  digest((std::uint64_t{event.node.value()} << 8) | static_cast<std::uint64_t>(event.kind));
  switch (event.kind) {
    case EventKind::Resume:
      return resume(*event.task);
    case EventKind::Alarm:
      return ring(*event.task);
    case EventKind::Arrive:
      return arrive(event);
    case EventKind::PeerDown:
      nodes_[event.node.index()].inbox.push_back({event.other, {}, true});
      return bump(event.node);
    case EventKind::Crash:
      return crash(event.node);
  }
}

void SimCluster::Engine::resume(SimTask& task) {
  SimNode& node = nodes_[task.node.index()];
  if (node.crashed || task.fiber->done()) return;
  for (const auto& pause : options_.faults.pauses) {
    if (pause.node != task.node || now_ < pause.at || now_ >= pause.at + pause.length) continue;
    push({.at = pause.at + pause.length,
          .kind = EventKind::Resume,
          .node = task.node,
          .task = &task});
    task.waiting = false;
    return;
  }
  task.waiting = false;
  SimTask* const before = std::exchange(current_, &task);
  task.fiber->resume();
  current_ = before;
  if (!task.fiber->done()) return;
  if (task.fiber->error()) error_ = task.fiber->error();
  if (task.main) {
    --mains_running_;
  } else {
    --node.running;
  }
  bump(task.node);
}

void SimCluster::Engine::bump(NodeId id) {
  SimNode& node = nodes_[id.index()];
  ++node.epoch;
  for (SimTask* const task : node.waiting) stop_waiting(*task);
  node.waiting.clear();
}

/// Of those that wait and are not busy the last one; if all are busy, who is free first.
SimTask* SimCluster::Engine::who_takes_arrivals(SimNode& node) {
  SimTask* best = nullptr;
  for (auto at = node.waiting.rbegin(); at != node.waiting.rend(); ++at) {
    SimTask* const task = *at;
    if (!task->waiting) continue;
    if (task->busy_until <= now_) return task;
    if (best == nullptr || task->busy_until < best->busy_until) best = task;
  }
  return best;
}

/// An arrival is one task's business.
void SimCluster::Engine::bump_one(NodeId id) {
  SimNode& node = nodes_[id.index()];
  ++node.epoch;
  if (node.waiting.empty() || std::exchange(node.poll_owed, true)) return;
  SimTask* const task = who_takes_arrivals(node);
  if (task == nullptr) return;
  std::erase(node.waiting, task);
  stop_waiting(*task);
}

void SimCluster::Engine::stop_waiting(SimTask& task) {
  if (!task.waiting) return;  // its alarm was faster
  task.waiting = false;
  push({.at = std::max(now_, task.busy_until),
        .kind = EventKind::Resume,
        .node = task.node,
        .task = &task});
}

/// A task that waits again and again with a deadline far away has one alarm set, not one a wait.
void SimCluster::Engine::set_alarm(SimTask& task) {
  const Instant at = std::max(*task.deadline, task.busy_until);
  if (task.next_alarm && *task.next_alarm <= at) return;
  task.next_alarm = at;
  push({.at = at, .kind = EventKind::Alarm, .node = task.node, .task = &task});
}

void SimCluster::Engine::ring(SimTask& task) {
  if (task.next_alarm && *task.next_alarm <= now_) task.next_alarm.reset();
  if (!task.waiting || !task.deadline) return;
  if (std::max(*task.deadline, task.busy_until) <= now_) return resume(task);
  set_alarm(task);  // this one was for an earlier wait
}

void SimCluster::Engine::arrive(const Event& event) {
  Frame frame = std::move(parcels_[event.parcel]);
  free_parcels_.push_back(event.parcel);
  digest(frame.size());
  if (nodes_[event.node.index()].crashed) return;
  nodes_[event.node.index()].inbox.push_back({event.other, std::move(frame), false});
  bump_one(event.node);
}

/// Nothing of the node runs any more. False if nothing did before.
bool SimCluster::Engine::stop(NodeId id) {
  if (std::exchange(nodes_[id.index()].crashed, true)) return false;
  for (const auto& task : tasks_) {
    if (task->node == id && task->main && !task->fiber->done()) --mains_running_;
  }
  return true;
}

void SimCluster::Engine::crash(NodeId id) {
  if (!stop(id)) return;
  node_lost_ = true;
  for (std::uint32_t other = 0; other < options_.nodes; ++other) {
    if (NodeId(other) == id) continue;
    push({.at = now_ + options_.faults.detection,
          .kind = EventKind::PeerDown,
          .node = NodeId(other),
          .other = id});
  }
}

}  // namespace leeway
