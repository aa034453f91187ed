// What a space is opened with, how its objects are addressed, and what it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "leeway/base/id.h"
#include "leeway/dsm/counters.h"
#include "leeway/protocol/counts.h"
#include "leeway/protocol/policy.h"
#include "leeway/protocol/value.h"

namespace leeway {

// Who looks into a space.
class Node;
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
class Dsm;
template <class T>
class View;

/// An object as this node addresses it: below the count of local objects its home is here, from there
/// on it is a cache slot. Resolved once; costs nothing to follow.
using Handle = Id<struct HandleTag, std::uint32_t>;

/// Which copy a full cache gives up.
enum class Eviction {
  Lru,    ///< exactly the one that the program read longest ago
  Clock,  ///< one that it has not read for long; reads take no lock at all
};

/// Local and remote objects together are at most 2^32 - 1, so that a handle can name each.
struct SpaceOptions {
  std::string name = "objects";
  std::uint32_t local_objects = 0;         ///< how many of them have this node as their home
  std::uint32_t remote_objects = 1 << 20;  ///< how many others this node will ever meet
  /// Copies held at once; beyond, `eviction` says which goes. 0: all that are met.
  std::uint32_t cache_capacity = 0;
  Eviction eviction = Eviction::Lru;
  /// The home goes on telling of newer versions of a copy that was evicted, as somebody must know who waits for changes.
  /// Then all that is kept of an object but its value stays here, and at its home.
  bool hear_of_evicted = false;
  /// The objects that live here are for others alone: handles begin with the copies. Where objects live away from who
  /// computes them, he has handles of his own objects in a row, whichever node is their home.
  bool serves_only = false;
  std::optional<Policy> policy;  ///< this space's own; the node's when absent
  bool note_changes = false;     ///< keep account of copies that changed, for take_changed
};
inline constexpr std::uint32_t kLeastCacheCapacity = 16;

struct SpaceStats {
  AccessCounts accesses;
  CacheCounts cache;
  DirectoryCounts directory;
  RefreshTimes refreshes;
  std::size_t bytes = 0;
};

}  // namespace leeway
