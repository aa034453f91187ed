#include "leeway/dsm/space_memory.h"

namespace leeway {

Result<SpaceMemory> SpaceMemory::make(const SpaceOptions& options, std::uint32_t value_bytes) {
  const std::size_t met = options.remote_objects;
  const std::size_t copies = options.cache_capacity > 0 ? options.cache_capacity : met;
  const std::size_t local = options.local_objects;
  SpaceMemory memory;
  LEEWAY_ASSIGN(memory.values, ValueStore::make(value_bytes, local + copies));
  LEEWAY_ASSIGN(memory.marks, CopyMarks::make(local + met + 1));
  if (options.cache_capacity > 0) {
    LEEWAY_ASSIGN(memory.held, HeldPlaces::make(met, copies));
  }
  LEEWAY_ASSIGN(memory.write_count_memory, Array<std::uint32_t>::make(local + 1));
  LEEWAY_ASSIGN(memory.written, IndexQueue::make(local));
  LEEWAY_ASSIGN(memory.refresh_queue, IndexQueue::make(met));
  if (options.note_changes) {
    LEEWAY_ASSIGN(memory.changed, IndexQueue::make(met));
  }
  memory.write_counts = memory.write_count_memory.mutable_span().data();
  return memory;
}

std::size_t SpaceMemory::bytes() const {
  return values.bytes() + held.bytes() + marks.bytes() + write_count_memory.bytes() +
         written.bytes() + refresh_queue.bytes() + changed.bytes();
}

}  // namespace leeway
