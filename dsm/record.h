// What a watched node says about itself, event by event, for observers that trust nobody: checkers,
// traces, replays. Watching takes the fast paths away, so it is for proofs, not for production.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leeway/base/clock.h"
#include "leeway/protocol/cache.h"
#include "leeway/protocol/ids.h"

namespace leeway {

enum class RecordKind : std::uint8_t {
  Write,  ///< a store took effect at the object's home; `version` is its number
  Read,   ///< a fetch returned `value`; `access` says how, `version` what the copy was said to be
  Invalidated,  ///< word of `version` was delivered
  Installed,    ///< a copy of `version` was put in place
  Evicted,      ///< the copy is gone
  Joined,       ///< at the home: `peer` is in d^o
  Left,         ///< at the home: `peer` is no longer in d^o
  Stored,       ///< a waiting store returned
  Iterated,  ///< `converged` returned; version is the iteration; value: 1 if it said so, plus 2 for a vote to go on
};

struct Record {
  Instant at{};
  NodeId node{0};
  RecordKind kind = RecordKind::Write;
  SpaceId space{0};
  ObjectId object;
  Version version{0};
  std::uint64_t value = 0;  ///< hash of the bytes
  Access access = Access::CurrentHit;
  NodeId peer{0};
  std::uint32_t thread = 0;
};

/// Called with the node's lock held; must not call back.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void record(const Record& record) = 0;
};

[[nodiscard]] std::string_view record_kind_name(RecordKind kind);
[[nodiscard]] std::string_view access_name(Access access);
/// One line, the same on every machine.
[[nodiscard]] std::string to_line(const Record& record);
/// The hash that stands for a value in records.
[[nodiscard]] std::uint64_t hash_value(ValueView value);

}  // namespace leeway
