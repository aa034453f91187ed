// The shipped machines of a home and a sharer in every order of events up to a bound: accesses of
// threads, flushes of each side, arrivals of messages. Nothing is sampled and no states are merged,
// so a property that holds here holds in every run of that length. LEEWAY_DEEPER=N adds N events to
// all runs.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/machines.h"
#ifdef LEEWAY_MUTANTS
#include "leeway/mutant.h"
#endif

using namespace leeway;
using leeway::testing::HandWired;
using leeway::testing::policy_of;

namespace {

constexpr std::uint32_t kHome = 0, kSharer = 1;

enum class Action { Fetch, Evict, Store, FlushSharer, FlushHome, ToHome, ToSharer };

struct Event {
  Action action;
  std::uint32_t object = 0;
};

std::string name_of(const Event& event) {
  constexpr std::array kNames = {"fetch",      "evict",   "store",    "flush-sharer",
                                 "flush-home", "to-home", "to-sharer"};
  return kNames[static_cast<std::size_t>(event.action)] + std::to_string(event.object);
}

struct Start {
  std::uint32_t objects = 1;
  bool cached = false;  ///< the sharer starts with current copies of all objects
};

/// One run: the machines, and the state of an external observer.
class Run {
 public:
  Run(const Policy& policy, const Start& start) : wired_(2, policy), policy_(policy) {
    for (std::uint32_t object = 0; object < start.objects; ++object) {
      slots_.push_back(wired_.meet(kSharer, kHome, object));
      if (start.cached) (void)wired_.read(kSharer, slots_.back());
    }
    seen_.resize(start.objects, 0);
  }

  /// Every event that is possible next and would change the state.
  std::vector<Event> possible() {
    std::vector<Event> events;
    for (std::uint32_t object = 0; object < slots_.size(); ++object) {
      const CopyState state = cache().state(slots_[object]);
      // A current copy is read by `check` after every step; a thread that waits does nothing else.
      if (state == CopyState::Absent || state == CopyState::Stale)
        events.push_back({Action::Fetch, object});
      if (state != CopyState::Absent && state != CopyState::Fetching)
        events.push_back({Action::Evict, object});
      events.push_back({Action::Store, object});
    }
    if (cache().needs_flush()) events.push_back({Action::FlushSharer});
    if (home().needs_flush()) events.push_back({Action::FlushHome});
    if (wired_.under_way(kSharer, kHome) > 0) events.push_back({Action::ToHome});
    if (wired_.under_way(kHome, kSharer) > 0) events.push_back({Action::ToSharer});
    return events;
  }

  void take(const Event& event) {
    switch (event.action) {
      case Action::Fetch:
        (void)cache().fetch(slots_[event.object]);
        break;
      case Action::Evict:
        cache().evict(slots_[event.object]);
        break;
      case Action::Store:  // the value is the number of stores
        wired_.store(kHome, event.object, home().version(LocalIndex(event.object)).value());
        break;
      case Action::FlushSharer:
      case Action::FlushHome:
        wired_.flush(event.action == Action::FlushHome ? kHome : kSharer);
        break;
      case Action::ToHome:
        understood_ = wired_.deliver(kSharer, kHome) && understood_;
        break;
      case Action::ToSharer:
        understood_ = wired_.deliver(kHome, kSharer) && understood_;
        break;
    }
  }

  /// The violation in this state; empty if there is none.
  std::string check() {
    if (!understood_) return "a message was not understood";
    for (std::uint32_t object = 0; object < slots_.size(); ++object) {
      if (const char* wrong = check(object)) return wrong;
    }
    return "";
  }

  /// Delivers all messages, then reads each object: the read must return the newest value.
  std::string check_the_end() {
    if (!wired_.settle()) return "a message was not understood";
    if (std::string wrong = check(); !wrong.empty()) return wrong;
    for (std::uint32_t object = 0; object < slots_.size(); ++object) {
      const SlotIndex slot = slots_[object];
      if (cache().in_flight() != 0) return "a read is never answered";
      cache().refresh(slot);
      (void)wired_.read(kSharer, slot);
      if (!wired_.settle()) return "a message was not understood";
      if (wired_.copy(kSharer, slot) != home().version(LocalIndex(object)).value() - 1)
        return "the newest value does not come";
    }
    return check();
  }

 private:
  Cache& cache() { return wired_.cache(kSharer); }
  Directory& home() { return wired_.directory(kHome); }

  const char* check(std::uint32_t object) {
    const SlotIndex slot = slots_[object];
    const Version newest = home().version(LocalIndex(object));
    const Version held = cache().held(slot), known = cache().known(slot);
    if (held > known) return "a copy is newer than the known version";
    if (known > newest) return "the known version is newer than the last write";
    if (held == kNoVersion) return nullptr;
    if (!home().shares(NodeId(kSharer), LocalIndex(object)))
      return "a holder is not in the directory";
    const std::uint64_t value = wired_.copy(kSharer, slot);
    if (value != held.value() - 1) return "a copy's value does not match its version";
    if (is_hit(cache().classify(slot))) {
      if (known.value() - held.value() > policy_.threshold) return "a read beyond the threshold";
      if (value < seen_[object]) return "a read went back";
      seen_[object] = value;
    }
    const bool quiet = !home().needs_flush() && wired_.under_way(kHome, kSharer) == 0;
    if (quiet && known != newest) return "a holder has not heard of a write";
    const bool obeyed = policy_.writes == Writes::Wait && !home().needs_flush() &&
                        home().all_acked(home().last_ack());
    // A sharer whose Read was answered with the newest value gets no Invalidate of it; until the
    // answer arrives it treats its copy as unusable.
    if (obeyed && is_hit(cache().classify(slot)) && known != newest)
      return "a write is acknowledged, and an older value still read";
    return nullptr;
  }

  HandWired wired_;
  Policy policy_;
  std::vector<SlotIndex> slots_;
  std::vector<std::uint64_t> seen_;  // the newest value read of each object
  bool understood_ = true;
};

class Exploration {
 public:
  Exploration(const Policy& policy, const Start& start, std::size_t depth)
      : policy_(policy), start_(start), depth_(depth) {}

  void run() { descend(); }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  /// The machines cannot be copied, so each run starts from the beginning.
  void descend() {
    Run run(policy_, start_);
    for (const Event& event : path_) run.take(event);
    std::string wrong = run.check();
    if (!wrong.empty()) return complain(wrong);
    const std::vector<Event> events = run.possible();
    if (path_.size() == depth_) {
      ++runs_;
      wrong = run.check_the_end();
      if (!wrong.empty()) complain(wrong + ", in the end");
      return;
    }
    for (const Event& event : events) {
      path_.push_back(event);
      descend();
      path_.pop_back();
      if (!wrong_.empty()) return;
    }
  }
  void complain(const std::string& what) {
    wrong_ = what + " after";
    for (const Event& event : path_) wrong_ += " " + name_of(event);
  }

  Policy policy_;
  Start start_;
  std::size_t depth_;
  std::vector<Event> path_;
  std::uint64_t runs_ = 0;
  std::string wrong_;
};

[[maybe_unused]] std::size_t deeper() {
  const char* const setting = std::getenv("LEEWAY_DEEPER");
  return setting == nullptr ? 0 : static_cast<std::size_t>(std::atoi(setting));
}

Policy switched(const char* mode, bool flattening) {
  Policy policy = policy_of(mode);
  policy.optimizations.flattening = flattening;
  return policy;
}

constexpr std::array kModes = {"scp", "scp+rw", "scp+pb", "stale-1", "rcp-1", "rcp", "rcp+push"};

}  // namespace

#ifndef LEEWAY_MUTANTS

namespace {

void explore(const Start& start, std::size_t depth) {
  for (const char* mode : kModes) {
    for (const bool flattening : {true, false}) {
      Exploration exploration(switched(mode, flattening), start, depth + deeper());
      exploration.run();
      INFO(mode << (flattening ? "" : " without flattening") << ", " << exploration.runs()
                << " runs");
      CHECK(exploration.wrong() == "");
      CHECK(exploration.runs() > 1000);
    }
  }
}

}  // namespace

TEST_CASE(
    "one object, nothing cached: every order of twelve events keeps every promise in every mode") {
  explore({.objects = 1}, 12);
}

TEST_CASE("one object, cached: every order of eight events keeps every promise in every mode") {
  explore({.objects = 1, .cached = true}, 8);
}

TEST_CASE("two objects, cached: every order of six events keeps every promise in every mode") {
  explore({.objects = 2, .cached = true}, 6);
}

#else

// The mutants that one home and one sharer can reveal. The campaign finds the others, which need a
// second sharer, many writes, or an overtaken Evict.
TEST_CASE("the search finds mutants") {
  for (const std::string_view name :
       {"lose-invalidation-when-flattening", "forget-sharer-on-refetch", "threshold-off-by-one",
        "keep-stale-after-invalidation", "announce-old-version", "reply-old-version-as-new",
        "skip-acknowledgement-wait", "drop-refresh", "push-to-evicted"}) {
    const auto* const mutant = std::find(kMutants.begin(), kMutants.end(), name);
    REQUIRE(mutant != kMutants.end());
    active_mutant = static_cast<int>(mutant - kMutants.begin()) + 1;
    bool caught = false;
    for (const char* mode : kModes) {
      for (std::uint32_t objects = 1; objects <= 2 && !caught; ++objects) {
        Exploration exploration(switched(mode, true), {.objects = objects, .cached = true},
                                objects == 1 ? 9 : 6);
        exploration.run();
        caught = !exploration.wrong().empty();
      }
    }
    active_mutant = 0;
    INFO(name);
    CHECK(caught);
  }
}

#endif
