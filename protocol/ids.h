// The names of the protocol: objects and their homes, versions, and the dense indices that one pair of
// nodes agrees on so that messages need no object ids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/ids.h"

namespace leeway {

using SpaceId = Id<struct SpaceTag, std::uint16_t>;    ///< one named, typed set of objects
using Version = Id<struct VersionTag, std::uint64_t>;  ///< number of an object's write; 0 = none
using LinkIndex = Id<struct LinkTag, std::uint32_t>;   ///< an object within one (home, sharer) pair
using LocalIndex = Id<struct LocalTag, std::uint32_t>;  ///< an object within its home
using SlotIndex = Id<struct SlotTag, std::uint32_t>;    ///< a met remote object within one cache
using RequestNumber = Id<struct RequestTag, std::uint64_t>;  ///< a read of one (sharer, home) pair
using EvictNumber = Id<struct EvictTag, std::uint64_t>;      ///< ASPIRE's evict, numbered a pair
using AckNumber = Id<struct AckTag, std::uint64_t>;  ///< an invalidation that wants an answer

/// The version that means "no copy", and the one every object starts with at its home.
inline constexpr Version kNoVersion{0};
inline constexpr Version kFirstVersion{1};

/// An object o: its home h(o) and its place there. Up to 2^24 homes of 2^32 objects each.
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

// The values of a space: bytes, as many in each.
inline constexpr std::uint32_t kMaxValueBytes = 64 * 1024;

/// A value inside somebody else's bytes.
using ValueView = std::span<const std::byte>;

// What the protocol's machines count, and what a fetch can meet.
enum class MessageKind : std::uint8_t {
  Link = 1,    ///< sharer → home: from now on these indices mean these objects
  Read,        ///< sharer → home: send the values, and count me among the sharers
  Reply,       ///< home → sharer: values and versions, in the order of the Read
  Invalidate,  ///< home → sharer: newer versions exist; may carry the values (a push)
  Ack,         ///< sharer → home: an Invalidate that asked for it has been obeyed
  Evict,       ///< sharer → home: these copies are gone
  Write,       ///< writer → home: a store by the single writer of an object that lives elsewhere
  WriteAck,    ///< home → writer: every sharer has acknowledged that Write
  Decline,     ///< sharer → home: stop pushing these, they are not read
  Collective,  ///< the barrier tree; handled by the node, not by a space
};
inline constexpr std::uint8_t kLastMessageKind = static_cast<std::uint8_t>(MessageKind::Collective);

/// Messages of one kind begun, and their bytes, headers included.
struct KindCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
/// By MessageKind.
using KindCounts = std::array<KindCount, kLastMessageKind + std::size_t{1}>;

/// What a fetch met (ASPIRE §4.1).
enum class Access { CurrentHit, StaleHit, StaleMiss, CacheMiss };

[[nodiscard]] constexpr bool is_hit(Access access) {
  return access == Access::CurrentHit || access == Access::StaleHit;
}

/// The sharer's side.
struct CacheCounts {
  std::uint64_t invalidations = 0;  ///< objects named by Invalidate messages
  std::uint64_t pushes = 0;         ///< values that came unasked
  std::uint64_t replies = 0;        ///< values that were asked for
  std::uint64_t reads = 0;          ///< objects asked for because a thread waits
  std::uint64_t refreshes = 0;      ///< objects asked for behind the computation's back
  std::uint64_t evictions = 0;
  std::uint64_t late_replies = 0;  ///< answers to no outstanding request, dropped
};

/// The home's side.
struct DirectoryCounts {
  std::uint64_t writes = 0;
  std::uint64_t invalidations = 0;  ///< objects named by Invalidate messages sent
  std::uint64_t pushes = 0;         ///< of those, with the value
  std::uint64_t values_sent = 0;    ///< values in Replies
  std::uint64_t evictions = 0;
  std::uint64_t stale_evictions = 0;  ///< Evicts overtaken by a later Read, obeyed by nobody
};

}  // namespace leeway
