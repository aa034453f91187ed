#include "leeway/cli/tick_report.h"

#include <algorithm>
#include <array>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

/// What every node did, together.
TickCounts total(const std::vector<TickLog>& logs) {
  TickCounts sum;
  for (const TickLog& log : logs) {
    sum.steps += log.counts.steps;
    sum.stepped += log.counts.stepped;
    sum.ahead += log.counts.ahead;
    sum.copied += log.counts.copied;
    sum.letters += log.counts.letters;
    sum.bytes += log.counts.bytes;
    sum.most_versions = std::max(sum.most_versions, log.counts.most_versions);
    sum.most_ahead = std::max(sum.most_ahead, log.counts.most_ahead);
    sum.step += log.counts.step;
    sum.wait += log.counts.wait;
    sum.stepping += log.counts.stepping;
    sum.own += log.counts.own;
    sum.end += log.counts.end - log.counts.begin;
  }
  return sum;
}

double share(Duration part, Duration whole) {
  return whole.count() > 0 ? seconds(part) / seconds(whole) : 0;
}

ReportLane lane_of(const TickLog& log) {
  ReportLane lane;
  const TickCounts& counts = log.counts;
  lane.log.begin = counts.begin;
  lane.log.end = counts.end;
  lane.log.trace = true;
  for (const TickSpan& span : log.spans) {
    const Activity activity = span.activity == TickActivity::Wait      ? Activity::Blocked
                              : span.activity == TickActivity::Barrier ? Activity::Barrier
                                                                       : Activity::Compute;
    lane.log.span(activity, span.begin, span.end);
  }
  Facts& details = lane.details;
  details.count("iterations", "", counts.ticks);
  details.count("steps", "", counts.steps);
  details.count("stepped", "", counts.stepped);
  details.count("ahead", "", counts.ahead);
  details.count("copied", "", counts.copied);
  details.count("letters", "", counts.letters);
  details.count("bytes_sent", "", counts.bytes);
  details.count("most_versions", "", counts.most_versions);
  details.count("most_ahead", "", counts.most_ahead);
  details.real("step_seconds", "", seconds(counts.step));
  details.real("wait_seconds", "", seconds(counts.wait));
  details.real("runtime_seconds", "", seconds(counts.runtime()));
  std::vector<double> completed;
  for (const Instant done : log.completed) completed.push_back(seconds(done - counts.begin));
  details.raw("completed", JsonWriter().value(completed).text());
  return lane;
}

/// When the last node had completed each tick.
std::vector<IterationTotal> series_of(const std::vector<TickLog>& logs, std::uint64_t tuples,
                                      Instant begin) {
  std::vector<IterationTotal> series;
  for (const TickLog& log : logs) {
    series.resize(std::max(series.size(), log.completed.size()), {0, tuples, tuples});
    for (std::size_t i = 0; i < log.completed.size(); ++i)
      series[i].seconds = std::max(series[i].seconds, seconds(log.completed[i] - begin));
    for (const TickResidual& measured : log.residuals)
      add_to(series[measured.tick].residual, measured.moved);
  }
  return series;
}

void draw(const std::vector<TickLog>& logs, TraceWriter& trace) {
  constexpr std::array<std::string_view, 5> kActivities = {"step", "ahead", "replica", "wait",
                                                           "barrier"};
  for (std::size_t node = 0; node < logs.size(); ++node) {
    trace.lane_name(node, format("node {}", node));
    for (const TickSpan& span : logs[node].spans) {
      const std::string_view kind = kActivities[static_cast<std::size_t>(span.activity)];
      trace.stretch_with({node, format("{} {}", kind, span.tick), span.begin, span.end, kind}, [&] {
        trace.json().member("tick", span.tick.value());
        if (span.on != NodeId::none()) trace.json().member("waits_for_node", span.on.value());
      });
    }
    for (std::size_t i = 0; i < logs[node].completed.size(); ++i)
      trace.counter(format("tick of node {}", node), logs[node].completed[i],
                    [&] { trace.json().member("tick", i + 1); });
  }
}

void add_figures(const TickCounts& sum, const TickFigures& figures, double compute, Facts& own) {
  const Duration all = sum.end - Instant{};
  own.count("tuples", "tuples", figures.tuples);
  own.real("tuple_ticks_per_second", "tuple ticks a second",
           static_cast<double>(figures.tuples) * figures.ticks / compute);
  own.real("step_share", "share of time in STEP", share(sum.step, all));
  own.real("wait_share", "share of time waiting", share(sum.wait, all));
  own.real("runtime_share", "share of time of the runtime", share(all - sum.step - sum.wait, all));
  if (sum.own.count() > 0) {
    own.real("runtime_processor_share", "share of processor time of the runtime",
             share(sum.own, sum.own + sum.stepping));
  }
  own.count("ahead", "tuples stepped ahead of messages", sum.ahead);
  own.count("copied", "tuples stepped for others", sum.copied);
  own.count("most_versions", "most versions kept", sum.most_versions);
  own.count("rebalanced", figures.rebalanced > 0 ? "divided anew" : "", figures.rebalanced);
  own.count("steps", "", sum.steps);
  own.count("stepped", "", sum.stepped);
  own.count("most_ahead", "", sum.most_ahead);
  own.real("step_seconds", "", seconds(sum.step));
  own.real("wait_seconds", "", seconds(sum.wait));
  own.real("runtime_seconds", "", seconds(sum.runtime()));
  own.real("step_processor_seconds", "", seconds(sum.stepping));
  own.real("runtime_processor_seconds", "", seconds(sum.own));
}

}  // namespace

void add_tick_run(const std::shared_ptr<const std::vector<TickLog>>& logs,
                  const TickFigures& figures, Report& report) {
  const TickCounts sum = total(*logs);
  report.engine = "tick";
  report.round = "ticks";
  report.iterations = figures.ticks;
  report.why = "as many ticks as were asked for";
  report.visited = report.changed = sum.stepped;
  report.input.vertices = figures.tuples;
  report.messages = {{"state", sum.letters, sum.bytes}};
  report.wire_bytes = sum.bytes;
  report.section = "ticks";
  add_figures(sum, figures, report.phases.compute, report.own);
  for (const TickLog& log : *logs) report.lanes.push_back(lane_of(log));
  report.series = series_of(*logs, figures.tuples, first_begin(report.lanes));
  report.trace = [logs](TraceWriter& trace) { draw(*logs, trace); };
}

}  // namespace leeway::cli
