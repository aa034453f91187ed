// What the coordinating worker knows: who is through with which tick, what pieces cost, which values have
// come in. Messages in, decisions out; it sends nothing itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "leeway/runtime/piece/load_profile.h"
#include "leeway/runtime/piece/ownership.h"
#include "leeway/runtime/piece/program.h"
#include "leeway/runtime/piece/progress.h"
#include "leeway/runtime/piece/record.h"

namespace leeway::piece {

class Master {
 public:
  struct Verdict {
    TickId tick{0};
    bool last = false;
  };

  Master(const Program& program, const Options& options, std::uint32_t workers);

  void take_tally(TickId tick, std::uint32_t pieces, double change);
  /// The next verdict, once all pieces are through with its tick; ask until there is none. Verdicts are given
  /// in the order of ticks: a worker that was emptied may tell of an early tick after those that its pieces
  /// went to have told of the next, and a tick that was passed over could not end the run.
  std::optional<Verdict> next_verdict();
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
  struct Collected {
    std::uint32_t in = 0;
    std::vector<std::vector<std::byte>> pieces;
  };

  const Program& program_;
  const Options& options_;
  std::uint32_t pieces_;
  std::uint32_t workers_;
  TickId end_;  // the tick whose values are the result
  bool terminated_ = false;
  bool decided_ = false;  // which tick was the last
  TickId next_{0};        // the first without a verdict
  std::map<TickId, TickTally> tallies_;
  LoadProfile profile_;
  MasterProgress progress_;
  std::map<TickId, Collected> collected_;
  std::vector<WorkerRecord> records_;
  std::size_t records_in_ = 0;
};

}  // namespace leeway::piece
