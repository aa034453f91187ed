// A value of several words that readers copy without a lock: a sequence number stands before the words, odd while
// somebody writes them. Writers exclude each other by it.
//
// A reader copies the words between two loads of the number, and keeps the copy if both found the same even one. The
// writer makes the number odd before it stores any word, and even again after the last: every word is stored with
// release and loaded with acquire, so who has read a new word finds the new number, too. test/dsm/seqlock_test.cc
// runs this code through all its interleavings; `Ref` and `Pause` are the seams it uses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace leeway {

/// Lets others run for a moment: the writer holds no lock that one could wait for.
struct YieldingPause {
  /// Until `sequence` may have changed from `seen`.
  static void wait(std::uint64_t& sequence, std::uint64_t seen);
};

/// Over words that somebody else owns: the sequence number first.
template <template <class> class Ref, class Pause>
class BasicSeqlock {
 public:
  explicit BasicSeqlock(std::uint64_t* words) : words_(words) {}

  /// For `copy` and `put`: the words after the sequence number, from 0.
  [[nodiscard]] std::uint64_t load(std::size_t word) const {
    return at(1 + word).load(std::memory_order_acquire);
  }
  void store(std::size_t word, std::uint64_t value) const {
    at(1 + word).store(value, std::memory_order_release);
  }

  /// Calls `copy()`, which loads words, until those belong together. What it loads before may be torn.
  template <class Copy>
  void read(Copy&& copy) const {
    while (true) {
      const std::uint64_t before = at(0).load(std::memory_order_acquire);
      if (before % 2 == 0) [[likely]] {
        copy();
        const bool whole = at(0).load(std::memory_order_relaxed) == before;
        if (whole) [[likely]]
          return;
      }
      Pause::wait(*words_, before);
    }
  }

  /// Calls `put()` once, which stores words, when no other thread does.
  template <class Put>
  void write(Put&& put) const {
    std::uint64_t before = at(0).load(std::memory_order_relaxed);
    while (before % 2 != 0 ||
           !at(0).compare_exchange_weak(before, before + 1, std::memory_order_acquire)) {
      if (before % 2 != 0) Pause::wait(*words_, before);
      before = at(0).load(std::memory_order_relaxed);
    }
    put();
    at(0).store(before + 2, std::memory_order_release);
  }

 private:
  [[nodiscard]] Ref<std::uint64_t> at(std::size_t word) const {
    return Ref<std::uint64_t>(words_[word]);
  }

  std::uint64_t* words_;
};

using Seqlock = BasicSeqlock<std::atomic_ref, YieldingPause>;

}  // namespace leeway
