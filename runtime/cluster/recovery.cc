#include "runtime/cluster/recovery.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/saving.h"
#include "snapshot/folder.h"
#include "snapshot/source.h"

namespace leeway {

namespace {

/// Number of the newest complete snapshot; 0: there is none.
std::uint64_t newest_in(const std::string& folder) {
  if (folder.empty()) return 0;
  const auto numbers = snapshot::numbers_in(folder);
  return numbers && !numbers->empty() ? numbers->back() : 0;
}

/// What a process knows when all meet.
struct KnownPosition {
  std::uint32_t run = 0;  // 0: a process that replaces a lost one
  std::uint32_t base_of = 0;
  std::uint64_t base = 0;
  Duration since_loss{};
};

/// Runs attempts until one succeeds, or fails for another reason than a loss.
class Recovery {
 public:
  explicit Recovery(const RecoverableRun& run)
      : run_(run), job_(*run.job), position_(job_.position()) {}

  /// A run within this one only calls its attempt (run_recoverably): this one repeats all of it.
  Status run() {
    position_.within = true;
    const Status status = repeat_until_done();
    position_.within = false;
    return status;
  }

 private:
  Status repeat_until_done() {
    ++position_.run;
    job_.set_recoverable(true);
    bool met = !job_.is_replacement();
    while (true) {
      Status status = met ? Status{} : meet();
      bool completed = false;
      // The others have completed this run. If this process has, too, its outcome is there.
      const bool behind = position_.run < position_.target;
      if (status) status = behind ? pass_over() : attempt(completed);
      if (status || !job_.recoverable() || !job_.lost_a_node()) return status;
      LEEWAY_TRY(join_again());
      LEEWAY_TRY(meet_all());
      if (completed && position_.run < position_.target) return {};
      met = true;
    }
  }

  /// The last step confirms that every process has completed the run: before it, none begins the next one.
  Status attempt(bool& completed) {
    if (position_.base_of != position_.run) LEEWAY_TRY(find_base());
    const bool continues = position_.run == position_.target;
    Status status = run_.attempt({continues ? position_.resume : std::string()});
    completed = status.has_value();
    return job_.agree(std::move(status));
  }

  Status pass_over() {
    if (run_.skip) return run_.skip();
    return fail(needs_restart(
        job_.self(),
        "it replaces a lost process, and cannot repeat what the others have completed"));
  }

  Status find_base() {
    LEEWAY_TRY(with_group(job_, [&](Group& group) -> Status {
      position_.base = group.broadcast(newest_in(run_.folder), NodeId(0));
      return {};
    }));
    position_.base_of = position_.run;
    return {};
  }

  Status join_again() {
    if (!position_.lost_at) position_.lost_at = SteadyClock().now();
    return job_.rejoin();
  }

  /// Repeated if further processes are lost meanwhile.
  Status meet_all() {
    Status met = meet();
    while (!met && job_.recoverable() && job_.lost_a_node()) {
      log_info("another process was lost meanwhile; joining again");
      LEEWAY_TRY(join_again());
      met = meet();
    }
    return met;
  }

  /// All agree in which run, and from which of its snapshots, they continue.
  Status meet() {
    if (job_.is_replacement() && !position_.lost_at) position_.lost_at = SteadyClock().now();
    const bool knows_run = !job_.is_replacement() || position_.target > 0;
    job_.note_rejoined();
    return with_group(job_, [&](Group& group) -> Status {
      const Instant now = SteadyClock().now();
      KnownPosition mine{.since_loss = now - *position_.lost_at};
      if (knows_run) {
        mine.run = std::max(position_.run, position_.target);
        mine.base_of = position_.base_of;
        mine.base = position_.base;
      }
      const std::vector<KnownPosition> all = group.share(mine);
      std::uint32_t target = 1;  // if no process is left, all begin with their first run
      for (const KnownPosition& each : all) {
        target = std::max(target, each.run);
        position_.lost_at = std::min(*position_.lost_at, now - each.since_loss);
      }
      const auto guide = std::find_if(all.begin(), all.end(), [&](const KnownPosition& each) {
        return each.run == target && each.base_of == target;
      });
      position_.target = target;
      position_.resume.clear();
      if (guide == all.end()) return {};
      position_.base = guide->base;
      position_.base_of = target;
      const NodeId from(static_cast<std::uint32_t>(guide - all.begin()));
      const std::uint64_t newest = group.broadcast(newest_valid(), from);
      if (newest > position_.base) position_.resume = snapshot::folder_of(run_.folder, newest);
      if (group.self() == NodeId(0)) {
        log_info("a lost process was replaced; continuing from {}",
                 position_.resume.empty() ? "the beginning of the run" : position_.resume);
      }
      return {};
    });
  }

  [[nodiscard]] std::uint64_t newest_valid() const {
    if (newest_in(run_.folder) <= position_.base) return 0;
    const auto source = snapshot::Source::open(run_.folder);
    return source ? source->manifest().number : 0;
  }

  const RecoverableRun& run_;
  Job& job_;
  Job::RunPosition& position_;
};

}  // namespace

void RunAttempt::resume_in(Saving& saving) const {
  if (!resume.empty()) saving.resume = resume;
}

Status RunAttempt::resume_in(RunOptions& options) const {
  if (resume.empty()) return {};
  if (is_unopened(options)) {
    options.saving.resume = resume;
    return {};
  }
  LEEWAY_ASSIGN(snapshot::Source source, snapshot::Source::open(resume));
  options.resume = std::make_shared<const snapshot::Source>(std::move(source));
  return {};
}

Status run_recoverably(const RecoverableRun& run) {
  Job* const job = run.job;
  if (job == nullptr || !job->replaces_lost() || job->position().within) return run.attempt({});
  return Recovery(run).run();
}

Error needs_restart(NodeId self, std::string what) {
  return {ErrorKind::Peer, format("node {}", self), std::move(what), "the whole job starts again"};
}

void note_computing(Job* job) {
  if (job == nullptr) return;
  Job::RunPosition& position = job->position();
  if (const auto lost_at = std::exchange(position.lost_at, std::nullopt))
    position.recovering += SteadyClock().now() - *lost_at;
}

void note_recoveries(Job* job, Record& record) {
  if (job == nullptr) return;
  record.recoveries = job->generation();
  record.recovery_seconds = seconds(job->position().recovering);
}

}  // namespace leeway
