// `leeway check`: tests a PIE program for the conditions under which every asynchronous run gives the same answer.
#include <string>
#include <string_view>
#include <utility>

#include "app/applicability.h"
#include "app/engines.h"
#include "app/graph_argument.h"
#include "app/output.h"
#include "app/run_options.h"
#include "app/source.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/command.h"
#include "programs/catalog/pie_run.h"
#include "runtime/pie/conditions.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kFragments = 4;
/// Exit code if a condition is violated.
constexpr int kViolated = 1;

void add_finding(Facts& facts, std::string_view key, std::string_view label,
                 const pie::ConditionFinding& finding) {
  const std::string_view state = !finding.tested      ? "not tested"
                                 : finding.violated() ? "violated"
                                                      : "no counterexample";
  const std::string why =
      finding.counterexample.empty() ? "" : format(": {}", finding.counterexample);
  facts.object(key, label, format("{}{}", state, why), [&](JsonWriter& json) {
    json.member("state", state);
    json.member("counterexample", finding.counterexample);
  });
}

Facts facts_of(const pie::ConditionReport& found, const Request& decided,
               const CommandOptions& options, std::uint32_t fragments) {
  Facts facts;
  facts.text("program", "program", decided.name());
  facts.text("graph", "graph", *options.graph);
  facts.count("fragments", "fragments", fragments);
  facts.count("schedules", "random schedules", options.schedules);
  facts.count("rounds", "rounds", found.rounds);
  facts.count("comparisons", "rounds repeated for T3", found.comparisons);
  if (found.unfinished > 0)
    facts.count("unfinished", "schedules ended at their limit", found.unfinished);
  facts.count("values", "distinct values", found.values);
  facts.text("order", "order", found.rises ? "results rise" : "results fall");
  add_finding(facts, "T1", "T1, finite domain", found.finite);
  add_finding(facts, "T2", "T2, contracting", found.contracting);
  add_finding(facts, "T3", "T3, monotonic", found.monotonic);
  add_finding(facts, "same_answer", "same answer", found.same_answer);
  return facts;
}

}  // namespace

Result<int> run_check(const Invocation& given) {
  Invocation invocation = given;
  CommandOptions& options = invocation.options;
  const std::string name = invocation.argument(0);
  LEEWAY_ASSIGN(const Program* const program, program_called(name));
  LEEWAY_TRY(take_graph_argument(invocation.argument(1), options));
  if (program->on(EngineName::Pie) == nullptr) {
    return fail(input_error("leeway check", format("{} is not a program of the pie engine", name),
                            format("give {}", alternatives(checked_programs()))));
  }
  options.engine = EngineName::Pie;
  LEEWAY_ASSIGN(const Request decided, decide_run(*program, options, nullptr));
  report_warnings(options);
  // By hash there are more borders, which give more messages.
  if (find_given(options, "partition") == nullptr) options.partition.method = PartitionMethod::Hash;
  LEEWAY_ASSIGN(ProgramCall call, call_of(decided, options, nullptr));
  call.options.pie.workers = options.pie.workers > 0 ? options.pie.workers : kFragments;
  LEEWAY_ASSIGN(const OpenedGraph held, OpenedGraph::of(options));
  const Graph& graph = *held;
  LEEWAY_TRY(find_source(graph, options, call));
  if (const Status admitted =
          admit(*call.program, decided.engine, graph, call.parameters, call.options);
      !admitted)
    return fail(in_graph(admitted.error(), options));
  LEEWAY_TRY(settle_division(*options.graph, graph, call.options));
  pie::CheckOptions how;
  how.schedules = options.schedules;
  how.seed = options.load.seed;
  how.name = [&](VertexId vertex) { return graph.names().name(vertex); };
  LEEWAY_ASSIGN(const pie::ConditionReport found,
                call.run->check(graph, call.parameters, call.options, how));
  LEEWAY_TRY(print(facts_of(found, decided, options, call.options.pie.workers).show(options.json)));
  return found.violated() ? kViolated : 0;
}

}  // namespace leeway::cli
