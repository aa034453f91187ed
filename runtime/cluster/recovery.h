// Recovery from the loss of processes, below all engines, in a job whose launcher replaces them (`leeway launch --spares`).
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "transport/fabric.h"

namespace leeway {

struct Record;      // runtime/cluster/record.h
struct RunOptions;  // leeway/options.h
struct Saving;      // runtime/cluster/saving.h

/// One attempt of a recoverable run.
struct RunAttempt {
  /// The snapshot that it resumes, instead of the one that the caller names; empty: no process was lost, or this run has
  /// no snapshot yet.
  std::string resume;

  /// Replaces what the options of a run resume.
  void resume_in(Saving& saving) const;
  Status resume_in(RunOptions& options) const;
};

/// A run that survives the loss of processes. All processes of the job begin their runs in the same order.
struct RecoverableRun {
  Job* job = nullptr;  ///< null: no job, and the run is not recoverable
  std::string folder;  ///< of its snapshots; empty: none are taken
  /// The collective steps of the run. Must be callable again after a loss, with what the process has kept since.
  std::function<Status(const RunAttempt&)> attempt;
  /// In a process that replaces a lost one, for a run that the others have behind them: makes its outcome available without
  /// a collective step. Null: not possible, and the job starts again.
  std::function<Status()> skip;
};

/// Calls `run.attempt`. If a process is lost meanwhile and the launcher replaces it, the attempt ends in every process that is
/// left with an error of kind Peer; these processes and the new one meet, agree on the newest snapshot of this run, and
/// attempt it again. A new process first calls `skip` for the runs that the others have behind them. Within another
/// recoverable run, or in a job that replaces no process, this only calls `attempt`. Collective; on the main thread.
Status run_recoverably(const RecoverableRun& run);
/// The same for a run with an outcome: `attempt` takes a RunAttempt and returns a Result<T>. Cannot be skipped.
template <class T, class Attempt>
[[nodiscard]] Result<T> run_recoverably(Job* job, const std::string& folder,
                                        const Attempt& attempt) {
  Result<T> made = T();
  const Status ran = run_recoverably({.job = job,
                                      .folder = folder,
                                      .attempt = [&](const RunAttempt& now) -> Status {
                                        made = attempt(now);
                                        return made ? Status{} : fail(made.error());
                                      },
                                      .skip = {}});
  if (!ran) return fail(ran.error());
  return made;
}

/// The Peer error of a process that replaces a lost one and cannot take part in what the others continue, or of one that is
/// left and cannot continue: the launcher then starts the whole job again.
[[nodiscard]] Error needs_restart(NodeId self, std::string what);

/// An engine calls this in each process of a job when it begins to compute, which ends the time of a recovery. Null: no job.
void note_computing(Job* job);
/// Stores the number of recoveries, and their time, in the record of a run.
void note_recoveries(Job* job, Record& record);

}  // namespace leeway
