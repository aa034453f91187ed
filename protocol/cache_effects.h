// What a step of the sharer's machine wants done to its node's memory, what it may ask of it, and what it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/protocol/ids.h"
#include "leeway/protocol/message.h"

namespace leeway {

struct Install {
  const std::byte* bytes = nullptr;  ///< inside the event's bytes
  std::uint32_t size = 0;
  SlotIndex slot{0};

  [[nodiscard]] ValueView value() const { return {bytes, size}; }
};

/// What a step wants done to the node's memory, in order.
struct CacheEffects {
  std::vector<Install> installs;
  std::vector<SlotIndex> changed;  ///< slots whose classification may have changed
  std::vector<SlotIndex>
      watched;  ///< of these, nobody asked for the installs: remember whether they get read

  void reserve(std::size_t objects) {
    installs.reserve(objects);
    changed.reserve(objects);
  }
  void clear() {
    installs.clear();
    changed.clear();
    watched.clear();
  }
};

/// Lets the machine ask whether a pushed value has been read since it was installed.
class ReadMarks {
 public:
  virtual ~ReadMarks() = default;
  [[nodiscard]] virtual bool unread(SlotIndex slot) const = 0;
};

struct CacheCounts {
  std::uint64_t invalidations = 0;  ///< objects named by Invalidate messages
  std::uint64_t pushes = 0;         ///< values that came unasked
  std::uint64_t replies = 0;        ///< values that were asked for
  std::uint64_t reads = 0;          ///< objects asked for because a thread waits
  std::uint64_t refreshes = 0;      ///< objects asked for behind the computation's back
  std::uint64_t evictions = 0;
  std::uint64_t late_replies = 0;  ///< answers to no outstanding request, dropped
};

}  // namespace leeway
