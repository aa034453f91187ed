#include "leeway/dsm/value_store.h"

#include <algorithm>
#include <thread>

#include "leeway/base/check.h"

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

Result<ValueStore> ValueStore::make(ValueShape shape, std::size_t count) {
  LEEWAY_CHECK(shape.bytes > 0u);
  LEEWAY_CHECK(shape.bytes <= kMaxValueBytes);
  ValueStore store;
  store.shape_ = shape;
  store.count_ = count;
  store.compact_ = shape.bytes <= 8 && !shape.variable;
  store.stride_ = store.compact_
                      ? std::bit_ceil(std::size_t{shape.bytes})
                      : 8 * (1 + store.size_words() + (std::size_t{shape.bytes} + 7) / 8);
  LEEWAY_ASSIGN(store.memory_, Array<std::byte>::make(count * store.stride_));
  store.base_ = store.memory_.mutable_span().data();
  return store;
}

std::uint32_t ValueStore::load(std::size_t place, std::byte* out) const {
  LEEWAY_CHECK(place < count_);
  if (!compact_) return load_large(place, out);
  switch (stride_) {
    case 1:
      load_word<std::uint8_t>(base_, place, out, shape_.bytes);
      break;
    case 2:
      load_word<std::uint16_t>(base_, place, out, shape_.bytes);
      break;
    case 4:
      load_word<std::uint32_t>(base_, place, out, shape_.bytes);
      break;
    default:
      load_word<std::uint64_t>(base_, place, out, shape_.bytes);
      break;
  }
  return shape_.bytes;
}

void ValueStore::store_any(std::size_t place, ValueView value) {
  LEEWAY_CHECK(place < count_);
  LEEWAY_CHECK(value.size() <= shape_.bytes);
  LEEWAY_CHECK((shape_.variable || value.size() == shape_.bytes), value.size());
  if (!compact_) return store_large(place, value);
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

void ValueStore::store_all(std::size_t first, std::size_t count,
                           std::span<const std::byte> values) {
  if (count == 0) return;
  LEEWAY_CHECK(first + count <= count_, first, count);
  const std::size_t size = values.size() / count;
  if (compact_ && stride_ == 8 && size == 8) {
    const std::byte* from = values.data();
    for (std::size_t i = 0; i < count; ++i, from += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, 8);
      word_at<std::uint64_t>(base_, first + i).store(word, std::memory_order_release);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) store(first + i, values.subspan(i * size, size));
}

void ValueStore::gather(std::span<const LocalIndex> places, std::byte* out) const {
  const auto each = [&]<class W>(W) {
    for (const LocalIndex place : places) {
      load_word<W>(base_, place.index(), out, shape_.bytes);
      out += shape_.bytes;
    }
  };
  const auto eight = [&] {  // the common size, with a copy of known length
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < places.size(); ++i, out += 8) {
      if (i + kAhead < places.size()) __builtin_prefetch(base_ + 8 * places[i + kAhead].index());
      load_word<std::uint64_t>(base_, places[i].index(), out, 8);
    }
  };
  LEEWAY_CHECK(compact_);
  switch (stride_) {
    case 1:
      return each(std::uint8_t{});
    case 2:
      return each(std::uint16_t{});
    case 4:
      return each(std::uint32_t{});
    default:
      return shape_.bytes == 8 ? eight() : each(std::uint64_t{});
  }
}

void YieldingPause::wait(std::uint64_t&, std::uint64_t) { std::this_thread::yield(); }

std::uint32_t ValueStore::load_large(std::size_t place, std::byte* out) const {
  const Seqlock lock = lock_at(base_ + place * stride_);
  const std::size_t head = size_words();
  std::uint32_t bytes = shape_.bytes;
  lock.read([&] {
    // A torn size, too, must not lead beyond the value.
    if (shape_.variable)
      bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(lock.load(0), shape_.bytes));
    for (std::size_t at = 0; at < bytes; at += 8) {
      const std::uint64_t word = lock.load(head + at / 8);
      std::memcpy(out + at, &word, std::min<std::size_t>(8, bytes - at));
    }
  });
  return bytes;
}

void ValueStore::store_large(std::size_t place, ValueView value) {
  const Seqlock lock = lock_at(base_ + place * stride_);
  const std::size_t head = size_words();
  lock.write([&] {
    if (shape_.variable) lock.store(0, value.size());
    for (std::size_t at = 0; at < value.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, value.data() + at, std::min<std::size_t>(8, value.size() - at));
      lock.store(head + at / 8, word);
    }
  });
}

}  // namespace leeway
