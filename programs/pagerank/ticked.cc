#include "programs/pagerank/ticked.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "programs/catalog/scene_run.h"
#include "programs/pagerank/piece.h"
#include "programs/pagerank/tick.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

constexpr std::uint32_t kRankTicks = 180;  // 0.85^180 is below 1e-12
constexpr double kRankTolerance = 1e-12;

class RanksInTicks final : public TickedRun {
 public:
  explicit RanksInTicks(const TickedSettings& settings)
      : settings_(settings), graph_(*settings.graph) {}

  [[nodiscard]] TickedSubject subject() const override {
    return graph_subject(settings_, {{"damping", format("{}", damping())}});
  }
  [[nodiscard]] TickInterval interval() const override {
    return {.ticks = settings_.ticks(kRankTicks),
            .synchronization = tick::sync_name(settings_.tick.sync)};
  }
  Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) override {
    tick::PageRankEnds ends{.first = tick::Tick(snapshots.first())};
    std::optional<std::vector<double>> from;
    if (const auto& start = snapshots.start()) {
      from = tick::VertexState::whole(start->state);
      if (!from || from->size() != graph_.vertex_count()) return fail(snapshots.unreadable());
    }
    tick::keep_in(snapshots, ends);
    tick::TickOptions ticks = in_span(settings_, span);
    ticks.measure = measured_every(settings_.measures, settings_.ticks(kRankTicks));
    const tick::RankTicksJob job{.what = {.damping = damping()}, .partition = settings_.partition};
    LEEWAY_ASSIGN(ranked_, tick::run_page_ranks(graph_, job, ticks, settings_.cluster,
                                                from ? &*from : nullptr, ends));
    if (settings_.first) scaled_ = tick::scaled_ranks(ranks());
    return record_of(ticks, ranked_.run);
  }
  [[nodiscard]] bool verifies(std::uint64_t ticks) const override {
    return verifies_cells(graph_.arc_count(), ticks);
  }
  Result<std::string> verify(std::uint32_t last) override {
    LEEWAY_TRY(
        verify_ranks(reference::rank_ticks(graph_, last, damping()), ranks(), kRankTolerance));
    return format("within {} of the plain iteration", kRankTolerance);
  }
  [[nodiscard]] ResultTable table() const override { return ranks_table(graph_, scaled_); }

 private:
  [[nodiscard]] double damping() const { return settings_.parameters.damping; }
  [[nodiscard]] std::span<const double> ranks() const { return ranked_.run.result.state.values(); }

  const TickedSettings& settings_;
  const Graph& graph_;
  tick::RankedGraph ranked_;
  std::vector<double> scaled_;
};

class RanksInPieces final : public TickedRun {
 public:
  explicit RanksInPieces(const TickedSettings& settings)
      : settings_(settings),
        graph_(*settings.graph),
        job_{.what = {.damping = settings.parameters.damping,
                      .tolerance = settings.parameters.tolerance},
             .fixed = settings.iterations.has_value(),
             .partition = settings.partition,
             .pieces = settings.pieces},
        tolerance_(tolerance_of(job_)) {}

  [[nodiscard]] TickedSubject subject() const override {
    return graph_subject(settings_, {{"damping", format("{}", settings_.parameters.damping)},
                                     {"tolerance", tolerance_name(tolerance_)}});
  }
  [[nodiscard]] TickInterval interval() const override {
    return piece_interval<double>(settings_, tolerance_.has_value(), "f64");
  }
  Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) override {
    const PieceStart<double> start(snapshots, span);
    piece::PieceOptions options = pieces_in_span(settings_, span);
    ignore_distance(settings_, options);
    LEEWAY_ASSIGN(run_,
                  piece::run_pagerank(graph_, job_, settings_.cluster, options, start.ends()));
    return PieceEngineRecord{options, run_.record};
  }
  [[nodiscard]] bool verifies(std::uint64_t ticks) const override {
    return tolerance_ && verifies_cells(graph_.arc_count(), ticks);
  }
  Result<std::string> verify(std::uint32_t) override {
    if (!tolerance_) return std::string("not checked: the number of ticks is fixed");
    const auto expected =
        reference::pagerank(graph_, {.damping = settings_.parameters.damping, .tolerance = 1e-15});
    LEEWAY_ASSIGN(const double most, verify_ranks(expected, run_.ranks, 1e-12 + *tolerance_ * 10));
    return format("within {:.1e} of the textbook's ranks", most);
  }
  [[nodiscard]] ResultTable table() const override { return ranks_table(graph_, run_.ranks); }

 private:
  const TickedSettings& settings_;
  const Graph& graph_;
  const piece::PageRankJob job_;
  const std::optional<double> tolerance_;
  piece::PageRankResult run_;
};

}  // namespace

std::unique_ptr<TickedRun> ranks_in_ticks(const TickedSettings& settings) {
  return ticked_by<RanksInTicks>(settings);
}

std::unique_ptr<TickedRun> ranks_in_pieces(const TickedSettings& settings) {
  return ticked_by<RanksInPieces>(settings);
}

}  // namespace leeway
