// ValueStore: the memory of a space's values at one node. Seqlock: protects a value of several
// words that readers copy without a lock.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/array.h"
#include "protocol/ids.h"

namespace leeway {

/// Pauses a reader or writer by yielding the processor.
struct YieldingPause {
  /// Returns when `sequence` may have changed from `seen`.
  static void wait(std::uint64_t& sequence, std::uint64_t seen);
};

/// A sequence number followed by the words of a value; the number is odd while a thread writes
/// them, which also excludes other writers. Does not own the words.
///
/// A reader copies the words between two loads of the number, and keeps the copy if both loads
/// returned the same even number. The writer makes the number odd before it stores a word, and even
/// again after the last. Words are stored with release and loaded with acquire, so a reader that
/// has loaded a new word also loads the new number. test/dsm/seqlock_test.cc runs this code through
/// all its interleavings; `Ref` and `Pause` are its seams.
template <template <class> class Ref, class Pause>
class BasicSeqlock {
 public:
  explicit BasicSeqlock(std::uint64_t* words) : words_(words) {}

  /// Word access for `copy` and `put`; word 0 follows the sequence number.
  [[nodiscard]] std::uint64_t load(std::size_t word) const {
    return at(1 + word).load(std::memory_order_acquire);
  }
  void store(std::size_t word, std::uint64_t value) const {
    at(1 + word).store(value, std::memory_order_release);
  }

  /// Calls `copy()`, which loads words, until the loaded words are consistent; earlier calls may
  /// load torn values.
  template <class Copy>
  void read(Copy&& copy) const {
    while (true) {
      const std::uint64_t before = at(0).load(std::memory_order_acquire);
      // mutant: reads-before-a-write-has-ended
      if (before % 2 == 0) [[likely]] {
        copy();
        const bool whole = at(0).load(std::memory_order_relaxed) == before;
        // mutant: reads-across-a-write
        if (whole) [[likely]]
          return;
      }
      Pause::wait(*words_, before);
    }
  }

  /// Calls `put()` once, which stores words, with exclusion of other writers.
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

/// The memory of a space's values at one node: local objects first, then the cache. Values of up to
/// eight bytes are atomic words in a compact array; larger ones are protected by a Seqlock, so that
/// a reader never gets a torn value. Readers need no lock; writers of one place must exclude each
/// other, except for improve_as.
class ValueStore {
 public:
  static Result<ValueStore> make(std::uint32_t value_bytes, std::size_t count);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  /// The first value; for word_at.
  [[nodiscard]] std::byte* data() const { return base_; }
  /// The word at index `place` from `base`, as an atomic.
  template <class Word>
  [[nodiscard]] static std::atomic_ref<Word> word_at(std::byte* base, std::size_t place) {
    return std::atomic_ref<Word>(reinterpret_cast<Word*>(base)[place]);
  }

  /// Copies a value out.
  void load(std::size_t place, std::byte* out) const;
  void store(std::size_t place, ValueView value) {
    if (value_bytes_ == 8 && value.size() == 8) {  // the common size, without a call
      std::uint64_t word = 0;
      std::memcpy(&word, value.data(), 8);
      word_at<std::uint64_t>(base_, place).store(word, std::memory_order_release);
    } else {
      store_any(place, value);
    }
  }
  /// Stores adjacent values in places from `first` on.
  void store_all(std::size_t first, std::span<const std::byte> values);
  /// Copies the values of several places to consecutive memory.
  void gather(std::span<const LocalIndex> places, std::byte* out) const;

  /// Typed access to values of sizeof(T) bytes.
  template <class T>
  [[nodiscard]] T load_as(std::size_t place) const {
    T value;
    if constexpr (sizeof(T) <= 8) {
      using Word = WordFor<sizeof(T)>;
      const Word word = word_at<Word>(base_, place).load(std::memory_order_acquire);
      std::memcpy(static_cast<void*>(&value), &word, sizeof(T));
    } else {
      load_wide(place, value);
    }
    return value;
  }
  template <class T>
  void store_as(std::size_t place, const T& value) {
    if constexpr (sizeof(T) <= 8) {
      using Word = WordFor<sizeof(T)>;
      Word word = 0;
      std::memcpy(&word, &value, sizeof(T));
      word_at<Word>(base_, place).store(word, std::memory_order_release);
    } else {
      store(place, std::as_bytes(std::span(&value, 1)));
    }
  }

  /// Stores `value` if `better(value, present)`; returns whether it did. Atomic: of concurrent
  /// calls, the best value remains.
  template <class T, class Better>
    requires(sizeof(T) <= 8)
  bool improve_as(std::size_t place, const T& value, const Better& better) {
    using Word = WordFor<sizeof(T)>;
    Word desired = 0;
    std::memcpy(&desired, &value, sizeof(T));
    const auto word = word_at<Word>(base_, place);
    Word expected = word.load(std::memory_order_relaxed);
    while (true) {
      T present;
      std::memcpy(static_cast<void*>(&present), &expected, sizeof(T));
      if (!better(value, present)) return false;
      // mutant: an-improvement-is-lost
      if (word.compare_exchange_weak(expected, desired, std::memory_order_release,
                                     std::memory_order_relaxed))
        return true;
    }
  }

  /// The word that carries values of `kBytes` bytes (up to eight).
  template <std::size_t kBytes>
  using WordFor = std::conditional_t<
      kBytes <= 1, std::uint8_t,
      std::conditional_t<kBytes <= 2, std::uint16_t,
                         std::conditional_t<kBytes <= 4, std::uint32_t, std::uint64_t>>>;

 private:
  /// Whether a value is one word; else it is protected by a Seqlock.
  [[nodiscard]] bool compact() const { return value_bytes_ <= 8; }

  /// Like load_large, for a known type, with a loop of constant length.
  template <class T>
  void load_wide(std::size_t place, T& value) const {
    constexpr std::size_t kWords = (sizeof(T) + 7) / 8;
    constexpr std::size_t kStride = 8 * (1 + kWords);
    const Seqlock lock = lock_at(base_ + place * kStride);
    std::uint64_t words[kWords];
    lock.read([&] {
      for (std::size_t i = 0; i < kWords; ++i) words[i] = lock.load(i);
    });
    std::memcpy(static_cast<void*>(&value), words, sizeof(T));
  }
  /// The Seqlock of a large value.
  [[nodiscard]] static Seqlock lock_at(std::byte* base) {
    return Seqlock(reinterpret_cast<std::uint64_t*>(base));
  }
  void load_large(std::size_t place, std::byte* out) const;
  void store_any(std::size_t place, ValueView value);
  void store_large(std::size_t place, ValueView value);

  Array<std::byte> memory_;
  std::byte* base_ = nullptr;
  std::uint32_t value_bytes_ = 8;
  std::size_t count_ = 0;
  std::size_t stride_ = 8;
};

}  // namespace leeway
