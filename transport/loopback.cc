#include "transport/loopback.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/random.h"

namespace leeway {

namespace {

struct Parcel {
  NodeId from{0};
  Frame frame;
  Instant due{};
  bool death = false;  // notice that `from` is gone; no frame
};

}  // namespace

/// The frames sent to one node and not yet polled. One queue per sender, so that a delayed frame
/// delays only later frames of the same pair.
class LoopbackNetwork::Mailbox {
 public:
  Mailbox(std::uint32_t nodes, const NetworkProfile& profile, std::uint64_t seed,
          std::uint32_t self)
      : profile_(profile), delayed_(profile.name != "ideal"), queues_(nodes) {
    for (std::uint32_t from = 0; from < nodes; ++from) {
      randoms_.emplace_back(seed, (std::uint64_t{from} << 32) | self);
    }
    free_at_.resize(nodes);
  }

  SendOutcome put(NodeId from, Frame& frame, Instant now) {
    bool must_wake = false;
    {
      const std::lock_guard lock(mutex_);
      auto& queue = queues_[from.index()];
      if (closed_) return SendOutcome::Sent;
      if (queue.bytes > 0 && queue.bytes + frame.size() > profile_.window_bytes) {
        queue.refused = true;
        return SendOutcome::Full;
      }
      queue.bytes += frame.size();
      const Instant due = delayed_ ? due_time(from, frame.size(), now) : now;
      queue.parcels.push_back({from, std::move(frame), due, false});
      ++waiting_;
      must_wake = !std::exchange(poll_owed_, true);
    }
    // A thread woken for a frame that is not due yet may stop waiting before it is due, so all
    // waiting threads must learn the due time.
    const Wake whom = delayed_ ? Wake::All : Wake::One;
    announce(must_wake ? whom : Wake::None);
    return SendOutcome::Sent;
  }

  void put_death(NodeId of) {
    {
      const std::lock_guard lock(mutex_);
      queues_[of.index()].parcels.push_back({of, {}, Instant{}, true});
      ++waiting_;
    }
    announce(Wake::All);
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  /// Takes up to `most` parcels that are due, round-robin over the senders. `refused`: the senders
  /// that met a full window which now has room.
  void take(std::vector<Parcel>& parcels, std::size_t most, Instant now,
            std::vector<NodeId>& refused) {
    const std::lock_guard lock(mutex_);
    refused.clear();
    std::size_t idle = 0;
    while (waiting_ > 0 && parcels.size() < most && idle < queues_.size()) {
      auto& queue = queues_[turn_];
      turn_ = (turn_ + 1) % queues_.size();
      if (queue.parcels.empty() || (delayed_ && queue.parcels.front().due > now)) {
        ++idle;
        continue;
      }
      idle = 0;
      if (std::exchange(queue.refused, false)) refused.push_back(queue.parcels.front().from);
      queue.bytes -= queue.parcels.front().frame.size();
      parcels.push_back(std::move(queue.parcels.front()));
      queue.parcels.pop_front();
      --waiting_;
    }
    if (parcels.size() < most) poll_owed_ = false;
  }

  [[nodiscard]] std::uint64_t ticket() const { return epoch_.load(std::memory_order_acquire); }

  enum class Wake { None, One, All };

  /// Ends waits. Threads about to wait see the changed ticket; waiting threads are notified. One:
  /// the thread that began to wait last, which waits for an event rather than being idle.
  void announce(Wake whom) {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (whom == Wake::None || sleeper_count_.load(std::memory_order_seq_cst) == 0) return;
    bool more = true;
    while (more) {
      std::shared_ptr<Sleeper> last;
      {
        const std::lock_guard lock(sleep_mutex_);
        if (sleepers_.empty()) return;
        last = std::move(sleepers_.back());
        sleepers_.pop_back();
        last->woken = true;
        more = whom == Wake::All;
      }
      last->signal.notify_one();  // after unlocking, so that the thread need not wait for the lock
    }
  }

  void wake_all() { announce(Wake::All); }

  void wait(std::uint64_t seen, std::optional<Instant> deadline, const Clock& clock) {
    const std::optional<Instant> due = next_due();
    if (due && (!deadline || *due < *deadline)) deadline = due;
    thread_local const auto self = std::make_shared<Sleeper>();
    std::unique_lock lock(sleep_mutex_);
    sleeper_count_.fetch_add(1, std::memory_order_seq_cst);
    if (epoch_.load(std::memory_order_seq_cst) == seen) {
      self->woken = false;
      sleepers_.push_back(self);
      const auto woken = [&] { return self->woken; };
      if (!deadline) {
        self->signal.wait(lock, woken);
      } else {
        const Duration left = *deadline - clock.now();
        if (left > Duration::zero()) self->signal.wait_for(lock, left, woken);
      }
      if (!self->woken) std::erase(sleepers_, self);
    }
    sleeper_count_.fetch_sub(1, std::memory_order_seq_cst);
  }

 private:
  struct Queue {
    std::deque<Parcel> parcels;
    std::uint64_t bytes = 0;
    bool refused = false;  // the sender met a full window
  };

  /// A pair's frames share its bandwidth and stay in order.
  Instant due_time(NodeId from, std::size_t bytes, Instant now) {
    Instant& free_at = free_at_[from.index()];
    const Instant due = now + profile_.sample(randoms_[from.index()], bytes);
    free_at = std::max(due, free_at + profile_.transmission(bytes));
    return free_at;
  }

  /// Due time of the earliest delayed frame, if any.
  std::optional<Instant> next_due() {
    if (!delayed_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    std::optional<Instant> earliest;
    for (const Queue& queue : queues_) {
      if (queue.parcels.empty()) continue;
      if (!earliest || queue.parcels.front().due < *earliest) earliest = queue.parcels.front().due;
    }
    return earliest;
  }

  const NetworkProfile profile_;
  const bool delayed_;
  std::mutex mutex_;
  std::vector<Queue> queues_;
  std::vector<Random> randoms_;
  std::vector<Instant> free_at_;
  std::size_t waiting_ = 0;
  std::size_t turn_ = 0;
  bool closed_ = false;
  /// A thread was woken for an arrival and has not emptied the mailbox since, so no other need be
  /// woken.
  bool poll_owed_ = false;

  struct Sleeper {
    std::condition_variable signal;
    bool woken = false;
  };
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<int> sleeper_count_{0};
  std::mutex sleep_mutex_;
  std::vector<std::shared_ptr<Sleeper>> sleepers_;  // shared with the thread that sleeps
};

class LoopbackNetwork::Endpoint final : public Transport {
 public:
  Endpoint(NodeId self, std::vector<std::unique_ptr<Mailbox>>& mailboxes)
      : self_(self), mailboxes_(mailboxes), own_(*mailboxes[self.index()]) {}
  ~Endpoint() override { join_threads(); }

  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override {
    return static_cast<std::uint32_t>(mailboxes_.size());
  }

  SendOutcome send(NodeId to, Frame& frame) override {
    LEEWAY_CHECK(to.index() < mailboxes_.size());
    const std::size_t bytes = frame.size();
    const SendOutcome outcome = mailboxes_[to.index()]->put(self_, frame, now());
    if (outcome == SendOutcome::Sent) {
      frames_sent_.fetch_add(1, std::memory_order_relaxed);
      bytes_sent_.fetch_add(bytes, std::memory_order_relaxed);
    }
    return outcome;
  }

  std::size_t poll(FrameSink& sink, std::size_t most) override {
    parcels_.clear();
    own_.take(parcels_, most, now(), refused_);
    for (const NodeId sender : refused_) mailboxes_[sender.index()]->wake_all();
    for (const Parcel& parcel : parcels_) {
      if (parcel.death) {
        sink.on_peer_down(parcel.from);
        continue;
      }
      frames_received_.fetch_add(1, std::memory_order_relaxed);
      bytes_received_.fetch_add(parcel.frame.size(), std::memory_order_relaxed);
      sink.on_frame(parcel.from, parcel.frame);
    }
    return parcels_.size();
  }

  std::uint64_t ticket() const override { return own_.ticket(); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override {
    own_.wait(seen, deadline, steady_);
  }
  void wake() override { own_.wake_all(); }

  Instant now() const override { return steady_.now(); }
  void charge(const Work&) override {}

  void spawn(std::string, std::function<void()> body) override {
    const std::lock_guard lock(threads_mutex_);
    threads_.emplace_back(std::move(body));
  }
  void join() override { join_threads(); }

  TransportStats stats() const override {
    return {frames_sent_.load(), bytes_sent_.load(), frames_received_.load(),
            bytes_received_.load()};
  }

 private:
  void join_threads() {
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(threads_mutex_);
      threads.swap(threads_);
    }
    for (std::thread& thread : threads) thread.join();
  }

  const NodeId self_;
  std::vector<std::unique_ptr<Mailbox>>& mailboxes_;
  Mailbox& own_;
  SteadyClock steady_;
  std::vector<Parcel> parcels_;  // scratch of the polling thread
  std::vector<NodeId> refused_;
  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> frames_received_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
};

LoopbackNetwork::LoopbackNetwork(const LoopbackOptions& options) {
  for (std::uint32_t node = 0; node < options.nodes; ++node) {
    mailboxes_.push_back(
        std::make_unique<Mailbox>(options.nodes, options.profile, options.seed, node));
  }
  for (std::uint32_t node = 0; node < options.nodes; ++node) {
    endpoints_.push_back(std::make_unique<Endpoint>(NodeId(node), mailboxes_));
  }
}

LoopbackNetwork::~LoopbackNetwork() = default;

Transport& LoopbackNetwork::node(NodeId id) { return *endpoints_[id.index()]; }

std::uint32_t LoopbackNetwork::node_count() const {
  return static_cast<std::uint32_t>(endpoints_.size());
}

void LoopbackNetwork::take_down(NodeId id) {
  mailboxes_[id.index()]->close();
  for (std::uint32_t node = 0; node < node_count(); ++node) {
    if (NodeId(node) != id) mailboxes_[node]->put_death(id);
  }
}

}  // namespace leeway
