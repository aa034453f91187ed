#include "leeway/cli/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/cli/commit.h"
#include "leeway/runtime/run_record.h"

namespace leeway::cli {

namespace {

constexpr std::size_t kLanePieces = 400;  // a screen has few more columns
constexpr std::array<std::string_view, 10> kSummarised = {
    "engine", "nodes",  "fabric", "consistency", "scheduler",
    "sync",   "system", "pieces", "threads",     "from_properties"};

/// A setting as JSON: a number if it is one. The name of a vertex stays a name.
std::string json_of(std::string_view key, std::string_view value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [at, fault] = std::from_chars(value.data(), end, number);
  const bool whole = fault == std::errc{} && at == end && std::isfinite(number);
  const bool zeros = value.size() > 1 && value[0] == '0' && value[1] != '.';
  const bool plain = whole && !zeros && value.front() != '.' && value.back() != '.';
  return plain && key != "source" ? std::string(value) : json_string(value);
}

void write_head(JsonWriter& json, const Report& report) {
  json.member("leeway", LEEWAY_VERSION).member("commit", source_commit());
  json.member("engine", report.engine).member("program", report.program);
  json.key("configuration").object([&] {
    for (const auto& [key, value] : report.configuration) json.key(key).raw(json_of(key, value));
  });
  json.key("input").object([&] {
    json.member("graph", report.input.graph).member("hash", report.input.hash);
    json.member("vertices", report.input.vertices).member("arcs", report.input.arcs);
  });
}

void write_seconds(JsonWriter& json, const Report& report) {
  const ReportPhases& phases = report.phases;
  const auto phase = [&](std::string_view name, std::optional<double> seconds) {
    if (seconds) json.member(name, *seconds);
  };
  json.member("simulated", report.simulated);
  json.key("seconds").object([&] {
    phase("load", phases.load);
    phase("partition", phases.partition);
    phase("setup", phases.setup);
    json.member("compute", phases.compute);
    if (phases.check > 0) json.member("check", phases.check);
    json.member("output", phases.output);
    json.member("total", phases.total);
  });
  json.key("virtual_seconds").array([&] {
    if (report.simulated) json.value("compute");
  });
}

void write_lane(JsonWriter& json, const ReportLane& lane, bool by_ticks, Instant begin) {
  json.object([&] {
    json.member("begin", seconds(lane.begin - begin)).member("end", seconds(lane.end - begin));
    lane.details.write_members(json);
    if (by_ticks) {
      json.key("completed").array(lane.iterations, [&](const IterationSample& tick) {
        json.value(seconds(tick.at - lane.begin));
      });
    }
    json.key("spans").array(picture_of(lane, kLanePieces), [&](const ActivitySpan& span) {
      json.array([&] {
        json.value(activity_name(span.activity));
        json.value(seconds(span.begin - begin)).value(seconds(span.end - begin));
      });
    });
  });
}

/// Threads add up in whatever order they come: the last digits say nothing.
double shown(double residual) {
  double rounded = residual;
  if (std::isfinite(residual)) {
    const std::string text = format("{:.9g}", residual);
    std::from_chars(text.data(), text.data() + text.size(), rounded);
  }
  return rounded;
}

void write_series(JsonWriter& json, const Report& report) {
  const auto series = series_of(report.lanes, report.iterations);
  json.key("series").array(series, [&](const IterationTotal& total) {
    json.object([&] {
      const std::uint64_t all = report.input.vertices;
      json.member("seconds", total.seconds);
      json.member("changed", report.by_ticks ? all : total.changed);
      json.member("visited", report.by_ticks ? all : total.visited);
      if (!total.residual) return;
      json.key("residual").object([&] {
        json.member("sum", shown(total.residual->sum)).member("most", shown(total.residual->most));
      });
    });
  });
}

std::uint64_t message_count(const Report& report) {
  std::uint64_t sum = 0;
  for (const SentMessages& sent : report.messages) sum += sent.count;
  return sum;
}

}  // namespace

std::string report_json(const Report& report) {
  JsonWriter json(JsonWriter::Layout::Lines);
  const Instant begin = first_begin(report.lanes);
  json.object([&] {
    write_head(json, report);
    write_seconds(json, report);
    json.member("iterations", report.iterations);
    if (report.converged) json.member("converged", *report.converged);
    json.member("why", report.why);
    json.member("visited", report.visited).member("changed", report.changed);
    if (report.section.empty())
      report.own.write_members(json);
    else
      json.key(report.section).object([&] { report.own.write_members(json); });
    json.key("messages").object([&] {
      for (const SentMessages& sent : report.messages)
        json.key(sent.kind).object(
            [&] { json.member("count", sent.count).member("bytes", sent.bytes); });
    });
    json.member("wire_bytes", report.wire_bytes).member("peak_memory_bytes", peak_memory());
    json.member("digest", format("x{:016x}", report.digest));
    if (!report.frames.empty()) json.member("frames", report.frames);
    if (!report.verified.empty()) json.member("verified", report.verified);
    write_series(json, report);
    json.key("nodes").array(report.lanes, [&](const ReportLane& lane) {
      write_lane(json, lane, report.by_ticks, begin);
    });
  });
  return std::move(json).text();
}

std::string trace_json(const Report& report) {
  JsonWriter json(JsonWriter::Layout::Lines);
  json.object([&] {
    json.key("otherData").object([&] {
      json.member("program", report.program).member("input", report.input.graph);
      json.member("time", report.simulated ? "virtual (simulated)" : "real");
    });
    json.key("traceEvents").array([&] {
      TraceWriter trace(json, first_begin(report.lanes));
      draw(report.lanes, report.by_ticks, trace);
      if (report.trace) report.trace(trace);
    });
  });
  return std::move(json).text();
}

std::string summary(const Report& report, bool json) {
  Facts shown;
  if (report.gave_up)
    shown.text("not_final", "NOT FINAL", report.why.empty() ? "given up" : report.why);
  shown.text("program", "program", report.program);
  shown.text("input", "input", report.input.graph);
  for (const auto& [key, value] : report.configuration)
    if (std::find(kSummarised.begin(), kSummarised.end(), key) != kSummarised.end())
      shown.json_text(key, key, value, json_of(key, value));
  shown.count("iterations", report.by_ticks ? "ticks" : "iterations", report.iterations);
  if (report.converged) shown.flag("converged", "converged", *report.converged);
  shown.text("why", "because", report.why);
  shown.flag("simulated", "simulated time", report.simulated);
  const ReportPhases& phases = report.phases;
  if (phases.load) shown.real("load_seconds", "load, seconds", *phases.load);
  if (phases.partition) shown.real("partition_seconds", "partition, seconds", *phases.partition);
  if (phases.setup) shown.real("setup_seconds", "set up, seconds", *phases.setup);
  shown.real("compute_seconds", report.simulated ? "compute, virtual seconds" : "compute, seconds",
             phases.compute);
  if (phases.check > 0) shown.real("check_seconds", "check, seconds", phases.check);
  shown.real("total_seconds", "from start to answer, seconds", phases.total);
  shown.count("messages", "messages", message_count(report));
  shown.bytes("bytes", "sent", report.wire_bytes);
  shown.append_shown(report.own);
  if (!report.verified.empty()) shown.text("verified", "verified", report.verified);
  return shown.show(json);
}

Status finish(Report& report, const RunResults& results, RunOutputs& outputs, bool json,
              Instant begun) {
  const SteadyClock clock;
  const Instant started = clock.now();
  if (outputs.values)
    LEEWAY_TRY(write_results(results.values, outputs.values_format, *outputs.values));
  if (results.film) LEEWAY_TRY(write_to(outputs.frames, results.film));
  if (outputs.kept != nullptr && !results.taken) outputs.kept->table = numbers_of(results.values);
  report.phases.output += seconds(clock.now() - started);
  report.phases.total = seconds(clock.now() - begun);
  LEEWAY_TRY(write_to(outputs.report, [&] { return report_json(report); }));
  LEEWAY_TRY(write_to(outputs.trace, [&] { return trace_json(report); }));
  if (outputs.kept != nullptr) {
    outputs.kept->report = report_json(report);
    return {};
  }
  std::string text = summary(report, json);
  if (results.top > 0 && !json) text += top_rows(results.values, results.top);
  return outputs.standard_output_taken ? print_error(text) : print(text);
}

}  // namespace leeway::cli
