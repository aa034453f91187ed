#include "programs/jacobi/piece.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "leeway/piece.h"

namespace leeway::piece {

namespace {

using scene::Plate;

/// The sides of a block, as directions to its neighbours.
enum Side : std::size_t { Above, Below, Left, Right, kSides };
constexpr Side opposite(Side side) { return static_cast<Side>(side ^ 1U); }

/// Cells [left, right) × [top, bottom) of the plate.
struct Block {
  std::uint32_t left = 0, right = 0, top = 0, bottom = 0;

  [[nodiscard]] std::size_t width() const { return right - left; }
  [[nodiscard]] std::size_t height() const { return bottom - top; }
  [[nodiscard]] std::size_t cells() const { return width() * height(); }
};

/// The grid of blocks that divides the plate.
class Blocks {
 public:
  Blocks(const Plate& plate, std::uint32_t workers, std::uint32_t pieces) {
    const double aspect = static_cast<double>(plate.columns) / static_cast<double>(plate.rows);
    const auto [parts, within] = piece_grid(aspect, workers, pieces);
    columns_ = std::min(parts.columns * within.columns, plate.columns);
    rows_ = std::min(parts.rows * within.rows, plate.rows);
    std::vector<NodeId> homes;
    std::vector<std::vector<PieceId>> needs(std::size_t{columns_} * rows_);
    for (std::uint32_t row = 0; row < rows_; ++row) {
      for (std::uint32_t column = 0; column < columns_; ++column) {
        const auto cut = [](std::uint64_t size, std::uint64_t at, std::uint64_t count) {
          return static_cast<std::uint32_t>(size * at / count);
        };
        blocks_.push_back({.left = cut(plate.columns, column, columns_),
                           .right = cut(plate.columns, column + 1, columns_),
                           .top = cut(plate.rows, row, rows_),
                           .bottom = cut(plate.rows, row + 1, rows_)});
        homes.emplace_back(cut(parts.rows, row, rows_) * parts.columns +
                           cut(parts.columns, column, columns_));
        auto& mine = needs[row * columns_ + column];
        if (row > 0) mine.emplace_back((row - 1) * columns_ + column);
        if (column > 0) mine.emplace_back(row * columns_ + column - 1);
      }
    }
    layout_ = PieceLayout(std::move(homes), needs);
  }

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] const Block& operator[](PieceId piece) const { return blocks_[piece.index()]; }
  /// The side of `piece` at which its neighbour `other` is.
  [[nodiscard]] Side side(PieceId piece, PieceId other) const {
    if (other.value() == piece.value() + columns_) return Below;
    if (piece.value() == other.value() + columns_) return Above;
    return other.value() > piece.value() ? Right : Left;
  }

 private:
  std::uint32_t columns_ = 1;
  std::uint32_t rows_ = 1;
  std::vector<Block> blocks_;
  PieceLayout layout_;
};

/// Copies the cells at one side of a block.
void copy_edge(const Block& block, std::span<const double> heat, Side side,
               std::vector<double>& out) {
  const std::size_t width = block.width();
  const std::size_t last = block.height() - 1;
  if (side == Above || side == Below) {
    const auto row = heat.subspan(side == Above ? 0 : last * width, width);
    out.insert(out.end(), row.begin(), row.end());
    return;
  }
  const std::size_t column = side == Left ? 0 : width - 1;
  for (std::size_t row = 0; row <= last; ++row) out.push_back(heat[row * width + column]);
}

class JacobiPieces {
 public:
  using Object = double;
  struct Partial {};
  /// The neighbours' cells beyond each side.
  struct Scratch {
    std::array<std::vector<double>, kSides> beyond;
  };

  /// `from`: the initial plate, which must outlive this object; null: the plate of the job.
  JacobiPieces(const JacobiJob& job, std::uint32_t workers, const std::vector<double>* from)
      : job_(job), from_(from), blocks_(job.plate, workers, job.pieces) {}

  [[nodiscard]] const Blocks& blocks() const { return blocks_; }
  [[nodiscard]] const PieceLayout& layout() const { return blocks_.layout(); }

  [[nodiscard]] std::vector<double> load(PieceId piece) const {
    const Block& block = blocks_[piece];
    std::vector<double> heat;
    heat.reserve(block.cells());
    for (std::uint32_t row = block.top; row < block.bottom; ++row) {
      for (std::uint32_t column = block.left; column < block.right; ++column)
        heat.push_back(first_heat(column, row));
    }
    return heat;
  }

  /// To another worker: a bit set of the sides that follow, and their cells.
  void spread(PieceId from, std::span<const double> heat, std::span<const PieceId> to,
              std::vector<double>& out) const {
    std::uint32_t sides = 0;
    for (const PieceId other : to) sides |= 1U << blocks_.side(from, other);
    out.push_back(sides);
    for (std::size_t side = 0; side < kSides; ++side) {
      if ((sides >> side & 1U) != 0) copy_edge(blocks_[from], heat, static_cast<Side>(side), out);
    }
  }

  /// True for data that `spread` makes, or for a whole block.
  [[nodiscard]] bool accepts(PieceId from, bool whole, std::span<const double> objects) const {
    const Block& block = blocks_[from];
    if (whole) return objects.size() == block.cells();
    if (objects.empty() || !(objects.front() >= 1 && objects.front() < 1U << kSides)) return false;
    const auto sides = static_cast<std::uint32_t>(objects.front());
    std::size_t cells = 1;
    for (std::size_t side = 0; side < kSides; ++side) {
      if ((sides >> side & 1U) == 0) continue;
      cells += side == Above || side == Below ? block.width() : block.height();
    }
    return sides == objects.front() && objects.size() == cells;
  }

  void process(Piece<JacobiPieces>& piece) const {
    const auto got = piece.get();
    if (got.from == piece.id()) {
      relax_inside(piece);
    } else {
      const Side side = blocks_.side(piece.id(), got.from);
      auto& beyond = piece.scratch().beyond[side];
      if (got.whole) {
        copy_edge(blocks_[got.from], got.objects, opposite(side), beyond);
      } else {
        pick(got, opposite(side), beyond);
      }
    }
    if (!piece.barrier()) return;
    relax_edge(piece);
    piece.diffuse();
  }

  [[nodiscard]] double change(double before, double now) const { return std::abs(now - before); }
  [[nodiscard]] bool may_terminate() const { return job_.tolerance.has_value(); }
  [[nodiscard]] bool measures(TickId tick) const {
    return may_terminate() || (job_.measure > 0 && (tick.value() + 1) % job_.measure == 0);
  }
  [[nodiscard]] bool termination(TickId, double change) const {
    return change <= job_.tolerance.value_or(-1);
  }

  /// The whole plate in row-major order.
  [[nodiscard]] std::vector<double> plate_of(std::span<const std::vector<std::byte>> pieces) const {
    std::vector<double> plate(job_.plate.cells());
    for (PieceId piece(0); piece.value() < layout().count(); piece = piece.next()) {
      const Block& block = blocks_[piece];
      const std::vector<double> heat = objects_of<double>(pieces.subspan(piece.index(), 1));
      for (std::size_t row = 0; row < block.height(); ++row) {
        std::copy_n(&heat[row * block.width()], block.width(),
                    &plate[(block.top + row) * job_.plate.columns + block.left]);
      }
    }
    return plate;
  }

 private:
  using This = Piece<JacobiPieces>;

  [[nodiscard]] double first_heat(std::uint32_t column, std::uint32_t row) const {
    if (from_ != nullptr) return (*from_)[std::size_t{row} * job_.plate.columns + column];
    return scene::first_heat(job_.plate, column, row, job_.seed);
  }

  /// Extracts one side from the data that another worker's block has spread.
  void pick(const Got<double>& got, Side requested, std::vector<double>& out) const {
    const Block& block = blocks_[got.from];
    const auto sides = static_cast<std::uint32_t>(got.objects.front());
    std::size_t at = 1;
    for (std::size_t side = 0; side < kSides; ++side) {
      if ((sides >> side & 1U) == 0) continue;
      const std::size_t cells = side == Above || side == Below ? block.width() : block.height();
      if (side == requested) {
        const auto edge = got.objects.subspan(at, cells);
        out.assign(edge.begin(), edge.end());
        return;
      }
      at += cells;
    }
    LEEWAY_UNREACHABLE("a side was not sent", got.from);
  }

  void relax_inside(This& piece) const {
    const Block& block = blocks_[piece.id()];
    const std::span<const double> heat = piece.before();
    const std::span<double> next = piece.next(block.cells());
    const std::size_t width = block.width();
    if (block.height() < 3 || width < 3) return;
    for (std::size_t row = 1; row + 1 < block.height(); ++row) {
      const double* const here = heat.data() + row * width + 1;
      scene::relax_row(here - width, here, here + width, &next[row * width + 1], width - 2);
    }
    if (measures(piece.tick())) {
      for (std::size_t row = 1; row + 1 < block.height(); ++row) {
        for (std::size_t i = row * width + 1; i + 1 < (row + 1) * width; ++i)
          piece.note(change(heat[i], next[i]));
      }
    }
    piece.charge({.picoseconds = (block.height() - 2) * (width - 2) * job_.cell_ps});
  }

  void relax_edge(This& piece) const {
    const Block& block = blocks_[piece.id()];
    const std::size_t last = block.height() - 1;
    std::uint64_t cells = 0;
    for (std::size_t row = 0; row <= last; ++row) {
      const bool whole = row == 0 || row == last || block.width() < 3;
      for (std::size_t column = 0; column < block.width();
           column += whole ? 1 : block.width() - 1) {
        relax_cell(piece, column, row);
        ++cells;
      }
    }
    piece.charge({.picoseconds = cells * job_.cell_ps});
  }

  void relax_cell(This& piece, std::size_t column, std::size_t row) const {
    const Block& block = blocks_[piece.id()];
    const std::size_t width = block.width();
    const std::span<const double> heat = piece.before();
    const std::size_t at = row * width + column;
    double now = heat[at];
    if (!job_.plate.rim(block.left + static_cast<std::uint32_t>(column),
                        block.top + static_cast<std::uint32_t>(row))) {
      const auto& beyond = piece.scratch().beyond;
      const double west = column == 0 ? beyond[Left][row] : heat[at - 1];
      const double east = column + 1 == width ? beyond[Right][row] : heat[at + 1];
      const double above = row == 0 ? beyond[Above][column] : heat[at - width];
      const double below = row + 1 == block.height() ? beyond[Below][column] : heat[at + width];
      now = ((west + east) + (above + below)) * 0.25;
    }
    piece.set(at, now);
  }

  JacobiJob job_;
  const std::vector<double>* from_;
  Blocks blocks_;
};

}  // namespace

Result<JacobiResult> run_jacobi(const JacobiJob& job, const ClusterOptions& cluster,
                                const PieceOptions& options, const PieceEnds<double>& ends) {
  if (job.plate.cells() == 0) {
    return fail(input_error(
        "--plate", format("a plate of {} x {} cells is empty", job.plate.columns, job.plate.rows),
        "give at least one column and one row"));
  }
  LEEWAY_TRY(admit_pieces(cluster.nodes, job.pieces));
  const JacobiPieces program(job, cluster.nodes, ends.from);
  const auto plate_of = [&program](std::span<const std::vector<std::byte>> pieces) {
    return program.plate_of(pieces);
  };
  LEEWAY_ASSIGN(PieceResult ran,
                run_pieces_of(program, cluster, with_keeper(options, ends, plate_of)));
  JacobiResult run{.heat = {}, .record = std::move(ran.record)};
  if (!ran.snapshots.empty()) run.heat = program.plate_of(ran.snapshots.back().pieces);
  return run;
}

}  // namespace leeway::piece
