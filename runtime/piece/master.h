// The coordination of a piece run: the kinds of messages, the batching of messages to one node (PieceBatcher), and
// the state of the coordinating worker (Master).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "leeway/piece.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/piece/compression.h"
#include "runtime/piece/ownership.h"
#include "runtime/piece/worker_state.h"

namespace leeway::piece {

enum class PieceMessageKind : std::uint8_t {
  /// Piece, tick, sending time, the readers (only with moving pieces), values.
  Diffuse = 1,
  /// To the master: tick, number of finished pieces, those pieces (only with moving pieces), largest change.
  Tally,
  Release,  ///< from the master: tick that all pieces have finished, whether it was the last
  /// To the master: balancing round, number of finished pieces, loads of pieces and the number of ticks measured.
  Loads,
  Map,  ///< from the master: changes of owners
  /// To the master, without barriers: the ticks of the sender's pieces and their computing times.
  Progress,
  /// From the master, without barriers: pieces to hand over to other workers.
  Give,
  Values,  ///< to the master: tick, piece, its values
  Over,    ///< the master has all values
  Packed,  ///< a compressed frame, which contains messages of the other kinds
};

/// The coordinating worker.
inline constexpr NodeId kMaster{0};

/// Collects messages for each node into frames. A frame is sent when it is full, when its oldest message has been
/// held for `hold`, or when the sender has nothing else to do (AsyTick §4.2.1: messages to the same node are
/// aggregated). Not thread-safe.
class PieceBatcher {
 public:
  /// `compressor`: compresses frames; null: frames are sent as they are.
  PieceBatcher(Endpoint& endpoint, Duration hold, FrameCompressor* compressor)
      : endpoint_(endpoint),
        hold_(hold),
        compressor_(compressor),
        batches_(endpoint.node_count()) {}

  /// Begins a message to `to`; the caller writes it completely and then calls `written`.
  [[nodiscard]] ByteWriter& begin(NodeId to, PieceMessageKind kind);
  void written(NodeId to);
  /// Sends the batches if the oldest message has been held long enough.
  void send_due();
  void send_all();

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void send_batch(std::uint32_t to);

  Endpoint& endpoint_;
  Duration hold_;
  FrameCompressor* compressor_;
  std::vector<ByteWriter> batches_;
  std::vector<std::uint32_t> filled_;  // nodes with a non-empty batch
  std::optional<Instant> oldest_;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_ = 0;
};

// The state of the coordinating worker: finished ticks, loads of pieces, and collected values. Takes messages and
// returns decisions; it sends nothing. Not thread-safe.
class Master {
 public:
  struct TickVerdict {
    TickId tick{0};
    bool last = false;
  };

  Master(const ErasedProgram& program, const PieceOptions& options, std::uint32_t workers);

  /// A worker has finished the tick with `count` pieces, its last ones in this tick; or, if pieces move without barriers,
  /// with those that are listed. False if it, or a piece, has been reported for this tick, or the tick has a verdict.
  [[nodiscard]] bool take_tally(NodeId worker, TickId tick, std::uint32_t count,
                                std::span<const PieceId> listed, double change);
  /// The first tick without a verdict.
  [[nodiscard]] TickId next() const { return next_; }
  /// The next verdict, if all pieces have finished its tick; call until there is none. Verdicts are given in the
  /// order of ticks. A worker without pieces left may report an early tick after other workers have reported the next
  /// one; if the early tick were skipped, it could not end the run.
  std::optional<TickVerdict> next_verdict();
  [[nodiscard]] LoadProfile& profile() { return profile_; }
  /// With barriers: the changes of the next map, once all loads of its round have been reported.
  std::optional<std::vector<Ownership::Change>> next_map(const Ownership& ownership);
  /// Without barriers: the progress of all pieces, and the moves.
  [[nodiscard]] MasterProgress& progress() { return progress_; }
  /// False if the piece's values before this tick have been taken.
  [[nodiscard]] bool take_values(TickId tick, PieceId piece, std::span<const std::byte> values);
  /// A worker's record, in the order of the workers.
  void take_record(NodeRecord record, std::vector<TickSample> samples) {
    run_.nodes.push_back(std::move(record));
    run_.samples.push_back(std::move(samples));
  }

  /// Whether all pieces' values after the last tick have arrived.
  [[nodiscard]] bool has_all_values() const;
  /// Call once, at the end: the collected values; the values after the last tick come last.
  [[nodiscard]] std::vector<TickValues> take_snapshots();
  [[nodiscard]] PieceRecord take_run();

 private:
  struct TickTally {
    std::uint32_t pieces = 0;
    double change = 0;
    std::vector<bool> reported;  ///< by worker, or by piece if pieces are listed
  };
  struct TickCollection {
    std::uint32_t in = 0;
    std::vector<bool> has;                       ///< by piece
    std::vector<std::vector<std::byte>> pieces;  ///< empty once `keep` has had them
  };

  const ErasedProgram& program_;
  const PieceOptions& options_;
  std::uint32_t pieces_;
  std::uint32_t workers_;
  TickId end_;  // the tick whose start values are the result
  bool terminated_ = false;
  bool decided_ = false;  // which tick is the last
  TickId next_{0};        // the first tick without a verdict
  std::map<TickId, TickTally> tallies_;
  LoadProfile profile_;
  MasterProgress progress_;
  std::map<TickId, TickCollection> collected_;
  PieceRecord run_;
};

}  // namespace leeway::piece
