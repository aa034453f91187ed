#include "app/run_outcome.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/engine_reports.h"
#include "app/result_table.h"
#include "app/snapshots.h"
#include "base/format.h"

namespace leeway::app {

namespace {

/// The number of iterations that the program itself defines, if --iterations was not given.
std::optional<std::uint32_t> own_iterations(const ProgramCall& call,
                                            const CommandOptions& options) {
  if (options.iterations) return std::nullopt;
  if (call.program->passes > 0) return call.program->passes;
  return call.options.vertex.iterations;
}

bool changed_at_last(const Record& record) {
  return std::any_of(record.nodes.begin(), record.nodes.end(), [](const NodeRecord& node) {
    return !node.iterations.empty() && node.iterations.back().changed > 0;
  });
}

}  // namespace

bool did_its_iterations(const ProgramCall& call, const CommandOptions& options,
                        const Record& record) {
  const std::uint64_t done = record.all_iterations();
  if (options.iterations) return done >= *options.iterations;
  const auto own = own_iterations(call, options);
  return own && done >= *own && (call.program->passes > 0 || changed_at_last(record));
}

bool has_converged(const ProgramCall& call, const CommandOptions& options, const Record& record) {
  return record.converged() && !did_its_iterations(call, options, record);
}

namespace {

/// Readers verify that an undirected graph has both directions of each edge, except of a .lwg file.
Status check_symmetric(const Graph& graph, const std::string& name) {
  if (graph.directed()) return {};
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    for (const VertexId to : graph.neighbors(v)) {
      const auto back = graph.neighbors(to);
      if (std::binary_search(back.begin(), back.end(), v)) continue;
      return fail(input_error(
          name,
          format(
              "vertex {0} lists {1}, but {1} does not list {0}, although the graph is undirected",
              graph.names().name(v), graph.names().name(to)),
          "make the file again with `leeway convert`"));
    }
  }
  return {};
}

}  // namespace

Status check_result(const ProgramCall& call, const Graph& graph, const CommandOptions& options,
                    const ProgramResult& run, Report& report) {
  const bool counted =
      (options.iterations || own_iterations(call, options)) && call.program->checks_rounds;
  if (!has_converged(call, options, run.record) && !counted) {
    if (options.verify == true) report.verified = "not checked: the run ended before it converged";
    return {};
  }
  if (!options.verify.value_or(graph.arc_count() <= kVerifiedArcs)) return {};
  const CheckingPhase phase(report);
  Result<std::string> verified =
      call.program->verify(graph, call.parameters, call.options, run.values);
  if (!verified) LEEWAY_TRY(check_symmetric(graph, *options.graph));
  LEEWAY_ASSIGN(report.verified, std::move(verified));
  return {};
}

std::string why(const ProgramCall& call, const CommandOptions& options, const Record& record) {
  if (did_its_iterations(call, options, record)) {
    if (options.iterations) return "the requested iterations are complete";
    if (call.program->passes == 0) return "the iterations that define its result are complete";
    return format("all {} passes are complete, the default of --iterations",
                  record.all_iterations());
  }
  if (record.converged())
    return "nothing changes, no stale value was used, no message is in transit";
  const std::uint32_t patience = call.options.vertex.patience;
  if (record.iterations() < patience)
    return format("stopped after {} iterations, the limit of {}", record.iterations(),
                  call.program->name);
  return format(
      "stopped after {} iterations, the last {} of which made no progress (--patience {})",
      record.iterations(), patience, patience);
}

void describe_rounds(const ProgramCall& call, const CommandOptions& options,
                     const ProgramResult& run, const Graph& graph, Report& report) {
  const Record& record = run.record;
  report.engine = engine_info(call.run->engine).name;
  add_snapshots(call.options, record, report);
  report.why = why(call, options, record);
  report.converged = has_converged(call, options, record);
  report.gave_up = !*report.converged && !did_its_iterations(call, options, record);
  ReportFigures figures{.figures = run.figures,
                        .cache_bounded = call.options.vertex.cache.any(),
                        .continues = call.parameters.continuation != nullptr};
  const Baseline& baseline = call.program->baseline;
  if (options.cost && graph.vertex_count() > 0 && baseline.time != nullptr) {
    figures.cost_seconds = baseline.time(graph, call.parameters, record.iterations());
    figures.cost_method = baseline.method;
  }
  add_vertex_run(record, figures, report);
}

void show_values(const ProgramCall& call, const VertexNames& names, const ProgramValues& values,
                 ReportedResults& results) {
  const bool ldbc = call.parameters.ldbc;
  results.values = values_table(names, values, ldbc);
  results.ranked = ranked_table(*call.program, names, values, ldbc);
}

}  // namespace leeway::app
