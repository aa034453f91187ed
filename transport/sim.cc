#include "transport/sim.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <queue>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/process.h"
#include "base/random.h"
#include "transport/fiber.h"
#include "transport/hosts.h"

namespace leeway {

class SimEndpoint;  // one node's Transport

/// One fiber of one node.
struct SimTask {
  NodeId node{0};
  std::uint32_t index = 0;  // in tasks_
  std::string name;
  std::unique_ptr<Fiber> fiber;
  std::uint64_t debt_ps = 0;  // charged, but not yet passed in virtual time
  Instant busy_until{};       // a waiting task cannot be resumed before its charged time has passed
  bool main = false;
  bool service = false;               // exists to handle messages
  bool waiting = false;               // in `wait`, until the node's ticket changes
  std::optional<Instant> deadline;    // of the current wait
  std::optional<Instant> next_alarm;  // the earliest alarm set for it, perhaps for an earlier wait
};

/// Event queue, virtual clock and node states. Single-threaded.
class SimCluster::Engine {
 public:
  explicit Engine(SimOptions options);
  ~Engine();

  SimReport run(const std::function<void(NodeId)>& body);

  // Called by the endpoints on behalf of the current task.
  SendOutcome send(NodeId from, NodeId to, Frame& frame);
  std::size_t poll(NodeId node, FrameSink& sink, std::size_t most);
  void wait(NodeId node, std::uint64_t seen, std::optional<Instant> deadline);
  void wake(NodeId node);
  void wake_users(NodeId node);
  void hand_over(NodeId node);
  void charge(NodeId node, std::uint64_t picoseconds);
  void settle();
  SimTask& spawn(NodeId node, std::string name, std::function<void()> body, bool main);
  void join(NodeId node);
  void begin_overtaking() { overtaking_ = true; }
  [[noreturn]] void end_node(NodeId node, const Error& error);

  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] Instant task_time() const;
  [[nodiscard]] std::uint64_t ticket(NodeId node) const { return nodes_[node.index()].epoch; }
  [[nodiscard]] TransportStats stats(NodeId node) const { return nodes_[node.index()].stats; }
  [[nodiscard]] const SimOptions& options() const { return options_; }
  [[nodiscard]] Transport& endpoint(NodeId node);

 private:
  // ReachHost: a frame reaches the network interface of the receiver's host, if hosts are shared.
  // HostWork: an activity of a shared host may have finished its work.
  enum class EventKind : std::uint8_t {
    Resume,
    Alarm,
    Arrive,
    PeerDown,
    Crash,
    ReachHost,
    HostWork
  };
  struct Event {
    Instant at{};
    std::uint64_t order = 0;
    EventKind kind = EventKind::Resume;
    NodeId node{0};   // the node of the event; HostWork: any node of the host
    NodeId other{0};  // the sender of the frame, or the node that is down
    SimTask* task = nullptr;
    std::uint32_t parcel = 0;  // into parcels_
  };
  /// Entry of the heap: time, order and index of an event in later_.
  struct Due {
    Instant at{};
    std::uint64_t order = 0;
    std::uint32_t event = 0;  // into later_
  };
  struct IsLater {
    bool operator()(const Due& a, const Due& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct SimArrival {
    NodeId from{0};
    Frame frame;
    bool down = false;
  };
  struct SimNode {
    std::deque<SimArrival> inbox;
    std::uint64_t epoch = 0;
    std::vector<SimTask*> waiting;
    // A task was resumed for an arrival and has not emptied the inbox since.
    bool poll_owed = false;
    Instant line_free_at{};  // of the outgoing link
    bool stopped = false;    // by a crash, or by the end of its process
    std::uint64_t slowdown_percent = 100;
    std::uint32_t running = 0;  // spawned tasks that have not returned
    TransportStats stats;
  };
  /// A host that several nodes share. Not used if every node has its own.
  struct SimHost {
    explicit SimHost(const SharedHosts& hosts) : processor(hosts) {}
    HostProcessor processor;
    std::optional<Instant> next_work;  // time of the earliest HostWork event
    Instant out_free_at{};             // of the network interface, outgoing
    Instant in_free_at{};
  };
  struct Pair {
    Instant last_arrival{};
    std::uint64_t unreceived = 0;
    bool refused = false;  // the sender met a full window
  };

  void push(Event event);
  [[nodiscard]] bool nothing_due() const { return ready_.empty() && queue_.empty(); }
  /// The next event; requires that one is due.
  [[nodiscard]] bool next_is_ready() const;
  [[nodiscard]] Instant next_at() const {
    return next_is_ready() ? ready_.front().at : queue_.top().at;
  }
  Event take_next();
  void handle(const Event& event);
  void resume(SimTask& task);
  /// Wake all waiting tasks of a node, or one.
  void wake_all(NodeId node);
  void wake_one(NodeId node);
  void stop_waiting(SimTask& task);
  void set_alarm(SimTask& task);
  /// The task's alarm is due.
  void alarm(SimTask& task);
  [[nodiscard]] SimTask* receiver_of_arrival(SimNode& node);
  void arrive(const Event& event);
  // Shared hosts.
  [[nodiscard]] SimHost& host_of(NodeId node);
  [[nodiscard]] bool on_same_host(NodeId a, NodeId b) const;
  /// The profile of frames between two nodes.
  [[nodiscard]] const NetworkProfile& profile_of(NodeId from, NodeId to) const {
    return on_same_host(from, to) ? options_.hosts.within : options_.profile;
  }
  [[nodiscard]] std::uint32_t keep_parcel(Frame& frame);
  void reach_host(Event event);
  /// The current task's charged time passes at the rate of its host.
  void compute_on_host();
  void plan_host_work(NodeId node);
  void host_work(NodeId node);
  void crash(NodeId node);
  /// Marks a node as stopped: its fibers do not continue. False if it was before.
  bool stop(NodeId node);
  /// Earliest time from `departure` on at which no cut separates the nodes.
  [[nodiscard]] Instant after_cuts(NodeId from, NodeId to, Instant departure) const;
  void plan_crashes();
  [[nodiscard]] SimReport report();
  [[nodiscard]] std::string main_states() const;
  [[nodiscard]] Pair& pair(NodeId from, NodeId to);
  void digest(std::uint64_t value);

  SimOptions options_;
  Instant now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Due, std::vector<Due>, IsLater> queue_;
  std::vector<Event> later_;
  std::vector<std::uint32_t> free_events_;
  // First in, first out: events due at the time of their push, which are most.
  std::deque<Event> ready_;
  std::vector<SimNode> nodes_;
  std::vector<SimHost> hosts_;
  std::vector<Pair> pairs_;
  std::vector<Frame> parcels_;
  std::vector<std::uint32_t> free_parcels_;
  std::vector<std::unique_ptr<SimEndpoint>> endpoints_;
  std::vector<std::unique_ptr<SimTask>> tasks_;
  SimTask* current_ = nullptr;
  std::uint32_t mains_running_ = 0;
  bool node_lost_ = false;
  bool node_ended_ = false;  // because another node was lost
  bool overtaking_ = false;
  bool over_ = false;  // the run has ended; unfinished fibers are being unwound
  Random network_;
  std::uint64_t events_ = 0;
  std::uint64_t digest_ = 0;
  std::exception_ptr error_;
};

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
  void wake_users() override { engine_.wake_users(self_); }
  void hand_over() override { engine_.hand_over(self_); }
  Instant now() const override { return engine_.task_time(); }
  void charge(const Work& work) override {
    engine_.charge(self_, engine_.options().cost.price(work));
    engine_.settle();
  }
  void spawn(std::string name, std::function<void()> body) override {
    engine_.spawn(self_, std::move(name), std::move(body), false);
  }
  void spawn_service(std::function<void()> body) override {
    engine_.spawn(self_, "service", std::move(body), false).service = true;
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
  LEEWAY_CHECK(options_.hosts.count <= options_.nodes);
  LEEWAY_CHECK(options_.hosts.cores > 0u);
  for (std::uint32_t host = 0; host < options_.hosts.count; ++host)
    hosts_.emplace_back(options_.hosts);
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
  plan_crashes();
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
                   nodes_[task->node.index()].stopped ? " (crashed)" : "");
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
  const NetworkProfile& profile = profile_of(from, to);
  if (way.unreceived > 0 && way.unreceived + frame.size() > profile.window_bytes) {
    way.refused = true;
    return SendOutcome::Full;
  }
  charge(from, profile.send_ps(frame.size()));
  const bool between_hosts = options_.hosts.shared() && !on_same_host(from, to);
  Instant& line_free_at = between_hosts ? host_of(from).out_free_at : sender.line_free_at;
  const Instant departure = std::max(task_time(), line_free_at);
  const Duration transmission = profile.transmission(frame.size());
  line_free_at = departure + transmission;
  Instant arrival = after_cuts(from, to, departure) + profile.sample(network_, frame.size());
  // Between shared hosts the transmission is added once the receiving interface is free.
  if (between_hosts) arrival -= transmission;
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
  push({.at = arrival,
        .kind = between_hosts ? EventKind::ReachHost : EventKind::Arrive,
        .node = to,
        .other = from,
        .parcel = keep_parcel(frame)});
  return SendOutcome::Sent;
}

std::uint32_t SimCluster::Engine::keep_parcel(Frame& frame) {
  std::uint32_t parcel = static_cast<std::uint32_t>(parcels_.size());
  if (free_parcels_.empty()) {
    parcels_.emplace_back();
  } else {
    parcel = free_parcels_.back();
    free_parcels_.pop_back();
  }
  parcels_[parcel] = std::move(frame);
  return parcel;
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
    if (std::exchange(way.refused, false)) wake_all(arrival.from);  // there is room again
    ++node.stats.frames_received;
    node.stats.bytes_received += arrival.frame.size();
    charge(id, profile_of(arrival.from, id).receive_ps(arrival.frame.size()));
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
  if (options_.hosts.shared()) return compute_on_host();
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
  // On a shared host the charged time has to pass at the rate of the host before the wait begins.
  if (node.epoch != seen || options_.hosts.shared()) settle();
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
  if (!over_) wake_all(node);
}

void SimCluster::Engine::wake_users(NodeId id) {
  if (over_) return;
  SimNode& node = nodes_[id.index()];
  ++node.epoch;
  std::erase_if(node.waiting, [&](SimTask* task) {
    if (task->service) return false;
    stop_waiting(*task);
    return true;
  });
}

void SimCluster::Engine::hand_over(NodeId id) {
  const SimNode& node = nodes_[id.index()];
  if (node.poll_owed || !node.inbox.empty()) wake(id);
}

SimTask& SimCluster::Engine::spawn(NodeId node, std::string name, std::function<void()> body,
                                   bool main) {
  auto task = std::make_unique<SimTask>();
  task->node = node;
  task->index = static_cast<std::uint32_t>(tasks_.size());
  task->name = std::move(name);
  task->main = main;
  task->fiber = std::make_unique<Fiber>(std::move(body), options_.stack_bytes);
  ++(main ? mains_running_ : nodes_[node.index()].running);
  push({.at = now_, .kind = EventKind::Resume, .node = node, .task = task.get()});
  tasks_.push_back(std::move(task));
  return *tasks_.back();
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
  return IsLater()(queue_.top(), {ready_.front().at, ready_.front().order, 0});
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

void SimCluster::Engine::plan_crashes() {
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
      return alarm(*event.task);
    case EventKind::Arrive:
      return arrive(event);
    case EventKind::PeerDown:
      nodes_[event.node.index()].inbox.push_back({event.other, {}, true});
      return wake_all(event.node);
    case EventKind::Crash:
      return crash(event.node);
    case EventKind::ReachHost:
      return reach_host(event);
    case EventKind::HostWork:
      return host_work(event.node);
  }
}

void SimCluster::Engine::resume(SimTask& task) {
  SimNode& node = nodes_[task.node.index()];
  if (node.stopped || task.fiber->done()) return;
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
  wake_all(task.node);
}

void SimCluster::Engine::wake_all(NodeId id) {
  SimNode& node = nodes_[id.index()];
  ++node.epoch;
  for (SimTask* const task : node.waiting) stop_waiting(*task);
  node.waiting.clear();
}

/// The waiting task that an arrival resumes: the last one that is not busy, of the service threads if any is; if all are
/// busy, the one that is free first.
SimTask* SimCluster::Engine::receiver_of_arrival(SimNode& node) {
  SimTask* idle = nullptr;
  SimTask* soonest = nullptr;
  for (auto at = node.waiting.rbegin(); at != node.waiting.rend(); ++at) {
    SimTask* const task = *at;
    if (!task->waiting) continue;
    if (task->busy_until <= now_) {
      if (task->service) return task;
      if (idle == nullptr) idle = task;
    }
    if (soonest == nullptr || task->busy_until < soonest->busy_until) soonest = task;
  }
  return idle != nullptr ? idle : soonest;
}

/// An arrival resumes only one task.
void SimCluster::Engine::wake_one(NodeId id) {
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

void SimCluster::Engine::alarm(SimTask& task) {
  if (task.next_alarm && *task.next_alarm <= now_) task.next_alarm.reset();
  if (!task.waiting || !task.deadline) return;
  if (std::max(*task.deadline, task.busy_until) <= now_) return resume(task);
  set_alarm(task);  // this one was for an earlier wait
}

void SimCluster::Engine::arrive(const Event& event) {
  Frame frame = std::move(parcels_[event.parcel]);
  free_parcels_.push_back(event.parcel);
  digest(frame.size());
  if (nodes_[event.node.index()].stopped) return;
  nodes_[event.node.index()].inbox.push_back({event.other, std::move(frame), false});
  wake_one(event.node);
}

/// Stops all fibers of the node. False if they were stopped before.
bool SimCluster::Engine::stop(NodeId id) {
  if (std::exchange(nodes_[id.index()].stopped, true)) return false;
  for (const auto& task : tasks_) {
    if (task->node != id) continue;
    if (task->main && !task->fiber->done()) --mains_running_;
    if (options_.hosts.shared()) host_of(id).processor.drop(now_, task->index);
  }
  if (options_.hosts.shared()) plan_host_work(id);
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

SimCluster::Engine::SimHost& SimCluster::Engine::host_of(NodeId node) {
  return hosts_[options_.hosts.host_of(node, options_.nodes)];
}

bool SimCluster::Engine::on_same_host(NodeId a, NodeId b) const {
  const SharedHosts& hosts = options_.hosts;
  return hosts.shared() && hosts.host_of(a, options_.nodes) == hosts.host_of(b, options_.nodes);
}

/// The frame's first byte is at the interface of the receiver's host, which receives one frame after another.
void SimCluster::Engine::reach_host(Event event) {
  Instant& free_at = host_of(event.node).in_free_at;
  free_at = std::max(now_, free_at) + options_.profile.transmission(parcels_[event.parcel].size());
  event.at = free_at;
  event.kind = EventKind::Arrive;
  push(event);
}

/// task_time() counts charged work at full speed, also on a shared host: a lower bound, so a node's clock never goes
/// back. Only the costs of frames are ever pending when it is read.
void SimCluster::Engine::compute_on_host() {
  SimTask& task = *current_;
  HostProcessor& processor = host_of(task.node).processor;
  const std::uint64_t rest = task.debt_ps % kPicosecondsPerNanosecond;
  processor.begin(now_, task.index, task.debt_ps - rest);
  task.debt_ps = rest;
  plan_host_work(task.node);
  task.fiber->yield();
}

/// An activity that begins delays the others' ends. An event that comes too early then plans the next one (host_work),
/// so that most beginnings need no event.
void SimCluster::Engine::plan_host_work(NodeId node) {
  SimHost& host = host_of(node);
  const std::optional<Instant> end = host.processor.next_end();
  if (!end || (host.next_work && *host.next_work <= *end)) return;
  host.next_work = end;
  push({.at = *end, .kind = EventKind::HostWork, .node = node});
}

void SimCluster::Engine::host_work(NodeId node) {
  SimHost& host = host_of(node);
  if (host.next_work && *host.next_work <= now_) host.next_work.reset();
  for (const std::uint32_t task : host.processor.take_done(now_)) {
    push({.at = now_,
          .kind = EventKind::Resume,
          .node = tasks_[task]->node,
          .task = tasks_[task].get()});
  }
  plan_host_work(node);
}

}  // namespace leeway
