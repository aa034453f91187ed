// A run, from its order to its outputs: the only way, for whole graphs, parts and scenes, on every engine.
#pragma once

#include <memory>
#include <string>

#include "app/applicability.h"
#include "app/options.h"
#include "app/output.h"
#include "app/report.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "snapshot/recorder.h"
#include "transport/fabric.h"

namespace leeway::app {

/// What is to be run, with all settings resolved.
struct RunOrder {
  std::string program;
  CommandOptions options;
  Instant begun{};  ///< when the command started
};

/// Exit code of a run that stopped at its limit before it converged.
constexpr int kGaveUp = 5;
/// Exit code of a run whose result is complete, but some of whose snapshots could not be written.
constexpr int kSnapshotsLost = 6;

/// Runs as one process of a job; `job` null: all nodes live in this process. Only node 0 prints. Returns the exit code.
Result<int> run_in(const RunOrder& order, Job* job);

/// True if this process prints the failure on which the job's processes agreed: each failure is printed by the process
/// that it happened on.
[[nodiscard]] bool prints(const Error& agreed, Job& job);

/// The steps of a run. What differs between a whole graph, a part of one and a run by ticks are the virtual steps, which
/// `run` calls in the order of their declarations. Collective in a job.
class RunFlow {
 public:
  RunFlow(const CommandOptions& options, const Request& decided, Job* job, Instant begun)
      : options_(options),
        decided_(decided),
        job_(job),
        begun_(begun),
        first_(job == nullptr || job->self() == NodeId(0)) {}
  virtual ~RunFlow() = default;
  RunFlow(const RunFlow&) = delete;
  RunFlow& operator=(const RunFlow&) = delete;

  Result<int> run();

 protected:
  /// Reads the input, and checks and settles all that depends on it.
  virtual Status open() = 0;
  /// Opens snapshots.
  virtual Status save() = 0;
  /// Runs the program.
  virtual Status execute(Progress& progress) = 0;
  /// Verifies the result.
  virtual Status check(Report& report) = 0;
  /// Writes and keeps what each process has of the result.
  virtual Status deliver() { return {}; }
  /// On node 0: completes the report, and what is written of the result.
  virtual Status describe(Report& report, ReportedResults& results) = 0;
  /// On node 0, after all is written: gives the result to a caller in this process.
  virtual Status keep() { return {}; }
  [[nodiscard]] virtual snapshot::Counts snapshot_counts() const = 0;

  [[nodiscard]] const CommandOptions& options() const { return options_; }
  [[nodiscard]] const Request& decided() const { return decided_; }
  [[nodiscard]] Job* job() const { return job_; }
  /// Node 0, which prints and writes.
  [[nodiscard]] bool is_first() const { return first_; }
  [[nodiscard]] Outputs& outputs() { return outputs_; }

 private:
  /// The name of this process's values file, if each process writes one.
  [[nodiscard]] std::string own_values() const;

  const CommandOptions& options_;
  const Request& decided_;
  Job* const job_;
  const Instant begun_;
  const bool first_;
  Outputs outputs_;
};

struct ProgramCall;

/// On a graph that each process has as a whole, by rounds.
[[nodiscard]] std::unique_ptr<RunFlow> run_on_whole(const CommandOptions& options,
                                                    const Request& decided, ProgramCall call,
                                                    Instant begun);
/// On a graph of which each process has a part, by rounds. Requires a program with `run_part`.
[[nodiscard]] std::unique_ptr<RunFlow> run_on_parts(const CommandOptions& options,
                                                    const Request& decided, ProgramCall call,
                                                    Instant begun);
/// By ticks.
[[nodiscard]] std::unique_ptr<RunFlow> run_by_ticks(const CommandOptions& options,
                                                    const Request& decided,
                                                    const ClusterOptions& cluster, Instant begun);

}  // namespace leeway::app
