// A run by rounds on a graph of which each process of a job has a part.
#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "app/graph_argument.h"
#include "app/job_agreement.h"
#include "app/output.h"
#include "app/report.h"
#include "app/result_table.h"
#include "app/run.h"
#include "app/run_options.h"
#include "app/run_outcome.h"
#include "app/snapshots.h"
#include "app/source.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "datasets/byte_stream.h"
#include "datasets/plan.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/load_part.h"

namespace leeway::app {

namespace {

class PartsRun final : public RunFlow {
 public:
  PartsRun(const CommandOptions& options, const Request& decided, ProgramCall call, Instant begun)
      : RunFlow(options, decided, call.options.cluster.job, begun), call_(std::move(call)) {}

 private:
  Status open() override {
    LEEWAY_TRY(open_own());
    LEEWAY_TRY(load());
    LEEWAY_TRY(find_source());
    LEEWAY_TRY(
        admit_part(*call_.program, decided().engine, part_, call_.parameters, call_.options));
    return look_at_whole();
  }

  Status save() override {
    used_ = configuration(call_, decided(), shown_source(), options());
    input_ = {*options().graph, hash_, part_.totals.vertices, part_.totals.arcs, "its part"};
    if (!options().saving.any()) return {};
    const Status planned = prepare_snapshots(options(), used_, input_, call_);
    return with_group(cluster(), [&](Group& group) { return group.agree(planned); });
  }

  Status execute(Progress& progress) override {
    progress.start("running " + std::string(call_.program->name), 0, "iterations");
    call_.options.progress = &progress;
    LEEWAY_ASSIGN(run_, call_.run->run_part(part_, call_.parameters, call_.options));
    run_.record.phases.load = load_seconds_;
    return {};
  }

  Status deliver() override {
    LEEWAY_TRY(with_group(cluster(), [&](Group& group) -> Status {
      answer_ = answer_of(*call_.program, run_.values, part_.totals.vertices, &group);
      return {};
    }));
    const Stopwatch delivering;
    LEEWAY_TRY(write_values(run_.values));
    if (options().kept != nullptr) keep_own(std::move(run_.values));
    run_.record.phases.output = delivering.elapsed_seconds();
    return {};
  }

  [[nodiscard]] const ClusterOptions& cluster() const { return call_.options.cluster; }

  /// Opens this process's values file before any work, so that an invalid name is an early error, reported once.
  Status open_own() {
    if (!options().out_parts) return {};
    return with_group(cluster(), [&](Group& group) -> Status {
      auto made = create_sink(part_name(*options().out, group.self().value(), group.count()));
      LEEWAY_TRY(group.agree(made ? Status{} : fail(made.error())));
      own_ = std::move(*made);
      return {};
    });
  }

  Status load() {
    if (options().borrowed != nullptr) return take_borrowed();
    Watch watch(options());
    LoadOptions how = options().load;
    how.progress = watch.progress();
    const Stopwatch loading;
    PartitionOptions& partition = call_.options.partition;
    const auto read = [&] {
      return load_part(cluster(), *options().graph, how, partition.balance);
    };
    const bool held = options().held != nullptr;
    LEEWAY_ASSIGN(LoadedPart loaded, held ? HeldGraph::part(cluster(), read) : read());
    part_ = std::move(loaded.part);
    if (loaded.by == LoadedBy::OneNode && is_first())
      log_info("node 0 reads {} alone and distributes it", *options().graph);
    load_seconds_ = loading.elapsed_seconds();
    return choose_method();
  }

  Status take_borrowed() {
    LEEWAY_ASSIGN(part_, part_of(*options().borrowed, cluster().job->self(), cluster().nodes,
                                 call_.options.partition.balance));
    return choose_method();
  }

  Status choose_method() {
    PartitionOptions& partition = call_.options.partition;
    if (partition.method != PartitionMethod::Auto) return {};
    partition.parts = cluster().nodes;
    Result<std::shared_ptr<const Partition>> stored = nullptr;
    if (is_first()) stored = stored_division(*options().graph, part_.totals.vertices, partition);
    return with_group(cluster(), [&](Group& group) -> Status {
      LEEWAY_TRY(group.agree(stored ? Status{} : fail(stored.error())));
      if (group.sum(*stored ? 1 : 0) > 0) {
        partition.method = PartitionMethod::File;
        partition.owner_file = *options().graph;
        call_.options.divided = std::move(*stored);
      } else {
        partition.method = method_for(group, part_, partition);
      }
      return {};
    });
  }

  [[nodiscard]] std::string shown_source() const {
    if (part_.totals.vertices == 0) return "none";
    if (!options().source && !begins_at_one(*call_.program)) return "all vertices";
    return options().source ? source_ : default_source(source_, call_.parameters.source);
  }

  Status find_source() {
    if (!begins_at_one(*call_.program) && !options().source) return {};
    return with_group(cluster(), [&](Group& group) -> Status {
      if (options().source) {
        call_.parameters.source = find_vertex(group, part_, *options().source);
        if (call_.parameters.source == VertexId::none())
          return fail(group.found_by_all(no_such_source(*options().source)));
        call_.parameters.source_given = true;
      } else {
        call_.parameters.source = first_source(group);
      }
      if (part_.totals.vertices == 0) return {};
      LEEWAY_ASSIGN(source_, name_of(group, call_.parameters.source));
      const bool isolated = group.sum(leads_away(call_.parameters.source) ? 1 : 0) == 0;
      return isolated && call_.program->takes(Parameter::Source) ? warn_of_source(group) : Status{};
    });
  }

  /// The first vertex with an arc to another vertex; the first if there is none. Collective.
  [[nodiscard]] VertexId first_source(Group& group) const {
    std::uint32_t first = VertexId::none().value();
    for (std::uint32_t i = part_.size(); i-- > 0;)
      if (leads_away(part_.vertex(i))) first = part_.vertex(i).value();
    for (const std::uint32_t each : group.share(first)) first = std::min(first, each);
    return first == VertexId::none().value() ? VertexId(0) : VertexId(first);
  }

  Result<std::string> name_of(Group& group, VertexId vertex) const {
    LEEWAY_ASSIGN(const auto names,
                  names_of(group, part_, std::vector<std::uint64_t>{vertex.value()}));
    return names.at(vertex.value());
  }

  Status warn_of_source(Group& group) const {
    std::pair<std::uint64_t, std::uint32_t> most(0, 0);
    for (std::uint32_t i = 0; i < part_.size(); ++i)
      if (part_.degree(i) > most.first) most = {part_.degree(i), part_.vertex(i).value()};
    const auto degrees = group.share(most.first);
    const auto vertices = group.share(most.second);
    const auto best = std::max_element(degrees.begin(), degrees.end()) - degrees.begin();
    const VertexId busiest(vertices[static_cast<std::size_t>(best)]);
    LEEWAY_ASSIGN(const std::string name, name_of(group, busiest));
    const bool any = group.sum(leads_away(busiest) ? 1 : 0) > 0;
    if (is_first()) warn_of_isolated_source(source_, any ? name : std::string());
    return {};
  }

  [[nodiscard]] bool leads_away(VertexId source) const {
    if (!part_.holds(source)) return false;
    const std::uint32_t place = source.value() - part_.first();
    const auto list = part_.list(place);
    return std::any_of(list.begin(), list.end(), [&](VertexId v) { return v != source; });
  }

  /// Computes the hash, if it is needed, and gathers the graph on node 0 if the result is verified or the baseline is timed.
  Status look_at_whole() {
    checks_ = options().verify.value_or(part_.totals.arcs <= kVerifiedArcs);
    const bool gathers = checks_ || options().cost;
    return with_group(cluster(), [&](Group& group) -> Status {
      if (needs_hash(options())) hash_ = hash_of(group, part_);
      if (!gathers) return {};
      LEEWAY_TRY(group.agree(is_first() ? room_for_whole() : Status{}));
      LEEWAY_ASSIGN(whole_, gather_graph(group, part_));
      return {};
    });
  }

  [[nodiscard]] Status room_for_whole() const {
    GraphCounts counts;
    counts.vertices = part_.totals.vertices;
    counts.arcs = part_.totals.arcs;
    counts.weight_kind = part_.totals.weight_kind;
    return admit_memory(options().verify ? "--verify" : "--cost",
                        "bytes of the whole graph, which node 0 gathers for it,",
                        structure_bytes(counts), 1);
  }

  Status check(Report& report) override {
    if (!checks_) return {};
    const ProgramResult& run = run_;
    return with_group(cluster(), [&](Group& group) -> Status {
      ProgramResult all;
      LEEWAY_ASSIGN(all.values, gathered(group, run.values));
      Status checked;
      if (is_first()) {
        all.record = run.record;
        checked = check_result(call_, whole_, options(), all, report);
      }
      return group.agree(std::move(checked));
    });
  }

  void keep_own(ProgramValues values) {
    options().kept->values = std::move(values);
    options().kept->first = part_.first();
    options().kept->names = std::move(part_.lists.names);
  }

  /// The values of all processes, on node 0.
  static Result<ProgramValues> gathered(Group& group, const ProgramValues& values) {
    ProgramValues all;
    all.shown = values.shown;
    all.row = values.row;
    LEEWAY_ASSIGN(all.rows, gather_values(group, std::span(values.rows)));
    LEEWAY_TRY(std::visit(
        [&](const auto& mine) -> Status {
          LEEWAY_ASSIGN(all.by_vertex, gather_values(group, std::span(mine)));
          return {};
        },
        values.by_vertex));
    return all;
  }

  /// Streams text through node 0 to the output; formats and options that need all rows gather them on node 0.
  Status write_values(const ProgramValues& values) {
    if (own_) LEEWAY_TRY(write_own(values));
    const bool one_file = options().out && !options().out_parts;
    if (!one_file && options().top == 0) return {};
    const auto format = one_file ? result_format(*options().out) : ResultFormat::Text;
    if (!format) return fail(format.error());
    if (options().top == 0 && *format == ResultFormat::Text) return stream_values(values);
    return with_group(cluster(), [&](Group& group) -> Status {
      LEEWAY_ASSIGN(gathered_, gathered(group, values));
      LEEWAY_ASSIGN(names_, gather_names(group, part_));
      return {};
    });
  }

  /// The names of vertices that occur as values.
  Result<std::unordered_map<std::uint32_t, std::string>> shown_names(Group& group,
                                                                     const ProgramValues& values) {
    if (values.shown != Shown::Vertex) return std::unordered_map<std::uint32_t, std::string>();
    return names_of(group, part_, std::get<std::vector<std::uint64_t>>(values.by_vertex));
  }

  /// Each process writes its vertices. The files get their final names once all are complete.
  Status write_own(const ProgramValues& values) {
    return with_group(cluster(), [&](Group& group) -> Status {
      LEEWAY_ASSIGN(const auto called, shown_names(group, values));
      ResultTable table = values_table(part_.lists.names, values, call_.parameters.ldbc);
      if (values.shown == Shown::Vertex) {
        const auto& vertices = std::get<std::vector<std::uint64_t>>(values.by_vertex);
        table.fill = [&](std::uint64_t row, std::vector<ResultCell>& cells) {
          cells[0] = part_.lists.names.name(VertexId(static_cast<std::uint32_t>(row)));
          cells[1] = called.at(static_cast<std::uint32_t>(vertices[row]));
        };
      }
      Status written = write_table(table, outputs().values_format, *own_);
      if (written) written = own_->settle();
      LEEWAY_TRY(group.agree(std::move(written)));
      const Status named = own_->finish();
      own_.reset();
      return group.agree(named);
    });
  }

  Status stream_values(const ProgramValues& values) {
    return with_group(cluster(), [&](Group& group) -> Status {
      const bool names = values.shown == Shown::Vertex;
      LEEWAY_ASSIGN(const auto called, shown_names(group, values));
      std::uint32_t next = 0;
      const auto piece = [&](std::size_t most) {
        std::string text;
        for (; next < part_.size() && text.size() < most; ++next) {
          const VertexId vertex(next);
          text += part_.lists.names.name(vertex);
          text += ' ';
          if (names) {
            const auto& vertices = std::get<std::vector<std::uint64_t>>(values.by_vertex);
            text += called.at(static_cast<std::uint32_t>(vertices[next]));
          } else {
            text += shown_value(values, vertex, part_.lists.names, call_.parameters.ldbc);
          }
          text += '\n';
        }
        return text;
      };
      LEEWAY_TRY(stream_text(group, piece,
                             [&](std::string_view text) { return outputs().values->write(text); }));
      LEEWAY_TRY(group.agree(is_first() ? outputs().values->finish() : Status{}));
      outputs().values.reset();  // already written
      return {};
    });
  }

  Status describe(Report& report, ReportedResults& results) override {
    report.configuration = used_;
    report.input = input_;
    describe_rounds(call_, options(), run_, whole_, report);
    answer_.write(shown_source(), report.answer);
    results.taken = true;
    if (names_.count() > 0 || outputs().values) show_values(call_, names_, gathered_, results);
    return {};
  }

  [[nodiscard]] snapshot::Counts snapshot_counts() const override {
    return run_.record.snapshots();
  }

  ProgramCall call_;
  double load_seconds_ = 0;
  GraphPart part_;
  std::unique_ptr<ByteSink> own_;  // values file of this process
  Graph whole_;                    // on node 0, for verification and baseline
  ProgramValues gathered_;         // on node 0, for outputs that need all rows
  VertexNames names_;              // names for gathered_
  bool checks_ = false;
  std::string source_;
  std::string hash_;
  Configuration used_;
  ProgramResult run_;
  ReportInput input_;
  AnswerFacts answer_;
};

}  // namespace

std::unique_ptr<RunFlow> run_on_parts(const CommandOptions& options, const Request& decided,
                                      ProgramCall call, Instant begun) {
  return std::make_unique<PartsRun>(options, decided, std::move(call), begun);
}

}  // namespace leeway::app
