// A run by rounds on a graph that each process has as a whole.
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/graph_argument.h"
#include "app/job_agreement.h"
#include "app/old_answer.h"
#include "app/result_table.h"
#include "app/run.h"
#include "app/run_options.h"
#include "app/run_outcome.h"
#include "app/snapshots.h"
#include "app/source.h"
#include "base/format.h"
#include "base/log.h"
#include "datasets/graph_changes.h"
#include "datasets/graph_hash.h"
#include "programs/catalog/continuation.h"
#include "programs/scene/film.h"
#include "runtime/graph/graph_part.h"

namespace leeway::app {

namespace {

/// The frames of cells in a plane, if requested.
std::function<std::string()> film_of(const Program& program, const CommandOptions& options,
                                     const Record& record) {
  if (options.scene.frames.empty()) return {};
  return [&] {
    CellFilm film{.program = std::string(program.name)};
    std::tie(film.width, film.height) = plane_of(*options.graph).value();
    for (const ResultFrame& frame : record.frames) {
      CellFilm::CellFrame& picture = film.pictures.emplace_back();
      picture.iteration = frame.iteration;
      picture.values.resize(frame.results.size() / sizeof(double));
      std::memcpy(picture.values.data(), frame.results.data(),
                  picture.values.size() * sizeof(double));
    }
    return film_json(film);
  };
}

class WholeRun final : public RunFlow {
 public:
  WholeRun(const CommandOptions& options, const Request& decided, ProgramCall call, Instant begun)
      : RunFlow(options, decided, call.options.cluster.job, begun), call_(std::move(call)) {}

 private:
  Status open() override {
    const Stopwatch loading;
    LEEWAY_ASSIGN(held_, OpenedGraph::in(job(), options()));
    LEEWAY_TRY(take_changes());
    load_seconds_ = loading.elapsed_seconds();
    LEEWAY_TRY(find_source(graph(), options(), call_));
    LEEWAY_TRY(read_vertex_files(graph(), options(), call_.parameters));
    if (is_first()) look_at_source(graph(), call_);
    LEEWAY_TRY(admit(*call_.program, decided().engine, graph(), call_.parameters, call_.options));
    LEEWAY_ASSIGN(dividing_, settle_division(*options().graph, graph(), call_.options));
    return {};
  }

  /// The graph after --changes, and what it continues from.
  Status take_changes() {
    if (options().continuation != nullptr) {
      call_.parameters.continuation = options().continuation;
      return check_continues();
    }
    if (options().changes.empty() != options().from.empty()) {
      const bool no_answer = options().from.empty();
      return fail(input_error(
          no_answer ? "--changes" : "--from",
          no_answer ? "the answer to continue from is missing"
                    : "the changes since that answer are missing",
          no_answer ? "give --from ANSWER or --from SNAPSHOTS" : "give --changes FILE"));
    }
    if (options().changes.empty()) return {};
    LEEWAY_TRY(check_continues());
    Continuation continuation;
    LEEWAY_ASSIGN(continuation.old, old_answer(options(), decided(), call_, graph()));
    LEEWAY_ASSIGN(const auto changes, read_graph_changes(options().changes, graph()));
    LEEWAY_ASSIGN(ChangedGraph changed, changed_graph(graph(), changes));
    continuation.arcs = std::move(changed.arcs);
    changed_ = std::move(changed.graph);
    call_.parameters.continuation = std::make_shared<const Continuation>(std::move(continuation));
    return {};
  }

  [[nodiscard]] Status check_continues() const {
    if (!options().saving.any()) return {};
    return fail(input_error("--changes", "a run that continues has no snapshots",
                            "leave the snapshots out: its answer is the next run's --from"));
  }

  Status save() override {
    if (!options().saving.any()) return {};
    hash_ = hash_of(graph());
    return prepare_snapshots(options(), configuration(call_, decided(), {}, options()), input(),
                             call_);
  }

  Status execute(Progress& progress) override {
    progress.start("setting up " + std::string(call_.program->name));
    call_.options.progress = call_.options.partition.progress = &progress;
    LEEWAY_ASSIGN(run_, call_.run->run(graph(), call_.parameters, call_.options));
    run_.record.phases.load = load_seconds_;
    run_.record.phases.partition += dividing_;
    return {};
  }

  Status check(Report& report) override {
    if (!is_first()) return {};
    log_info("{} iterations; {}", run_.record.iterations(), why(call_, options(), run_.record));
    return check_result(call_, graph(), options(), run_, report);
  }

  Status describe(Report& report, ReportedResults& results) override {
    report.configuration =
        configuration(call_, decided(), shown_source(graph(), call_, options()), options());
    if (hash_.empty() && needs_hash(options())) hash_ = hash_of(graph());
    report.input = input();
    describe_rounds(call_, options(), run_, graph(), report);
    answer_of(*call_.program, run_.values, graph().vertex_count(), nullptr)
        .write(shown_source(graph(), call_, options()), report.answer);
    report.frames = options().scene.frames;
    show_values(call_, graph().names(), run_.values, results);
    results.film = film_of(*call_.program, options(), run_.record);
    return {};
  }

  Status keep() override {
    Kept* const kept = outputs().kept;
    if (kept == nullptr) return {};
    kept->values = std::move(run_.values);
    if (options().borrowed != nullptr) return {};
    LEEWAY_ASSIGN(kept->names, names_of_range(graph().names(), 0, graph().vertex_count()));
    return {};
  }

  [[nodiscard]] snapshot::Counts snapshot_counts() const override {
    return run_.record.snapshots();
  }

  [[nodiscard]] const Graph& graph() const { return changed_ ? *changed_ : **held_; }

  [[nodiscard]] ReportInput input() const {
    const ClusterOptions& cluster = call_.options.cluster;
    std::string_view because;
    if (cluster.job != nullptr)
      because =
          whole_because(*call_.program, *call_.run, options(), *cluster.job).value_or("its caller");
    return {*options().graph, hash_, graph().vertex_count(), graph().arc_count(),
            whole_graph_held(cluster, graph().bytes(), because)};
  }

  ProgramCall call_;
  std::optional<OpenedGraph> held_;
  std::optional<Graph> changed_;  // after --changes
  double load_seconds_ = 0;
  double dividing_ = 0;
  std::string hash_;  // empty: not needed yet
  ProgramResult run_;
};

}  // namespace

std::unique_ptr<RunFlow> run_on_whole(const CommandOptions& options, const Request& decided,
                                      ProgramCall call, Instant begun) {
  return std::make_unique<WholeRun>(options, decided, std::move(call), begun);
}

}  // namespace leeway::app
