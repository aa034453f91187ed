// Runs the code of a few threads in every interleaving of its atomic operations, on a machine whose
// stores wait in a buffer per thread before they reach memory (x86's TSO). The code is the shipped
// one, instantiated with BufferedRef in place of std::atomic_ref. Operations behave as on x86:
// loads first read the thread's own buffered stores; a read-modify-write and a sequentially
// consistent store wait until the buffer is empty. Other memory orders make no difference there.
// Reorderings of weaker machines are not explored.
//
// A thread that waits does not run until its condition may have become true (`await`), so a polling
// loop must be written as one that awaits a change. A wait with a time limit never times out unless
// the scenario lets time pass. A thread that still waits at the end is an error, as is a deadlock.
//
// Each interleaving is a new run from the beginning. Interleavings that differ only in the order of
// operations on different words are run once (sleep sets). Single-threaded: the threads are fibers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/support/lane.h"

namespace leeway::testing {

/// One run: the code of the threads, and a condition that must hold once all have ended and every
/// store is in memory.
struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<bool()> holds;
  /// How often each thread's wait with a time limit may time out at any moment.
  std::uint32_t early = 0;
  /// How often all such waits time out when no other step is possible.
  std::uint32_t late = 0;
};

struct Exploration {
  std::uint64_t runs = 0;
  std::vector<std::string>
      counterexample;  ///< the steps of the first run that ended wrong; empty if none
  [[nodiscard]] bool wrong() const { return !counterexample.empty(); }
};

class BufferingMachine {
 public:
  enum class Operation { Load, Modify };

  explicit BufferingMachine(Scenario scenario)
      : scenario_(std::move(scenario)), late_(scenario_.late) {
    for (auto& body : scenario_.threads) {
      threads_.push_back(std::make_unique<Thread>());
      threads_.back()->early = scenario_.early;
      threads_.back()->lane = Lane::take(body);
      resume(static_cast<std::uint32_t>(threads_.size() - 1));
    }
  }
  ~BufferingMachine() {
    for (auto& thread : threads_) Lane::give_back(std::move(thread->lane));
  }
  BufferingMachine(const BufferingMachine&) = delete;
  BufferingMachine& operator=(const BufferingMachine&) = delete;

  /// A possible next step: a thread's next operation, or the oldest store in its buffer reaches
  /// memory.
  struct Step {
    std::uint32_t thread = 0;
    bool drains = false;
    std::uint32_t word = 0;
    bool writes = false;
    bool passes_time = false;

    [[nodiscard]] bool same(const Step& other) const {
      return thread == other.thread && drains == other.drains && passes_time == other.passes_time;
    }
    [[nodiscard]] bool depends_on(const Step& other) const {
      if (passes_time || other.passes_time) return true;
      // A thread may load a word before or after its buffered store to another word reaches memory.
      if (thread == other.thread && (drains == other.drains || !loads_beside(other))) return true;
      return word == other.word && (writes || other.writes);
    }
    /// For two steps of one thread, one of which drains: whether the other only loads another word.
    [[nodiscard]] bool loads_beside(const Step& other) const {
      return word != other.word && (!writes || !other.writes);
    }
    [[nodiscard]] std::string text() const {
      if (passes_time) return "time passes";
      return "thread " + std::to_string(thread) +
             (drains   ? " drains "
              : writes ? " writes "
                       : " runs ") +
             "word " + std::to_string(word);
    }
  };

  [[nodiscard]] std::vector<Step> possible() const {
    std::vector<Step> steps;
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      const Thread& thread = *threads_[i];
      if (!thread.lane->done() && !waits(thread)) {
        steps.push_back({i, false, thread.word, thread.operation == Operation::Modify});
      }
      if (!thread.buffer.empty()) steps.push_back({i, true, thread.buffer.front().word, true});
    }
    if (steps.empty() && late_ > 0 && !all_ended()) steps.push_back({.passes_time = true});
    return steps;
  }
  void take(const Step& step) {
    if (step.passes_time) return pass_time();
    if (!step.drains) return resume(step.thread);
    auto& buffer = threads_[step.thread]->buffer;
    const Buffered store = buffer.front();
    buffer.pop_front();
    std::memcpy(store.at, &store.value, store.bytes);
  }
  [[nodiscard]] bool all_ended() const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [](const auto& thread) { return thread->lane->done(); });
  }
  [[nodiscard]] bool holds() const { return all_ended() && scenario_.holds(); }

  // For BufferedRef and the types built on it.

  /// The machine that runs the calling fiber; null outside of its threads.
  static BufferingMachine*& current() {
    static BufferingMachine* machine = nullptr;
    return machine;
  }
  /// Lets the other threads run first.
  void announce(Operation operation, const void* at) {
    Thread& thread = *threads_[running_];
    thread.operation = operation;
    thread.word = number_of(at);
    BufferingMachine* const self = std::exchange(current(), nullptr);
    thread.lane->yield();
    current() = self;
  }
  enum class Limit { None, Time };
  /// Like announce, but the thread continues only when `ready()`, which depends only on the word
  /// `at`, or when its time is over.
  void await(Operation operation, const void* at, std::function<bool()> ready,
             Limit limit = Limit::None) {
    Thread& thread = *threads_[running_];
    thread.ready = std::move(ready);
    thread.limited = limit == Limit::Time;
    announce(operation, at);
    if (thread.limited && !thread.time_is_over && !thread.ready()) --thread.early;
    thread.time_is_over = false;
    thread.limited = false;
    thread.ready = nullptr;
  }
  [[nodiscard]] std::uint32_t running() const { return running_; }
  template <class T>
  T load(const T& at) const {
    return load(at, running_);
  }
  template <class T>
  T load(const T& at, std::uint32_t thread) const {
    const auto& buffer = threads_[thread]->buffer;
    for (auto store = buffer.rbegin(); store != buffer.rend(); ++store) {
      if (store->at != &at) continue;
      T value;
      std::memcpy(&value, &store->value, sizeof value);
      return value;
    }
    return at;
  }
  /// No other thread has access yet, so this is not a scheduling point.
  template <class T>
  void store(T& at, T value) {
    Buffered store{&at, sizeof value, 0, number_of(&at)};
    std::memcpy(&store.value, &value, sizeof value);
    threads_[running_]->buffer.push_back(store);
  }

 private:
  struct Buffered {
    void* at = nullptr;
    std::size_t bytes = 0;
    std::uint64_t value = 0;
    std::uint32_t word = 0;
  };
  struct Thread {
    std::unique_ptr<Lane> lane;
    std::deque<Buffered> buffer;
    Operation operation = Operation::Load;  // the thread's next operation
    std::uint32_t word = 0;
    std::function<bool()> ready;  // null: immediately
    bool limited = false;         // has a time limit besides `ready`
    bool time_is_over = false;
    std::uint32_t early = 0;
  };

  [[nodiscard]] static bool waits(const Thread& thread) {
    if (thread.operation == Operation::Modify && !thread.buffer.empty()) return true;
    if (!thread.ready || thread.ready()) return false;
    return !thread.limited || (!thread.time_is_over && thread.early == 0);
  }
  void pass_time() {
    --late_;
    for (const auto& thread : threads_) thread->time_is_over = thread->limited;
  }
  [[nodiscard]] std::uint32_t number_of(const void* word) {
    return words_.emplace(word, static_cast<std::uint32_t>(words_.size() + 1)).first->second;
  }
  void resume(std::uint32_t thread) {
    running_ = thread;
    current() = this;
    threads_[thread]->lane->resume();
    current() = nullptr;
  }

  Scenario scenario_;
  std::uint32_t late_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<const void*, std::uint32_t>
      words_;  // numbered by first use, so equal in runs with equal beginnings
  std::uint32_t running_ = 0;
};

/// Replaces std::atomic_ref in explored code.
template <class T>
class BufferedRef {
 public:
  explicit BufferedRef(T& word) : word_(word) {}

  T load(std::memory_order = std::memory_order_seq_cst) const {
    BufferingMachine* const machine = at(BufferingMachine::Operation::Load);
    return machine == nullptr ? word_ : machine->load(word_);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) const {
    if (order == std::memory_order_seq_cst) return void(exchange(value));
    BufferingMachine* const machine = BufferingMachine::current();
    machine == nullptr ? void(word_ = value) : machine->store(word_, value);
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T) { return value; });
  }
  T fetch_add(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before + value); });
  }
  T fetch_sub(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before - value); });
  }
  T fetch_or(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before | value); });
  }
  T fetch_and(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before & value); });
  }
  bool compare_exchange_strong(T& expected, T value,
                               std::memory_order = std::memory_order_seq_cst) const {
    const T before =
        modify([expected, value](T found) { return found == expected ? value : found; });
    return std::exchange(expected, before) == before;
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order success,
                               std::memory_order) const {
    return compare_exchange_strong(expected, value, success);
  }
  /// Never fails spuriously, because a loop would only repeat the same step.
  bool compare_exchange_weak(T& expected, T value,
                             std::memory_order order = std::memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order);
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                             std::memory_order) const {
    return compare_exchange_strong(expected, value, success);
  }

 private:
  [[nodiscard]] BufferingMachine* at(BufferingMachine::Operation operation) const {
    if (BufferingMachine::current() != nullptr)
      BufferingMachine::current()->announce(operation, &word_);
    return BufferingMachine::current();
  }
  template <class Change>
  T modify(Change&& change) const {
    (void)at(BufferingMachine::Operation::Modify);
    const T before = word_;
    word_ = change(before);
    return before;
  }

  T& word_;
};

/// Runs `make()` until every interleaving was explored, or one ends wrong. Each call makes a new
/// scenario without shared state. If there are too many, only interleavings with at most
/// `preemptions` preemptions are run: most bugs need few, but finding none proves nothing.
inline Exploration explore(const std::function<Scenario()>& make,
                           std::uint32_t preemptions = std::numeric_limits<std::uint32_t>::max()) {
  using Step = BufferingMachine::Step;
  struct Choice {
    std::vector<Step> possible;
    std::vector<Step> asleep;  // steps that would repeat explored interleavings
    Step taken;
    std::uint32_t running = 0;      // the thread that took the last step
    std::uint32_t preemptions = 0;  // so far

    [[nodiscard]] bool preempts(const Step& step) const {
      if (step.drains || step.passes_time || step.thread == running) return false;
      return std::any_of(possible.begin(), possible.end(),
                         [&](const Step& each) { return each.thread == running && !each.drains; });
    }
  };
  const auto sleeps = [](const Choice& choice, const Step& step) {
    for (const Step& each : choice.asleep) {
      if (each.same(step)) return true;
    }
    return false;
  };
  const auto take_another = [&](Choice& choice) {
    for (const Step& step : choice.possible) {
      if (sleeps(choice, step)) continue;
      if (choice.preemptions == preemptions && choice.preempts(step)) continue;
      choice.taken = step;
      return true;
    }
    return false;
  };
  Exploration result;
  std::vector<Choice> path;
  do {
    ++result.runs;
    BufferingMachine machine(make());
    for (const Choice& choice : path) machine.take(choice.taken);
    while (true) {
      Choice next{machine.possible(), {}, {}};
      if (!path.empty()) {
        const Choice& last = path.back();
        const bool goes_on = last.taken.drains || last.taken.passes_time;
        next.running = goes_on ? last.running : last.taken.thread;
        next.preemptions = last.preemptions + (last.preempts(last.taken) ? 1 : 0);
      }
      if (next.possible.empty()) {
        if (machine.holds()) break;
        for (const Choice& choice : path) result.counterexample.push_back(choice.taken.text());
        result.counterexample.push_back(machine.all_ended() ? "what must hold does not"
                                                            : "a thread waits for ever");
        return result;
      }
      if (!path.empty()) {
        for (const Step& step : path.back().asleep) {
          if (!step.depends_on(path.back().taken)) next.asleep.push_back(step);
        }
      }
      if (!take_another(next)) break;
      machine.take(next.taken);
      path.push_back(std::move(next));
    }
    while (!path.empty()) {
      path.back().asleep.push_back(path.back().taken);
      if (take_another(path.back())) break;
      path.pop_back();
    }
  } while (!path.empty());
  return result;
}

}  // namespace leeway::testing
