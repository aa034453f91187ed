// Reading of snapshots, to resume from them or to inspect them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/manifest.h"
#include "snapshot/recorder.h"

namespace leeway::snapshot {

/// A snapshot to resume from or to inspect: found, checked completely, and read part by part.
/// Immutable once opened.
class Source {
 public:
  /// `path`: one snapshot, or a folder of snapshots, of which the newest valid one is used, with a
  /// warning for each invalid one. Reads and checks every part. If no snapshot is valid, an Input
  /// error for the newest.
  static Result<Source> open(const std::string& path);
  /// Like `open`, for a run of `job`: an Input error if the snapshot belongs to another job.
  static Result<Source> open_for(const std::string& path, const Identity& job);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// The snapshot's own folder.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// What a supervisor has recorded in the folder: number of restarts, and seconds of lost work.
  [[nodiscard]] std::uint32_t restarts() const { return restarts_; }
  [[nodiscard]] double lost_seconds() const { return lost_seconds_; }

  /// The states of these vertices, in the order of `vertices`. An Input error if the size of a
  /// state differs, or if a vertex is missing in the snapshot.
  Result<std::vector<std::byte>> states_of(std::span<const std::uint32_t> vertices,
                                           std::size_t size) const;
  /// Passes every part to `take`, with one at a time in memory. An Input error if a part has
  /// changed since.
  Status each_part(const std::function<Status(const Part&)>& take) const;

 private:
  static Result<Source> open_one(const std::string& path);
  void read_restarts(const std::string& folder);

  std::string path_;
  Manifest manifest_;
  std::uint32_t restarts_ = 0;
  double lost_seconds_ = 0;
};

/// Records a restart from the folder's snapshots, with the seconds of lost work.
Status note_restart(const std::string& folder, double lost_seconds, const std::string& why);

}  // namespace leeway::snapshot
