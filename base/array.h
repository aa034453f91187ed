// Memory for large data: `Array` (owned memory or a read-only view), `LargeVector` (a std::vector on huge pages), and
// `Scratch` (a buffer that a function reuses from call to call).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"

namespace leeway {

namespace array_detail {
/// Zeroed memory from mmap, with huge pages advised from 2 MiB up; null if it fails. Untouched pages use no memory.
[[nodiscard]] void* allocate(std::size_t bytes);
void release(void* memory, std::size_t bytes);
/// Returns the pages beyond `kept` bytes to the kernel; the address does not change.
void shrink(void* memory, std::size_t bytes, std::size_t kept);
Error out_of_memory(std::size_t bytes);
}  // namespace array_detail

/// Returns the memory of freed vectors and strings to the system. Worth its time, some milliseconds, after a phase that has freed
/// much, before a phase that needs Arrays: they never reuse it.
void return_freed_memory();

/// A large contiguous array of trivially copyable values: owned memory (zeroed, on huge pages if large), or a read-only view
/// of memory that a shared owner keeps alive, such as a mapped file. Move-only. Concurrent reads are safe; so are concurrent
/// writes to different elements.
template <class T>
  requires std::is_trivially_copyable_v<T>
class Array {
 public:
  Array() = default;
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (owned_bytes_ > 0) array_detail::release(data_, owned_bytes_);
  }

  /// `size` zeroed elements, or an Environment error if allocation fails.
  static Result<Array> make(std::size_t size) {
    Array array;
    if (size == 0) return array;
    if (size > kMaxBytes / sizeof(T)) return fail(array_detail::out_of_memory(kMaxBytes));
    array.data_ = static_cast<T*>(array_detail::allocate(size * sizeof(T)));
    if (array.data_ == nullptr) return fail(array_detail::out_of_memory(size * sizeof(T)));
    array.size_ = size;
    array.owned_bytes_ = size * sizeof(T);
    return array;
  }
  static Result<Array> copy_of(std::span<const T> values) {
    LEEWAY_ASSIGN(Array array, make(values.size()));
    std::copy(values.begin(), values.end(), array.data_);
    return array;
  }
  /// A read-only view. The array holds `keeper` during its lifetime.
  static Array view(std::span<const T> values, std::shared_ptr<const void> keeper) {
    Array array;
    array.data_ = const_cast<T*>(values.data());
    array.size_ = values.size();
    array.keeper_ = std::move(keeper);
    array.writable_ = false;
    return array;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }

  /// Requires an array that is not a view.
  [[nodiscard]] std::span<T> mutable_span() {
    LEEWAY_CHECK(writable_);
    return {data_, size_};
  }

  /// Keeps the first `size` elements and releases the rest of the memory. Requires an array that is not a view.
  void shrink(std::size_t size) {
    LEEWAY_CHECK(writable_);
    LEEWAY_CHECK(size <= size_);
    if (owned_bytes_ > 0) array_detail::shrink(data_, owned_bytes_, size * sizeof(T));
    size_ = size;
  }

  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(owned_bytes_, other.owned_bytes_);
    std::swap(keeper_, other.keeper_);
    std::swap(writable_, other.writable_);
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 47;  // the address space of x86-64

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t owned_bytes_ = 0;  // bytes that were allocated; 0 for views
  std::shared_ptr<const void> keeper_;
  bool writable_ = true;
};

/// A view of ids as numbers.
template <class Tag, class Number>
[[nodiscard]] Array<Number> as_numbers(std::span<const Id<Tag, Number>> ids) {
  static_assert(sizeof(Id<Tag, Number>) == sizeof(Number));
  return Array<Number>::view({reinterpret_cast<const Number*>(ids.data()), ids.size()}, nullptr);
}

/// The same memory as numbers.
template <class Tag, class Number>
[[nodiscard]] Array<Number> as_numbers(Array<Id<Tag, Number>> ids) {
  const auto kept = std::make_shared<const Array<Id<Tag, Number>>>(std::move(ids));
  const auto span = kept->span();
  return Array<Number>::view({reinterpret_cast<const Number*>(span.data()), span.size()}, kept);
}

/// Allocator of LargeVector, whose memory is on huge pages once it is large. A sweep over a table with one entry for each
/// object would otherwise have a TLB miss every few dozen entries.
template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    void* const memory = count * sizeof(T) < kLarge ? ::operator new(count * sizeof(T))
                                                    : array_detail::allocate(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kLarge) return ::operator delete(memory);
    array_detail::release(memory, count * sizeof(T));
  }
  template <class U>
  friend bool operator==(const LargeAllocator&, const LargeAllocator<U>&) {
    return true;
  }

 private:
  static constexpr std::size_t kLarge = std::size_t{2} << 20;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

/// The initial content of a Scratch. AsLeft: the content that the previous call left, or empty; for data that is expensive
/// to fill again.
enum class ScratchBegins { Empty, AsLeft };

/// A buffer that a function keeps for its next call on the same thread. While a Scratch exists, the thread-local buffer is
/// moved out, so a call that starts while another one is suspended (a fetch may block, and a virtual node then yields its
/// thread) gets a separate buffer. `User` distinguishes the buffers of different functions.
template <class T, class User, ScratchBegins kBegins = ScratchBegins::Empty>
class Scratch {
 public:
  Scratch() : room_(std::exchange(kept(), {})) {
    // mutant: nodes-of-one-thread-share-their-scratch
    if constexpr (kBegins == ScratchBegins::Empty) room_.clear();
  }
  // mutant: nodes-of-one-thread-share-their-scratch
  ~Scratch() { kept() = std::move(room_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // mutant: nodes-of-one-thread-share-their-scratch
  std::vector<T>& operator*() { return room_; }

 private:
  static std::vector<T>& kept() {
    thread_local std::vector<T> room;
    return room;
  }

  std::vector<T> room_;
};

}  // namespace leeway
