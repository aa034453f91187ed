#include "leeway/transport/watcher_election.h"

#include <algorithm>

namespace leeway {

namespace {

constexpr Duration kSoonestLook = std::chrono::microseconds(200);
constexpr Duration kLatestLook = std::chrono::milliseconds(10);

}  // namespace

Duration WatcherElection::idle() const {
  return std::max(clock_.now() - last_event(), Duration::zero());
}

bool WatcherElection::over(const Wait& wait) const {
  return epoch_.load(std::memory_order_seq_cst) != wait.seen ||
         (wait.deadline && clock_.now() >= *wait.deadline);
}

bool WatcherElection::announce() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  const bool interrupt = rests();
  if (followers_.load(std::memory_order_seq_cst) > 0) {
    // Whoever has looked and not yet gone to sleep holds the lock.
    { const std::lock_guard locked(mutex_); }
    changed_.notify_all();
  }
  return interrupt;
}

bool WatcherElection::stand(const Wait& wait) {
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

void WatcherElection::step_down() {
  const std::lock_guard locked(mutex_);
  watched_ = false;
}

}  // namespace leeway
