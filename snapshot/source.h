// A snapshot to go on from, or to look at: found, checked as a whole, and read part by part. Immutable once opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/snapshot/manifest.h"
#include "leeway/snapshot/part.h"
#include "leeway/snapshot/salvage.h"

namespace leeway::snapshot {

class Source {
 public:
  /// `path`: a folder of snapshots, of which the newest that is whole is taken, with a warning for each that is not;
  /// or one snapshot. Reads and checks every part. An Input error that says what is wrong with the newest if none
  /// can be read.
  static Result<Source> open(const std::string& path);
  /// As `open`, for a run of `job`: of a folder of snapshots also what nodes of the same job held when one of them was
  /// lost since, with or without a snapshot. An Input error where there is nothing, or what there is is of another job.
  static Result<Source> open_for(const std::string& path, const Identity& job);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// Whether there is one, or only what nodes held.
  [[nodiscard]] bool has_snapshot() const { return whole_; }
  /// The snapshot's own folder.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// What a supervisor has noted in the folder of snapshots: how often the job was started again, and the work lost.
  [[nodiscard]] std::uint32_t restarts() const { return restarts_; }
  [[nodiscard]] double lost_seconds() const { return lost_seconds_; }

  /// What nodes held, oldest first, in place of the snapshot's older states.
  [[nodiscard]] std::span<const Salvage> salvaged() const { return salvaged_; }

  /// What these vertices' states were, in the order of `vertices`. An Input error if a state has another size, or a
  /// vertex is not in the snapshot that there is.
  Result<States> states_of(std::span<const std::uint32_t> vertices, std::size_t size) const;
  /// Gives every part to `take`, one at a time in memory. An Input error if one has changed since.
  Status each_part(const std::function<Status(const Part&)>& take) const;

 private:
  static Result<Source> open_one(const std::string& path);
  void read_restarts(const std::string& folder);

  std::string path_;
  Manifest manifest_;
  bool whole_ =
      true;  // path_ is a snapshot's; else there is none, and the manifest is that of what was held
  std::vector<Salvage> salvaged_;
  std::uint32_t restarts_ = 0;
  double lost_seconds_ = 0;
};

/// Notes that a job was started again from the folder's snapshots, so many seconds of its work lost.
Status note_restart(const std::string& folder, double lost_seconds, const std::string& why);

}  // namespace leeway::snapshot
