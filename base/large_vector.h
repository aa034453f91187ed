// A std::vector whose memory lies on huge pages once it is large: tables of one entry an object, walked
// in the order of a sweep, would otherwise miss the page tables' cache at every few dozen entries.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "leeway/base/array.h"

namespace leeway {

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

}  // namespace leeway
