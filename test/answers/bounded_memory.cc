#include "test/answers/bounded_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <limits>
#include <new>

namespace leeway::answers {

namespace {

std::atomic<std::uint64_t> held{0};
std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
std::atomic<bool>* exceeded_flag = nullptr;

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  held.fetch_add(malloc_usable_size(block), std::memory_order_relaxed);
  return block;
}

void refuse_above_bound(std::size_t bytes) {
  if (bytes <= most && held.load(std::memory_order_relaxed) <= most - bytes) return;
  if (exceeded_flag != nullptr) exceeded_flag->store(true);
  throw std::bad_alloc();
}

void released(void* block) {
  if (block != nullptr) held.fetch_sub(malloc_usable_size(block), std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void bound_memory(std::uint64_t bytes, std::atomic<bool>* exceeded) {
  most = bytes;
  exceeded_flag = exceeded;
}

void* counted_new(std::size_t bytes) {
  refuse_above_bound(bytes);
  return counted(std::malloc(bytes == 0 ? 1 : bytes));
}

void* counted_new(std::size_t bytes, std::align_val_t alignment) {
  refuse_above_bound(bytes);
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (bytes + step - 1) / step * step));
}

void counted_delete(void* block) { released(block); }

}  // namespace leeway::answers

// The other forms in the library (arrays, sized, nothrow) all call these.
void* operator new(std::size_t bytes) { return leeway::answers::counted_new(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return leeway::answers::counted_new(bytes, alignment);
}
void operator delete(void* block) noexcept { leeway::answers::counted_delete(block); }
void operator delete(void* block, std::size_t) noexcept { leeway::answers::counted_delete(block); }
void operator delete(void* block, std::align_val_t) noexcept {
  leeway::answers::counted_delete(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  leeway::answers::counted_delete(block);
}
