// Replacements for the standard library's threads in explored code: atomics, mutex, condition
// variable, and a doorbell (file descriptor). See interleavings.h. Used by the threads of one
// machine, and by the code that makes a scenario or checks its end, where no operation may wait.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/check.h"
#include "base/clock.h"
#include "test/support/interleavings.h"

namespace leeway::testing {

/// Replaces std::atomic.
template <class T>
class BufferedAtomic {
 public:
  explicit BufferedAtomic(T value) : value_(value) {}

  T load(std::memory_order order = std::memory_order_seq_cst) const { return ref().load(order); }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    ref().store(value, order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    return ref().exchange(value, order);
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
    return ref().fetch_add(value, order);
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) {
    return ref().fetch_sub(value, order);
  }

 private:
  [[nodiscard]] BufferedRef<T> ref() const { return BufferedRef<T>(value_); }
  mutable T value_;
};

/// Returns once the word has another value, as seen by this thread.
inline void await_change(std::uint64_t& word, std::uint64_t from) {
  BufferingMachine* const machine = BufferingMachine::current();
  LEEWAY_CHECK(machine != nullptr);
  machine->await(BufferingMachine::Operation::Load, &word,
                 [machine, &word, from, self = machine->running()] {
                   return machine->load(word, self) != from;
                 });
}

/// Unlocking is a plain store, the weakest that keeps the critical section inside. The C library's
/// is a read-modify-write; code that relies on that must call unlock_and_drain, which no destructor
/// may call.
class BufferedMutex {
 public:
  void lock() {
    if (BufferingMachine* const machine = BufferingMachine::current()) {
      machine->await(BufferingMachine::Operation::Modify, &locked_,
                     [this] { return locked_ == 0; });
    }
    locked_ = 1;
  }
  bool try_lock() { return BufferedRef<std::uint8_t>(locked_).exchange(1) == 0; }
  void unlock() { BufferedRef<std::uint8_t>(locked_).store(0, std::memory_order_release); }
  void unlock_and_drain() { BufferedRef<std::uint8_t>(locked_).exchange(0); }

 private:
  std::uint8_t locked_ = 0;
};

/// One bit per waiting thread. A notifier first checks whether a thread waits, as the C library
/// does.
class BufferedCondition {
 public:
  template <class Lock>
  std::cv_status wait_for(Lock& lock, Duration) {
    BufferingMachine* const machine = BufferingMachine::current();
    LEEWAY_CHECK(machine != nullptr);
    const std::uint64_t bit = std::uint64_t{1} << machine->running();
    BufferedRef<std::uint64_t>(waiting_).fetch_or(bit);
    lock.unlock();
    machine->await(
        BufferingMachine::Operation::Modify, &waiting_,
        [this, bit] { return (waiting_ & bit) == 0; }, BufferingMachine::Limit::Time);
    const bool notified = (waiting_ & bit) == 0;
    waiting_ &= ~bit;
    lock.lock();
    return notified ? std::cv_status::no_timeout : std::cv_status::timeout;
  }
  void notify_all() {
    const BufferedRef<std::uint64_t> waiting(waiting_);
    if (waiting.load() != 0) waiting.exchange(0);
  }

 private:
  std::uint64_t waiting_ = 0;
};

/// Replaces a Doorbell: ringing is a system call, so it drains the store buffer.
class BufferedBell {
 public:
  void ring() { BufferedRef<std::uint8_t>(rung_).exchange(1); }
  void wait() {
    if (BufferingMachine* const machine = BufferingMachine::current())
      machine->await(BufferingMachine::Operation::Modify, &rung_, [this] { return rung_ != 0; });
    rung_ = 0;
  }

 private:
  std::uint8_t rung_ = 0;
};

}  // namespace leeway::testing
