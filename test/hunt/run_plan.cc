#include "test/hunt/run_plan.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/format.h"
#include "test/campaign/in_child.h"
#include "test/campaign/library_graph.h"
#include "test/campaign/value_judge.h"

namespace leeway::hunt {

namespace {

std::shared_ptr<const Partition> partition_of(const HuntPlan& plan) {
  auto partition = std::make_shared<Partition>();
  partition->part_count = plan.parts();
  partition->owner = Array<PartId>::make(plan.graph.size()).value();
  for (std::uint32_t v = 0; v < plan.graph.size(); ++v)
    partition->owner.mutable_span()[v] = PartId(plan.owners[v]);
  return partition;
}

HuntOutcome wrong(std::string sort, std::string what) {
  return {.sort = std::move(sort), .what = std::move(what)};
}

HuntOutcome judge(const HuntPlan& plan, const Result<ProgramResult>& run) {
  if (!run) return wrong("it failed", run.error().to_string());
  const auto& rounds = plan.options.vertex.iterations;
  if (!rounds && !run->record.converged() && plan.may_be_given_up())
    return {.digest = run->record.digest};
  if (!rounds && !run->record.converged())
    return wrong("no rest", format("it stopped without progress after {} iterations",
                                   run->record.iterations()));
  const std::string found =
      campaign::wrong_values({.program = plan.program->name,
                              .graph = plan.graph,
                              .source = plan.source,
                              .damping = plan.damping,
                              .rounds = rounds.value_or(0),
                              .supersteps = plan.options.vertex.scheduler == Scheduler::Bsp},
                             run->values);
  if (!found.empty()) return wrong("wrong value", found);
  return {.digest = run->record.digest};
}

}  // namespace

HuntOutcome run_plan(const HuntPlan& plan) {
  const Graph graph = campaign::library_graph(plan.graph, WeightKind::Real);
  ProgramParameters settings;
  settings.source = VertexId(plan.source);
  settings.source_given = plan.program->takes(Parameter::Source);
  settings.damping = plan.damping;
  if (plan.exact) settings.tolerance = 0;
  RunOptions options = plan.options;
  if (!plan.owners.empty()) options.divided = partition_of(plan);
  if (!admit(*plan.program, plan.engine, graph, settings, options)) return {.refused = true};
  const HuntOutcome first = judge(plan, plan.on().run(graph, settings, options));
  if (!first.sort.empty() || plan.over_threads()) return first;
  HuntOutcome again = judge(plan, plan.on().run(graph, settings, options));
  if (again.sort.empty() && again.digest != first.digest)
    return wrong("two runs", format("digest {:016x}, then {:016x}", first.digest, again.digest));
  return again;
}

HuntOutcome run_apart(const HuntPlan& plan, unsigned seconds) {
  const auto [output, status] = campaign::in_child([&] {
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(seconds);
    // The library's messages were seen in the first run.
    if (std::freopen("/dev/null", "w", stderr) == nullptr) std::abort();
    const HuntOutcome outcome = run_plan(plan);
    std::printf("%s\n%s", outcome.sort.c_str(), outcome.what.c_str());
  });
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return wrong("no end", format("it still ran after {} s", seconds));
  if (WIFSIGNALED(status)) return wrong("crash", format("signal {}", WTERMSIG(status)));
  const std::size_t line = output.find('\n');
  return wrong(output.substr(0, line), line == std::string::npos ? "" : output.substr(line + 1));
}

}  // namespace leeway::hunt
