// What the protocol's machines count, and what a fetch can meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leeway {

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
