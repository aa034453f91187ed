// Runs a few threads' code through every interleaving of its atomic operations, on a machine whose stores
// wait in a buffer per thread before they reach memory (x86's: TSO). The code is the real one, instantiated
// with BufferedRef in place of std::atomic_ref; memory orders are ignored, for the machine gives to each
// operation what x86 does: loads read past the thread's own buffered stores, a read-modify-write waits for
// them. What weaker machines reorder besides is not explored.
//
// A run is repeated from its beginning for each interleaving. Interleavings that differ only in the order of
// operations on different words are run once (sleep sets). Single-threaded: the threads are fibers.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/transport/fiber.h"

namespace leeway::testing {

/// One run: what the threads do, and what must hold once all have ended and every store is in memory.
struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<bool()> holds;
};

struct Exploration {
  std::uint64_t runs = 0;
  std::vector<std::string>
      counterexample;  ///< the steps of the first run that ended wrong; empty if none
};

class BufferingMachine {
 public:
  enum class Operation { Load, Store, Modify };

  explicit BufferingMachine(Scenario scenario) : scenario_(std::move(scenario)) {
    for (auto& body : scenario_.threads) {
      threads_.push_back(std::make_unique<Thread>());
      threads_.back()->fiber = std::make_unique<Fiber>(body, std::size_t{64} << 10U);
      resume(static_cast<std::uint32_t>(threads_.size() - 1));
    }
  }

  /// What may happen next: a thread's next operation, or the oldest store in its buffer reaches memory.
  struct Step {
    std::uint32_t thread = 0;
    bool drains = false;
    std::uint32_t word = 0;  // 0: none that others see
    bool writes = false;

    [[nodiscard]] bool same(const Step& other) const {
      return thread == other.thread && drains == other.drains;
    }
    [[nodiscard]] bool depends_on(const Step& other) const {
      if (thread == other.thread) return true;
      return word != 0 && word == other.word && (writes || other.writes);
    }
    [[nodiscard]] std::string text() const {
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
      const bool waits = thread.operation == Operation::Modify && !thread.buffer.empty();
      if (!thread.fiber->done() && !waits) {
        const bool seen =
            thread.operation != Operation::Store;  // a store goes to the thread's own buffer
        steps.push_back({i, false, seen ? thread.word : 0, thread.operation == Operation::Modify});
      }
      if (!thread.buffer.empty()) steps.push_back({i, true, thread.buffer.front().word, true});
    }
    return steps;
  }
  void take(const Step& step) {
    if (!step.drains) return resume(step.thread);
    auto& buffer = threads_[step.thread]->buffer;
    const Buffered store = buffer.front();
    buffer.pop_front();
    std::memcpy(store.at, &store.value, store.bytes);
  }
  [[nodiscard]] bool holds() const { return scenario_.holds(); }

  // For BufferedRef.

  /// The machine that runs the calling fiber; null outside of its threads.
  static BufferingMachine*& current() {
    static BufferingMachine* machine = nullptr;
    return machine;
  }
  /// Lets the others go first.
  void announce(Operation operation, const void* at) {
    Thread& thread = *threads_[running_];
    thread.operation = operation;
    thread.word = words_.emplace(at, static_cast<std::uint32_t>(words_.size() + 1)).first->second;
    BufferingMachine* const self = std::exchange(current(), nullptr);
    thread.fiber->yield();
    current() = self;
  }
  template <class T>
  T load(const T& at) const {
    const auto& buffer = threads_[running_]->buffer;
    for (auto store = buffer.rbegin(); store != buffer.rend(); ++store) {
      if (store->at != &at) continue;
      T value;
      std::memcpy(&value, &store->value, sizeof value);
      return value;
    }
    return at;
  }
  template <class T>
  void store(T& at, T value) {
    Buffered store{&at, sizeof value, 0, words_.at(&at)};
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
    std::unique_ptr<Fiber> fiber;
    std::deque<Buffered> buffer;
    Operation operation = Operation::Load;  // that it is about to do
    std::uint32_t word = 0;
  };

  void resume(std::uint32_t thread) {
    running_ = thread;
    current() = this;
    threads_[thread]->fiber->resume();
    current() = nullptr;
    LEEWAY_CHECK(!threads_[thread]->fiber->error());
  }

  Scenario scenario_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<const void*, std::uint32_t>
      words_;  // numbered as they are met: the same in runs that begin alike
  std::uint32_t running_ = 0;
};

/// Stands for std::atomic_ref in code that is explored.
template <class T>
class BufferedRef {
 public:
  explicit BufferedRef(T& word) : word_(word) {}

  T load(std::memory_order = std::memory_order_seq_cst) const {
    BufferingMachine* const machine = at(BufferingMachine::Operation::Load);
    return machine == nullptr ? word_ : machine->load(word_);
  }
  void store(T value, std::memory_order = std::memory_order_relaxed) const {
    BufferingMachine* const machine = at(BufferingMachine::Operation::Store);
    machine == nullptr ? void(word_ = value) : machine->store(word_, value);
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T) { return value; });
  }
  T fetch_add(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before + value); });
  }
  T fetch_or(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before | value); });
  }
  T fetch_and(T value, std::memory_order = std::memory_order_seq_cst) const {
    return modify([value](T before) { return static_cast<T>(before & value); });
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

/// Runs `make()` until every interleaving has been seen, or one ends wrong. Each call makes a fresh scenario
/// that depends on nothing else.
inline Exploration explore(const std::function<Scenario()>& make) {
  using Step = BufferingMachine::Step;
  struct Choice {
    std::vector<Step> possible;
    std::vector<Step> asleep;  // would only repeat what has been explored
    Step taken;
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
      if (next.possible.empty()) {
        if (machine.holds()) break;
        for (const Choice& choice : path) result.counterexample.push_back(choice.taken.text());
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
