// A consistency mode is data: which staleness a read accepts, what a write waits for, whether a stale
// hit asks for a refresh, and whether updates ride on invalidations (DESIGN §3; ASPIRE §4 and §6).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "leeway/result.h"

namespace leeway {

enum class Writes {
  Continue,  ///< return at once; invalidations travel behind the computation's back
  Wait,      ///< return when every sharer has acknowledged the invalidation
};

enum class Updates {
  Never,     ///< an invalidation carries versions only
  Always,    ///< every invalidation carries the new value (SCP+PB)
  Adaptive,  ///< only to sharers seen to re-read every version (RCP+push), or known to
};

/// The four optimizations of ASPIRE §4.3, each switchable so that its worth can be measured.
struct Optimizations {
  bool collocation = true;  ///< an object's home computes it; off: others may store through Write
  bool aggregation = true;  ///< messages to one node share a frame
  bool flattening = true;   ///< equal requests and repeated invalidations merge
  bool replication =
      false;  ///< objects are fetched when they are met, not when they are first read
};

struct Policy {
  std::string name = "rcp";
  std::uint64_t threshold = 100;  ///< t: the staleness a read accepts
  Writes writes = Writes::Continue;
  bool refresh = true;  ///< a stale hit asks for the current value (Best Effort Refresh)
  Updates updates = Updates::Never;
  /// Adaptive: a sharer that has read so many versions in a row is sent the next ones. 0: it is known to read all, until
  /// it declines.
  std::uint8_t earned_by = 2;
  Optimizations optimizations;
};

/// "scp", "scp+rw", "scp+pb", "stale-N", "rcp", "rcp-T" (threshold T) or "rcp+push".
Result<Policy> parse_policy(std::string_view mode);

/// The mode's way for supersteps: nothing stale is read, no store waits by itself.
[[nodiscard]] Policy superstep_policy(Policy policy);

/// The modes with a line each, for help texts.
struct PolicyHelp {
  std::string_view mode;
  std::string_view meaning;
};
std::span<const PolicyHelp> policy_help();

}  // namespace leeway
