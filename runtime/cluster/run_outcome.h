// The outcome of a completed recoverable run (recovery.h), kept for the process that may replace this one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/result.h"
#include "runtime/cluster/record.h"
#include "transport/fabric.h"

namespace leeway {

/// A run's record without the rounds of the pie engine, as bytes.
[[nodiscard]] std::vector<std::byte> archived_record(const Record& record);
/// False if the bytes are not those of a record.
[[nodiscard]] bool load_record(std::span<const std::byte> bytes, Record& record);

/// How the names begin of the files that the processes of a job leave for processes that replace lost ones. Empty: the launcher
/// replaces none.
[[nodiscard]] std::string name_of_copies();

/// A process that replaces a lost one repeats the program from its beginning. The runs that the others have completed return the
/// outcomes that the lost process has stored in the snapshot folder. Made before the run; used by its caller.
class RunOutcome {
 public:
  /// Stores nothing within another recoverable run, or in a job that replaces no process. Null: no job.
  explicit RunOutcome(Job* job);

  [[nodiscard]] bool is_stored() const { return !prefix_.empty(); }
  /// Called by the run's last successful attempt.
  Status store(std::span<const std::byte> bytes) const;
  /// Called when the run is skipped. A Peer error if the lost process has not stored it.
  [[nodiscard]] Result<std::vector<std::byte>> load() const;
  /// The same for a run's record and its values.
  template <class Values>
  Status store_run(const Record& record, const Values& values) const {
    return store(archived(std::pair(archived_record(record), values)));
  }
  template <class Values>
  Status load_run(Record& record, Values& values) const {
    LEEWAY_ASSIGN(const auto bytes, load());
    std::pair<std::vector<std::byte>, Values> stored;
    if (!load_archived(bytes, stored) || !load_record(stored.first, record))
      return fail(unreadable());
    values = std::move(stored.second);
    return {};
  }
  /// The error of a stored outcome that is missing or damaged.
  [[nodiscard]] Error unreadable() const;

 private:
  [[nodiscard]] std::string file() const;

  Job* job_;
  std::string prefix_;  // empty: not stored
};

}  // namespace leeway
