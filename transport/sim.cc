#include "transport/sim.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/process.h"

namespace leeway {

SimCluster::SimCluster(SimOptions options)
    : engine_(std::make_unique<Engine>(std::move(options))) {}
SimCluster::~SimCluster() = default;

Transport& SimCluster::node(NodeId id) { return engine_->endpoint(id); }
const SimOptions& SimCluster::options() const { return engine_->options(); }
Instant SimCluster::now() const { return engine_->now(); }

void SimCluster::begin_overtaking() { engine_->begin_overtaking(); }

SimReport SimCluster::run(const std::function<void(NodeId)>& body) { return engine_->run(body); }

/// The Transport of one node; forwards to the engine.
class SimEndpoint final : public Transport {
 public:
  SimEndpoint(SimCluster::Engine& engine, NodeId self) : engine_(engine), self_(self) {}

  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override { return engine_.options().nodes; }
  SendOutcome send(NodeId to, Frame& frame) override { return engine_.send(self_, to, frame); }
  std::size_t poll(FrameSink& sink, std::size_t most) override {
    return engine_.poll(self_, sink, most);
  }
  std::uint64_t ticket() const override { return engine_.ticket(self_); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override {
    engine_.wait(self_, seen, deadline);
  }
  void wake() override { engine_.wake(self_); }
  Instant now() const override { return engine_.task_time(); }
  void charge(const Work& work) override {
    engine_.charge(self_, engine_.options().cost.price(work));
    engine_.settle();
  }
  void spawn(std::string name, std::function<void()> body) override {
    engine_.spawn(self_, std::move(name), std::move(body), false);
  }
  void join() override { engine_.join(self_); }
  TransportStats stats() const override { return engine_.stats(self_); }
  [[noreturn]] void end_node(const Error& error) override { engine_.end_node(self_, error); }

 private:
  SimCluster::Engine& engine_;
  NodeId self_;
};

namespace {

constexpr std::uint64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

SimCluster::Engine::Engine(SimOptions options)
    : options_(std::move(options)),
      nodes_(options_.nodes),
      pairs_(std::size_t{options_.nodes} * options_.nodes),
      network_(options_.seed, 0x6E6574) {
  LEEWAY_CHECK(options_.nodes > 0u);
  for (std::uint32_t node = 0; node < options_.nodes; ++node) {
    endpoints_.push_back(std::make_unique<SimEndpoint>(*this, NodeId(node)));
    if (node < options_.faults.slowdown_percent.size()) {
      nodes_[node].slowdown_percent = options_.faults.slowdown_percent[node];
    }
  }
}

SimCluster::Engine::~Engine() {
  over_ = true;
  tasks_.clear();  // unwinds unfinished fibers
}

Transport& SimCluster::Engine::endpoint(NodeId node) { return *endpoints_[node.index()]; }

SimCluster::Engine::Pair& SimCluster::Engine::pair(NodeId from, NodeId to) {
  return pairs_[from.index() * nodes_.size() + to.index()];
}

void SimCluster::Engine::digest(std::uint64_t value) { digest_ = mix64(digest_ ^ value); }

SimReport SimCluster::Engine::run(const std::function<void(NodeId)>& body) {
  plan_faults();
  for (std::uint32_t node = 0; node < options_.nodes; ++node) {
    spawn(
        NodeId(node), "main", [&body, node] { body(NodeId(node)); }, true);
  }
  const Instant limit(options_.time_limit);
  while (mains_running_ > 0 && !nothing_due() && !error_) {
    if (next_at() > limit) break;
    const Event event = take_next();
    now_ = std::max(now_, event.at);
    handle(event);
  }
  SimReport result = report();
  over_ = true;
  tasks_.clear();
  if (error_) std::rethrow_exception(error_);
  return result;
}

SimReport SimCluster::Engine::report() {
  SimReport report;
  report.elapsed = now_.time_since_epoch();
  report.events = events_;
  report.digest = digest_;
  if (mains_running_ == 0 && !node_ended_) return report;
  report.detail = main_states();
  if (node_lost_) {
    report.outcome = SimOutcome::NodeLost;
  } else {
    report.outcome = nothing_due() ? SimOutcome::Deadlock : SimOutcome::TimeLimit;
  }
  return report;
}

std::string SimCluster::Engine::main_states() const {
  std::string text;
  for (const auto& task : tasks_) {
    if (task->fiber->done() || !task->main) continue;
    text += format("node {} {}{}; ", task->node, task->waiting ? "waits" : "was running",
                   nodes_[task->node.index()].crashed ? " (crashed)" : "");
  }
  return text;
}

Instant SimCluster::Engine::task_time() const {
  const std::uint64_t debt =
      current_ == nullptr ? 0 : current_->debt_ps / kPicosecondsPerNanosecond;
  return now_ + Duration(static_cast<Duration::rep>(debt));
}

SendOutcome SimCluster::Engine::send(NodeId from, NodeId to, Frame& frame) {
  LEEWAY_CHECK(to.index() < nodes_.size());
  Pair& way = pair(from, to);
  SimNode& sender = nodes_[from.index()];
  if (way.unreceived > 0 && way.unreceived + frame.size() > options_.profile.window_bytes) {
    way.refused = true;
    return SendOutcome::Full;
  }
  charge(from, options_.profile.send_cost_ns * kPicosecondsPerNanosecond);
  const Instant departure = std::max(task_time(), sender.line_free_at);
  sender.line_free_at = departure + options_.profile.transmission(frame.size());
  Instant arrival =
      after_cuts(from, to, departure) + options_.profile.sample(network_, frame.size());
  const bool late =
      overtaking_ && network_.below(1'000'000) < options_.faults.overtaken_per_million;
  if (late) {
    constexpr std::uint64_t kMostLateNs = 300'000;
    arrival += Duration(static_cast<Duration::rep>(network_.below(kMostLateNs)));
  } else {
    arrival = way.last_arrival = std::max(way.last_arrival, arrival);  // order within a pair
  }
  way.unreceived += frame.size();
  ++sender.stats.frames_sent;
  sender.stats.bytes_sent += frame.size();
  std::uint32_t parcel = static_cast<std::uint32_t>(parcels_.size());
  if (free_parcels_.empty()) {
    parcels_.emplace_back();
  } else {
    parcel = free_parcels_.back();
    free_parcels_.pop_back();
  }
  parcels_[parcel] = std::move(frame);
  push({.at = arrival, .kind = EventKind::Arrive, .node = to, .other = from, .parcel = parcel});
  return SendOutcome::Sent;
}

std::size_t SimCluster::Engine::poll(NodeId id, FrameSink& sink, std::size_t most) {
  SimNode& node = nodes_[id.index()];
  std::size_t count = 0;
  for (; count < most && !node.inbox.empty(); ++count) {
    const SimArrival arrival = std::move(node.inbox.front());
    node.inbox.pop_front();
    if (arrival.down) {
      if (!over_) sink.on_peer_down(arrival.from);
      continue;
    }
    Pair& way = pair(arrival.from, id);
    way.unreceived -= arrival.frame.size();
    if (std::exchange(way.refused, false)) bump(arrival.from);  // there is room again
    ++node.stats.frames_received;
    node.stats.bytes_received += arrival.frame.size();
    charge(id, options_.profile.receive_cost_ns * kPicosecondsPerNanosecond);
    sink.on_frame(arrival.from, arrival.frame);
  }
  if (count < most) node.poll_owed = false;
  return count;
}

void SimCluster::Engine::charge(NodeId node, std::uint64_t picoseconds) {
  if (current_ == nullptr) return;
  current_->debt_ps += picoseconds * nodes_[node.index()].slowdown_percent / 100;
}

void SimCluster::Engine::settle() {
  if (over_ || current_ == nullptr || current_->debt_ps < kPicosecondsPerNanosecond) return;
  const Instant until = task_time();
  current_->debt_ps %= kPicosecondsPerNanosecond;
  // No other event is due before `until`, so no switch of fibers is needed.
  const bool alone = (nothing_due() || next_at() > until) && options_.faults.pauses.empty();
  if (alone && until <= Instant(options_.time_limit)) {
    now_ = until;
    return;
  }
  SimTask& task = *current_;
  push({.at = until, .kind = EventKind::Resume, .node = task.node, .task = &task});
  task.fiber->yield();
}

void SimCluster::Engine::wait(NodeId id, std::uint64_t seen, std::optional<Instant> deadline) {
  LEEWAY_CHECK(current_ != nullptr);
  SimTask& task = *current_;
  SimNode& node = nodes_[id.index()];
  if (node.epoch != seen) settle();
  while (!over_ && node.epoch == seen && (!deadline || now_ < *deadline)) {
    // The charged time passes during the wait, so no extra event is needed.
    task.busy_until = task_time();
    task.debt_ps %= kPicosecondsPerNanosecond;
    task.waiting = true;
    task.deadline = deadline;
    node.waiting.push_back(&task);
    if (deadline) set_alarm(task);
    task.fiber->yield();
  }
}

Instant SimCluster::Engine::after_cuts(NodeId from, NodeId to, Instant departure) const {
  for (const auto& cut : options_.faults.cuts) {
    const bool across = (cut.side >> from.index() & 1) != (cut.side >> to.index() & 1);
    if (across && departure >= cut.at) departure = std::max(departure, cut.at + cut.length);
  }
  return departure;
}

/// Without a planned crash, an error that ends the process is a bug of Leeway or of the caller.
void SimCluster::Engine::end_node(NodeId node, const Error& error) {
  if (!node_lost_) end_process(error);
  LEEWAY_CHECK(current_ != nullptr);
  node_ended_ = true;
  stop(node);
  while (true) current_->fiber->yield();  // until it is unwound
}

void SimCluster::Engine::wake(NodeId node) {
  if (!over_) bump(node);
}

void SimCluster::Engine::spawn(NodeId node, std::string name, std::function<void()> body,
                               bool main) {
  auto task = std::make_unique<SimTask>();
  task->node = node;
  task->name = std::move(name);
  task->main = main;
  task->fiber = std::make_unique<Fiber>(std::move(body), options_.stack_bytes);
  ++(main ? mains_running_ : nodes_[node.index()].running);
  push({.at = now_, .kind = EventKind::Resume, .node = node, .task = task.get()});
  tasks_.push_back(std::move(task));
}

void SimCluster::Engine::join(NodeId id) {
  while (!over_ && nodes_[id.index()].running > 0) {
    const std::uint64_t seen = ticket(id);
    if (nodes_[id.index()].running > 0) wait(id, seen, std::nullopt);
  }
}

// The event queue and the handlers of events.
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

/// Virtual time does not pass while a ready event exists, so an event of the heap goes first only
/// if it is due now and was pushed earlier.
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

/// The waiting task that an arrival resumes: the last one that is not busy; if all are busy, the
/// one that is free first.
SimTask* SimCluster::Engine::receiver_of_arrival(SimNode& node) {
  SimTask* best = nullptr;
  for (auto at = node.waiting.rbegin(); at != node.waiting.rend(); ++at) {
    SimTask* const task = *at;
    if (!task->waiting) continue;
    if (task->busy_until <= now_) return task;
    if (best == nullptr || task->busy_until < best->busy_until) best = task;
  }
  return best;
}

/// An arrival resumes only one task.
void SimCluster::Engine::bump_one(NodeId id) {
  SimNode& node = nodes_[id.index()];
  ++node.epoch;
  if (node.waiting.empty() || std::exchange(node.poll_owed, true)) return;
  SimTask* const task = receiver_of_arrival(node);
  if (task == nullptr) return;
  std::erase(node.waiting, task);
  stop_waiting(*task);
}

void SimCluster::Engine::stop_waiting(SimTask& task) {
  if (!task.waiting) return;  // its alarm has resumed it already
  task.waiting = false;
  push({.at = std::max(now_, task.busy_until),
        .kind = EventKind::Resume,
        .node = task.node,
        .task = &task});
}

/// One alarm per task, not one per wait: a task may wait many times with a distant deadline.
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

/// Stops all fibers of the node. False if they were stopped before.
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
