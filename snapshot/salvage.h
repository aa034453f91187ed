// What the nodes of a job still held when one of them was lost: each writes the states of its own vertices, and its
// copies of others', into a folder of its own beside the snapshots. No snapshot, for nobody agreed on it and some of it is
// missing: who may go on from any mixture of states that a run has had takes these instead of older ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/snapshot/manifest.h"
#include "leeway/snapshot/part.h"

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

}  // namespace leeway::snapshot
