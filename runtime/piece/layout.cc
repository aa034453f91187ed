#include "leeway/piece.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/archive.h"
#include "base/check.h"
#include "base/format.h"
#include "leeway/cluster.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/cluster/recovery.h"
#include "runtime/cluster/saving.h"
#include "runtime/graph/division.h"
#include "runtime/piece/resumed_program.h"
#include "runtime/piece/worker.h"

namespace leeway::piece {

PieceLayout::PieceLayout(std::vector<NodeId> homes, std::span<const std::vector<PieceId>> needs)
    : homes_(std::move(homes)), first_(homes_.size() + 1) {
  LEEWAY_CHECK(homes_.size() == needs.size());
  std::vector<std::vector<PieceId>> both(homes_.size());
  for (PieceId piece(0); piece.value() < count(); piece = piece.next()) {
    both[piece.index()].push_back(piece);
    for (const PieceId other : needs[piece.index()]) {
      LEEWAY_CHECK(other.value() < count());
      both[piece.index()].push_back(other);
      both[other.index()].push_back(piece);
    }
  }
  for (std::size_t i = 0; i < both.size(); ++i) {
    std::sort(both[i].begin(), both[i].end());
    both[i].erase(std::unique(both[i].begin(), both[i].end()), both[i].end());
    first_[i + 1] = first_[i] + both[i].size();
    around_.insert(around_.end(), both[i].begin(), both[i].end());
  }
}

std::vector<std::uint32_t> boundary_distances(const PieceLayout& layout,
                                              std::span<const NodeId> owners, NodeId self) {
  constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance(layout.count(), 0);
  std::vector<PieceId> front;
  for (PieceId piece(0); piece.value() < layout.count(); piece = piece.next()) {
    if (owners[piece.index()] != self) continue;
    const auto around = layout.around(piece);
    const bool boundary = std::any_of(around.begin(), around.end(),
                                      [&](PieceId other) { return owners[other.index()] != self; });
    if (boundary) {
      front.push_back(piece);
    } else {
      distance[piece.index()] = kFar;
    }
  }
  for (std::uint32_t steps = 1; !front.empty(); ++steps) {
    std::vector<PieceId> next;
    for (const PieceId piece : front) {
      for (const PieceId other : layout.around(piece)) {
        if (distance[other.index()] != kFar) continue;
        distance[other.index()] = steps;
        next.push_back(other);
      }
    }
    front.swap(next);
  }
  // A partition that is the whole space has no boundary; all its pieces get the distance 0.
  std::replace(distance.begin(), distance.end(), kFar, 0U);
  return distance;
}

namespace {

std::uint32_t slot(double at, double low, double size, std::uint32_t count) {
  const double place = (at - low) / size * count;
  if (!(place > 0)) return 0;
  return place < count ? static_cast<std::uint32_t>(place) : count - 1;
}

}  // namespace

Status admit_pieces(std::uint32_t workers, std::uint32_t pieces_a_worker) {
  constexpr std::uint64_t kMostPieces = std::uint64_t{1} << 22U;
  if (workers == 0 || pieces_a_worker == 0) {
    return fail(input_error("--pieces", "zero pieces for each worker",
                            "give at least one piece to each worker"));
  }
  if (std::uint64_t{workers} * pieces_a_worker > kMostPieces) {
    return fail(input_error("--pieces",
                            format("{} pieces on each of {} workers are more than memory holds",
                                   pieces_a_worker, workers),
                            format("give at most {} in all", kMostPieces)));
  }
  return {};
}

PieceGrid piece_grid(double aspect, std::uint32_t workers, std::uint32_t pieces_a_worker) {
  const GridShape parts = grid_shape(aspect, workers);
  return {parts, grid_shape(aspect * parts.rows / parts.columns, pieces_a_worker)};
}

Result<SpacePieces> SpacePieces::make(const Box& space, std::uint32_t workers,
                                      std::uint32_t pieces_a_worker, double influence) {
  LEEWAY_TRY(admit_pieces(workers, pieces_a_worker));
  if (!(std::isfinite(space.width()) && space.width() > 0 && std::isfinite(space.height()) &&
        space.height() > 0 && std::isfinite(influence) && influence >= 0)) {
    return fail(input_error("space",
                            format("{} x {} is not a valid space", space.width(), space.height()),
                            "give finite sizes above 0"));
  }
  SpacePieces pieces;
  pieces.space_ = space;
  const PieceGrid grid = piece_grid(space.width() / space.height(), workers, pieces_a_worker);
  pieces.shape_ = grid.whole();
  std::vector<NodeId> homes;
  for (std::uint32_t row = 0; row < pieces.shape_.rows; ++row) {
    for (std::uint32_t column = 0; column < pieces.shape_.columns; ++column) {
      homes.emplace_back(row / grid.within.rows * grid.parts.columns +
                         column / grid.within.columns);
    }
  }
  pieces.regions_ = cut_box(space, pieces.shape_);
  pieces.join(influence, std::move(homes));
  return pieces;
}

void SpacePieces::join(double influence, std::vector<NodeId> homes) {
  const auto [columns, rows] = shape_;
  open_ = regions_;
  open_rim(shape_, open_);
  const double width = space_.width() / columns;
  const double height = space_.height() / rows;
  // One more than the distance requires, because an object on a border may be rounded to either side.
  const auto across =
      static_cast<std::int64_t>(std::min<double>(columns, std::ceil(influence / width) + 1));
  const auto up =
      static_cast<std::int64_t>(std::min<double>(rows, std::ceil(influence / height) + 1));
  const double slack = 1e-9 * (space_.width() + space_.height());
  std::vector<std::vector<PieceId>> needs(regions_.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto index = static_cast<std::size_t>(row * columns + column);
      for (std::int64_t r = std::max<std::int64_t>(row - up, 0);
           r <= std::min<std::int64_t>(row + up, rows - 1); ++r) {
        for (std::int64_t c = std::max<std::int64_t>(column - across, 0);
             c <= std::min<std::int64_t>(column + across, columns - 1); ++c) {
          const double apart_x =
              width * static_cast<double>(std::max<std::int64_t>(std::abs(c - column) - 1, 0));
          const double apart_y =
              height * static_cast<double>(std::max<std::int64_t>(std::abs(r - row) - 1, 0));
          if (apart_x > influence + slack || apart_y > influence + slack) continue;
          needs[index].emplace_back(static_cast<std::uint32_t>(r * columns + c));
        }
      }
    }
  }
  layout_ = PieceLayout(std::move(homes), needs);
}

PieceId SpacePieces::at(double x, double y) const {
  return PieceId(slot(y, space_.bottom, space_.height(), shape_.rows) * shape_.columns +
                 slot(x, space_.left, space_.width(), shape_.columns));
}

Result<GraphPieces> GraphPieces::make(const Graph& graph, const Csr& reads, PartitionOptions divide,
                                      const ClusterOptions& cluster,
                                      std::uint32_t pieces_a_worker) {
  const std::uint32_t workers = cluster.nodes;
  LEEWAY_TRY(admit_pieces(workers, pieces_a_worker));
  if (graph.vertex_count() == 0) {
    return fail(input_error("graph", "the graph has no vertices", "give a graph with vertices"));
  }
  divide.parts = workers;
  LEEWAY_ASSIGN(const Partition parts, divide_once(cluster, graph, divide));
  LEEWAY_CHECK(parts.part_count == workers);
  GraphPieces pieces;
  pieces.vertices_ = VertexPieces(graph, parts, pieces_a_worker);
  const auto needs = pieces.sort_arcs(reads);
  pieces.layout_ = PieceLayout(pieces.vertices_.homes(), needs);
  return pieces;
}

VertexPieces::VertexPieces(const Graph& graph, const Partition& parts,
                           std::uint32_t pieces_a_part) {
  std::vector<std::vector<VertexId>> members(parts.part_count);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    members[parts.owner[v.index()].index()].push_back(v);
  for (std::uint32_t part = 0; part < parts.part_count; ++part) {
    std::uint64_t total = 0;
    for (const VertexId v : members[part]) total += graph.degree(v) + 1;
    std::uint64_t so_far = 0;
    std::uint64_t made = 0;
    for (std::size_t i = 0; i < members[part].size(); ++i) {
      order_.push_back(members[part][i]);
      so_far += graph.degree(members[part][i]) + 1;
      const bool full = so_far * pieces_a_part >= (made + 1) * total;
      if (!full && i + 1 < members[part].size()) continue;
      first_.push_back(order_.size());
      homes_.emplace_back(part);
      made = so_far * pieces_a_part / total;
    }
  }
}

VertexPieces::VertexPlaces VertexPieces::places() const {
  VertexPlaces places{std::vector<std::uint32_t>(order_.size()),
                      std::vector<std::uint32_t>(order_.size())};
  for (std::uint32_t piece = 0; piece < count(); ++piece) {
    for (std::size_t i = first_[piece]; i < first_[piece + 1]; ++i) {
      places.piece[order_[i].index()] = piece;
      places.index[order_[i].index()] = static_cast<std::uint32_t>(i - first_[piece]);
    }
  }
  return places;
}

std::vector<std::vector<PieceId>> GraphPieces::sort_arcs(const Csr& reads) {
  const std::size_t count = vertices_.count();
  const VertexPieces::VertexPlaces places = vertices_.places();
  arcs_.resize(count);
  sources_.resize(count);
  arcs_of_.resize(count);
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found;
    for (const VertexId to : vertices_.of(PieceId(piece))) {
      for (const std::uint32_t from : reads.row(to.value())) {
        found.emplace_back(places.piece[from], places.index[to.index()], places.index[from]);
      }
    }
    std::sort(found.begin(), found.end());
    for (const auto& [from, target, source] : found) {
      if (sources_[piece].empty() || sources_[piece].back() != PieceId(from)) {
        sources_[piece].emplace_back(from);
        arcs_of_[piece].push_back(arcs_[piece].size());
      }
      arcs_[piece].push_back({source, target});
    }
    arcs_of_[piece].push_back(arcs_[piece].size());
  }
  return sources_;
}

std::span<const GraphPieces::Arc> GraphPieces::arcs(PieceId piece, PieceId from) const {
  const auto& sources = sources_[piece.index()];
  const auto found = std::lower_bound(sources.begin(), sources.end(), from);
  if (found == sources.end() || *found != from) return {};
  const auto place = static_cast<std::size_t>(found - sources.begin());
  const auto& begins = arcs_of_[piece.index()];
  return std::span(arcs_[piece.index()]).subspan(begins[place], begins[place + 1] - begins[place]);
}

namespace {

constexpr double kNano = 1e-9;

/// max / mean − 1 of a measure of the workers in one tick; 0 if all are 0.
template <class Measure>
double imbalance(const PieceRecord& record, TickId tick, Measure&& measure) {
  double greatest = 0;
  double sum = 0;
  for (const std::vector<TickSample>& worker : record.samples) {
    if (tick.index() >= worker.size()) continue;
    const auto one = static_cast<double>(measure(worker[tick.index()]));
    greatest = std::max(greatest, one);
    sum += one;
  }
  return sum > 0 ? greatest * static_cast<double>(record.samples.size()) / sum - 1 : 0;
}

}  // namespace

double PieceRecord::seconds() const { return compute_seconds(*this); }

double PieceRecord::asynchronous_share() const {
  double asynchronous = 0;
  double all = 0;
  for (const std::vector<TickSample>& worker : samples) {
    for (const TickSample& tick : worker) {
      asynchronous += static_cast<double>(tick.asynchronous);
      all += static_cast<double>(tick.computing());
    }
  }
  return all > 0 ? asynchronous / all : 0;
}

double PieceRecord::lambda_l(TickId tick) const {
  return imbalance(*this, tick, [](const TickSample& sample) { return sample.computing(); });
}

double PieceRecord::lambda_c(TickId tick) const {
  return imbalance(*this, tick, [](const TickSample& sample) { return sample.flight; });
}

double PieceRecord::overhead_share() const {
  double overhead = 0;
  double all = 0;
  for (const NodeRecord& worker : nodes) {
    const Duration span = worker.end - worker.begin;
    all += static_cast<double>(span.count());
    overhead += static_cast<double>((span - worker.counters.time(Counter::WaitTime) -
                                     worker.counters.time(Counter::ComputeTime))
                                        .count());
  }
  return all > 0 ? std::max(overhead, 0.0) / all : 0;
}

double PieceRecord::barrier_seconds() const {
  double sum = 0;
  for (TickId tick(0); tick.value() < ticks; tick = tick.next()) {
    std::int64_t greatest = 0;
    for (const std::vector<TickSample>& worker : samples) {
      if (tick.index() < worker.size())
        greatest = std::max(greatest, worker[tick.index()].computing());
    }
    sum += static_cast<double>(greatest) * kNano;
  }
  return sum;
}

double PieceRecord::even_seconds() const {
  double sum = 0;
  for (const NodeRecord& worker : nodes)
    sum += static_cast<double>(worker.counters[Counter::ComputeTime]) * kNano;
  return nodes.empty() ? 0 : sum / static_cast<double>(nodes.size());
}

double PieceRecord::absorbed_skew() const {
  const double skew = barrier_seconds() - even_seconds();
  return skew > 0 ? (barrier_seconds() - seconds()) / skew : 0;
}

Status admit_options(const PieceOptions& options) {
  const auto within = [](double value) { return std::isfinite(value) && value >= 0 && value <= 1; };
  if (!within(options.alpha) || !within(options.beta) ||
      std::abs(options.alpha + options.beta - 1) > 1e-9) {
    return fail(
        input_error("--alpha, --beta",
                    format("{} and {} are not weights that sum to 1", options.alpha, options.beta),
                    "give two numbers from 0 to 1 that sum to 1, such as 0.2 and 0.8"));
  }
  if (options.balance_every < 2) {
    return fail(input_error("--balance-every",
                            format("{} leaves no tick to measure", options.balance_every),
                            "give 2 or more"));
  }
  return {};
}

namespace {

/// Snapshots of a run of pieces, by PieceOptions::saving.
class PieceSaving {
 public:
  /// Sets the remaining ticks and the receiver of values in `options`. Collective.
  static Result<PieceSaving> open(const ClusterOptions& cluster, bool terminates,
                                  PieceOptions& options) {
    PieceSaving saving;
    if (!options.saving.any()) return saving;
    if (options.keep) {
      return fail(input_error("PieceOptions::saving", "PieceOptions::keep is set, too",
                              "set one of the two"));
    }
    TickInterval span{.ticks = options.ticks,
                      .terminates = terminates,
                      .synchronization = system_name(options.system)};
    LEEWAY_ASSIGN(
        saving.snapshots_,
        TickSnapshots::open(options.saving, identity_of(options.saving, "piece"), cluster, span));
    TickSnapshots& snapshots = *saving.snapshots_;
    options.ticks = span.ticks;
    options.keep_every = span.every;
    if (snapshots.takes()) {
      options.keep = [&snapshots](TickId tick, std::span<const std::vector<std::byte>> pieces) {
        snapshots.keep(snapshots.first() + tick.value(),
                       archived(SavedPieces(pieces.begin(), pieces.end())));
      };
    }
    if (!snapshots.start()) return saving;
    auto values = std::make_shared<SavedPieces>();
    if (!load_archived(snapshots.start()->state, *values)) return fail(snapshots.unreadable());
    saving.values_ = std::move(values);
    return saving;
  }

  /// The program, from the values of the snapshot if one is resumed.
  Result<std::shared_ptr<const ErasedProgram>> started(
      std::shared_ptr<const ErasedProgram> program) const {
    if (values_ == nullptr) return program;
    auto resumed = std::make_shared<const ResumedProgram>(std::move(program), first(), values_);
    if (!resumed->fits()) return fail(snapshots_->unreadable());
    return resumed;
  }
  [[nodiscard]] TickId first() const {
    return TickId(snapshots_ == nullptr ? 0 : snapshots_->first());
  }
  /// After the run: waits until the last snapshot is written.
  snapshot::Counts end() { return snapshots_ == nullptr ? snapshot::Counts() : snapshots_->end(); }

 private:
  std::unique_ptr<TickSnapshots> snapshots_;   // null: neither snapshots nor resume
  std::shared_ptr<const SavedPieces> values_;  // null: the run starts from the beginning
};

Result<PieceResult> run_attempt(const MakeProgram& make, bool terminates,
                                const ClusterOptions& cluster, PieceOptions mine) {
  mine.cost = cluster.cost;
  LEEWAY_ASSIGN(PieceSaving saving, PieceSaving::open(cluster, terminates, mine));
  PieceResult run;
  LEEWAY_ASSIGN(
      const EndpointsOutcome outcome, run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
        LEEWAY_ASSIGN(std::shared_ptr<const ErasedProgram> made, make(endpoint.self()));
        LEEWAY_ASSIGN(const std::shared_ptr<const ErasedProgram> program,
                      saving.started(std::move(made)));
        if (program->layout().count() == 0) {
          return fail(input_error("--pieces", "the program has zero pieces",
                                  "give at least one piece to each worker"));
        }
        const auto homes = program->layout().homes();
        const NodeId last = *std::max_element(homes.begin(), homes.end());
        if (last.index() >= endpoint.node_count()) {
          return fail(
              input_error("the layout",
                          format("a piece begins at worker {} of {}", last, endpoint.node_count()),
                          "workers are numbered from 0; divide the pieces between them"));
        }
        Worker worker(
            endpoint, *program, mine,
            {.shared = cluster.job == nullptr, .simulated = cluster.fabric == Fabric::Sim});
        note_computing(cluster.job);
        LEEWAY_TRY(worker.run());
        if (endpoint.self() != kMaster) return {};
        run.snapshots = worker.master().take_snapshots();
        run.record = worker.master().take_run();
        return {};
      }));
  if (!run.record.nodes.empty()) run.record.nodes.front().snapshots = saving.end();
  for (TickValues& values : run.snapshots)
    values.tick = TickId(saving.first().value() + values.tick.value());
  run.record.rounds_before = saving.first().value();
  if (cluster.job != nullptr) start_at_zero(run.record.nodes);
  run.record.simulated = cluster.fabric == Fabric::Sim;
  run.record.phases.compute = run.record.seconds();
  run.record.events = outcome.ran.events;
  run.record.digest = outcome.ran.digest;
  note_recoveries(cluster.job, run.record);
  return run;
}

Result<PieceResult> run_with(const MakeProgram& make, bool terminates, const ClusterOptions& given,
                             const PieceOptions& options) {
  LEEWAY_TRY(admit_options(options));
  LEEWAY_ASSIGN(const ClusterOptions cluster, settle_cluster(given));
  return run_recoverably<PieceResult>(cluster.job, options.saving.folder,
                                      [&](const RunAttempt& attempt) {
                                        PieceOptions mine = options;
                                        attempt.resume_in(mine.saving);
                                        return run_attempt(make, terminates, cluster, mine);
                                      });
}

}  // namespace

Result<PieceResult> run_pieces(const ErasedProgram& program, const ClusterOptions& cluster,
                               const PieceOptions& options) {
  return run_with(
      [&](NodeId) -> Result<std::shared_ptr<const ErasedProgram>> {
        return std::shared_ptr<const ErasedProgram>(std::shared_ptr<void>(), &program);
      },
      program.may_terminate(), cluster, options);
}

Result<PieceResult> run_pieces(const MakeProgram& make, const ClusterOptions& cluster,
                               const PieceOptions& options) {
  return run_with(make, false, cluster, options);
}

}  // namespace leeway::piece
