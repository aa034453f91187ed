// The names of the protocol: objects and their homes, versions, and the dense indices that one pair of
// nodes agrees on so that messages need no object ids.
#pragma once

#include <cstdint>

#include "leeway/base/check.h"
#include "leeway/base/ids.h"

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

}  // namespace leeway
