// Finding the misses of the next vertices, so that they are requested together (ReadAhead).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/vertex/kernel.h"

namespace leeway {

/// For Eviction::Known: announces the first read of every copy, before any thread reads.
void announce_first_reads(Space& space, const LocalGraph& graph);

/// Finds the misses of the vertices that a thread updates next. Used by one thread.
class ReadAhead {
 public:
  explicit ReadAhead(const SweepContext& context);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The copies to request before this vertex is updated. Requires that the context looks ahead.
  std::span<const Handle> before(std::uint32_t local);
  /// Those that these vertices read.
  std::span<const Handle> missing_of(std::span<const std::uint32_t> vertices);

 private:
  class AnnouncedReads;

  /// Collects the copies that the vertex reads and that are unusable.
  void find_missing(std::uint32_t local);

  const SweepContext& context_;
  const std::size_t most_;
  std::uint32_t looked_from_ = 0;
  std::uint32_t looked_until_ = 0;
  std::vector<Handle> missing_;
  std::unique_ptr<AnnouncedReads> announced_;  // for a cache that evicts by announced reads
};

}  // namespace leeway
