// How a PIE program is run. Plain data, the same on every node.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"
#include "leeway/base/stop.h"
#include "leeway/runtime/pie/forecaster.h"
#include "leeway/runtime/residual.h"
#include "leeway/runtime/schedule/schedule.h"
#include "leeway/snapshot/counts.h"

namespace leeway::pie {

struct Options {
  Schedule schedule;
  /// Which node each virtual worker runs on; as many as fragments.
  std::vector<NodeId> nodes_of;
  /// Rounds of a worker in a row without progress (StallCounter), after which the query is given up as not converging.
  /// Programs that always come to rest (`always_rests`, program.h) are never given up.
  std::uint32_t patience = kPatience;
  std::optional<std::uint32_t>
      most_rounds;           ///< of a worker: given up after so many, whatever they bring
  unsigned threads = 1;      ///< a node's, for rounds of several workers at once
  StopFlag stop = nullptr;   ///< once set the query is given up
  bool one_clock = true;     ///< all nodes' clocks agree, as within one process
  bool keep_rounds = false;  ///< a record of every round, for traces and predictors
  /// tau: how far back arrivals count; zero: two rounds of the worker.
  Duration rate_window{};
  /// What passing messages takes of a worker after each round; zero where it happens beside computing.
  Duration exchange{};
  /// What a round takes of each worker, instead of what its work is charged; for worked examples.
  std::vector<Duration> round_times;
  /// Makes a node's forecaster; none: a worker's estimate is what its own rounds tell.
  std::function<std::unique_ptr<Forecaster>()> forecaster;
  /// What a forecast takes of a virtual node (AAP, Tables 3 to 6).
  Duration forecast_cost = std::chrono::microseconds(6);
};

/// One round of one worker, with the parameters by which it was scheduled (AAP §3).
struct RoundRecord {
  PartId worker{0};
  Round round{0};  ///< 0: PEval
  Instant begin{};
  Instant end{};
  std::uint64_t staleness = 0;            ///< eta_i: messages taken
  std::uint64_t taken = 0;                ///< parameters that they spoke of
  std::uint64_t sent = 0;                 ///< parameters that changed and travelled
  std::uint64_t vertices = 0;             ///< visited
  std::uint64_t edges = 0;                ///< walked
  bool iterates = true;                   ///< an iteration of the program (`passes`, program.h)
  double predicted_seconds = 0;           ///< t_i
  double arrival_rate = 0;                ///< s_i
  double target = 0;                      ///< L_i
  double stretch_seconds = 0;             ///< the sum of the delay stretches DS_i it was given
  Round slowest{0};                       ///< r_min
  Round fastest{0};                       ///< r_max
  std::optional<Residual> residual = {};  ///< of programs that have one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.worker, self.round, self.begin, self.end, self.staleness, self.taken,
                    self.sent, self.vertices, self.edges, self.iterates, self.predicted_seconds,
                    self.arrival_rate, self.target, self.stretch_seconds, self.slowest,
                    self.fastest, self.residual);
  }
};

/// What a run tells of its rounds, of all nodes, by node and time.
struct RoundsTold {
  std::vector<RoundRecord> rounds;  ///< if they were kept
  ForecastCost forecasts;           ///< of their times
  std::vector<RoundSample> log;     ///< what the times are learnt from, if it was kept
};

/// What fragments hold.
struct FragmentCounts {
  std::uint64_t vertices = 0;  ///< inner ones
  std::uint64_t copies = 0;
  std::uint64_t arcs = 0;
  std::uint64_t bytes = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.vertices, self.copies, self.arcs, self.bytes);
  }
};

/// What one node tells of its run.
struct NodeOutcome {
  Instant begin{};
  Instant end{};
  std::uint64_t rounds = 0;       ///< of all its workers
  std::uint32_t most_rounds = 0;  ///< of one worker
  std::uint64_t messages = 0;     ///< designated messages sent, to this node's other workers too
  std::uint64_t frames = 0;       ///< to other nodes, of all kinds
  std::uint64_t bytes = 0;        ///< in them
  std::uint64_t parameters = 0;   ///< sent
  std::uint64_t taken = 0;        ///< parameters that messages spoke of
  std::uint64_t vertices = 0;     ///< visited
  std::uint64_t edges = 0;        ///< walked
  FragmentCounts held;            ///< by the fragments of its workers
  Duration computing{};           ///< in rounds
  bool converged = false;
  std::vector<RoundRecord> records;    ///< if they were asked for
  std::vector<Duration> worker_times;  ///< computing of each of its workers, by place on the node
  std::vector<std::uint32_t> worker_rounds;
  ForecastCost forecasts;
  snapshot::Counts snapshots;
  std::vector<RoundSample> round_log;  ///< the forecaster's, if it was to keep one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end, self.rounds, self.most_rounds, self.messages, self.frames,
                    self.bytes, self.parameters, self.taken, self.vertices, self.edges, self.held,
                    self.computing, self.converged, self.records, self.worker_times,
                    self.worker_rounds, self.forecasts, self.snapshots, self.round_log);
  }
};

}  // namespace leeway::pie
