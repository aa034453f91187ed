// A thread's reads through a bounded cache that evicts by announced reads (Eviction::Known).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dsm/space.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

/// Announces the first read of every copy, before any thread reads.
inline void announce_first_reads(Space& space, const LocalGraph& graph) {
  std::vector<NextRead> reads;
  for (std::uint32_t i = 0; i < graph.copy_count(); ++i) {
    const std::uint32_t copy = graph.local_count() + i;
    reads.push_back({Handle(copy), graph.next_reader(copy, 0)});
  }
  space.announce(reads, {}, {});
}

/// Divides the vertices into windows. When a thread has finished one, announces when its copies are read again, and finds
/// the misses of the window after the next one, so that they arrive meanwhile. Used by one thread.
class AnnouncedReads {
 public:
  /// Of a window.
  struct Limits {
    /// 1: only some vertices run; which one follows depends on values.
    std::uint32_t vertices = 1;
    std::size_t copies = 1;  ///< different ones; a vertex that reads more is a window by itself
  };

  AnnouncedReads(const LocalGraph& graph, Space& space, const Limits& limits)
      : graph_(graph), space_(space), limits_(limits) {}
  ~AnnouncedReads() {
    const std::optional<std::uint32_t> from = position();
    if (!from) return;
    announced_.clear();
    close(present_, present_.end);
    close(coming_, coming_.begin);
    space_.announce(announced_, from, {});
  }
  AnnouncedReads(const AnnouncedReads&) = delete;
  AnnouncedReads& operator=(const AnnouncedReads&) = delete;

  /// The vertex whose copies are read next. Returns the copies to request before.
  std::span<const Handle> go_on_to(std::uint32_t local) {
    missing_.clear();
    if (present_.contains(local)) return missing_;
    const std::optional<std::uint32_t> from = position();
    announced_.clear();
    close(present_, present_.end);
    if (coming_.contains(local)) {
      std::swap(present_, coming_);
    } else {
      close(coming_, coming_.begin);
      open(present_, local);
    }
    if (limits_.vertices > 1 && present_.end < graph_.local_count()) open(coming_, present_.end);
    space_.announce(announced_, from, position());
    return missing_;
  }

 private:
  /// Adjacent vertices, and the copies that they read.
  struct ReadWindow {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> copies;

    [[nodiscard]] bool contains(std::uint32_t local) const { return local >= begin && local < end; }
  };

  /// Where the thread reads; none before it begins.
  [[nodiscard]] std::optional<std::uint32_t> position() const {
    if (present_.begin == present_.end) return std::nullopt;
    return present_.begin;
  }
  void open(ReadWindow& window, std::uint32_t begin) {
    const std::uint32_t end = std::min(begin + limits_.vertices, graph_.local_count());
    window.begin = window.end = begin;
    while (window.end < end && window.copies.size() < limits_.copies) {
      const std::uint32_t v = window.end++;
      graph_.each_copy(v, [&](std::uint32_t copy) {
        const bool is_first_read = graph_.next_reader(copy, begin) == v;
        if (!is_first_read) return;
        window.copies.push_back(copy);
        if (space_.age(MetIndex(copy - space_.local_handles())) != Space::kUnusable) return;
        missing_.emplace_back(copy);
        announced_.push_back({Handle(copy), v});
      });
    }
  }
  /// Empties a window whose copies are read next at `from` or later.
  void close(ReadWindow& window, std::uint32_t from) {
    for (const std::uint32_t copy : window.copies)
      announced_.push_back({Handle(copy), graph_.next_reader(copy, from)});
    window.copies.clear();
    window.begin = window.end;
  }

  const LocalGraph& graph_;
  Space& space_;
  const Limits limits_;
  ReadWindow present_;
  ReadWindow coming_;
  std::vector<Handle> missing_;
  std::vector<NextRead> announced_;
};

}  // namespace leeway
