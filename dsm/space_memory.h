// What the threads of a node touch of a space without its lock: the values, what is known of each copy, and what was
// stored or found stale since the node last looked.
#pragma once

#include <cstdint>

#include "leeway/base/array.h"
#include "leeway/dsm/copy_marks.h"
#include "leeway/dsm/held_places.h"
#include "leeway/dsm/index_queue.h"
#include "leeway/dsm/space_options.h"
#include "leeway/dsm/value_store.h"

namespace leeway {

struct SpaceMemory {
  static Result<SpaceMemory> make(const SpaceOptions& options, std::uint32_t value_bytes);
  [[nodiscard]] std::size_t bytes() const;

  ValueStore values;
  HeldPlaces held;  ///< of a bounded cache; else every copy has a place of its own
  CopyMarks marks;  ///< per handle; always 0 where the object lives here
  Array<std::uint32_t> write_count_memory;
  std::uint32_t* write_counts = nullptr;  ///< per local object: stores since the last flush
  IndexQueue written;                     ///< local objects stored to since the last flush
  IndexQueue refresh_queue;               ///< met objects found stale since the last flush
  IndexQueue changed;   ///< met objects published since somebody last looked, if anybody does
  PendingFlag pending;  ///< `written`, `refresh_queue` or a machine may hold something to flush
};

}  // namespace leeway
