// Reading of snapshots. Source: a snapshot to resume from or to inspect. Salvage: the states that
// the surviving nodes of a job saved when a node was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "leeway/result.h"
#include "snapshot/manifest.h"
#include "snapshot/recorder.h"

namespace leeway::snapshot {

/// Writes a node's share of a salvage. `of`: the job and the current run; nodes and size of states
/// are taken from the parts' headers. The results of `copies` are 8 bytes each: the version of the
/// vertex.
Status write_salvaged(const std::string& folder, Manifest of, Part& own, Part& copies);

/// The states that nodes saved when a node of the job was lost: each wrote its own vertices and its
/// copies of others into a folder next to the snapshots. A salvage is not a snapshot: nodes did not
/// agree on it, and parts are missing. Runs that can resume from any mixture of states use it in
/// place of older states.
class Salvage {
 public:
  /// All salvages in a folder of snapshots, oldest first. Damaged or missing parts are ignored, and
  /// so is a salvage without a valid part.
  static std::vector<Salvage> all_in(const std::string& folder);

  /// Its `parts` are empty; `number` is the time of writing, in microseconds since 1970.
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The nodes that wrote a part, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }

  using Take = std::function<void(const Part& part)>;
  /// Passes the part of each node to `take`, unless the file has changed since.
  void each_own(const Take& take) const;
  void each_copies(const Take& take) const;

 private:
  void take_in(std::uint32_t node);

  std::string path_;
  Manifest manifest_;
  std::vector<std::uint32_t> nodes_;
};

/// Removes all salvages except those of `run`, because newer states are durable. Other files are
/// kept.
void remove_salvaged(const std::string& folder, std::uint64_t run);
/// Removes the salvages of other jobs.
void remove_salvaged_of_others(const std::string& folder, const Identity& job);

/// A snapshot to resume from or to inspect: found, checked completely, and read part by part.
/// Immutable once opened.
class Source {
 public:
  /// `path`: one snapshot, or a folder of snapshots, of which the newest valid one is used, with a
  /// warning for each invalid one. Reads and checks every part. If no snapshot is valid, an Input
  /// error for the newest.
  static Result<Source> open(const std::string& path);
  /// Like `open`, for a run of `job`: also uses salvages of the same job that are newer than the
  /// snapshot, or exist without a snapshot. An Input error if there is neither, or if the snapshot
  /// belongs to another job.
  static Result<Source> open_for(const std::string& path, const Identity& job);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// Whether there is a snapshot, or only salvages.
  [[nodiscard]] bool has_snapshot() const { return whole_; }
  /// The snapshot's own folder.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// What a supervisor has recorded in the folder: number of restarts, and seconds of lost work.
  [[nodiscard]] std::uint32_t restarts() const { return restarts_; }
  [[nodiscard]] double lost_seconds() const { return lost_seconds_; }

  /// Salvages, oldest first; their states replace older ones of the snapshot.
  [[nodiscard]] std::span<const Salvage> salvaged() const { return salvaged_; }

  /// The states of these vertices, in the order of `vertices`. An Input error if the size of a
  /// state differs, or if a vertex is missing in the snapshot.
  Result<States> states_of(std::span<const std::uint32_t> vertices, std::size_t size) const;
  /// Passes every part to `take`, with one at a time in memory. An Input error if a part has
  /// changed since.
  Status each_part(const std::function<Status(const Part&)>& take) const;

 private:
  static Result<Source> open_one(const std::string& path);
  void read_restarts(const std::string& folder);

  std::string path_;
  Manifest manifest_;
  /// Whether path_ is a snapshot. If not, path_ and manifest_ are those of the newest salvage.
  bool whole_ = true;
  std::vector<Salvage> salvaged_;
  std::uint32_t restarts_ = 0;
  double lost_seconds_ = 0;
};

/// Records a restart from the folder's snapshots, with the seconds of lost work.
Status note_restart(const std::string& folder, double lost_seconds, const std::string& why);

}  // namespace leeway::snapshot
