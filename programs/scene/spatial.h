// Spatial simulations under the piece engine: the piece program for things that interact within a distance, the fish
// school and the n-body benchmark of AsyTick, and the types of their results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "leeway/piece.h"
#include "programs/scene/scenes.h"

namespace leeway::piece {

/// Virtual compute time in picoseconds.
struct Prices {
  std::uint64_t pair = 10'000;   ///< effect of one thing on another
  std::uint64_t thing = 60'000;  ///< next state of a thing
  std::uint64_t look = 5'000;    ///< sorting or skipping an arrived thing
};

/// The initial state and the receiver of checkpoints. Things are in the order of the result.
template <class Thing>
struct PieceEnds {
  const std::vector<Thing>* from = nullptr;  ///< null: the job's initial state
  std::uint32_t every = 0;                   ///< ticks between calls of `keep`; 0: never
  std::function<void(TickId, const std::vector<Thing>&)> keep;
};

/// The engine's options; `things_of` converts checkpoints to things.
template <class Thing, class ThingsOf>
[[nodiscard]] PieceOptions with_keeper(const PieceOptions& options, const PieceEnds<Thing>& ends,
                                       ThingsOf things_of) {
  PieceOptions keeping = options;
  keeping.keep_every = ends.every;  // also on processes that only send their part
  keeping.keep = [keep = ends.keep, things_of](TickId tick,
                                               std::span<const std::vector<std::byte>> pieces) {
    if (keep) keep(tick, things_of(pieces));
  };
  return keeping;
}

template <class Thing>
[[nodiscard]] std::vector<Thing> things_by_id(std::span<const std::vector<std::byte>> pieces) {
  std::vector<Thing> things = objects_of<Thing>(pieces);
  std::sort(things.begin(), things.end(),
            [](const Thing& a, const Thing& b) { return a.id < b.id; });
  return things;
}

template <class Thing>
struct SimulationResult {
  std::vector<Thing> things;  ///< after the last tick, by id
  /// (tick, all things by id) for each requested tick.
  std::vector<std::pair<std::uint32_t, std::vector<Thing>>> frames;
  PieceRecord record;
};

template <class Thing>
[[nodiscard]] SimulationResult<Thing> simulation_of(PieceResult run, bool frames) {
  SimulationResult<Thing> simulation;
  for (const TickValues& snapshot : run.snapshots) {
    std::vector<Thing> things = things_by_id<Thing>(snapshot.pieces);
    if (frames) simulation.frames.emplace_back(snapshot.tick.value(), things);
    simulation.things = std::move(things);
  }
  simulation.record = std::move(run.record);
  return simulation;
}

/// Piece program for things in a plane that affect each other within a distance: the fish of AsyTick's Algorithm 3
/// and the bodies of its n-body benchmark. A law defines the things and their interaction:
///
///   using Thing = …; using Sum = …;                     // a thing has x and y
///   Box space() const; double visibility() const; double reach() const;
///   void add(const Thing& to, const Thing& from, Sum& sum) const;   // in any order
///   Thing next(const Thing& thing, const Sum& sum) const;
///   Prices prices() const;                              // virtual compute time
///
/// A thing belongs to the piece that contains its position. When it moves to another piece, that piece inserts it
/// from what the old piece diffuses. Arrivals are sorted into cells at least as wide as the visibility, so each is
/// compared with the nine surrounding cells only.
template <class Law>
class Spatial {
 public:
  using Object = typename Law::Thing;
  using Partial = typename Law::Sum;

  /// The things that arrived so far, in one list per cell.
  struct Scratch {
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    struct Seen {
      Object object;
      std::uint32_t own = kNone;  ///< its index in the piece's objects
      std::uint32_t next = kNone;
    };
    std::uint32_t columns = 0;
    std::uint32_t rows = 0;
    double left = 0;
    double bottom = 0;
    double per_cell_x = 0;
    double per_cell_y = 0;
    std::vector<std::uint32_t> heads;
    std::vector<Seen> seen;
  };

  Spatial(const Law& law, SpacePieces pieces, const std::vector<Object>& things)
      : law_(law), pieces_(std::move(pieces)), first_(pieces_.layout().count()) {
    for (const Object& thing : things)
      first_[pieces_.at(thing.x, thing.y).index()].push_back(thing);
    // Rounding may put a thing on a border to either side of it.
    slack_ = 1e-9 * (law_.space().width() + law_.space().height());
  }

  [[nodiscard]] const PieceLayout& layout() const { return pieces_.layout(); }
  [[nodiscard]] std::vector<Object> load(PieceId piece) const { return first_[piece.index()]; }
  [[nodiscard]] bool concerns(const Object& thing, PieceId to) const {
    return pieces_.near(to, thing.x, thing.y, law_.visibility() + slack_);
  }

  void process(Piece<Spatial>& piece) const {
    const auto got = piece.get();
    std::uint64_t pairs = 0;
    for (const Object& thing : got.objects) {
      if (concerns(thing, piece.id())) pairs += take(piece, thing);
    }
    const Prices prices = law_.prices();
    piece.charge({.picoseconds = pairs * prices.pair + got.objects.size() * prices.look});
    if (!piece.barrier()) return;
    const auto& own = piece.objects();
    const auto next = piece.next(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) next[i] = law_.next(own[i], piece.update(i));
    piece.charge({.picoseconds = own.size() * prices.thing});
    piece.diffuse();
  }

 private:
  using This = Piece<Spatial>;

  /// Creates cells for the region and its surroundings up to the visibility; cells are at least as wide as the
  /// visibility.
  void lay_cells(PieceId piece, Scratch& cells) const {
    constexpr double kMostCells = 1024;
    const double margin = law_.visibility() + 2 * slack_;
    const Box& region = pieces_.region(piece);
    const double width = region.width() + 2 * margin;
    const double height = region.height() + 2 * margin;
    const auto count = [&](double size) {
      return std::clamp(static_cast<double>(static_cast<std::int64_t>(size / law_.visibility())),
                        1.0, kMostCells);
    };
    cells.left = region.left - margin;
    cells.bottom = region.bottom - margin;
    cells.per_cell_x = count(width) / width;
    cells.per_cell_y = count(height) / height;
    cells.columns = static_cast<std::uint32_t>(count(width));
    cells.rows = static_cast<std::uint32_t>(count(height));
    cells.heads.assign(std::size_t{cells.columns} * cells.rows, Scratch::kNone);
  }
  static std::uint32_t slot(double offset, double per_cell, std::uint32_t count) {
    const double place = offset * per_cell;
    if (!(place > 0)) return 0;
    return place < count ? static_cast<std::uint32_t>(place) : count - 1;
  }

  /// Combines a thing with all that arrived before; returns the number of effects added.
  std::uint64_t take(This& piece, const Object& thing) const {
    Scratch& cells = piece.scratch();
    if (cells.columns == 0) lay_cells(piece.id(), cells);
    const std::uint32_t column = slot(thing.x - cells.left, cells.per_cell_x, cells.columns);
    const std::uint32_t row = slot(thing.y - cells.bottom, cells.per_cell_y, cells.rows);
    const bool own = pieces_.at(thing.x, thing.y) == piece.id();
    typename Scratch::Seen entry{.object = thing};
    if (own) entry.own = static_cast<std::uint32_t>(piece.insert(thing));
    std::uint64_t pairs = 0;
    for (std::uint32_t r = row == 0 ? 0 : row - 1; r <= std::min(row + 1, cells.rows - 1); ++r) {
      for (std::uint32_t c = column == 0 ? 0 : column - 1;
           c <= std::min(column + 1, cells.columns - 1); ++c) {
        for (std::uint32_t at = cells.heads[r * cells.columns + c]; at != Scratch::kNone;
             at = cells.seen[at].next) {
          pairs += meet(piece, cells.seen[at], entry);
        }
      }
    }
    std::uint32_t& head = cells.heads[row * cells.columns + column];
    entry.next = head;
    head = static_cast<std::uint32_t>(cells.seen.size());
    cells.seen.push_back(entry);
    return pairs;
  }

  /// Adds the effects between two things in neighbouring cells, for those that belong to this piece.
  std::uint64_t meet(This& piece, const typename Scratch::Seen& one,
                     const typename Scratch::Seen& other) const {
    std::uint64_t pairs = 0;
    if (one.own != Scratch::kNone) {
      law_.add(one.object, other.object, piece.update(one.own));
      ++pairs;
    }
    if (other.own != Scratch::kNone) {
      law_.add(other.object, one.object, piece.update(other.own));
      ++pairs;
    }
    return pairs;
  }

  Law law_;
  SpacePieces pieces_;
  std::vector<std::vector<Object>> first_;
  double slack_ = 0;
};

/// A simulation of things in a plane.
template <class Model, class Thing>
struct SpatialJob {
  Model model;
  std::vector<Thing> things;
  std::uint32_t pieces = 16;  ///< per worker
  Prices prices;
};

/// AsyTick's first benchmark: Couzin's school of fish, as in Algorithm 3.
using FishJob = SpatialJob<scene::FishModel, scene::Fish>;
/// AsyTick's n-body benchmark: bodies that attract each other up to a cut-off distance.
using NBodyJob = SpatialJob<scene::NBodyModel, scene::Body>;

/// Instantiated for FishJob and NBodyJob. The result is bitwise equal to reference::fish_after or bodies_after on any number
/// of nodes and in all four systems. Returns an Input error for invalid things or zero pieces.
template <class Model, class Thing>
Result<SimulationResult<Thing>> run_spatial(const SpatialJob<Model, Thing>& job,
                                            const ClusterOptions& cluster,
                                            const PieceOptions& options,
                                            const PieceEnds<Thing>& ends = {});

}  // namespace leeway::piece
