// Basic types of the DSM protocol: objects, versions and message kinds; the counters of caches and
// directories. Instead of object ids, messages carry link indices: dense numbers that each pair of
// home and sharer has agreed on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "base/check.h"
#include "base/ids.h"

namespace leeway {

using SpaceId = Id<struct SpaceTag, std::uint16_t>;    ///< one named, typed set of objects
using Version = Id<struct VersionTag, std::uint64_t>;  ///< number of an object's write; 0 = none
/// An object, numbered per (home, sharer) pair
using LinkIndex = Id<struct LinkTag, std::uint32_t>;
using LocalIndex = Id<struct LocalTag, std::uint32_t>;  ///< an object within its home
using SlotIndex = Id<struct SlotTag, std::uint32_t>;    ///< a known remote object within one cache
/// A Read, numbered per (sharer, home) pair
using RequestNumber = Id<struct RequestTag, std::uint64_t>;
/// ASPIRE's evict counter, per (sharer, home) pair
using EvictNumber = Id<struct EvictTag, std::uint64_t>;
using AckNumber = Id<struct AckTag, std::uint64_t>;  ///< an invalidation that must be acknowledged

/// "No copy", and the initial version of every object at its home.
inline constexpr Version kNoVersion{0};
inline constexpr Version kFirstVersion{1};

/// An object o: its home h(o) and its index there. Up to 2^24 homes of 2^32 objects each.
class ObjectId {
 public:
  constexpr ObjectId() = default;
  constexpr ObjectId(NodeId home, LocalIndex index)
      : value_((std::uint64_t{home.value()} << kIndexBits) | index.value()) {
    LEEWAY_CHECK(home.value() < (1u << (64 - kIndexBits)));
  }
  [[nodiscard]] constexpr NodeId home() const {
    return NodeId(static_cast<std::uint32_t>(value_ >> kIndexBits));
  }
  [[nodiscard]] constexpr LocalIndex local() const {
    return LocalIndex(static_cast<std::uint32_t>(value_));
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

  friend constexpr auto operator<=>(ObjectId, ObjectId) = default;

 private:
  static constexpr unsigned kIndexBits = 40;
  std::uint64_t value_ = 0;
};

/// Limit of the size of a value. All values of a space have the same size.
inline constexpr std::uint32_t kMaxValueBytes = 64 * 1024;

/// A value in memory that the view does not own.
using ValueView = std::span<const std::byte>;

/// Messages of the protocol.
enum class MessageKind : std::uint8_t {
  Link = 1,    ///< sharer → home: assigns link indices to objects
  Read,        ///< sharer → home: requests values and registers the sender as a sharer
  Reply,       ///< home → sharer: values and versions, in the order of the Read
  Invalidate,  ///< home → sharer: newer versions exist; may carry the values (a push)
  Ack,         ///< sharer → home: an Invalidate that requires an acknowledgement was applied
  Evict,       ///< sharer → home: these copies were evicted
  Write,       ///< writer → home: a store by an object's single writer, which is not its home
  WriteAck,    ///< home → writer: every sharer has acknowledged that Write
  Decline,     ///< sharer → home: stop pushing these objects, their values are not read
  Collective,  ///< message of a collective; handled by the node, not by a space
};
inline constexpr std::uint8_t kLastMessageKind = static_cast<std::uint8_t>(MessageKind::Collective);

/// Messages of one kind, and their bytes including headers.
struct KindCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.messages, self.bytes);
  }
};
/// Indexed by MessageKind.
using KindCounts = std::array<KindCount, kLastMessageKind + std::size_t{1}>;

/// The outcome of a fetch (ASPIRE §4.1).
enum class Access { CurrentHit, StaleHit, StaleMiss, CacheMiss };

[[nodiscard]] constexpr bool is_hit(Access access) {
  return access == Access::CurrentHit || access == Access::StaleHit;
}

/// Counters of a Cache.
struct CacheCounts {
  std::uint64_t invalidations = 0;  ///< objects named by Invalidate messages
  std::uint64_t pushes = 0;         ///< values pushed without a Read
  std::uint64_t replies = 0;        ///< values that a Read requested
  std::uint64_t reads = 0;          ///< objects requested because a thread waits
  std::uint64_t refreshes = 0;      ///< objects requested in the background
  std::uint64_t evictions = 0;
  std::uint64_t late_replies = 0;  ///< Replies without an outstanding Read, dropped

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.invalidations, self.pushes, self.replies, self.reads, self.refreshes,
                    self.evictions, self.late_replies);
  }
};

/// Counters of a Directory.
struct DirectoryCounts {
  std::uint64_t writes = 0;
  std::uint64_t invalidations = 0;  ///< objects named by Invalidate messages sent
  std::uint64_t pushes = 0;         ///< of those, with the value
  std::uint64_t values_sent = 0;    ///< values in Replies
  std::uint64_t evictions = 0;
  std::uint64_t stale_evictions = 0;  ///< Evicts ignored because a later Read had arrived first

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.writes, self.invalidations, self.pushes, self.values_sent, self.evictions,
                    self.stale_evictions);
  }
};

}  // namespace leeway
