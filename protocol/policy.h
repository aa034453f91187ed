// Policy: a consistency mode as data. It defines how stale a read may be, what a write waits for,
// whether a stale hit requests a refresh, and whether invalidations carry values (ASPIRE §4 and
// §6).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace leeway {

enum class Writes {
  Continue,  ///< return immediately; invalidations are sent in the background
  Wait,      ///< return after every sharer has acknowledged the invalidation
};

enum class Updates {
  Never,     ///< an invalidation carries versions only
  Always,    ///< every invalidation carries the new value (SCP+PB)
  Adaptive,  ///< only to sharers that have read, or are known to read, every version (RCP+push)
};

/// What a run whose nodes all vote to end waits for.
enum class RunEnd {
  /// An iteration that used no stale value, with no news in flight (ASPIRE §4.2). Without refreshes, a copy that is stale
  /// within the threshold would remain so; when all nodes vote to end, such copies become misses.
  Current,
  Quiet,  ///< no news in flight; the last iteration may use stale values
  Voted,  ///< nothing
};

/// The four optimizations of ASPIRE §4.3, each switchable for measurements.
struct Optimizations {
  /// Only an object's home stores to it; off: another node may store by Write.
  bool collocation = true;
  bool aggregation = true;  ///< messages to one node share a frame
  bool flattening = true;   ///< equal requests and repeated invalidations merge
  /// Objects are fetched when they are registered, not at the first read.
  bool replication = false;
};

struct Policy {
  std::string name = "rcp";
  std::uint64_t threshold = 100;  ///< t: the staleness that a read accepts, in versions
  bool gives_threshold = false;   ///< the mode's name has a number: stale-N, rcp-T
  Writes writes = Writes::Continue;
  bool refresh = true;  ///< a stale hit requests the current value (Best Effort Refresh)
  RunEnd end = RunEnd::Current;
  Updates updates = Updates::Never;
  /// Adaptive: number of consecutive versions that a sharer must read before it is sent the next
  /// ones. 0: sharers are sent all versions until they decline.
  std::uint8_t earned_by = 2;
  /// For nodes that iterate without waiting for each other. A home sends a sharer the next news only after it has
  /// acknowledged the last ones, and merges what is stored meanwhile; a read that waits for a copy that is too old
  /// requests all such copies.
  bool paced = false;
  Optimizations optimizations;
};

/// "scp", "scp+rw", "scp+pb", "stale-N", "rcp", "rcp-T" (threshold T) or "rcp+push".
Result<Policy> parse_policy(std::string_view mode);

/// The policy of a mode inside supersteps: no stale reads, and stores do not wait.
[[nodiscard]] Policy superstep_policy(Policy policy);

/// The policy of a mode for nodes that iterate without waiting for each other: paced, and without a threshold unless
/// the mode's name has one. A node may make thousands of versions while one message is delayed, so that a threshold in
/// versions would make its readers wait for most of their reads.
[[nodiscard]] Policy free_running_policy(Policy policy);

/// The modes with one line of explanation each, for help texts.
struct PolicyHelp {
  std::string_view mode;
  std::string_view meaning;
};
std::span<const PolicyHelp> policy_help();

}  // namespace leeway
