// `leeway run` of a vertex program on a distributed graph: each process of a job holds a part.
#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/engine_reports.h"
#include "cli/graph_argument.h"
#include "cli/job_agreement.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/result_table.h"
#include "cli/run.h"
#include "cli/snapshots.h"
#include "datasets/byte_stream.h"
#include "datasets/plan.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/load_part.h"

namespace leeway::cli {

namespace {

class PartsExecution {
 public:
  PartsExecution(const Invocation& invocation, const Request& decided, ProgramCall call,
                 Outputs& outputs)
      : invocation_(invocation),
        options_(invocation.options),
        decided_(decided),
        call_(std::move(call)),
        outputs_(outputs),
        first_(cluster().job->self() == NodeId(0)) {}

  Result<int> run() {
    LEEWAY_TRY(open_own());
    LEEWAY_TRY(load());
    LEEWAY_TRY(find_source());
    LEEWAY_TRY(admit_part(*call_.program, part_, call_.parameters, call_.options));
    LEEWAY_TRY(look_at_whole());
    used_ = configuration(call_, decided_, shown_source(), options_);
    input_ = {*options_.graph, hash_, part_.totals.vertices, part_.totals.arcs, "its part"};
    if (options_.saving.any()) {
      const Status planned = prepare_snapshots(options_, used_, input_, call_);
      LEEWAY_TRY(with_group(cluster(), [&](Group& group) { return group.agree(planned); }));
    }
    std::optional<Watch> watch(std::in_place, options_);
    watch->progress()->start("running " + std::string(call_.program->name), 0, "iterations");
    call_.options.progress = watch->progress();
    LEEWAY_ASSIGN(ProgramResult run,
                  call_.program->run_part(part_, call_.parameters, call_.options));
    watch.reset();
    run.record.phases.load = load_seconds_;
    Report report;
    LEEWAY_TRY(check(run, report));
    LEEWAY_TRY(with_group(cluster(), [&](Group& group) -> Status {
      answer_ = answer_of(*call_.program, run.values, part_.totals.vertices, &group);
      return {};
    }));
    const Stopwatch delivering;
    LEEWAY_TRY(deliver(run.values));
    if (options_.kept != nullptr) keep(std::move(run.values));
    run.record.phases.output = delivering.elapsed_seconds();
    if (!first_) return 0;
    return finish_run(run, report);
  }

 private:
  [[nodiscard]] const ClusterOptions& cluster() const { return call_.options.cluster; }

  /// Opens this process's values file before any work, so that an invalid name is an early error, reported once.
  Status open_own() {
    if (!options_.out_parts) return {};
    return with_group(cluster(), [&](Group& group) -> Status {
      auto made = create_sink(part_name(*options_.out, group.self().value(), group.count()));
      LEEWAY_TRY(group.agree(made ? Status{} : fail(made.error())));
      own_ = std::move(*made);
      return {};
    });
  }

  Status load() {
    if (options_.borrowed != nullptr) return take_borrowed();
    Watch watch(options_);
    LoadOptions how = options_.load;
    how.progress = watch.progress();
    const Stopwatch loading;
    PartitionOptions& partition = call_.options.partition;
    LEEWAY_ASSIGN(LoadedPart loaded, load_part(cluster(), *options_.graph, how, partition.balance));
    part_ = std::move(loaded.part);
    if (loaded.by == LoadedBy::OneNode && first_)
      log_info("node 0 reads {} alone and distributes it", *options_.graph);
    load_seconds_ = loading.elapsed_seconds();
    return choose_method();
  }

  Status take_borrowed() {
    LEEWAY_ASSIGN(part_, part_of(*options_.borrowed, cluster().job->self(), cluster().nodes,
                                 call_.options.partition.balance));
    return choose_method();
  }

  Status choose_method() {
    PartitionOptions& partition = call_.options.partition;
    if (partition.method != PartitionMethod::Auto) return {};
    partition.parts = cluster().nodes;
    Result<std::shared_ptr<const Partition>> stored = nullptr;
    if (first_) stored = stored_division(*options_.graph, part_.totals.vertices, partition);
    return with_group(cluster(), [&](Group& group) -> Status {
      LEEWAY_TRY(group.agree(stored ? Status{} : fail(stored.error())));
      if (group.sum(*stored ? 1 : 0) > 0) {
        partition.method = PartitionMethod::File;
        partition.owner_file = *options_.graph;
        call_.options.divided = std::move(*stored);
      } else {
        partition.method = method_for(group, part_, partition);
      }
      return {};
    });
  }

  [[nodiscard]] std::string shown_source() const {
    if (part_.totals.vertices == 0) return "none";
    return options_.source ? source_ : default_source(source_, call_.parameters.source);
  }

  Status find_source() {
    if (!call_.program->source && !options_.source) return {};
    return with_group(cluster(), [&](Group& group) -> Status {
      if (options_.source) {
        call_.parameters.source = find_vertex(group, part_, *options_.source);
        if (call_.parameters.source == VertexId::none())
          return fail(group.found_by_all(no_such_source(*options_.source)));
        call_.parameters.source_given = true;
      } else {
        call_.parameters.source = first_source(group);
      }
      if (part_.totals.vertices == 0) return {};
      LEEWAY_ASSIGN(source_, name_of(group, call_.parameters.source));
      const bool isolated = group.sum(leads_away(call_.parameters.source) ? 1 : 0) == 0;
      return isolated && call_.program->source ? warn_of_source(group) : Status{};
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
    if (first_) warn_of_isolated_source(source_, any ? name : std::string());
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
    checks_ = options_.verify.value_or(part_.totals.arcs <= kVerifiedArcs);
    const bool gathers = checks_ || options_.cost;
    return with_group(cluster(), [&](Group& group) -> Status {
      if (needs_hash(options_)) hash_ = hash_of(group, part_);
      if (!gathers) return {};
      LEEWAY_TRY(group.agree(first_ ? room_for_whole() : Status{}));
      LEEWAY_ASSIGN(whole_, gather_graph(group, part_));
      return {};
    });
  }

  [[nodiscard]] Status room_for_whole() const {
    GraphCounts counts;
    counts.vertices = part_.totals.vertices;
    counts.arcs = part_.totals.arcs;
    counts.weight_kind = part_.totals.weight_kind;
    return admit_memory(options_.verify ? "--verify" : "--cost",
                        "bytes of the whole graph, which node 0 gathers for it,",
                        structure_bytes(counts), 1);
  }

  Status check(const ProgramResult& run, Report& report) {
    if (!checks_) return {};
    return with_group(cluster(), [&](Group& group) -> Status {
      ProgramResult all;
      all.values.shown = run.values.shown;
      LEEWAY_TRY(std::visit(
          [&](const auto& mine) -> Status {
            LEEWAY_ASSIGN(all.values.by_vertex, gather_values(group, std::span(mine)));
            return {};
          },
          run.values.by_vertex));
      Status checked;
      if (first_) {
        all.record = run.record;
        checked = check_result(call_, whole_, options_, all, report);
      }
      return group.agree(std::move(checked));
    });
  }

  void keep(ProgramValues values) {
    options_.kept->values = std::move(values);
    options_.kept->first = part_.first();
    options_.kept->names = std::move(part_.lists.names);
  }

  /// Streams text through node 0 to the output; formats and options that need all rows gather them on node 0.
  Status deliver(const ProgramValues& values) {
    if (own_) LEEWAY_TRY(write_own(values));
    const bool one_file = options_.out && !options_.out_parts;
    if (!one_file && options_.top == 0) return {};
    const auto format = one_file ? result_format(*options_.out) : ResultFormat::Text;
    if (!format) return fail(format.error());
    if (options_.top == 0 && *format == ResultFormat::Text) return stream_values(values);
    return with_group(cluster(), [&](Group& group) -> Status {
      gathered_.shown = values.shown;
      LEEWAY_TRY(std::visit(
          [&](const auto& mine) -> Status {
            LEEWAY_ASSIGN(gathered_.by_vertex, gather_values(group, std::span(mine)));
            return {};
          },
          values.by_vertex));
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
      Status written = write_table(table, outputs_.values_format, *own_);
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
                             [&](std::string_view text) { return outputs_.values->write(text); }));
      LEEWAY_TRY(group.agree(first_ ? outputs_.values->finish() : Status{}));
      outputs_.values.reset();  // already written
      return {};
    });
  }

  Result<int> finish_run(ProgramResult& run, Report& report) {
    report.engine = call_.program->engine;
    report.program = call_.program->name;
    report.configuration = used_;
    report.input = input_;
    add_snapshots(call_.options, run.record, report);
    report.why = why(call_, options_, run.record);
    const bool at_rest = has_converged(call_, options_, run.record);
    report.gave_up = !at_rest && !did_its_iterations(call_, options_, run.record);
    ReportFigures figures{.figures = std::move(run.figures),
                          .cache_bounded = call_.options.vertex.cache.any()};
    if (options_.cost)
      time_baseline(*call_.program, whole_, call_.parameters, run.record.iterations(), figures);
    add_vertex_run(run.record, figures, report);
    report.converged = at_rest;
    answer_.write(shown_source(), report.answer);
    ReportedResults results{.top = options_.top, .taken = true};
    if (names_.count() > 0 || outputs_.values) {
      const bool ldbc = call_.parameters.ldbc;
      results.values = values_table(names_, gathered_, ldbc);
      results.ranked = ranked_table(*call_.program, names_, gathered_, ldbc);
    }
    LEEWAY_TRY(finish(report, results, outputs_, options_.json, invocation_.begun));
    return exit_code_of(report.gave_up, options_, run.record.snapshots());
  }

  const Invocation& invocation_;
  const CommandOptions& options_;
  const Request& decided_;
  ProgramCall call_;
  Outputs& outputs_;
  const bool first_;
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
  ReportInput input_;
  AnswerFacts answer_;
};

}  // namespace

Result<int> run_on_parts(const Invocation& invocation, const Request& decided, ProgramCall call,
                         Outputs& outputs) {
  Result<int> outcome = PartsExecution(invocation, decided, std::move(call), outputs).run();
  const CommandOptions& options = invocation.options;
  if (outcome || options.borrowed != nullptr) return outcome;
  return fail(in_graph(std::move(outcome).error(), options));
}

}  // namespace leeway::cli
