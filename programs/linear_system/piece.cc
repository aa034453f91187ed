#include "programs/linear_system/piece.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "base/format.h"
#include "leeway/piece.h"
#include "programs/heat/linear_problem.h"
#include "runtime/graph/division.h"

namespace leeway::piece {

namespace {

/// Ends a run whose values change by this multiple of their initial size: rounding errors of that size leave no digit.
constexpr double kDiverged = 1e20;

/// The rows of a matrix, divided into pieces, and the columns of each piece that each other piece refers to.
class RowPieces {
 public:
  RowPieces(const Graph& matrix, const Partition& parts, std::uint32_t pieces_a_worker)
      : rows_(matrix, parts, pieces_a_worker),
        places_(rows_.places()),
        needs_(rows_.count()),
        columns_(rows_.count()) {
    std::vector<std::uint32_t> taken_by(matrix.vertex_count(), kNone);
    for (PieceId piece(0); piece.index() < rows_.count(); piece = piece.next())
      find_columns(matrix, piece, taken_by);
    layout_ = PieceLayout(rows_.homes(), needs_);
  }

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  /// In ascending order.
  [[nodiscard]] std::span<const VertexId> rows(PieceId piece) const { return rows_.of(piece); }
  [[nodiscard]] PieceId piece_of(VertexId row) const { return PieceId(places_.piece[row.index()]); }
  /// The index of a row in its piece.
  [[nodiscard]] std::uint32_t place_of(VertexId row) const { return places_.index[row.index()]; }
  [[nodiscard]] std::vector<double> by_row(std::span<const std::vector<std::byte>> pieces) const {
    return rows_.by_vertex<double>(pieces);
  }
  /// The pieces whose values the rows of `piece` refer to, ascending.
  [[nodiscard]] std::span<const PieceId> sources(PieceId piece) const {
    return needs_[piece.index()];
  }
  /// The indices within `from` of the values that the rows of `to` refer to, ascending.
  [[nodiscard]] std::span<const std::uint32_t> columns(PieceId to, PieceId from) const {
    const auto& sources = needs_[to.index()];
    const auto found = std::lower_bound(sources.begin(), sources.end(), from);
    if (found == sources.end() || *found != from) return {};
    return columns_[to.index()][static_cast<std::size_t>(found - sources.begin())];
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  void find_columns(const Graph& matrix, PieceId piece, std::vector<std::uint32_t>& taken_by) {
    std::vector<std::pair<PieceId, std::uint32_t>> found;
    for (const VertexId row : rows(piece)) {
      for (const VertexId column : matrix.neighbors(row)) {
        if (taken_by[column.index()] == piece.value()) continue;
        taken_by[column.index()] = piece.value();
        found.emplace_back(piece_of(column), place_of(column));
      }
    }
    std::sort(found.begin(), found.end());
    auto& sources = needs_[piece.index()];
    auto& columns = columns_[piece.index()];
    for (const auto& [source, column] : found) {
      if (sources.empty() || sources.back() != source) {
        sources.push_back(source);
        columns.emplace_back();
      }
      columns.back().push_back(column);
    }
  }

  VertexPieces rows_;
  VertexPieces::VertexPlaces places_;
  std::vector<std::vector<PieceId>> needs_;
  std::vector<std::vector<std::vector<std::uint32_t>>> columns_;  // by piece and source
  PieceLayout layout_;
};

/// The entries of a piece's rows in the columns of one piece, without the diagonal.
struct MatrixBlock {
  PieceId source{0};
  std::size_t width = 0;  ///< rows of the source
  /// All entries, zeros included, row by row. Else compressed sparse rows.
  bool dense = false;
  std::vector<std::uint32_t> rows;  ///< sparse: the rows with entries, ascending
  std::vector<std::size_t> first;   ///< sparse: the first entry of each of `rows`, and the end
  std::vector<std::uint32_t> columns;
  std::vector<double> values;

  /// The product with `x`: one sum for each row, or each of `rows`.
  [[nodiscard]] std::vector<double> times(std::span<const double> x) const {
    return dense ? dense_times(x.data()) : sparse_times(x.data());
  }

 private:
  /// Several rows together, because the additions of one row wait for each other.
  [[nodiscard]] std::vector<double> dense_times(const double* x) const {
    const std::size_t height = values.size() / width;
    std::vector<double> sums(height);
    std::size_t row = 0;
    for (; row + 4 <= height; row += 4) {
      const double* const a = &values[row * width];
      double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (std::size_t j = 0; j < width; ++j) {
        s0 += a[j] * x[j];
        s1 += a[width + j] * x[j];
        s2 += a[2 * width + j] * x[j];
        s3 += a[3 * width + j] * x[j];
      }
      sums[row] = s0;
      sums[row + 1] = s1;
      sums[row + 2] = s2;
      sums[row + 3] = s3;
    }
    for (; row < height; ++row) {
      for (std::size_t j = 0; j < width; ++j) sums[row] += values[row * width + j] * x[j];
    }
    return sums;
  }
  [[nodiscard]] std::vector<double> sparse_times(const double* x) const {
    std::vector<double> sums(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0;
      for (std::size_t k = first[i]; k < first[i + 1]; ++k) sum += values[k] * x[columns[k]];
      sums[i] = sum;
    }
    return sums;
  }
};

/// The rows of a piece: blocks in ascending order of their sources, and the diagonal.
struct PieceMatrix {
  std::vector<MatrixBlock> blocks;
  std::vector<double> diagonal;
};

PieceMatrix matrix_of(const Graph& matrix, const RowPieces& pieces, PieceId piece) {
  const auto rows = pieces.rows(piece);
  const auto sources = pieces.sources(piece);
  std::vector<std::size_t> slot_of(pieces.layout().count());
  std::vector<std::size_t> entries(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) slot_of[sources[i].index()] = i;
  for (const VertexId row : rows) {
    for (const VertexId column : matrix.neighbors(row))
      ++entries[slot_of[pieces.piece_of(column).index()]];
  }
  PieceMatrix made{.blocks = std::vector<MatrixBlock>(sources.size()),
                   .diagonal = std::vector<double>(rows.size())};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    MatrixBlock& block = made.blocks[i];
    block.source = sources[i];
    block.width = pieces.rows(sources[i]).size();
    block.dense = 2 * entries[i] >= rows.size() * block.width;  // fewer bytes than as sparse rows
    if (block.dense) {
      block.values.resize(rows.size() * block.width);
    } else {
      block.columns.reserve(entries[i]);
      block.values.reserve(entries[i]);
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto columns = matrix.neighbors(rows[r]);
    const auto weights = matrix.weights(rows[r]);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] == rows[r]) {
        made.diagonal[r] += weights[k];
        continue;
      }
      MatrixBlock& block = made.blocks[slot_of[pieces.piece_of(columns[k]).index()]];
      const std::uint32_t column = pieces.place_of(columns[k]);
      if (block.dense) {
        block.values[r * block.width + column] += weights[k];
        continue;
      }
      if (block.rows.empty() || block.rows.back() != r) {
        block.rows.push_back(static_cast<std::uint32_t>(r));
        block.first.push_back(block.values.size());
      }
      block.columns.push_back(column);
      block.values.push_back(weights[k]);
    }
  }
  for (MatrixBlock& block : made.blocks) block.first.push_back(block.values.size());
  return made;
}

double largest_of(std::span<const double> numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

class LinearPieces {
 public:
  using Object = double;
  struct Partial {};
  struct Scratch {
    std::vector<std::vector<double>> sums;  ///< by block; empty: not arrived
  };

  /// `from`: initial values by row, which must outlive this object; empty: 0.
  LinearPieces(const LinearSystem& system, const LinearSystemJob& job, const Partition& parts,
               std::span<const double> from)
      : system_(system),
        job_(job),
        from_(from),
        pieces_(system.matrix, parts, job.pieces),
        matrices_(std::make_unique<MadeOnce[]>(pieces_.layout().count())) {
    double largest = largest_of(system.start);
    for (VertexId row(0); row.value() < system.matrix.vertex_count(); row = row.next()) {
      const double own = system.right_side[row.index()] / diagonal_of(system.matrix, row);
      largest = std::max(largest, std::abs(own));
    }
    scale_ = largest > 0 ? largest : 1;
  }

  [[nodiscard]] const PieceLayout& layout() const { return pieces_.layout(); }

  [[nodiscard]] std::vector<double> load(PieceId piece) const {
    std::vector<double> x;
    for (const VertexId row : pieces_.rows(piece))
      x.push_back(from_.empty() ? 0 : from_[row.index()]);
    return x;
  }

  /// To another worker: the piece's values, or if less than half of them are referred to, those alone, each after its
  /// index.
  void spread(PieceId from, std::span<const double> x, std::span<const PieceId> to,
              std::vector<double>& out) const {
    std::vector<std::uint32_t> all;
    for (const PieceId other : to) {
      const auto columns = pieces_.columns(other, from);
      all.insert(all.end(), columns.begin(), columns.end());
      if (2 * columns.size() >= x.size()) break;
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (2 * all.size() >= x.size()) {
      out.assign(x.begin(), x.end());
      return;
    }
    for (const std::uint32_t column : all) {
      out.push_back(column);
      out.push_back(x[column]);
    }
  }

  /// True for data that `spread` makes, or for a whole piece.
  [[nodiscard]] bool accepts(PieceId from, bool whole, std::span<const double> objects) const {
    const std::size_t rows = pieces_.rows(from).size();
    if (objects.size() == rows) return true;
    if (whole || objects.size() % 2 != 0 || objects.size() > rows) return false;
    double next = 0;
    for (std::size_t i = 0; i < objects.size(); i += 2) {
      const double index = objects[i];
      if (!(index >= next && index < static_cast<double>(rows) && index == std::floor(index)))
        return false;
      next = index + 1;
    }
    return true;
  }

  void process(Piece<LinearPieces>& piece) const {
    const auto got = piece.get();
    const PieceMatrix& matrix = matrix_at(piece.id());
    auto& sums = piece.scratch().sums;
    sums.resize(matrix.blocks.size());
    const auto block =
        std::lower_bound(matrix.blocks.begin(), matrix.blocks.end(), got.from,
                         [](const MatrixBlock& each, PieceId from) { return each.source < from; });
    if (block != matrix.blocks.end() && block->source == got.from) {
      std::vector<double> storage;
      sums[static_cast<std::size_t>(block - matrix.blocks.begin())] =
          block->times(values_in(got, storage));
      piece.charge({.picoseconds = block->values.size() * job_.entry_ps});
    }
    if (!piece.barrier()) return;
    relax(piece, matrix);
    piece.diffuse();
  }

  [[nodiscard]] bool may_terminate() const { return job_.tolerance.has_value(); }
  [[nodiscard]] bool measures(TickId tick) const {
    return may_terminate() || (job_.measure > 0 && (tick.value() + 1) % job_.measure == 0);
  }
  [[nodiscard]] bool termination(TickId, double change) const {
    return change <= job_.tolerance.value_or(-1) || change > kDiverged;
  }

  [[nodiscard]] std::vector<double> by_row(std::span<const std::vector<std::byte>> pieces) const {
    return pieces_.by_row(pieces);
  }

 private:
  /// Made when a worker of this process first has the piece.
  struct MadeOnce {
    std::once_flag flag;
    PieceMatrix matrix;
  };

  [[nodiscard]] const PieceMatrix& matrix_at(PieceId piece) const {
    MadeOnce& made = matrices_[piece.index()];
    std::call_once(made.flag, [&] { made.matrix = matrix_of(system_.matrix, pieces_, piece); });
    return made.matrix;
  }

  /// The values of the piece; 0 for those that were not sent, whose entries are 0.
  [[nodiscard]] std::span<const double> values_in(const Got<double>& got,
                                                  std::vector<double>& storage) const {
    const std::size_t rows = pieces_.rows(got.from).size();
    if (got.objects.size() == rows) return got.objects;
    storage.assign(rows, 0);
    for (std::size_t i = 0; i + 1 < got.objects.size(); i += 2)
      storage[static_cast<std::size_t>(got.objects[i])] = got.objects[i + 1];
    return storage;
  }

  void relax(Piece<LinearPieces>& piece, const PieceMatrix& matrix) const {
    const auto rows = pieces_.rows(piece.id());
    const std::span<const double> before = piece.before();
    const std::span<double> next = piece.next(rows.size());
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < matrix.blocks.size(); ++i) {
      const MatrixBlock& block = matrix.blocks[i];
      const std::vector<double>& sums = piece.scratch().sums[i];
      for (std::size_t k = 0; k < sums.size(); ++k)
        next[block.dense ? k : block.rows[k]] += sums[k];
    }
    const bool measured = measures(piece.tick());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double rest = system_.right_side[rows[i].index()] - next[i];
      next[i] = rest / matrix.diagonal[i];
      if (!measured) continue;
      const double change = std::abs(next[i] - before[i]) / scale_;
      // A maximum ignores NaN.
      piece.note(std::isnan(change) ? std::numeric_limits<double>::infinity() : change);
    }
    piece.charge({.picoseconds = rows.size() * job_.row_ps});
  }

  const LinearSystem& system_;
  LinearSystemJob job_;
  std::span<const double> from_;
  RowPieces pieces_;
  std::unique_ptr<MadeOnce[]> matrices_;
  double scale_ = 1;
};

/// The largest change that the last tick measured; 0: it measured none.
double last_change(const PieceRecord& record) {
  double most = 0;
  for (const std::vector<TickSample>& worker : record.samples) {
    if (record.ticks > 0 && worker.size() >= record.ticks)
      most = std::max(most, worker[record.ticks - 1].moved.most);
  }
  return most;
}

Error bad_matrix(std::string what, std::string remedy) {
  return input_error("matrix", std::move(what), std::move(remedy));
}

Status admit_row(const Graph& matrix, VertexId row) {
  const auto weights = matrix.weights(row);
  const std::string where = format("row {}", matrix.names().name(row));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i])) continue;
    return fail(input_error(where,
                            format("its entry in column {} is not a finite number",
                                   matrix.names().name(matrix.neighbors(row)[i])),
                            "correct the entry"));
  }
  const double diagonal = diagonal_of(matrix, row);
  if (diagonal != 0 && std::isfinite(diagonal)) return {};
  return fail(
      input_error(where, "its diagonal entry is zero or missing, and Jacobi's method divides by it",
                  "reorder the rows so that no diagonal entry is zero"));
}

}  // namespace

Status admit_matrix(const Graph& matrix) {
  if (matrix.left_count() > 0) {
    return fail(bad_matrix(format("it has {} rows and {} columns, so it is not square",
                                  matrix.left_count(), matrix.vertex_count() - matrix.left_count()),
                           "give a system with as many equations as unknowns"));
  }
  if (matrix.vertex_count() == 0)
    return fail(bad_matrix("it has no rows", "give a matrix with at least one row"));
  if (!matrix.weighted()) {
    return fail(bad_matrix("it has no numbers: a pattern matrix, or a graph without weights",
                           "give a real or integer matrix"));
  }
  for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next())
    LEEWAY_TRY(admit_row(matrix, row));
  return {};
}

double relative_residual(const LinearSystem& system, std::span<const double> x) {
  // Scaled by the largest, so that squares do not overflow.
  const double largest = largest_of(system.right_side);
  const double scale = largest > 0 ? largest : 1;
  double left = 0;
  double right = 0;
  for (VertexId row(0); row.value() < system.matrix.vertex_count(); row = row.next()) {
    const auto columns = system.matrix.neighbors(row);
    const auto weights = system.matrix.weights(row);
    const double right_value = system.right_side[row.index()];
    double difference = right_value;
    for (std::size_t i = 0; i < columns.size(); ++i)
      difference -= weights[i] * x[columns[i].index()];
    left += difference / scale * (difference / scale);
    right += right_value / scale * (right_value / scale);
  }
  return std::sqrt(left) / (right > 0 ? std::sqrt(right) : 1);
}

Result<LinearSystemResult> run_linear_system(const LinearSystem& system, const LinearSystemJob& job,
                                             const ClusterOptions& cluster,
                                             const PieceOptions& options,
                                             const PieceEnds<double>& ends) {
  LEEWAY_TRY(admit_pieces(cluster.nodes, job.pieces));
  LEEWAY_TRY(admit_matrix(system.matrix));
  LEEWAY_CHECK(system.right_side.size() == system.matrix.vertex_count());
  LEEWAY_CHECK((system.start.empty() || system.start.size() == system.matrix.vertex_count()));
  PartitionOptions divide = job.partition;
  divide.parts = cluster.nodes;
  LEEWAY_ASSIGN(const Partition parts, divide_once(cluster, system.matrix, divide));
  const std::vector<double>& from = ends.from != nullptr ? *ends.from : system.start;
  const LinearPieces program(system, job, parts, from);
  const auto by_row = [&program](std::span<const std::vector<std::byte>> pieces) {
    return program.by_row(pieces);
  };
  LEEWAY_ASSIGN(PieceResult ran,
                run_pieces_of(program, cluster, with_keeper(options, ends, by_row)));
  LinearSystemResult run{.x = {}, .diverged = false, .record = std::move(ran.record)};
  if (ran.snapshots.empty()) return run;
  run.x = program.by_row(ran.snapshots.back().pieces);
  const bool finite =
      std::all_of(run.x.begin(), run.x.end(), [](double value) { return std::isfinite(value); });
  run.diverged = !finite || last_change(run.record) > kDiverged;
  return run;
}

}  // namespace leeway::piece
