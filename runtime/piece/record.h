// What a run of pieces tells of itself: a worker's computing by tick, its waiting, its messages; and the
// skew that follows (AsyTick §5: λ_L, λ_C). Plain data.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "leeway/runtime/piece/ids.h"
#include "leeway/runtime/residual.h"

namespace leeway::piece {

/// The values of all pieces before `tick`.
struct TickValues {
  TickId tick{0};
  std::vector<std::vector<std::byte>> pieces;
};

/// One worker's part of one tick, in nanoseconds.
struct TickSample {
  std::int64_t asynchronous = 0;
  std::int64_t synchronous = 0;
  /// The longest any information for this tick was on its way to this worker; 0 where clocks differ.
  std::int64_t flight = 0;
  std::int64_t begin = 0;  ///< since the run's start, of the first work for this tick
  std::int64_t end = 0;    ///< of the last
  std::uint32_t pieces = 0;
  std::uint32_t measured = 0;  ///< of those, whose changes `moved` has
  Residual moved;

  [[nodiscard]] std::int64_t computing() const { return asynchronous + synchronous; }
};

/// A stretch of a worker's time, for who draws it.
struct WorkSpan {
  enum Kind : std::uint32_t { Asynchronous, Synchronous, Waiting };
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t kind = Asynchronous;
  std::uint32_t tick = 0;
  std::uint32_t piece = 0;
  std::uint32_t missing = 0xFFFFFFFF;  ///< waiting: a piece that `piece` needs and lacks
  std::uint32_t owner = 0xFFFFFFFF;    ///< waiting: who works on it
  std::uint32_t unused = 0;
};

struct WorkerRecord {
  std::int64_t begin = 0;      ///< on the run's clock
  std::int64_t finished = 0;   ///< the last piece of the last tick
  std::int64_t waited = 0;     ///< for arrivals, until then
  std::uint64_t messages = 0;  ///< diffused to other workers
  std::uint64_t frames = 0;    ///< they went in
  std::uint64_t bytes = 0;
  std::uint64_t arrivals = 0;  ///< processed
  std::uint64_t moved_in = 0;  ///< pieces taken over from others
  std::vector<TickSample> ticks;
  std::vector<WorkSpan> stretches;

  [[nodiscard]] std::int64_t computing() const;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.finished, self.waited, self.messages, self.frames, self.bytes,
                    self.arrivals, self.moved_in, self.ticks, self.stretches);
  }
};

struct PieceRecord {
  std::vector<WorkerRecord> workers;
  std::uint32_t ticks = 0;
  bool terminated = false;  ///< Termination() said so
  bool one_clock = true;    ///< workers' times can be compared
  std::uint64_t events = 0;
  std::uint64_t digest = 0;

  /// From the first worker's start to the last piece of the last tick.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double asynchronous_share() const;
  /// max / mean − 1 of the workers' computing, and of their information's way, in a tick.
  [[nodiscard]] double lambda_l(TickId tick) const;
  [[nodiscard]] double lambda_c(TickId tick) const;
  /// Of all time between begin and finish, what was neither computing nor waiting.
  [[nodiscard]] double overhead_share() const;
  /// What the same computing would have taken with a barrier after each tick, and perfectly even.
  [[nodiscard]] double barrier_seconds() const;
  [[nodiscard]] double even_seconds() const;
  /// Of the time that skew costs behind barriers, the share that this run did not spend.
  [[nodiscard]] double absorbed_skew() const;
};

}  // namespace leeway::piece
