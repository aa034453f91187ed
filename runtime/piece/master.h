// The piece engine's messages, and how those for one node travel together: many messages a frame, sent
// when there is enough, when the oldest has been held long enough, or when its sender has nothing else to
// do (AsyTick §4.2.1: messages to the same node are aggregated). One worker's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "leeway/piece.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/piece/ownership.h"
#include "runtime/piece/worker_state.h"

namespace leeway::piece {

enum class PieceMessageKind : std::uint8_t {
  Diffuse = 1,  ///< piece, tick, time of sending, whom for if that is not plain, values
  Tally,        ///< tick, pieces that are through with it, greatest change: to the master
  Release,      ///< tick that all are through with, whether it was the last: from the master
  Loads,        ///< round, pieces that are through, loads of pieces and their ticks: to the master
  Map,          ///< changes of owners: from the master
  Progress,  ///< where the sender's pieces are and what they took, without barriers: to the master
  Give,      ///< pieces to hand to others, without barriers: from the master
  Values,    ///< tick, piece, its values: to the master
  Record,    ///< what the worker tells of itself: to the master
  Over,      ///< the master has all values
  Stop,      ///< the run has been told to stop: to the master
  GiveUp,    ///< nothing more comes of the sender: from the master, and then from everybody to all
};

/// The worker that coordinates.
inline constexpr NodeId kMaster{0};

class PieceBatcher {
 public:
  PieceBatcher(Endpoint& endpoint, Duration hold)
      : endpoint_(endpoint), hold_(hold), batches_(endpoint.node_count()) {}

  /// A message to `to`, which its caller writes at once; then call `written`.
  [[nodiscard]] ByteWriter& begin(NodeId to, PieceMessageKind kind);
  void written(NodeId to);
  /// Sends what was held long enough.
  void send_due();
  void send_all();

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void ship(std::uint32_t to);

  Endpoint& endpoint_;
  Duration hold_;
  std::vector<ByteWriter> batches_;
  std::vector<std::uint32_t> filled_;  // nodes whose batch holds something
  std::optional<Instant> oldest_;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_ = 0;
};

// What the coordinating worker knows: who is through with which tick, what pieces cost, which values have
// come in. Messages in, decisions out; it sends nothing itself.
class Master {
 public:
  struct TickVerdict {
    TickId tick{0};
    bool last = false;
  };

  Master(const Program& program, const PieceOptions& options, std::uint32_t workers);

  void take_tally(TickId tick, std::uint32_t pieces, double change);
  /// The next verdict, once all pieces are through with its tick; ask until there is none. Verdicts are given
  /// in the order of ticks: a worker that was emptied may tell of an early tick after those that its pieces
  /// went to have told of the next, and a tick that was passed over could not end the run.
  std::optional<TickVerdict> next_verdict();
  void take_loads(std::uint32_t round, std::uint32_t pieces, LoadProfile::Loads loads) {
    profile_.take(round, pieces, loads);
  }
  /// Behind barriers: what the map after the latest changes, when all loads of its round are in.
  std::optional<std::vector<Ownership::Change>> next_map(const Ownership& ownership);
  /// Without them: how far all have come, and what is to move.
  [[nodiscard]] MasterProgress& progress() { return progress_; }
  void take_values(TickId tick, PieceId piece, std::span<const std::byte> values);
  void take_record(NodeId worker, WorkerRecord record);

  /// Whether the values after the last tick have come in from all pieces.
  [[nodiscard]] bool has_all_values() const;
  [[nodiscard]] bool has_all_records() const { return records_in_ == records_.size(); }
  /// Asked once, at the end: what was collected, the last values last.
  [[nodiscard]] std::vector<TickValues> take_snapshots();
  [[nodiscard]] PieceRecord take_run();

 private:
  struct TickTally {
    std::uint32_t pieces = 0;
    double change = 0;
  };
  struct TickCollection {
    std::uint32_t in = 0;
    std::vector<std::vector<std::byte>> pieces;
  };

  const Program& program_;
  const PieceOptions& options_;
  std::uint32_t pieces_;
  std::uint32_t workers_;
  TickId end_;  // the tick whose values are the result
  bool terminated_ = false;
  bool decided_ = false;  // which tick was the last
  TickId next_{0};        // the first without a verdict
  std::map<TickId, TickTally> tallies_;
  LoadProfile profile_;
  MasterProgress progress_;
  std::map<TickId, TickCollection> collected_;
  std::vector<WorkerRecord> records_;
  std::size_t records_in_ = 0;
};

}  // namespace leeway::piece
