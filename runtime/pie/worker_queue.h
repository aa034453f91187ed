// Which of a node's workers must be asked whether their next round may run, which may run, and which wait, and until when.
// A decision stands until something happens to the worker (`touch`) or its time comes. So between two rounds a node asks only
// the workers that something has happened to, not all of them. Also counts what an engine asks of all workers together.
// One thread's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "leeway/runtime/pie/worker_slot.h"

namespace leeway::pie {

class WorkerQueue {
 public:
  /// The workers outlive the queue, and stay where they are.
  explicit WorkerQueue(std::vector<WorkerSlot>& slots);

  /// A message, an answer or a round has changed the worker: it is asked again.
  void touch(const WorkerSlot& slot);
  void touch_all();
  /// Workers whose time has come are asked again.
  void wake(Instant now);
  /// Decisions of some schedules depend on the others' rounds: if these have changed, all workers are asked again.
  void rounds_are(Round slowest, Round fastest);

  /// The worker to be asked next: the one that is furthest behind of those to be asked. Null if there is none, or once so
  /// many workers that are further behind may run.
  [[nodiscard]] WorkerSlot* next_to_ask(std::size_t enough);
  /// What was decided for it; a Hold until `until` that may change at `look`.
  void decided(const WorkerSlot& slot, NextRound next, Instant look, Instant until);
  /// A worker without anything to do that keeps changes or answers for others, and has not been asked since it changed; or null.
  [[nodiscard]] WorkerSlot* next_to_speak();

  /// Those that may run, at most so many, the ones that are furthest behind.
  void runnable(std::size_t most, std::vector<WorkerSlot*>& into);
  /// When the first Hold is over.
  [[nodiscard]] std::optional<Instant> deadline() const;

  /// Some worker has something to do, now or once its schedule lets it.
  [[nodiscard]] bool any_active() const { return !active_rounds_.empty(); }
  /// Or keeps something for others.
  [[nodiscard]] bool any_busy() const { return any_active() || keeping_ > 0; }
  /// The least round of the workers that have something to do; Round::none() without any.
  [[nodiscard]] Round slowest() const {
    return any_active() ? active_rounds_.begin()->first : Round::none();
  }
  [[nodiscard]] Round fastest() const { return fastest_; }

 private:
  enum class Stands : std::uint8_t { Nowhere, Asked, Runs, Holds };
  struct Entry {
    Stands stands = Stands::Nowhere;
    bool active = false;
    bool keeps = false;
    bool may_speak = false;  // in to_speak_
    Round round{0};
    Instant look{};
    Instant until{};
  };
  using ByRound = std::set<std::pair<Round, std::uint32_t>>;
  using ByTime = std::set<std::pair<Instant, std::uint32_t>>;

  [[nodiscard]] std::uint32_t index_of(const WorkerSlot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }
  void take_out(std::uint32_t index);
  void count(Entry& entry, const WorkerSlot& slot);

  std::vector<WorkerSlot>& slots_;
  std::vector<Entry> entries_;  // by slot
  ByRound to_ask_;
  ByRound runs_;
  ByTime looks_;   // held workers by when their decision may change
  ByTime untils_;  // and by when their Hold is over
  std::set<std::uint32_t> to_speak_;
  std::map<Round, std::uint32_t> active_rounds_;  // how many active workers each has
  std::uint32_t keeping_ = 0;
  Round fastest_{0};
  Round slowest_seen_{0}, fastest_seen_{0};  // by which decisions were made
};

}  // namespace leeway::pie
