// Of all threads that wait at one node, one watches the wire; the others follow: they sleep, and look now and then
// whether the watch is kept. If it is not, because the watcher has what it waited for, one of them takes it over.
// Thread-safe.
//
// Invariant: a ticket taken before an event is over after it, whoever waits for it: `announce` changes the ticket
// before it looks whether the watcher rests, and the watcher says that it rests before it looks at the ticket.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "leeway/base/clock.h"

namespace leeway {

class WatcherElection {
 public:
  struct Wait {
    std::uint64_t seen = 0;
    std::optional<Instant> deadline;
  };

  [[nodiscard]] std::uint64_t ticket() const { return epoch_.load(std::memory_order_acquire); }
  [[nodiscard]] bool over(const Wait& wait) const;

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
  [[nodiscard]] Duration idle() const;

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
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<bool> resting_{false};
  std::atomic<int> followers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool watched_ = false;
  SteadyClock clock_;
  std::atomic<std::int64_t> last_event_ns_{clock_.now().time_since_epoch().count()};
};

}  // namespace leeway
