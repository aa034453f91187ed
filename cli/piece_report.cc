#include "leeway/cli/piece_report.h"

#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/base/json_text.h"
#include "leeway/cli/output.h"
#include "leeway/cli/report_text.h"
#include "leeway/cli/run_lanes.h"

namespace leeway::cli {

namespace {

using piece::PieceRecord;
using piece::Stretch;
using piece::TickId;
using piece::TickSample;
using piece::WorkerRecord;

std::string each_tick(const PieceRecord& record, double (PieceRecord::*measure)(TickId) const) {
  std::string text;
  for (TickId tick(0); tick.value() < record.ticks; tick = tick.next())
    text += (text.empty() ? "" : ",") + number((record.*measure)(tick));
  return text;
}

double mean(const PieceRecord& record, double (PieceRecord::*measure)(TickId) const) {
  double sum = 0;
  for (TickId tick(0); tick.value() < record.ticks; tick = tick.next())
    sum += (record.*measure)(tick);
  return record.ticks > 0 ? sum / record.ticks : 0;
}

std::uint64_t total(const PieceRecord& record, std::uint64_t WorkerRecord::*what) {
  std::uint64_t sum = 0;
  for (const WorkerRecord& worker : record.workers) sum += worker.*what;
  return sum;
}

std::int64_t first_begin(const PieceRecord& record) {
  std::int64_t begin = record.workers.empty() ? 0 : record.workers.front().begin;
  for (const WorkerRecord& worker : record.workers) begin = std::min(begin, worker.begin);
  return begin;
}

constexpr double kNano = 1e-9;

/// The activities that pictures of runs know.
std::string lanes(const WorkerRecord& worker, std::int64_t begin) {
  constexpr std::array<std::string_view, 4> kDrawn = {"compute", "blocked", "refresh", "barrier"};
  const auto at = [](std::int64_t nanos) { return Instant(Duration(nanos)); };
  NodeLog log;
  log.begin = at(worker.begin - begin);
  log.end = at(worker.finished - begin);
  log.trace = true;
  for (const Stretch& stretch : worker.stretches) {
    log.span(stretch.kind == Stretch::Waiting ? Activity::Blocked : Activity::Compute,
             at(worker.begin - begin + stretch.begin), at(worker.begin - begin + stretch.end));
  }
  return list(lanes_of(log, kLanePieces), [&](const ActivitySpan& span) {
    return format("[{}, {}, {}]", json_string(kDrawn[static_cast<std::size_t>(span.activity)]),
                  number(seconds(span.begin - Instant())), number(seconds(span.end - Instant())));
  });
}

std::string worker_json(const WorkerRecord& worker, std::int64_t begin) {
  const auto since = [&](std::int64_t at) {
    return number(static_cast<double>(at - begin) * kNano);
  };
  return format(
      "{{\"begin\": {}, \"end\": {}, \"iterations\": {}, \"compute_seconds\": {}, "
      "\"wait_seconds\": {}, \"letters\": {}, \"frames\": {}, \"bytes_sent\": {}, \"arrivals\": "
      "{}, "
      "\"moved_in\": {}, \"spans\": [{}]}}",
      since(worker.begin), since(worker.finished), worker.ticks.size(),
      number(static_cast<double>(worker.computing()) * kNano),
      number(static_cast<double>(worker.waited) * kNano), worker.letters, worker.frames,
      worker.bytes, worker.arrivals, worker.moved_in, lanes(worker, begin));
}

/// When the last worker had worked on each tick.
std::string series(const PieceFacts& facts) {
  const std::int64_t begin = first_begin(facts.record);
  std::vector<std::int64_t> last(facts.record.ticks);
  for (const WorkerRecord& worker : facts.record.workers) {
    for (std::size_t i = 0; i < std::min(worker.ticks.size(), last.size()); ++i)
      last[i] = std::max(last[i], worker.begin - begin + worker.ticks[i].end);
  }
  return list(last, [&](std::int64_t at) {
    return format("{{\"seconds\": {}, \"changed\": {}, \"visited\": {}}}",
                  number(static_cast<double>(at) * kNano), facts.objects, facts.objects);
  });
}

std::string skew_json(const PieceRecord& record) {
  return format(
      "\"piece\": {{\"asynchronous_share\": {}, \"absorbed_skew\": {}, \"runtime_share\": {}, "
      "\"barrier_seconds\": {}, \"even_seconds\": {}, \"moved\": {}, \"lambda_l\": [{}], "
      "\"lambda_c\": "
      "[{}]}},\n",
      number(record.asynchronous_share()), number(record.absorbed_skew()),
      number(record.overhead_share()), number(record.barrier_seconds()),
      number(record.even_seconds()), total(record, &WorkerRecord::moved_in),
      each_tick(record, &PieceRecord::lambda_l), each_tick(record, &PieceRecord::lambda_c));
}

std::string event_json(std::size_t lane, const WorkerRecord& worker, const Stretch& stretch,
                       std::int64_t begin) {
  constexpr std::array<std::string_view, 3> kKinds = {"update", "set", "wait"};
  const std::string_view kind = kKinds[std::min<std::size_t>(stretch.kind, 2)];
  std::string args = format("\"tick\":{},\"piece\":{}", stretch.tick, stretch.piece);
  if (stretch.missing != 0xFFFFFFFF) {
    args += format(",\"waits_for_piece\":{},\"waits_for_node\":{}", stretch.missing, stretch.owner);
  }
  return format(
      "{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"name\":\"{} {}\",\"cat\":\"{}\",\"ts\":{},\"dur\":{},"
      "\"args\":{{{}}}}}",
      lane, kind, stretch.tick, kind,
      number(static_cast<double>(worker.begin - begin + stretch.begin) * 1e-3),
      number(static_cast<double>(stretch.end - stretch.begin) * 1e-3), args);
}

}  // namespace

std::string piece_summary(const PieceFacts& facts, bool json) {
  const PieceRecord& record = facts.record;
  Facts shown;
  shown.text("program", "program", facts.program);
  shown.text("input", "input", facts.input);
  for (const auto& [key, value] : facts.configuration) shown.text(key, key, value);
  shown.count("ticks", "ticks", record.ticks);
  shown.text("why", "because", facts.why);
  shown.flag("simulated", "simulated time", facts.simulated);
  shown.real("compute_seconds", facts.simulated ? "compute, virtual seconds" : "compute, seconds",
             record.seconds());
  shown.real("asynchronous_share", "asynchronous part of computing", record.asynchronous_share());
  shown.real("absorbed_skew", "skew absorbed", record.absorbed_skew());
  shown.real("lambda_l", "lambda_L, mean", mean(record, &PieceRecord::lambda_l));
  shown.real("lambda_c", "lambda_C, mean", mean(record, &PieceRecord::lambda_c));
  shown.real("runtime_share", "share of time of the runtime", record.overhead_share());
  shown.count("moved", "pieces that changed workers", total(record, &WorkerRecord::moved_in));
  shown.count("messages", "messages", total(record, &WorkerRecord::letters));
  shown.count("frames", "in frames", total(record, &WorkerRecord::frames));
  shown.bytes("bytes", "sent", total(record, &WorkerRecord::bytes));
  if (!facts.verified.empty()) shown.text("verified", "verified", facts.verified);
  return shown.show(json);
}

std::string piece_report_json(const PieceFacts& facts) {
  const PieceRecord& record = facts.record;
  std::string text = report_head("piece", facts.program, facts.configuration,
                                 {facts.input, facts.input_hash, facts.objects, facts.links});
  text += format(
      "\"simulated\": {},\n\"seconds\": {{{}\"compute\": {}, \"output\": {}}},\n"
      "\"virtual_seconds\": {},\n",
      facts.simulated, phase("load", facts.load_seconds), number(record.seconds()),
      number(facts.output_seconds), facts.simulated ? "[\"compute\"]" : "[]");
  text += format("\"iterations\": {}, \"why\": {},\n", record.ticks, json_string(facts.why));
  if (facts.converged) text += format("\"converged\": {},\n", *facts.converged);
  text += skew_json(record);
  const std::uint64_t bytes = total(record, &WorkerRecord::bytes);
  text += format("\"messages\": {{\"diffuse\": {{\"count\": {}, \"bytes\": {}}}}},\n",
                 total(record, &WorkerRecord::letters), bytes);
  text += format("\"wire_bytes\": {}, \"digest\": \"x{:016x}\",\n", bytes, record.digest);
  if (!facts.frames.empty()) text += "\"frames\": " + json_string(facts.frames) + ",\n";
  if (!facts.verified.empty()) text += "\"verified\": " + json_string(facts.verified) + ",\n";
  text += "\"series\": [" + series(facts) + "],\n";
  const std::int64_t begin = first_begin(record);
  text +=
      "\"nodes\": [" +
      list(record.workers, [&](const WorkerRecord& worker) { return worker_json(worker, begin); }) +
      "]\n}\n";
  return text;
}

std::string piece_trace_json(const PieceFacts& facts) {
  const std::int64_t begin = first_begin(facts.record);
  std::vector<std::string> events;
  for (std::size_t lane = 0; lane < facts.record.workers.size(); ++lane) {
    const WorkerRecord& worker = facts.record.workers[lane];
    events.push_back(
        format("{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\","
               "\"args\":{{\"name\":\"worker {}\"}}}}",
               lane, lane));
    for (const Stretch& stretch : worker.stretches)
      events.push_back(event_json(lane, worker, stretch, begin));
    for (std::size_t tick = 0; tick < worker.ticks.size(); ++tick) {
      if (worker.ticks[tick].pieces == 0) continue;
      events.push_back(format(
          "{{\"ph\":\"C\",\"pid\":0,\"name\":\"tick of worker {}\",\"ts\":{},"
          "\"args\":{{\"tick\":{}}}}}",
          lane, number(static_cast<double>(worker.begin - begin + worker.ticks[tick].end) * 1e-3),
          tick + 1));
    }
  }
  return format(
      "{{\"otherData\":{{\"program\":{},\"input\":{},\"time\":\"{}\"}},\n"
      "\"traceEvents\":[\n{}\n]}}\n",
      json_string(facts.program), json_string(facts.input),
      facts.simulated ? "virtual (simulated)" : "real", fmt::join(events, ",\n"));
}

}  // namespace leeway::cli
