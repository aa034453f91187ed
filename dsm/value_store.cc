#include "dsm/value_store.h"

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace leeway {

namespace {

template <class W>
void load_word(std::byte* base, std::size_t place, std::byte* out, std::size_t bytes) {
  const W word = ValueStore::word_at<W>(base, place).load(std::memory_order_acquire);
  std::memcpy(out, &word, bytes);
}

template <class W>
void store_word(std::byte* base, std::size_t place, ValueView value) {
  W word = 0;
  std::memcpy(&word, value.data(), value.size());
  ValueStore::word_at<W>(base, place).store(word, std::memory_order_release);
}

}  // namespace

Result<ValueStore> ValueStore::make(std::uint32_t value_bytes, std::size_t count) {
  LEEWAY_CHECK(value_bytes > 0u);
  LEEWAY_CHECK(value_bytes <= kMaxValueBytes);
  ValueStore store;
  store.value_bytes_ = value_bytes;
  store.count_ = count;
  store.stride_ = store.compact() ? std::bit_ceil(std::size_t{value_bytes})
                                  : 8 * (1 + (std::size_t{value_bytes} + 7) / 8);
  LEEWAY_ASSIGN(store.memory_, Array<std::byte>::make(count * store.stride_));
  store.base_ = store.memory_.mutable_span().data();
  return store;
}

void ValueStore::load(std::size_t place, std::byte* out) const {
  LEEWAY_CHECK(place < count_);
  if (!compact()) return load_large(place, out);
  switch (stride_) {
    case 1:
      return load_word<std::uint8_t>(base_, place, out, value_bytes_);
    case 2:
      return load_word<std::uint16_t>(base_, place, out, value_bytes_);
    case 4:
      return load_word<std::uint32_t>(base_, place, out, value_bytes_);
    default:
      return load_word<std::uint64_t>(base_, place, out, value_bytes_);
  }
}

void ValueStore::store_any(std::size_t place, ValueView value) {
  LEEWAY_CHECK(place < count_);
  LEEWAY_CHECK(value.size() == value_bytes_);
  if (!compact()) return store_large(place, value);
  switch (stride_) {
    case 1:
      return store_word<std::uint8_t>(base_, place, value);
    case 2:
      return store_word<std::uint16_t>(base_, place, value);
    case 4:
      return store_word<std::uint32_t>(base_, place, value);
    default:
      return store_word<std::uint64_t>(base_, place, value);
  }
}

void ValueStore::store_all(std::size_t first, std::span<const std::byte> values) {
  const std::size_t count = values.size() / value_bytes_;
  LEEWAY_CHECK(first + count <= count_, first, count);
  if (value_bytes_ == 8) {
    const std::byte* from = values.data();
    for (std::size_t i = 0; i < count; ++i, from += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, 8);
      word_at<std::uint64_t>(base_, first + i).store(word, std::memory_order_release);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    store(first + i, values.subspan(i * value_bytes_, value_bytes_));
}

void ValueStore::gather(std::span<const LocalIndex> places, std::byte* out) const {
  const auto each = [&]<class W>(W) {
    for (const LocalIndex place : places) {
      load_word<W>(base_, place.index(), out, value_bytes_);
      out += value_bytes_;
    }
  };
  const auto eight = [&] {  // fast path for the common size
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < places.size(); ++i, out += 8) {
      if (i + kAhead < places.size()) __builtin_prefetch(base_ + 8 * places[i + kAhead].index());
      load_word<std::uint64_t>(base_, places[i].index(), out, 8);
    }
  };
  if (!compact()) {
    for (const LocalIndex place : places) {
      load(place.index(), out);
      out += value_bytes_;
    }
    return;
  }
  switch (stride_) {
    case 1:
      return each(std::uint8_t{});
    case 2:
      return each(std::uint16_t{});
    case 4:
      return each(std::uint32_t{});
    default:
      return value_bytes_ == 8 ? eight() : each(std::uint64_t{});
  }
}

void YieldingPause::wait(std::uint64_t&, std::uint64_t) { std::this_thread::yield(); }

void ValueStore::load_large(std::size_t place, std::byte* out) const {
  const Seqlock lock = lock_at(base_ + place * stride_);
  lock.read([&] {
    for (std::size_t at = 0; at < value_bytes_; at += 8) {
      const std::uint64_t word = lock.load(at / 8);
      std::memcpy(out + at, &word, std::min<std::size_t>(8, value_bytes_ - at));
    }
  });
}

void ValueStore::store_large(std::size_t place, ValueView value) {
  const Seqlock lock = lock_at(base_ + place * stride_);
  lock.write([&] {
    for (std::size_t at = 0; at < value.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, value.data() + at, std::min<std::size_t>(8, value.size() - at));
      lock.store(at / 8, word);
    }
  });
}

}  // namespace leeway
