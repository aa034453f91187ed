#include "leeway/cli/tick_report.h"

#include <algorithm>
#include <array>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

/// What every node did, together.
tick::Counts total(const std::vector<tick::NodeLog>& logs) {
  tick::Counts sum;
  for (const tick::NodeLog& log : logs) {
    sum.steps += log.counts.steps;
    sum.stepped += log.counts.stepped;
    sum.ahead += log.counts.ahead;
    sum.copied += log.counts.copied;
    sum.messages += log.counts.messages;
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

ReportLane lane_of(const tick::NodeLog& log, std::size_t at) {
  constexpr std::array<std::string_view, 5> kKinds = {"step", "ahead", "replica", "wait",
                                                      "barrier"};
  const tick::Counts& counts = log.counts;
  ReportLane lane{.name = format("node {}", at), .begin = counts.begin, .end = counts.end};
  for (const tick::ActivitySpan& span : log.spans) {
    const Activity activity = span.activity == tick::Activity::Wait      ? Activity::Blocked
                              : span.activity == tick::Activity::Barrier ? Activity::Barrier
                                                                         : Activity::Compute;
    lane.spans.push_back({{activity, span.begin, span.end},
                          kKinds[static_cast<std::size_t>(span.activity)],
                          span.tick.value(),
                          LaneSpan::kNone,
                          LaneSpan::kNone,
                          span.on.value()});
  }
  for (const Instant done : log.completed) lane.iterations.push_back({.at = done, .visited = 1});
  for (const auto& [tick, moved] : log.residuals) {
    if (tick < lane.iterations.size()) lane.iterations[tick].residual = moved;
  }
  Facts& details = lane.details;
  details.count("iterations", "", counts.ticks);
  details.count("steps", "", counts.steps);
  details.count("stepped", "", counts.stepped);
  details.count("ahead", "", counts.ahead);
  details.count("copied", "", counts.copied);
  details.count("messages", "", counts.messages);
  details.count("bytes_sent", "", counts.bytes);
  details.count("most_versions", "", counts.most_versions);
  details.count("most_ahead", "", counts.most_ahead);
  details.real("step_seconds", "", seconds(counts.step));
  details.real("wait_seconds", "", seconds(counts.wait));
  details.real("runtime_seconds", "", seconds(counts.runtime()));
  return lane;
}

void add_figures(const tick::Counts& sum, const TickFigures& figures, double compute, Facts& own) {
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

void add_tick_run(const std::vector<tick::NodeLog>& logs, const TickFigures& figures,
                  Report& report) {
  const tick::Counts sum = total(logs);
  report.engine = "tick";
  report.by_ticks = true;
  report.iterations = figures.ticks;
  report.why = "as many ticks as were asked for";
  report.visited = report.changed = sum.stepped;
  report.input.vertices = figures.tuples;
  report.messages = {{"state", sum.messages, sum.bytes}};
  report.wire_bytes = sum.bytes;
  report.section = "ticks";
  add_figures(sum, figures, report.phases.compute, report.own);
  for (const tick::NodeLog& log : logs) report.lanes.push_back(lane_of(log, report.lanes.size()));
}

}  // namespace leeway::cli
