// What the nodes of a job still held when one of them was lost: each writes the states of its own vertices, and its
// copies of others', into a folder of its own beside the snapshots. No snapshot, for nobody agreed on it and some of it is
// missing: who may go on from any mixture of states that a run has had takes these instead of older ones.
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

/// Writes a node's share. `of` tells the job and the run that was under way, the parts' headers the nodes and the state's
/// size. The results of `copies` are 8 bytes each: how often its home had written the vertex.
Status write_salvaged(const std::string& folder, Manifest of, Part& own, Part& copies);

class Salvage {
 public:
  /// Those in a folder of snapshots, oldest first. A part that is damaged or missing is left out; what has none that is
  /// whole is none.
  static std::vector<Salvage> all_in(const std::string& folder);

  /// Its `parts` are empty; `number` is the time it was written at.
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Who wrote what it held, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }

  using Take = std::function<void(const Part& part)>;
  /// Of every node that wrote, unless it has changed since.
  void each_own(const Take& take) const;
  void each_copies(const Take& take) const;

 private:
  void take_in(std::uint32_t node);

  std::string path_;
  Manifest manifest_;
  std::vector<std::uint32_t> nodes_;
};

/// Removes them but for those of `run`: newer states have been made durable, or nobody will ask. Somebody else's files stay.
void remove_salvaged(const std::string& folder, std::uint64_t run);
/// Removes those of other jobs.
void remove_salvaged_of_others(const std::string& folder, const Identity& job);

// A snapshot to go on from, or to look at: found, checked as a whole, and read part by part. Immutable once opened.
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
