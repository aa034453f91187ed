#include "leeway/cli/piece_report.h"

#include <algorithm>
#include <array>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

using piece::PieceRecord;
using piece::Stretch;
using piece::TickId;
using piece::WorkerRecord;

using TickMeasure = double (PieceRecord::*)(TickId) const;

std::vector<double> each_tick(const PieceRecord& record, TickMeasure measure) {
  std::vector<double> values;
  for (TickId tick(0); tick.value() < record.ticks; tick = tick.next())
    values.push_back((record.*measure)(tick));
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::uint64_t total(const PieceRecord& record, std::uint64_t WorkerRecord::*what) {
  std::uint64_t sum = 0;
  for (const WorkerRecord& worker : record.workers) sum += worker.*what;
  return sum;
}

Instant at(std::int64_t nanos) { return Instant(Duration(nanos)); }
double in_seconds(std::int64_t nanos) { return seconds(Duration(nanos)); }

ReportLane lane_of(const WorkerRecord& worker) {
  ReportLane lane;
  lane.log.begin = at(worker.begin);
  lane.log.end = at(worker.finished);
  lane.log.trace = true;
  for (const Stretch& stretch : worker.stretches) {
    lane.log.span(stretch.kind == Stretch::Waiting ? Activity::Blocked : Activity::Compute,
                  at(worker.begin + stretch.begin), at(worker.begin + stretch.end));
  }
  Facts& details = lane.details;
  details.count("iterations", "", worker.ticks.size());
  details.real("compute_seconds", "", in_seconds(worker.computing()));
  details.real("wait_seconds", "", in_seconds(worker.waited));
  details.count("letters", "", worker.letters);
  details.count("frames", "", worker.frames);
  details.count("bytes_sent", "", worker.bytes);
  details.count("arrivals", "", worker.arrivals);
  details.count("moved_in", "", worker.moved_in);
  std::vector<double> completed;
  for (const auto& tick : worker.ticks) completed.push_back(in_seconds(tick.end));
  details.raw("completed", JsonWriter().value(completed).text());
  return lane;
}

/// When the last worker had worked on each tick.
std::vector<IterationTotal> series_of(const PieceRecord& record, std::uint64_t objects,
                                      Instant begin) {
  std::vector<IterationTotal> series(record.ticks, {0, objects, objects});
  for (const WorkerRecord& worker : record.workers) {
    for (std::size_t i = 0; i < std::min(worker.ticks.size(), series.size()); ++i) {
      const piece::TickSample& sample = worker.ticks[i];
      series[i].seconds =
          std::max(series[i].seconds, seconds(at(worker.begin + sample.end) - begin));
      if (sample.measured > 0) add_to(series[i].residual, sample.moved);
    }
  }
  return series;
}

/// A lane a worker: which tick of which piece it works on, asynchronous part or synchronous, and for whose
/// piece it waits.
void draw(const PieceRecord& record, TraceWriter& trace) {
  constexpr std::array<std::string_view, 3> kKinds = {"update", "set", "wait"};
  JsonWriter& json = trace.json();
  for (std::size_t lane = 0; lane < record.workers.size(); ++lane) {
    const WorkerRecord& worker = record.workers[lane];
    trace.lane_name(lane, format("worker {}", lane));
    for (const Stretch& stretch : worker.stretches) {
      const std::string_view kind = kKinds[std::min<std::size_t>(stretch.kind, 2)];
      trace.stretch_with({lane, format("{} {}", kind, stretch.tick),
                          at(worker.begin + stretch.begin), at(worker.begin + stretch.end), kind},
                         [&] {
                           json.member("tick", stretch.tick).member("piece", stretch.piece);
                           if (stretch.missing == 0xFFFFFFFF) return;
                           json.member("waits_for_piece", stretch.missing);
                           json.member("waits_for_node", stretch.owner);
                         });
    }
    for (std::size_t tick = 0; tick < worker.ticks.size(); ++tick) {
      if (worker.ticks[tick].pieces == 0) continue;
      trace.counter(format("tick of worker {}", lane), at(worker.begin + worker.ticks[tick].end),
                    [&] { json.member("tick", tick + 1); });
    }
  }
}

void add_figures(const PieceRecord& record, Facts& own) {
  const std::vector<double> lambda_l = each_tick(record, &PieceRecord::lambda_l);
  const std::vector<double> lambda_c = each_tick(record, &PieceRecord::lambda_c);
  own.real("asynchronous_share", "asynchronous part of computing", record.asynchronous_share());
  own.real("absorbed_skew", "skew absorbed", record.absorbed_skew());
  own.shown_only("mean_lambda_l", "lambda_L, mean", mean(lambda_l));
  own.shown_only("mean_lambda_c", "lambda_C, mean", mean(lambda_c));
  own.real("runtime_share", "share of time of the runtime", record.overhead_share());
  own.count("moved", "pieces that changed workers", total(record, &WorkerRecord::moved_in));
  own.count("frames", "messages went in so many frames", total(record, &WorkerRecord::frames));
  own.real("barrier_seconds", "", record.barrier_seconds());
  own.real("even_seconds", "", record.even_seconds());
  own.raw("lambda_l", JsonWriter().value(lambda_l).text());
  own.raw("lambda_c", JsonWriter().value(lambda_c).text());
}

}  // namespace

void add_piece_run(const std::shared_ptr<const PieceRecord>& held, std::uint64_t objects,
                   Report& report) {
  const PieceRecord& record = *held;
  report.engine = "piece";
  report.round = "ticks";
  report.iterations = record.ticks;
  report.why = record.terminated ? "it came to rest" : "as many ticks as were asked for";
  report.visited = report.changed = objects * record.ticks;
  report.input.vertices = objects;
  report.phases.compute = record.seconds();
  report.wire_bytes = total(record, &WorkerRecord::bytes);
  report.messages = {{"diffuse", total(record, &WorkerRecord::letters), report.wire_bytes}};
  report.digest = record.digest;
  report.section = "piece";
  add_figures(record, report.own);
  for (const WorkerRecord& worker : record.workers) report.lanes.push_back(lane_of(worker));
  report.series = series_of(record, objects, first_begin(report.lanes));
  report.trace = [held](TraceWriter& trace) { draw(*held, trace); };
}

}  // namespace leeway::cli
