#include "leeway/cli/piece_report.h"

#include <algorithm>
#include <array>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

using piece::PieceRecord;
using piece::TickId;
using piece::WorkerRecord;
using piece::WorkSpan;

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

/// Which tick of which piece it works on, asynchronous part or synchronous, and for whose piece it waits.
ReportLane lane_of(const WorkerRecord& worker, std::size_t number) {
  constexpr std::array<std::string_view, 3> kKinds = {"update", "set", "wait"};
  ReportLane lane{
      .name = format("worker {}", number), .begin = at(worker.begin), .end = at(worker.finished)};
  for (const WorkSpan& stretch : worker.stretches) {
    lane.spans.push_back(
        {{stretch.kind == WorkSpan::Waiting ? Activity::Blocked : Activity::Compute,
          at(worker.begin + stretch.begin), at(worker.begin + stretch.end)},
         kKinds[std::min<std::size_t>(stretch.kind, 2)],
         stretch.tick,
         stretch.piece,
         stretch.missing,
         stretch.owner});
  }
  for (const piece::TickSample& tick : worker.ticks) {
    lane.iterations.push_back({.at = at(worker.begin + tick.end), .visited = tick.pieces});
    if (tick.measured > 0) lane.iterations.back().residual = tick.moved;
  }
  Facts& details = lane.details;
  details.count("iterations", "", worker.ticks.size());
  details.real("compute_seconds", "", in_seconds(worker.computing()));
  details.real("wait_seconds", "", in_seconds(worker.waited));
  details.count("messages", "", worker.messages);
  details.count("frames", "", worker.frames);
  details.count("bytes_sent", "", worker.bytes);
  details.count("arrivals", "", worker.arrivals);
  details.count("moved_in", "", worker.moved_in);
  return lane;
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

void add_piece_run(const PieceRecord& record, std::uint64_t objects, Report& report) {
  report.engine = "piece";
  report.by_ticks = true;
  report.iterations = record.ticks;
  report.why = record.terminated ? "it came to rest" : "as many ticks as were asked for";
  report.visited = report.changed = objects * record.ticks;
  report.input.vertices = objects;
  report.phases.compute = record.seconds();
  report.wire_bytes = total(record, &WorkerRecord::bytes);
  report.messages = {{"diffuse", total(record, &WorkerRecord::messages), report.wire_bytes}};
  report.digest = record.digest;
  report.section = "piece";
  add_figures(record, report.own);
  for (const WorkerRecord& worker : record.workers)
    report.lanes.push_back(lane_of(worker, report.lanes.size()));
}

}  // namespace leeway::cli
