// Of all threads that wait at one node, one watches the wire; the others follow: they sleep, and look now and then
// whether the watch is kept. If it is not, because the watcher has what it waited for, one of them takes it over.
// Thread-safe.
//
// Invariant: a ticket taken before an event is over after it, whoever waits for it: `announce` changes the ticket
// before it looks whether the watcher rests, and the watcher says that it rests before it looks at the ticket.
// Both write by sequentially consistent operations: a write that is still on its way to memory while its thread looks
// would be as good as one that comes after. The followers are counted likewise, before they look at the ticket.
// test/transport/election_test.cc runs this code through all its interleavings; `Threads` is the seam it uses.
//
// What no announcement tells of is found by looking, so only by time: that the watcher steps down, and
// `note_arrival`.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "leeway/base/clock.h"

namespace leeway {

struct StandardThreads {
  template <class T>
  using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  using Clock = SteadyClock;
};

template <class Threads>
class BasicWatcherElection {
 public:
  struct Wait {
    std::uint64_t seen = 0;
    std::optional<Instant> deadline;
  };

  [[nodiscard]] std::uint64_t ticket() const { return epoch_.load(std::memory_order_acquire); }
  [[nodiscard]] bool over(const Wait& wait) const {
    return epoch_.load(std::memory_order_seq_cst) != wait.seen ||
           (wait.deadline && clock_.now() >= *wait.deadline);
  }

  /// Ends every wait. True if the watcher rests and must be interrupted.
  [[nodiscard]] bool announce();
  /// The watcher's own: it is about to return and will poll, and most often be back at once. Waking the others
  /// for each arrival would cost more than the arrival; they look by themselves whether the watch is kept.
  void note_arrival() { epoch_.fetch_add(1, std::memory_order_seq_cst); }

  /// Something has happened: an answer may be on its way, so all look often again.
  void note_event() {
    last_event_ns_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] Instant last_event() const { return Instant(Duration(last_event_ns_.load())); }
  /// How long nothing has happened.
  [[nodiscard]] Duration idle() const {
    return std::max(clock_.now() - last_event(), Duration::zero());
  }

  /// Blocks until this thread is the watcher (true), or its wait is over (false). A follower looks the more
  /// seldom the longer nothing has happened.
  bool stand(const Wait& wait);
  /// The watcher's last act.
  void step_down();

  /// The watcher is about to rest; false if its wait is over already. Then `rested`.
  [[nodiscard]] bool may_rest(const Wait& wait) {
    resting_.store(true, std::memory_order_seq_cst);
    return !over(wait);
  }
  void rested() { resting_.store(false, std::memory_order_seq_cst); }
  [[nodiscard]] bool rests() const { return resting_.load(std::memory_order_seq_cst); }

 private:
  static constexpr Duration kSoonestLook = std::chrono::microseconds(200);
  static constexpr Duration kLatestLook = std::chrono::milliseconds(10);

  template <class T>
  using Atomic = typename Threads::template Atomic<T>;

  Atomic<std::uint64_t> epoch_{0};
  Atomic<bool> resting_{false};
  Atomic<int> followers_{0};
  typename Threads::Mutex mutex_;
  typename Threads::Condition changed_;
  bool watched_ = false;
  typename Threads::Clock clock_;
  Atomic<std::int64_t> last_event_ns_{clock_.now().time_since_epoch().count()};
};

template <class Threads>
bool BasicWatcherElection<Threads>::announce() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  const bool interrupt = rests();
  if (followers_.load(std::memory_order_seq_cst) > 0) {
    // Whoever has looked and not yet gone to sleep holds the lock.
    { const std::lock_guard locked(mutex_); }
    changed_.notify_all();
  }
  return interrupt;
}

template <class Threads>
bool BasicWatcherElection<Threads>::stand(const Wait& wait) {
  std::unique_lock locked(mutex_);
  followers_.fetch_add(1, std::memory_order_seq_cst);
  while (watched_ && !over(wait)) {
    Duration look = std::clamp(idle() / 4, kSoonestLook, kLatestLook);
    if (wait.deadline) look = std::clamp(*wait.deadline - clock_.now(), Duration::zero(), look);
    changed_.wait_for(locked, look);
  }
  followers_.fetch_sub(1, std::memory_order_seq_cst);
  if (over(wait)) return false;
  watched_ = true;
  return true;
}

template <class Threads>
void BasicWatcherElection<Threads>::step_down() {
  const std::lock_guard locked(mutex_);
  watched_ = false;
}

extern template class BasicWatcherElection<StandardThreads>;
using WatcherElection = BasicWatcherElection<StandardThreads>;

}  // namespace leeway
