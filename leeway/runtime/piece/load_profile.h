// What the coordinating worker has been told of load: what each piece takes a tick, older measurements
// counting ever less, and how far each worker has come. From both follows what a worker still has to do
// before a new map holds: behind barriers nothing, without them whatever it is behind. One worker's own.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/runtime/piece/ids.h"
#include "leeway/runtime/piece/options.h"

namespace leeway::piece {

/// What a piece took of one worker, and for how many ticks.
struct PieceLoad {
  std::uint64_t nanoseconds = 0;
  std::uint32_t ticks = 0;
};

class LoadProfile {
 public:
  using Loads = std::span<const std::pair<PieceId, PieceLoad>>;

  LoadProfile(const PieceOptions& options, std::uint32_t pieces, std::uint32_t workers);

  /// `worker` is through with the ticks of `round` in `count` pieces; `loads` is what it worked on.
  void take(NodeId worker, std::uint32_t round, std::uint32_t count, Loads loads, Instant now);
  /// Whether all pieces have been heard of in `round`.
  [[nodiscard]] bool complete(std::uint32_t round) const;

  /// Nanoseconds that each piece takes a tick.
  [[nodiscard]] std::vector<std::uint64_t> rates() const;
  /// Nanoseconds that each worker needs to get to tick `to` with the pieces it has.
  [[nodiscard]] std::vector<std::uint64_t> remaining(std::span<const NodeId> owners,
                                                     std::span<const std::uint64_t> rates,
                                                     TickId to, Instant now) const;

 private:
  struct Measured {
    double load = 0;   // of all rounds, each older one weighing less
    double ticks = 0;  // that took it, weighing as much
    std::uint32_t round = 0;
  };
  struct Standing {
    std::uint32_t round = 0;  // the last it told of
    Instant told;
  };

  std::uint32_t every_;
  double persistence_;
  std::vector<Measured> pieces_;
  std::vector<Standing> workers_;
  std::map<std::uint32_t, std::uint32_t> heard_;  // pieces, by round
};

}  // namespace leeway::piece
