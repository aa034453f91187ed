// Threads of one node that wait, and the threads that wake them, in every interleaving: no wake-up
// is lost. Time stands still except in the cases that advance it, so an event that is only found by
// periodic polling counts as lost.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>

#include "test/support/buffered_threads.h"
#include "transport/wire_transport.h"

using namespace leeway;
using testing::BufferedAtomic;
using testing::BufferedBell;
using testing::BufferedCondition;
using testing::BufferedMutex;
using testing::Exploration;
using testing::explore;
using testing::Scenario;

namespace {

struct StandingClock {
  [[nodiscard]] Instant now() const { return Instant(); }
};

struct ExploredThreads {
  template <class T>
  using Atomic = BufferedAtomic<T>;
  using Mutex = BufferedMutex;
  using Condition = BufferedCondition;
  using Clock = StandingClock;
};
using Election = BasicWatcherElection<ExploredThreads>;

// Faulty elections.

struct ChecksBeforeItAnnounces : Election {
  bool announce() {
    const bool interrupt = rests();
    (void)Election::announce();
    return interrupt;
  }
};

struct ChecksBeforeItRests : Election {
  bool may_rest(const Wait& wait) {
    if (over(wait)) return false;
    (void)Election::may_rest(wait);
    return true;
  }
};

/// An atomic with plain stores, whose increment is a separate load and store.
template <class T>
class PlainAtomic : public BufferedAtomic<T> {
 public:
  using BufferedAtomic<T>::BufferedAtomic;
  void store(T value, std::memory_order) {
    BufferedAtomic<T>::store(value, std::memory_order_release);
  }
  T fetch_add(T value, std::memory_order) {
    const T before = this->load();
    store(static_cast<T>(before + value), std::memory_order_release);
    return before;
  }
};

template <class Plain>
struct PlainThreads : ExploredThreads {
  template <class T>
  using Atomic = std::conditional_t<std::is_same_v<T, Plain>, PlainAtomic<T>, BufferedAtomic<T>>;
};
using RestsByPlainStore = BasicWatcherElection<PlainThreads<bool>>;
using CountsByPlainStore = BasicWatcherElection<PlainThreads<int>>;

struct NoLock {
  void lock() {}
  void unlock() {}
};
struct UnlockedThreads : ExploredThreads {
  using Mutex = NoLock;
};
using AnnouncesWithoutTheLock = BasicWatcherElection<UnlockedThreads>;

/// Threads that wait at one node like Node::wait_until and WireTransport::wait: each moves messages
/// itself, watches the wire, or follows.
template <class Election>
class WaitingNode {
 public:
  using Wait = typename Election::Wait;

  /// The wire brings a message.
  void arrive() {
    on_the_wire_.fetch_add(1);
    bell_.ring();
  }
  /// An event that comes without a message.
  void happen() {
    happened_.store(1, std::memory_order_release);
    announce();
  }
  [[nodiscard]] bool has_happened() const { return happened_.load() != 0; }
  [[nodiscard]] int handled() const { return handled_.load(); }

  /// `wakes`: a thread that has handled messages notifies the other waiting threads.
  template <class Done>
  void wait_until(Done&& done, bool wakes) {
    waiting_.fetch_add(1);
    bool slept = false;
    while (true) {
      const std::uint64_t ticket = election_.ticket();
      if (done()) break;
      if (move_messages(1, wakes)) continue;
      wait({ticket, std::nullopt});
      slept = true;
    }
    waiting_.fetch_sub(1);
    if (slept && move_messages(0, wakes) && wakes) announce();
  }
  /// Like wait_until, for an event that comes without a message.
  void wait_for_event() {
    while (true) {
      const std::uint64_t ticket = election_.ticket();
      if (has_happened()) return;
      wait({ticket, std::nullopt});
    }
  }

 private:
  void announce() {
    if (election_.announce()) bell_.ring();
  }
  bool move_messages(int own_waits, bool wakes) {
    const bool arrived = poll();
    if (arrived && wakes && waiting_.load() > own_waits) announce();
    return arrived;
  }
  /// Node::poll. A thread that finds the lock taken may sleep, so the poller checks for such
  /// threads after it unlocks. The unlock drains the store buffer; with a plain store there are too
  /// many interleavings.
  bool poll() {
    turned_away_.exchange(1);
    if (!polling_.try_lock()) return false;
    turned_away_.store(0);
    int taken = 0;
    {
      const std::lock_guard locked(wire_);
      if (arrivals_ == 0) pull();
      taken = std::exchange(arrivals_, 0);
    }
    if (taken > 0) handled_.fetch_add(taken);
    polling_.unlock_and_drain();
    if (turned_away_.exchange(0) != 0) announce();
    return taken > 0;
  }
  bool pull() {
    const int taken = on_the_wire_.exchange(0);
    arrivals_ += taken;
    return taken > 0;
  }
  void wait(const Wait& wait) {
    if (!election_.stand(wait)) return;
    while (!election_.over(wait)) {
      {
        const std::lock_guard locked(wire_);
        if (pull()) election_.note_arrival();
      }
      if (election_.may_rest(wait)) bell_.wait();
      election_.rested();
    }
    election_.step_down();
  }

  Election election_;
  BufferedBell bell_;
  BufferedMutex wire_, polling_;
  int arrivals_ = 0;  // received, not yet handled
  BufferedAtomic<int> on_the_wire_{0}, handled_{0}, waiting_{0}, turned_away_{0}, happened_{0};
};

/// `waiters` threads wait for one event, which another thread announces.
template <class Election>
Exploration explore_event(std::uint32_t waiters, std::uint32_t early = 0) {
  return explore([=] {
    const auto node = std::make_shared<WaitingNode<Election>>();
    Scenario scenario;
    for (std::uint32_t i = 0; i < waiters; ++i)
      scenario.threads.push_back([=] { node->wait_for_event(); });
    scenario.threads.push_back([=] { node->happen(); });
    scenario.holds = [] { return true; };
    scenario.early = early;
    return scenario;
  });
}

/// One thread waits for one message, another one for two. Too many interleavings to explore all:
/// see explore.
Exploration explore_messages(bool wakes, std::uint32_t late) {
  const auto make = [=] {
    const auto node = std::make_shared<WaitingNode<Election>>();
    Scenario scenario;
    for (const int messages : {1, 2}) {
      scenario.threads.push_back(
          [=] { node->wait_until([=] { return node->handled() >= messages; }, wakes); });
    }
    scenario.threads.push_back([=] {
      node->arrive();
      node->arrive();
    });
    scenario.holds = [] { return true; };
    scenario.late = late;
    return scenario;
  };
  return explore(make, 3);
}

}  // namespace

TEST_CASE("an announcement wakes every waiting thread, in every interleaving") {
  for (const std::uint32_t waiters : {1u, 2u}) {
    for (const std::uint32_t early : {0u, 1u}) {
      const Exploration all = explore_event<Election>(waiters, early);
      INFO(waiters << " waiters, " << all.runs << " runs");
      CHECK_FALSE(all.wrong());
      CHECK(all.runs > 50);
    }
  }
}

TEST_CASE("each faulty election loses a wake-up") {
  CHECK(explore_event<ChecksBeforeItAnnounces>(1).wrong());
  CHECK(explore_event<ChecksBeforeItRests>(1).wrong());
  CHECK(explore_event<RestsByPlainStore>(1).wrong());
  CHECK(explore_event<CountsByPlainStore>(2).wrong());
  CHECK(explore_event<AnnouncesWithoutTheLock>(2).wrong());
}

TEST_CASE("the watcher passes on every message, and its role, if followers poll periodically") {
  const Exploration looking = explore_messages(true, 3);
  INFO(looking.runs << " runs");
  CHECK_FALSE(looking.wrong());
  CHECK(looking.runs > 100);
  // Without polling, a follower that went to sleep just before the watcher stepped down is never
  // woken.
  CHECK(explore_messages(true, 0).wrong());
  // Polling helps only followers: the watcher must be notified of messages that another thread has
  // handled.
  CHECK(explore_messages(false, 3).wrong());
}
