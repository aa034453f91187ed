#include "app/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "protocol/policy.h"
#include "runtime/cluster/record.h"

namespace leeway::app {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(last_of(Activity())) + 1>
    kActivities = {"compute", "blocked", "refresh", "barrier", "step",
                   "ahead",   "replica", "wait",    "update",  "set"};

/// The activity of any engine that a picture shows for this one.
Activity pictured(Activity activity) {
  switch (activity) {
    case Activity::Step:
    case Activity::Ahead:
    case Activity::Replica:
    case Activity::Update:
    case Activity::Set:
      return Activity::Compute;
    case Activity::Wait:
      return Activity::Blocked;
    default:
      return activity;
  }
}

/// Nanoseconds per pictured activity.
using Shares = std::array<std::int64_t, 4>;

std::int64_t nanoseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

/// Correctly rounded, so that the report shows no more digits than the nanoseconds have.
double exact_seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

/// Adds the span's time to the pieces it overlaps.
void spread(const ActivitySpan& span, Instant begin, std::int64_t width,
            std::vector<Shares>& pieces) {
  const std::int64_t last = static_cast<std::int64_t>(pieces.size()) * width;
  const std::int64_t from = std::clamp<std::int64_t>(nanoseconds(span.begin - begin), 0, last);
  const std::int64_t to = std::clamp<std::int64_t>(nanoseconds(span.end - begin), from, last);
  for (std::int64_t at = from; at < to;) {
    const std::int64_t piece = at / width;
    const std::int64_t until = std::min(to, (piece + 1) * width);
    pieces[static_cast<std::size_t>(piece)][static_cast<std::size_t>(pictured(span.activity))] +=
        until - at;
    at = until;
  }
}

Activity greatest(Shares shares) {
  const auto share = [&](Activity activity) -> std::int64_t& {
    return shares[static_cast<std::size_t>(activity)];
  };
  auto& compute = share(Activity::Compute);
  compute =
      std::max<std::int64_t>(compute - share(Activity::Blocked) - share(Activity::Refresh), 0);
  return static_cast<Activity>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

void write_arguments(const ActivitySpan& span, JsonWriter& json) {
  const std::pair<std::string_view, std::uint32_t> all[] = {
      {"tick", span.tick},
      {"piece", span.piece},
      {"waits_for_piece", span.waits_for_piece},
      {"waits_for_node", span.waits_for_node}};
  for (const auto& [name, value] : all) {
    if (value != ActivitySpan::kNone) json.member(name, value);
  }
}

std::string_view activity_name(Activity activity) {
  return kActivities[static_cast<std::size_t>(activity)];
}

/// The earliest start of a lane.
Instant first_begin(const std::vector<ReportLane>& lanes) {
  Instant begin = lanes.empty() ? Instant{} : lanes.front().node.begin;
  for (const ReportLane& lane : lanes) begin = std::min(begin, lane.node.begin);
  return begin;
}

/// At most `pieces` spans from the lane's first iteration to its end, in order, each with the activity that took the
/// most time. Blocked time and refreshing happen within computation and are subtracted from it.
std::vector<ActivitySpan> picture_of(const ReportLane& lane, std::size_t pieces) {
  const std::int64_t length = nanoseconds(lane.node.end - lane.node.begin);
  if (length <= 0 || pieces == 0 || lane.node.spans.empty()) return {};
  const std::int64_t width =
      (length + static_cast<std::int64_t>(pieces) - 1) / static_cast<std::int64_t>(pieces);
  std::vector<Shares> shares(static_cast<std::size_t>((length + width - 1) / width));
  for (const ActivitySpan& span : lane.node.spans) spread(span, lane.node.begin, width, shares);
  std::vector<ActivitySpan> picture;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == Shares{}) continue;
    const Activity activity = greatest(shares[i]);
    const Instant from =
        lane.node.begin + std::chrono::nanoseconds(static_cast<std::int64_t>(i) * width);
    const Instant to = std::min(lane.node.end, from + std::chrono::nanoseconds(width));
    if (!picture.empty() && picture.back().activity == activity && picture.back().end == from) {
      picture.back().end = to;
    } else {
      picture.push_back({activity, from, to});
    }
  }
  return picture;
}

/// One iteration, summed over all lanes.
struct IterationTotal {
  double seconds = 0;  ///< end on the last lane, since the start of the first iteration
  std::uint64_t visited = 0;
  std::uint64_t changed = 0;
  std::optional<Residual> residual = {};  ///< sum over the lanes that measured it
};

std::vector<IterationTotal> series_of(const std::vector<ReportLane>& lanes,
                                      std::uint32_t iterations) {
  std::vector<IterationTotal> series(iterations);
  const Instant begin = first_begin(lanes);
  for (const ReportLane& lane : lanes) {
    for (std::size_t i = 0; i < std::min(lane.node.iterations.size(), series.size()); ++i) {
      const IterationSample& sample = lane.node.iterations[i];
      series[i].seconds = std::max(series[i].seconds, exact_seconds(sample.at - begin));
      series[i].visited += sample.visited;
      series[i].changed += sample.changed;
      add_to(series[i].residual, sample.residual);
    }
  }
  return series;
}

}  // namespace

void draw(const std::vector<ReportLane>& lanes, bool by_ticks, TraceWriter& trace) {
  JsonWriter& json = trace.json();
  for (std::size_t at = 0; at < lanes.size(); ++at) {
    const ReportLane& lane = lanes[at];
    trace.lane_name(at, lane.name);
    for (const ActivitySpan& span : lane.node.spans) {
      const std::string_view activity = activity_name(span.activity);
      const bool of_tick = span.tick != ActivitySpan::kNone;
      const std::string name =
          of_tick ? format("{} {}", activity, span.tick) : std::string(activity);
      trace.span({at, name, span.begin, span.end, of_tick ? activity : std::string_view()},
                 [&] { write_arguments(span, json); });
    }
    for (std::size_t i = 0; i < lane.node.iterations.size(); ++i) {
      const IterationSample& sample = lane.node.iterations[i];
      if (!by_ticks) {
        trace.counter(format("changed, {}", lane.name), sample.at,
                      [&] { json.member("vertices", sample.changed); });
      } else if (sample.visited > 0) {
        trace.counter(format("tick of {}", lane.name), sample.at,
                      [&] { json.member("tick", i + 1); });
      }
    }
  }
}

namespace {

constexpr std::size_t kLanePieces = 400;  // about the width of a screen in pixels

/// True if the summary of a run shows this entry of the configuration. `from_properties` is not a setting: it lists
/// settings that a graph's properties file has defined.
bool is_summarized(std::string_view key) {
  const Setting* const setting = find_setting(key);
  return setting == nullptr ? key == kFromProperties : setting->roles.has(kSummary);
}

/// A setting as JSON: a number if it looks like one. The name of a vertex is always a string.
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
    if (!report.input.held.empty()) json.member("held", report.input.held);
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
    json.member("begin", exact_seconds(lane.node.begin - begin))
        .member("end", exact_seconds(lane.node.end - begin));
    lane.details.write_members(json);
    if (by_ticks) {
      json.key("completed").array(lane.node.iterations, [&](const IterationSample& tick) {
        json.value(exact_seconds(tick.at - lane.node.begin));
      });
    }
    json.key("spans").array(picture_of(lane, kLanePieces), [&](const ActivitySpan& span) {
      json.array([&] {
        json.value(activity_name(span.activity));
        json.value(exact_seconds(span.begin - begin)).value(exact_seconds(span.end - begin));
      });
    });
  });
}

/// Rounded, because the order in which threads add makes the last digits vary.
double nine_digits(double residual) {
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
        json.member("sum", nine_digits(total.residual->sum))
            .member("most", nine_digits(total.residual->most));
      });
    });
  });
}

std::uint64_t message_count(const Report& report) {
  std::uint64_t sum = 0;
  for (const SentMessages& sent : report.messages) sum += sent.count;
  return sum;
}

/// How much of a report is written.
enum class Detail {
  Summary,  ///< --json: without series and nodes
  Whole,    ///< --report
};

/// `top`: as JSON; empty: none.
std::string report_json(const Report& report, Detail detail, const std::string& top) {
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  const Instant begin = first_begin(report.lanes);
  json.object([&] {
    write_head(json, report);
    write_seconds(json, report);
    json.member("iterations", report.iterations);
    if (report.converged) json.member("converged", *report.converged);
    json.member("final", !report.gave_up);
    if (const std::string text = profile(report); !text.empty()) json.member("profile", text);
    json.member("why", report.why);
    if (!report.answer.empty())
      json.key("answer").object([&] { report.answer.write_members(json); });
    if (!top.empty()) json.key("top").raw(top);
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
    json.member("message_count", message_count(report));
    json.member("wire_bytes", report.wire_bytes).member("peak_memory_bytes", peak_memory());
    if (report.simulated) json.member("digest", format("x{:016x}", report.digest));
    if (!report.frames.empty()) json.member("frames", report.frames);
    if (!report.verified.empty()) json.member("verified", report.verified);
    if (detail == Detail::Summary) return;
    write_series(json, report);
    json.key("nodes").array(report.lanes, [&](const ReportLane& lane) {
      write_lane(json, lane, report.by_ticks, begin);
    });
  });
  return std::move(json).text();
}

std::string trace_json(const Report& report) {
  JsonWriter json(JsonWriter::JsonLayout::Lines);
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

}  // namespace

namespace {

/// The value of a setting in the report's configuration; empty: it has none.
std::string configured(const Report& report, std::string_view key) {
  for (const auto& [name, value] : report.configuration)
    if (name == key) return value;
  return {};
}

/// How to divide the work more evenly.
std::string even_division(const Report& report) {
  if (report.engine == "tick") {
    return configured(report, "rebalance").empty()
               ? "--rebalance 10 divides them by load (for fish with --split quadtree)"
               : "divide them more often with --rebalance";
  }
  if (report.engine == "piece") {
    return configured(report, "system") == "asytick-plb"
               ? "smaller pieces, by --pieces, can be divided more evenly"
               : "--system asytick-plb moves pieces to others";
  }
  if (!configured(report, "skew").empty()) return "leave out --skew";
  if (configured(report, "balance") == "vertices") return "partition with --balance arcs";
  const std::string method = configured(report, "partition");
  return method == "metis" ? "partition with --partition ldg" : "partition with --partition metis";
}

double threads_of(const Report& report) {
  double threads = 1;
  const std::string given = configured(report, "threads");
  std::from_chars(given.data(), given.data() + given.size(), threads);
  return threads;
}

/// What makes reads wait less often for a current value.
std::string older_copies(const Report& report) {
  constexpr std::uint64_t kEnough = 100;  // rcp's bound
  const std::string mode = configured(report, "consistency");
  const auto policy = parse_policy(mode);
  if (!policy || policy->threshold < kEnough)
    return "--consistency rcp+push uses older copies meanwhile";
  std::string remedy = format("--consistency rcp-{} accepts older ones", 10 * policy->threshold);
  if (configured(report, "scheduler") == "aap" && configured(report, "staleness").empty())
    remedy += ", and --staleness 10 keeps ranks from running so far ahead";
  return remedy;
}

/// What to try if messages take longer than the computation.
std::string remedy_for_slow_network(const Report& report) {
  if (report.engine == "tick" && configured(report, "sync") != "combined")
    return "--sync combined sends every few ticks and steps ahead, or use fewer ranks";
  if (report.engine == "pie" && configured(report, "scheduler") == "bsp")
    return "try --scheduler aap, or use fewer ranks";
  if (report.engine == "pie" && configured(report, "workers") != format("{}", report.lanes.size()))
    return "one worker per node (--workers) sends fewer messages, or use fewer ranks";
  return "use fewer ranks";
}

/// What to try if one machine is slower than the others.
std::string remedy_for_slow(const Report& report) {
  if (report.engine == "tick") {
    return configured(report, "sync") == "barrier"
               ? "--sync local waits for neighbours only"
               : "--sync schedule steps ahead while messages are under way";
  }
  if (report.engine == "piece") return even_division(report);
  const std::string scheduler = configured(report, "scheduler");
  if (scheduler == "do-work" || scheduler == "bsp") return "try --scheduler aap";
  return report.engine == "pie" ? "--rebalance 2 moves workers from it"
                                : "compare with --scheduler do-work";
}

/// Why the other nodes waited for a node that has no more to do than they have.
std::string slow_node(const Report& report, const ReportLane& node, double waited) {
  // A wait of this share of the others' wait explains it. Small, because the estimate is rough.
  constexpr double kExplains = 0.25;
  const double blocked =
      std::max(node.node.counters.seconds(Counter::BlockedTime), node.blocked_seconds_estimated);
  if (blocked / threads_of(report) >= kExplains * waited) {
    return format(", which waited {} times for values of which its copies were too old: {}",
                  format_count(node.node.counters[Counter::BlockedFetches]), older_copies(report));
  }
  return ": its machine or its network may be slower; " + remedy_for_slow(report);
}

/// At barriers and for messages.
double waited_in(const ReportLane& lane) {
  const Counters& counters = lane.node.counters;
  return counters.seconds(Counter::BarrierTime) + counters.seconds(Counter::WaitTime);
}

/// What a node has to do more of than others, if it is the one that they wait for.
struct LoadWords {
  double load = 0;
  std::string_view verb, mean;
};

LoadWords load_of(const Report& report, const ReportLane& lane) {
  const Counters& counters = lane.node.counters;
  const auto real = [&](Counter counter) { return static_cast<double>(counters[counter]); };
  if (report.engine == "tick") return {real(Counter::Stepped), "steps", "the mean of the tuples"};
  if (report.engine == "piece") return {real(Counter::ComputeTime), "computes", "the mean time"};
  return {real(Counter::Inputs) + real(Counter::Arcs), "holds", "the mean of the arcs"};
}

/// If most nodes waited for one of them.
std::string waits_for_one(const Report& report, double length) {
  const auto& lanes = report.lanes;
  const auto busiest =
      std::min_element(lanes.begin(), lanes.end(),
                       [](const auto& a, const auto& b) { return waited_in(a) < waited_in(b); });
  double waited = 0;
  double loads = 0;
  for (const ReportLane& lane : lanes) {
    loads += load_of(report, lane).load;
    if (&lane != &*busiest) waited += waited_in(lane);
  }
  const auto count = static_cast<double>(lanes.size());
  const double share = waited / (count - 1) / length;
  if (share < 0.4 || waited_in(*busiest) > waited / (count - 1) / 2) return {};
  const LoadWords most = load_of(report, *busiest);
  const double ratio = loads > 0 ? most.load / (loads / count) : 1;
  const std::string start = format("{:.0f} % of the time, the other {}s waited for {}", 100 * share,
                                   report.engine == "piece" ? "worker" : "node", busiest->name);
  if (ratio >= 1.3) {
    return format("{}, which {} {:.1f} times {}: {}", start, most.verb, ratio, most.mean,
                  even_division(report));
  }
  return start + slow_node(report, *busiest, share * length);
}

/// In engines whose nodes wait for messages instead of single values.
std::string waits_for_messages(const Report& report, double length) {
  double waited = 0;
  for (const ReportLane& lane : report.lanes) waited += waited_in(lane);
  const double share = waited / static_cast<double>(report.lanes.size()) / length;
  if (share < 0.3) return {};
  return format(
      "{:.0f} % of the time, {}s waited for messages: the network is slower than the computation; "
      "{}",
      100 * share, report.engine == "piece" ? "worker" : "node", remedy_for_slow_network(report));
}

std::string waits_for_values(const Report& report, double length) {
  double blocked = 0;
  for (const ReportLane& lane : report.lanes)
    blocked += lane.node.counters.seconds(Counter::BlockedTime);
  const double share =
      blocked / static_cast<double>(report.lanes.size()) / threads_of(report) / length;
  if (share < 0.3 || configured(report, "scheduler") == "bsp") return {};
  const std::string mode = configured(report, "consistency");
  const std::string start =
      format("{:.0f} % of the time, threads waited for values of other nodes", 100 * share);
  if (mode == "rcp+push")
    return format(
        "{}: the network is slower than the computation; {}, or try --scheduler bsp or fewer nodes",
        start, older_copies(report));
  return format("{} under {}: {}", start, mode, older_copies(report));
}

}  // namespace

void add_lanes(std::span<const NodeRecord> nodes, EngineFlags engine, Report& report) {
  for (const NodeRecord& node : nodes) {
    const std::string_view kind = engine == kOfPiece ? "worker" : "node";
    ReportLane& lane = report.lanes.emplace_back(
        ReportLane{.name = format("{} {}", kind, report.lanes.size()), .node = node});
    for (const CounterRow& row : kCounters) {
      const std::uint64_t value = node.counters[row.counter];
      if ((row.engines & engine) == 0 || ((row.engines & kIfAny) != 0 && value == 0)) continue;
      if (row.unit == CountUnit::Nanoseconds)
        lane.details.real(row.key, "", node.counters.seconds(row.counter));
      else
        lane.details.count(row.key, "", value);
    }
  }
}

std::string profile(const Report& report) {
  if (report.lanes.size() < 2) return {};
  Instant end = report.lanes.front().node.end;
  for (const ReportLane& lane : report.lanes) end = std::max(end, lane.node.end);
  const double length = seconds(end - first_begin(report.lanes));
  if (length <= 0) return {};
  std::string text = waits_for_one(report, length);
  if (!text.empty()) return text;
  return report.engine == "vertex" ? waits_for_values(report, length)
                                   : waits_for_messages(report, length);
}

std::string whole_graph_held(const ClusterOptions& cluster, std::uint64_t bytes,
                             std::string_view because) {
  if (cluster.job == nullptr || cluster.job->node_count() == 1) return {};
  return format("all of it, {}, for {}", format_bytes(static_cast<double>(bytes)), because);
}

std::string summary(const Report& report) {
  Facts shown;
  if (report.gave_up)
    shown.text("final", "NOT FINAL", report.why.empty() ? "stopped early" : report.why);
  shown.text("program", "program", report.program);
  shown.text("graph", "graph", report.input.graph);
  shown.append_shown(report.answer);
  const std::size_t nodes = report.lanes.size();
  for (const auto& [key, value] : report.configuration)
    if (is_summarized(key) && (nodes > 1 || key != "partition")) shown.text(key, key, value);
  shown.count("iterations", report.by_ticks ? "ticks" : "iterations", report.iterations);
  if (report.converged) shown.flag("converged", "converged", *report.converged);
  shown.text("why", "because", report.why);
  shown.flag("simulated", "simulated time", report.simulated);
  const ReportPhases& phases = report.phases;
  if (phases.load) shown.real("load", "load, seconds", *phases.load);
  if (phases.partition) shown.real("partition", "partition, seconds", *phases.partition);
  if (phases.setup) shown.real("setup", "set up, seconds", *phases.setup);
  shown.real("compute", report.simulated ? "compute, virtual seconds" : "compute, seconds",
             phases.compute);
  if (phases.check > 0) shown.real("check", "check, seconds", phases.check);
  shown.real("total", "from start to answer, seconds", phases.total);
  if (nodes > 1) {
    shown.count("messages", "messages", message_count(report));
    shown.bytes("wire_bytes", "bytes sent", report.wire_bytes);
  }
  const std::string fabric = configured(report, "fabric");
  shown.bytes("peak_memory_bytes",
              fabric == "mpi" || fabric == "ofi" ? "peak memory of rank 0" : "peak memory",
              peak_memory());
  if (!report.input.held.empty()) shown.text("held", "graph in each process", report.input.held);
  shown.append_shown(report.own);
  if (!report.verified.empty()) shown.text("verified", "verified", report.verified);
  if (const std::string text = profile(report); !text.empty())
    shown.text("profile", "profile", text);
  return shown.to_table();
}

namespace {

/// The replacement of lost processes, if the launcher has replaced any.
void add_recoveries(Job* job, Report& report) {
  if (job == nullptr || job->generation() == 0) return;
  const double seconds = leeway::seconds(job->position().recovering);
  report.own.object("recovered", "recoveries",
                    format("{}, in {:.3f} s", job->generation(), seconds), [&](JsonWriter& json) {
                      json.member("times", std::uint64_t{job->generation()});
                      json.member("seconds", seconds);
                    });
}

}  // namespace

Status finish(Report& report, const ReportedResults& results, Outputs& outputs, bool json,
              Instant begun) {
  const SteadyClock clock;
  const Instant started = clock.now();
  // Nothing is printed twice.
  if (outputs.job != nullptr && outputs.kept == nullptr) outputs.job->set_recoverable(false);
  add_recoveries(outputs.job, report);
  if (outputs.values)
    LEEWAY_TRY(write_results(results.values, outputs.values_format, *outputs.values));
  if (results.film) LEEWAY_TRY(write_to(outputs.frames, results.film));
  if (outputs.kept != nullptr && !results.taken) outputs.kept->table = numbers_of(results.values);
  report.phases.output += seconds(clock.now() - started);
  report.phases.total = seconds(clock.now() - begun);
  std::optional<TopRows> top;
  if (results.top > 0)
    top = top_rows(results.ranked ? *results.ranked : results.values, results.top);
  const std::string top_json = top ? top->to_json() : std::string();
  LEEWAY_TRY(
      write_to(outputs.report, [&] { return report_json(report, Detail::Whole, top_json); }));
  LEEWAY_TRY(write_to(outputs.trace, [&] { return trace_json(report); }));
  if (outputs.kept != nullptr) {
    outputs.kept->report = report_json(report, Detail::Whole, top_json);
    outputs.kept->numbers = {.compute_seconds = report.phases.compute,
                             .iterations = report.iterations,
                             .messages = message_count(report),
                             .bytes = report.wire_bytes};
    return {};
  }
  std::string text = json ? report_json(report, Detail::Summary, top_json) + "\n" : summary(report);
  if (top && !json) text += top->to_table();
  return outputs.standard_output_taken ? print_error(text) : print(text);
}

}  // namespace leeway::app
