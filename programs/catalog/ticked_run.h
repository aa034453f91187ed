// A run by ticks, on the tick or the piece engine, in the steps that differ from program to program. The way of a run
// (app/ticked_run.cc) calls them in this order: memory, open, subject, interval, run, and on node 0 judge, verify, table, film.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "leeway/piece.h"
#include "leeway/tick_program.h"
#include "programs/catalog/program.h"
#include "programs/catalog/result_table.h"
#include "programs/scene/parameters.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/saving.h"

namespace leeway {

/// Interval, in ticks, at which a run of `ticks` ticks measures how far values move: fine enough for a curve, coarse enough not
/// to affect the times. 0: never.
[[nodiscard]] constexpr std::uint32_t measured_every(bool measures, std::uint32_t ticks) {
  constexpr std::uint32_t kPoints = 32;
  return measures ? std::max(ticks / kPoints, 1U) : 0;
}

/// What a run by ticks takes from its caller. Must outlive the run.
struct TickedSettings {
  const Graph* graph = nullptr;  ///< null: the program has its own scene
  std::string_view graph_name;   ///< in errors and snapshots
  std::string graph_hash;
  SceneParameters scene;
  ProgramParameters parameters;
  std::optional<std::uint32_t> iterations;
  std::uint64_t seed = 1;
  ClusterOptions cluster;
  PartitionOptions partition;
  tick::TickOptions tick;     ///< without the number of ticks
  piece::PieceOptions piece;  ///< likewise
  bool weighs = false;        ///< the weights of a piece's priority were given
  std::uint32_t pieces = 16;  ///< of a node
  bool makes_state = true;  ///< this process needs the initial state, although it can be generated
  bool measures = false;    ///< how far values move
  bool first = true;        ///< node 0, which has the result

  static constexpr std::uint32_t kTicks = 100;
  [[nodiscard]] std::uint32_t ticks(std::uint32_t otherwise = kTicks) const {
    return iterations.value_or(otherwise);
  }
};

/// Things that a process must have room for.
struct MemoryDemand {
  std::string_view flag, things;
  std::uint64_t count = 0;
  std::uint64_t bytes_each = 0;
};

/// What a run computes on.
struct TickedSubject {
  std::string name;             ///< for the report
  snapshot::Identity identity;  ///< without engine and program
};

/// How a run of the tick engine went. `used`: with all that the run has decided.
struct TickEngineRecord {
  tick::TickOptions used;
  std::vector<NodeRecord> nodes;
  Duration elapsed{};
  std::uint64_t digest = 0;
  std::uint32_t rebalanced = 0;
};

/// How a run of the piece engine went. `used`: with all that the run has decided.
struct PieceEngineRecord {
  piece::PieceOptions used;
  piece::PieceRecord record;
};

using TickedRecord = std::variant<TickEngineRecord, PieceEngineRecord>;

/// A number that a run has found: key in JSON, label and value.
struct TickedFigure {
  std::string_view key, label;
  double value = 0;
};

class TickedRun {
 public:
  virtual ~TickedRun() = default;

  [[nodiscard]] virtual std::vector<MemoryDemand> memory() const { return {}; }
  /// Reads or makes the initial state. One process may fail alone.
  virtual Status open() { return {}; }
  [[nodiscard]] virtual TickedSubject subject() const = 0;
  /// All ticks of the run, and what its snapshots contain.
  [[nodiscard]] virtual TickInterval interval() const = 0;
  /// Runs the ticks of `span`. Collective.
  virtual Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) = 0;

  /// An error if the values after tick `last` are no result; else adds what the run has found.
  virtual Status judge(std::uint32_t last, std::vector<TickedFigure>& found) {
    (void)last;
    (void)found;
    return {};
  }
  /// Whether the result after this number of ticks is verified if the user does not decide it.
  [[nodiscard]] virtual bool verifies(std::uint64_t ticks) const = 0;
  /// The outcome of the comparison with the sequential program's state at tick `last`, in words, or an error.
  virtual Result<std::string> verify(std::uint32_t last) = 0;
  [[nodiscard]] virtual ResultTable table() const = 0;
  /// The frames as JSON.
  [[nodiscard]] virtual std::string film() const { return {}; }
};

/// True if a verification that visits this number of cells, or values, takes little time.
[[nodiscard]] bool verifies_cells(std::uint64_t cells, std::uint64_t ticks);
/// The same for things that interact up to distance `range` in a square of this width.
[[nodiscard]] bool verifies_pairs(std::uint64_t things, double range, double width,
                                  std::uint64_t ticks);
/// The error of a result that differs from the sequential program's.
[[nodiscard]] Error differs(const std::string& what);
/// The largest difference to `expected`, which must not exceed `tolerance`.
Result<double> verify_ranks(const std::vector<double>& expected, std::span<const double> ranks,
                            double tolerance);

/// Bytes per tuple of a tick program in a process: two versions, and at the end, on node 0, the complete state both as messages
/// and assembled.
[[nodiscard]] std::uint64_t tuple_bytes(std::size_t tuple, const ClusterOptions& cluster);

/// A run on the graph of `settings`. `own`: what else identifies it.
[[nodiscard]] TickedSubject graph_subject(const TickedSettings& settings,
                                          std::vector<std::pair<std::string, std::string>> own);

/// Options of a run of the ticks of `span`.
[[nodiscard]] tick::TickOptions in_span(const TickedSettings& settings, const TickInterval& span);

}  // namespace leeway
