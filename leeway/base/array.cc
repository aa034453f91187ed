#include "leeway/base/array.h"

#include <sys/mman.h>
#include <unistd.h>

#include "leeway/base/format.h"

namespace leeway::array_detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up_to_page(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

void* allocate(std::size_t bytes) {
  void* memory = ::mmap(nullptr, round_up_to_page(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (bytes >= kHugePage) ::madvise(memory, bytes, MADV_HUGEPAGE);  // advice: refusal is harmless
  return memory;
}

void release(void* memory, std::size_t bytes) { ::munmap(memory, round_up_to_page(bytes)); }

void shrink(void* memory, std::size_t bytes, std::size_t kept) {
  const std::size_t first = round_up_to_page(kept);
  const std::size_t all = round_up_to_page(bytes);
  if (first < all) ::madvise(static_cast<char*>(memory) + first, all - first, MADV_DONTNEED);
}

Error out_of_memory(std::size_t bytes) {
  return environment_error(
      "memory", format("the system refused {}", format_bytes(static_cast<double>(bytes))),
      "use a smaller input, more nodes, or a machine with more memory");
}

}  // namespace leeway::array_detail
