// Where a space's values lie at one node: objects of this home first, then the cache. Values up to eight
// bytes are relaxed atomic words in a compact array; larger ones stand under a sequence lock, so a reader
// never sees half of one. Readers need no lock; writers of one place exclude each other.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "leeway/base/array.h"
#include "leeway/dsm/seqlock.h"
#include "leeway/protocol/ids.h"
#include "leeway/protocol/value.h"

namespace leeway {

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
