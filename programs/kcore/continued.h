// ContinuedCores: core numbers after changes of the graph, from those before them. In the first stage estimates fall, as in CoreNumbers,
// from the ends of removed arcs: to the largest numbers up to the old ones that the new graph supports. Then rounds of two stages follow,
// in which numbers rise by one. The first marks candidates (after the traversal of Sariyüce et al., 2013, here from all added arcs
// together). A candidate has more neighbours that may be in the next core than its own number, and it is an end of an added arc, has
// risen, has a neighbour that has risen to its number or one above it, or has a marked neighbour of the same number. In the second,
// candidates without enough neighbours drop out. A vertex that can rise is always found: a set of equal vertices that none of this
// touches would have been a higher core before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leeway/vertex.h"
#include "programs/kcore/vertex.h"

namespace leeway {

/// A vertex before the changes.
struct OldCore {
  std::uint32_t core = 0;
  bool loses = false;  ///< it is an end of a removed arc
  bool gains = false;  ///< of an added one
};

struct RisingCore {
  std::uint32_t core = 0;
  std::uint32_t stage = 0;  ///< in which this value was stored
  std::uint16_t marked =
      0;                    ///< is a candidate of this round, or has risen if a later one has begun
  std::uint16_t risen = 0;  ///< in the last round
  friend bool operator==(const RisingCore&, const RisingCore&) = default;
};

class ContinuedCores {
 public:
  using Value = RisingCore;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kDropLoops = true;
  static constexpr bool kAlwaysRests = true;

  void settle(const LocalGraph& here) { old_ = here.records<OldCore>(); }
  [[nodiscard]] RisingCore init(const LocalVertex& v) const { return {.core = old_[v.local].core}; }
  [[nodiscard]] bool starts(const LocalVertex& v, const RisingCore& value) const {
    if (stage_ == 0) return old_[v.local].loses;
    return marks() ? old_[v.local].gains || has_risen(value) : is_candidate(value);
  }
  [[nodiscard]] bool concerns(const RisingCore& changed, double, const RisingCore& reader) const {
    const std::uint32_t core = core_of(changed);
    if (stage_ == 0) return core < reader.core;
    if (!marks()) return is_candidate(reader) && core == reader.core;
    if (reader.marked != 0 && reader.stage == stage_) return false;
    return core_of(reader) == core || (has_risen(changed) && core_of(reader) + 1 == core);
  }
  [[nodiscard]] RisingCore update(const Vertex<RisingCore>& vertex) const {
    RisingCore own = vertex.value();
    if (stage_ == 0) {
      own.core = supported_core(vertex, own.core, [](const RisingCore& from) { return from.core; });
    } else if (marks()) {
      mark(vertex, own);
    } else if (is_candidate(own) && supporters(vertex, own.core + 1) <= own.core) {
      own = {.core = own.core, .stage = stage_};
    }
    return own;
  }
  [[nodiscard]] std::uint32_t result(const Vertex<RisingCore>& vertex) const {
    return vertex.value().core;
  }

  void enter(std::uint32_t stage) { stage_ = stage; }
  [[nodiscard]] static std::uint32_t stage_of(const RisingCore& value) { return value.stage; }
  /// The candidates of a round, then those that have risen.
  [[nodiscard]] std::uint64_t left(LocalVertex, const RisingCore& value) const {
    return (marks() ? value.marked != 0 && value.stage == stage_ : is_candidate(value)) ? 1 : 0;
  }
  [[nodiscard]] std::optional<std::uint32_t> next_stage(std::uint64_t sum) const {
    return stage_ == 0 || sum > 0 ? std::optional(stage_ + 1) : std::nullopt;
  }
  [[nodiscard]] RisingCore begin(LocalVertex, const RisingCore& last) const {
    if (!marks() || last.marked == 0 || last.stage + 2 != stage_) return last;
    return {.core = last.core + 1, .stage = stage_, .risen = 1};
  }

 private:
  [[nodiscard]] bool marks() const { return stage_ % 2 == 1; }
  /// In the second stage of a round: it has been marked in the first and has not dropped out.
  [[nodiscard]] bool is_candidate(const RisingCore& value) const {
    return value.marked != 0 && value.stage + 1 == stage_;
  }
  /// In the first stage. A copy may still show the candidate that has risen.
  [[nodiscard]] bool has_risen(const RisingCore& value) const {
    return (value.risen != 0 && value.stage == stage_) ||
           (value.marked != 0 && value.stage + 2 == stage_);
  }
  /// The core that the vertex has, or has as a candidate.
  [[nodiscard]] std::uint32_t core_of(const RisingCore& value) const {
    return value.core + (value.marked != 0 && value.stage < stage_ ? 1 : 0);
  }
  [[nodiscard]] std::size_t supporters(const Vertex<RisingCore>& vertex, std::uint32_t core) const {
    std::size_t count = 0;
    vertex.each([&](const RisingCore& from) { count += core_of(from) >= core ? 1 : 0; });
    return count;
  }
  void mark(const Vertex<RisingCore>& vertex, RisingCore& own) const {
    if (own.marked != 0 && own.stage == stage_) return;
    bool touched = old_[vertex.local()].gains || has_risen(own);
    std::size_t not_below = 0;
    vertex.each([&](const RisingCore& from) {
      const std::uint32_t core = core_of(from);
      not_below += core >= own.core ? 1 : 0;
      touched = touched || (has_risen(from) && (core == own.core || core == own.core + 1)) ||
                (from.marked != 0 && from.stage == stage_ && core == own.core);
    });
    if (!touched || not_below <= own.core) return;
    own = {.core = own.core,
           .stage = stage_,
           .marked = 1,
           .risen = static_cast<std::uint16_t>(has_risen(own) ? 1 : 0)};
  }

  std::uint32_t stage_ = 0;
  std::span<const OldCore> old_;
};

}  // namespace leeway
