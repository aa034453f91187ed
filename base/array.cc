#include "base/array.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/format.h"

namespace leeway {

void return_freed_memory() { ::malloc_trim(0); }

}  // namespace leeway

namespace leeway::array_detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::size_t round_up_to_page(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return round_up(bytes, page);
}

/// Length of the mapping for an array of `bytes` bytes. A remainder of less than three quarters of a huge page is on small
/// pages, so an array uses at most a third more than its bytes.
std::size_t mapped(std::size_t bytes) {
  const bool whole = bytes % kHugePage >= kHugePage / 4 * 3;
  return whole ? round_up(bytes, kHugePage) : round_up_to_page(bytes);
}

/// A mapping aligned to huge pages, which the kernel guarantees only for some lengths.
void* map_aligned(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t before = round_up(begin, kHugePage) - begin;
  char* const aligned = static_cast<char*>(memory) + before;
  if (before > 0) ::munmap(memory, before);
  ::munmap(aligned + bytes, kHugePage - before);
  ::madvise(aligned, bytes, MADV_HUGEPAGE);  // only a hint: failure is harmless
  return aligned;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (mapped(bytes) >= kHugePage) return map_aligned(mapped(bytes));
  void* memory =
      ::mmap(nullptr, mapped(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void release(void* memory, std::size_t bytes) { ::munmap(memory, mapped(bytes)); }

void shrink(void* memory, std::size_t bytes, std::size_t kept) {
  const std::size_t first = round_up_to_page(kept);
  const std::size_t all = mapped(bytes);
  if (first < all) ::madvise(static_cast<char*>(memory) + first, all - first, MADV_DONTNEED);
}

Error out_of_memory(std::size_t bytes) {
  return environment_error(
      "memory", format("the system could not provide {}", format_bytes(static_cast<double>(bytes))),
      "use a smaller input, more nodes, or a machine with more memory");
}

}  // namespace leeway::array_detail
