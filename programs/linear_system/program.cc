#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/log.h"
#include "datasets/graph_hash.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/scene_run.h"
#include "programs/heat/linear_problem.h"
#include "programs/linear_system/piece.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

constexpr double kLinearTolerance = 1e-9;
/// Agreement of the solution with the sequential program's, relative to its largest value. The products of a row are
/// added up piece by piece.
constexpr double kLinearAgreement = 1e-11;

Status admit_system(const Graph& matrix, const ProgramParameters&) {
  return piece::admit_matrix(matrix);
}

class SystemInPieces final : public TickedRun {
 public:
  explicit SystemInPieces(const TickedSettings& settings)
      : settings_(settings),
        matrix_(*settings.graph),
        system_{.matrix = matrix_,
                .right_side = settings.parameters.cells.right_side,
                .start = settings.parameters.cells.start} {
    if (system_.right_side.empty()) system_.right_side.assign(matrix_.vertex_count(), 1.0);
    if (!settings.iterations) tolerance_ = settings.parameters.tolerance.value_or(kLinearTolerance);
  }

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    return {{settings_.graph_name, "entries", matrix_.arc_count(), 3 * sizeof(double)}};
  }
  [[nodiscard]] TickedSubject subject() const override {
    return graph_subject(settings_, {{"rhs", hash_text(system_.right_side)},
                                     {"tolerance", tolerance_name(tolerance_)}});
  }
  [[nodiscard]] TickInterval interval() const override {
    return piece_interval<double>(settings_, tolerance_.has_value(), "f64");
  }
  Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) override {
    const PieceStart<double> start(snapshots, span);
    piece::PieceOptions options = pieces_in_span(settings_, span);
    ignore_distance(settings_, options);
    const piece::LinearSystemJob job{
        .partition = settings_.partition,
        .pieces = settings_.pieces,
        .tolerance = tolerance_,
        .measure = measured_every(settings_.measures, settings_.ticks())};
    LEEWAY_ASSIGN(run_,
                  piece::run_linear_system(system_, job, settings_.cluster, options, start.ends()));
    return PieceEngineRecord{options, run_.record};
  }

  /// An error if the values diverge; adds the residual.
  Status judge(std::uint32_t last, std::vector<TickedFigure>& found) override {
    if (run_.diverged) return fail(diverges(last));
    const double residual = piece::relative_residual(system_, run_.x);
    found.push_back({"residual", "||b - A x|| / ||b||", residual});
    std::vector<double> start = system_.start;
    start.resize(run_.x.size());
    if (const double before = piece::relative_residual(system_, start); residual > before) {
      log_warning("{}: the residual grew from {:.3g} to {:.3g}; Jacobi's method seems to diverge",
                  settings_.graph_name, before, residual);
    }
    return {};
  }
  [[nodiscard]] bool verifies(std::uint64_t ticks) const override {
    return verifies_cells(matrix_.arc_count(), ticks);
  }
  Result<std::string> verify(std::uint32_t last) override {
    std::vector<double> start = system_.start;
    start.resize(run_.x.size());
    const auto expected =
        reference::jacobi_ticks(matrix_, system_.right_side, std::move(start), last);
    double largest = 0;
    double most = 0;
    for (std::size_t i = 0; i < run_.x.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      most = std::max(most, std::abs(expected[i] - run_.x[i]));
    }
    if (!(most <= kLinearAgreement * largest)) return fail(differs(format("x is {} off", most)));
    return format("within {:.1e} of the sequential program's result", most);
  }
  [[nodiscard]] ResultTable table() const override {
    ResultTable table = ranks_table(matrix_, run_.x);
    table.columns = {"row", "x"};
    return table;
  }

 private:
  [[nodiscard]] Error diverges(std::uint32_t ticks) const {
    std::vector<double> diagonal;
    for (VertexId row(0); row.value() < matrix_.vertex_count(); row = row.next())
      diagonal.push_back(diagonal_of(matrix_, row));
    const auto spectrum = judge_spectrum(matrix_, diagonal);
    if (!spectrum) return spectrum.error();
    return input_error(
        std::string(settings_.graph_name),
        format("Jacobi's method diverges on this matrix: its values grew without bound over {} "
               "ticks; the spectral radius of I - A/D is about {:.4f}",
               ticks, spectrum->radius),
        "use a matrix whose diagonal outweighs the rest of each row");
  }

  const TickedSettings& settings_;
  const Graph& matrix_;
  piece::LinearSystem system_;
  std::optional<double> tolerance_;
  piece::LinearSystemResult run_;
};

}  // namespace

const Program& programs::linear_system() {
  static const Program kProgram = {
      .name = "linear-system",
      .summary = "the solution of A x = b by Jacobi's method",
      .result = "x",
      .input = ProgramInput::Matrix,
      .admit = admit_system,
      .engines = {{.engine = EngineName::Piece,
                   .takes = {Parameter::RightSide, Parameter::Tolerance},
                   .ticked = ticked_by<SystemInPieces>}},
  };
  return kProgram;
}

}  // namespace leeway
