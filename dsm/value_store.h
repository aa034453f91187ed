// A value of several words that readers copy without a lock: a sequence number stands before the words, odd while
// somebody writes them. Writers exclude each other by it.
//
// A reader copies the words between two loads of the number, and keeps the copy if both found the same even one. The
// writer makes the number odd before it stores any word, and even again after the last: every word is stored with
// release and loaded with acquire, so who has read a new word finds the new number, too. test/dsm/seqlock_test.cc
// runs this code through all its interleavings; `Ref` and `Pause` are the seams it uses.
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

// Where a space's values lie at one node: objects of this home first, then the cache. Values up to eight
// bytes are relaxed atomic words in a compact array; larger ones stand under a sequence lock, so a reader
// never sees half of one. Readers need no lock; writers of one place exclude each other.
class ValueStore {
 public:
  static Result<ValueStore> make(std::uint32_t value_bytes, std::size_t count);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  /// Where the values begin; for word_at.
  [[nodiscard]] std::byte* data() const { return base_; }
  /// The word of type Word that is `place` words from `base`, as an atomic.
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
  /// Stores values that lie one behind the other, in places from `first` on.
  void store_all(std::size_t first, std::span<const std::byte> values);
  /// Copies the values of many places out, one after the other.
  void gather(std::span<const LocalIndex> places, std::byte* out) const;

  /// The typed way in, for values of sizeof(T) bytes.
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

  /// Puts a value there if `better(value, present)` says so, and says whether it did. Others may do the same meanwhile:
  /// none that is better is lost.
  template <class T, class Better>
    requires(sizeof(T) <= 8)
  bool improve_as(std::size_t place, const T& value, const Better& better) {
    using Word = WordFor<sizeof(T)>;
    Word wanted = 0;
    std::memcpy(&wanted, &value, sizeof(T));
    const auto word = word_at<Word>(base_, place);
    Word held = word.load(std::memory_order_relaxed);
    while (true) {
      T present;
      std::memcpy(static_cast<void*>(&present), &held, sizeof(T));
      if (!better(value, present)) return false;
      if (word.compare_exchange_weak(held, wanted, std::memory_order_release,
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
  /// Whether a value is one word of memory; else it stands behind a Seqlock.
  [[nodiscard]] bool compact() const { return value_bytes_ <= 8; }

  /// load_large for a type known here: no loop over unknown sizes.
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
  /// The sequence lock of a large value, whose words follow it.
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
