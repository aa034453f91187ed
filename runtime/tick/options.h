// How a run of ticks is synchronized. Plain data; `settled` says whether it makes sense.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/base/stop.h"
#include "leeway/runtime/tick/tick.h"

namespace leeway::tick {

enum class Sync : std::uint8_t {
  Barrier,    ///< plain bulk-synchronous: nobody starts a tick before everybody has ended the last
  Local,      ///< Algorithm 1: wait for the neighbours that DISJOINT names, each tick
  Schedule,   ///< Algorithm 2: step up to `depth` ticks ahead what needs no message
  Replicate,  ///< Algorithm 3: `replicas` layers, messages every `every` ticks
  Combined,   ///< 2 and 3 together
};

/// "barrier", "local", "schedule", "replicate" or "combined".
Result<Sync> parse_sync(std::string_view name);
[[nodiscard]] std::string_view sync_name(Sync sync);

struct Options {
  Sync sync = Sync::Local;
  std::optional<std::uint32_t> depth;     ///< d
  std::optional<std::uint32_t> every;     ///< k
  std::optional<std::uint32_t> replicas;  ///< m
  Tick ticks{1};                          ///< how many in all
  std::uint32_t rebalance = 0;            ///< PART is called again every so many ticks; 0: never
  std::uint32_t checkpoint = 0;  ///< the whole state is handed out every so many ticks; 0: never
  std::uint32_t frames = 0;      ///< each process's tuples are shown every so many ticks; 0: never
  bool check = false;            ///< every STEP twice: with all there is, and with R_D alone
  bool trace = false;            ///< keeps spans of time for pictures
  std::uint32_t measure = 0;     ///< how far values moved is told every so many ticks; 0: never
  StopFlag stop = nullptr;       ///< once set the run fails, everywhere alike
  bool meter =
      false;  ///< tells apart the processor time of STEP and of all else; real threads, one a node
  unsigned threads = 1;  ///< a node's, for STEP; 0: as many as there are cores
};

/// The three numbers that tell the synchronizations apart, all decided.
struct Parameters {
  Level depth = 0;          ///< d: the lowest level stepped is -d
  std::uint32_t every = 1;  ///< k
  Level replicas = 0;       ///< m
  bool barrier = false;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// An Input error for numbers that contradict the synchronization or each other (k > m + 1 among them).
Result<Parameters> settled(const Options& options);

}  // namespace leeway::tick
