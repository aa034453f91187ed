#include "app/engine_reports.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/format.h"
#include "leeway/pie_program.h"

namespace leeway::app {

namespace {

std::string figure_label(const std::string& name) {
  if (name == "rmse_train") return "RMSE of training ratings";
  if (name == "rmse_test") return "RMSE of test ratings";
  return name;
}

std::string staleness(const AccessCounts& accesses) {
  // The index is the staleness. Current hits and values that a read waited for have age 0.
  std::vector<std::uint64_t> uses(accesses.stale_by_age.begin(), accesses.stale_by_age.end());
  uses[0] += accesses.current_hits + accesses.stale_misses + accesses.cache_misses;
  while (uses.size() > 1 && uses.back() == 0) uses.pop_back();
  return JsonWriter().value(uses).text();
}

/// Totals per virtual worker of the pie engine.
std::string workers(const std::vector<pie::RoundRecord>& rounds) {
  struct Total {
    std::uint64_t rounds = 0, messages = 0, sent = 0, vertices = 0, edges = 0;
    double computing = 0, stretched = 0;
  };
  std::map<PartId, Total> totals;
  for (const pie::RoundRecord& round : rounds) {
    Total& total = totals[round.worker];
    ++total.rounds;
    total.messages += round.staleness;
    total.sent += round.sent;
    total.vertices += round.vertices;
    total.edges += round.edges;
    total.computing += seconds(round.end - round.begin);
    total.stretched += round.stretch_seconds;
  }
  JsonWriter json;
  json.array(totals, [&](const auto& each) {
    const auto& [worker, total] = each;
    json.object([&] {
      json.member("worker", worker.value()).member("rounds", total.rounds);
      json.member("messages", total.messages).member("parameters_sent", total.sent);
      json.member("vertices", total.vertices).member("edges", total.edges);
      json.member("computing", total.computing).member("held", total.stretched);
    });
  });
  return std::move(json).text();
}

void add_figures(const ReportFigures& figures, Facts& own) {
  if (!figures.figures.empty()) {
    own.object("figures", [&](JsonWriter& json) {
      for (const auto& [name, value] : figures.figures) json.member(name, value);
    });
    for (const auto& [name, value] : figures.figures)
      own.shown_only(name, figure_label(name), value);
  }
  if (figures.cost_seconds < 0) return;
  own.object("cost", [&](JsonWriter& json) {
    json.member("method", figures.cost_method).member("seconds", figures.cost_seconds);
  });
  own.shown_only("cost_seconds", figures.cost_method + ", seconds", figures.cost_seconds);
}

/// Capacity, hits, misses and evictions of bounded caches.
void add_cache(const Record& record, Facts& own) {
  std::uint64_t capacity = 0;
  for (const NodeRecord& node : record.nodes) {
    const std::uint64_t bound = node.counters[Counter::CacheCapacity];
    capacity += bound > 0 ? bound : node.counters[Counter::Remote];
  }
  const Counters all = record.counters();
  const std::uint64_t hits = all[Counter::CurrentHits] + all[Counter::StaleHits];
  const std::uint64_t misses = all[Counter::StaleMisses] + all[Counter::CacheMisses];
  const std::uint64_t brought = all[Counter::Reads];
  const std::uint64_t evictions = all[Counter::Evictions];
  own.object("cache", "bounded caches",
             format("{} copies, {} hits, {} misses, {} fetched, {} evictions",
                    format_count(capacity), format_count(hits), format_count(misses),
                    format_count(brought), format_count(evictions)),
             [&](JsonWriter& json) {
               json.member("capacity", capacity).member("hits", hits).member("misses", misses);
               json.member("evictions", evictions).member("brought", brought);
             });
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return format("{:.1f} ms", seconds * 1e3);
  return format("{:.2f} s", seconds);
}

/// Message handling by compute and service threads, and the time from a stale hit to the refreshed copy.
void add_service(const Record& record, Facts& own) {
  const std::uint64_t moves = record.count(Counter::Moves);
  const std::uint64_t by_service = record.count(Counter::MovesByService);
  const RefreshTimes refreshes = record.refresh_times();
  const double share =
      static_cast<double>(by_service) / static_cast<double>(std::max<std::uint64_t>(1, moves));
  own.object("moves", "message handling turns",
             by_service == 0
                 ? format("{}, by compute threads", format_count(moves))
                 : format("{}, {:.0f}% by service threads", format_count(moves), share * 100),
             [&](JsonWriter& json) { json.member("all", moves).member("by_service", by_service); });
  if (refreshes.count() == 0) return;
  const double median = refreshes.quantile_seconds(0.5);
  const double late = refreshes.quantile_seconds(0.99);
  own.object("refresh_seconds", "stale hit to refreshed copy",
             format("median {}, 99% within {} ({} followed)", time_text(median), time_text(late),
                    format_count(refreshes.count())),
             [&](JsonWriter& json) {
               json.member("followed", refreshes.count()).member("median", median);
               json.member("p99", late);
             });
}

/// One span per round of the pie engine, and counters of each worker's AAP parameters.
void draw_rounds(const std::vector<pie::RoundRecord>& rounds, TraceWriter& trace) {
  JsonWriter& json = trace.json();
  for (const pie::RoundRecord& round : rounds) {
    const char* const kind = round.round == Round(0) ? "PEval" : "IncEval";
    trace.span({round.worker.index(), kind, round.begin, round.end, {}, 1}, [&] {
      json.member("round", round.round.value()).member("eta", round.staleness);
      json.member("L", round.target).member("t", round.predicted_seconds);
      json.member("s", round.arrival_rate).member("DS", round.stretch_seconds);
      json.member("r_min", round.slowest.value()).member("r_max", round.fastest.value());
      json.member("taken", round.taken).member("sent", round.sent).member("edges", round.edges);
    });
    trace.counter(
        format("worker {}", round.worker), round.begin,
        [&] {
          json.member("eta", round.staleness).member("L", round.target);
          json.member("DS us", round.stretch_seconds * 1e6);
        },
        1);
  }
}

std::vector<SentMessages> messages_of(const Record& record, std::string_view engine) {
  if (engine == "pie") return {{"parameters", record.messages(), record.bytes()}};
  std::vector<SentMessages> messages;
  const KindCounts counts = record.sent_by_kind();
  for (std::uint8_t kind = 1; kind <= kLastMessageKind; ++kind)
    messages.push_back({message_kind_name(static_cast<MessageKind>(kind)), counts[kind].messages,
                        counts[kind].bytes});
  return messages;
}

}  // namespace

void add_vertex_run(const Record& record, const ReportFigures& figures, Report& report) {
  const AccessCounts accesses = record.accesses();
  report.simulated = record.simulated;
  report.phases.load = record.phases.load;
  report.phases.partition = record.phases.partition;
  report.phases.setup = record.phases.setup;
  report.phases.compute = record.phases.compute;
  report.phases.output = record.phases.output;
  report.iterations = record.iterations();
  report.visited = record.visited();
  report.changed = record.changed();
  report.messages = messages_of(record, report.engine);
  report.wire_bytes = record.bytes();
  report.digest = record.digest;
  if (figures.continues) report.own.shown_count("visited", "visits of vertices", report.visited);
  report.own.count("blocked_fetches", record.nodes.size() > 1 ? "blocked fetches" : "",
                   record.blocked_fetches());
  report.own.count("refreshes", "", record.refreshes());
  const double uses = static_cast<double>(accesses.remote());
  if (uses > 0) {
    report.own.shown_only("current_share", "share of current copies used",
                          1 - static_cast<double>(accesses.stale_hits) / uses);
  }
  report.own.object("hits", [&](JsonWriter& json) {
    json.member("current", accesses.current_hits).member("stale", accesses.stale_hits);
    json.member("stale_misses", accesses.stale_misses);
    json.member("cache_misses", accesses.cache_misses);
  });
  report.own.raw("staleness", staleness(accesses));
  if (figures.cache_bounded) add_cache(record, report.own);
  if (report.engine == "vertex" && record.nodes.size() > 1) add_service(record, report.own);
  add_figures(figures, report.own);
  if (const std::uint64_t count = record.not_finite().count; count > 0)
    report.own.count("not_finite", "values infinite or not a number", count);
  const pie::RoundHistory none;
  const pie::RoundHistory& history = record.rounds != nullptr ? *record.rounds : none;
  const std::vector<pie::RoundRecord> rounds = history.rounds();
  if (const std::uint64_t times = record.count(Counter::Balancings); times > 0) {
    const std::uint64_t moved = record.count(Counter::MovedWorkers);
    report.own.object(
        "rebalanced", "workers moved between nodes", format("{}, at {} moments", moved, times),
        [&](JsonWriter& json) { json.member("times", times).member("workers", moved); });
  }
  if (!rounds.empty()) report.own.raw("workers", workers(rounds));
  add_lanes(record.nodes, report.engine == "pie" ? kOfPie : kOfVertex, report);
  const RefreshTimes refreshes = record.refresh_times();
  const double refresh = refreshes.count() > 0 ? refreshes.quantile_seconds(0.5) : 0;
  for (ReportLane& lane : report.lanes) {
    if (!lane.node.spans.empty()) continue;
    const auto fetches = static_cast<double>(lane.node.counters[Counter::BlockedFetches]);
    lane.blocked_seconds_estimated = fetches * refresh;
  }
  report.trace = [rounds](TraceWriter& trace) { draw_rounds(rounds, trace); };
}

std::string partition_text(const PartitionOptions& options) {
  if (options.method == PartitionMethod::File) return "file:" + options.owner_file;
  return std::string(partition_method_name(options.method));
}

namespace {

double share(Duration part, Duration whole) {
  return whole.count() > 0 ? seconds(part) / seconds(whole) : 0;
}

/// `all`: the nodes' times from begin to end.
void add_figures(const Counters& sum, Duration all, const TickFigures& figures, double compute,
                 Facts& own) {
  const Duration stepping = sum.time(Counter::StepProcessorTime);
  const Duration running = sum.time(Counter::RuntimeProcessorTime);
  own.count("tuples", "tuples", figures.tuples);
  own.real("tuple_ticks_per_second", "tuple ticks per second",
           static_cast<double>(figures.tuples) * figures.ticks / compute);
  own.real("step_share", "share of time in STEP", share(sum.time(Counter::StepTime), all));
  own.real("wait_share", "share of time waiting", share(sum.time(Counter::WaitTime), all));
  own.real("runtime_share", "share of time of the runtime",
           share(sum.time(Counter::RuntimeTime), all));
  if (running.count() > 0) {
    own.real("runtime_processor_share", "share of processor time of the runtime",
             share(running, running + stepping));
  }
  own.count("ahead", "tuples stepped ahead of messages", sum[Counter::Ahead]);
  own.count("copied", "tuples stepped for others", sum[Counter::Copied]);
  own.count("most_versions", "most versions kept", sum[Counter::MostVersions]);
  own.count("rebalanced", figures.rebalanced > 0 ? "divided again" : "", figures.rebalanced);
  own.count("steps", "", sum[Counter::Steps]);
  own.count("stepped", "", sum[Counter::Stepped]);
  own.count("most_ahead", "", sum[Counter::MostAhead]);
  own.real("step_seconds", "", sum.seconds(Counter::StepTime));
  own.real("wait_seconds", "", sum.seconds(Counter::WaitTime));
  own.real("runtime_seconds", "", sum.seconds(Counter::RuntimeTime));
  own.real("step_processor_seconds", "", seconds(stepping));
  own.real("runtime_processor_seconds", "", seconds(running));
}

}  // namespace

void add_tick_run(std::span<const NodeRecord> nodes, const TickFigures& figures, Report& report) {
  Counters sum;
  Duration all{};
  for (const NodeRecord& node : nodes) {
    sum.add(node.counters);
    all += node.end - node.begin;
  }
  report.engine = "tick";
  report.by_ticks = true;
  report.iterations = figures.ticks;
  report.why = "the requested ticks are complete";
  report.visited = report.changed = sum[Counter::Stepped];
  report.input.vertices = figures.tuples;
  report.messages = {{"state", sum[Counter::Messages], sum[Counter::BytesSent]}};
  report.wire_bytes = sum[Counter::BytesSent];
  report.section = "ticks";
  add_figures(sum, all, figures, report.phases.compute, report.own);
  add_lanes(nodes, kOfTick, report);
}

namespace {

using piece::PieceRecord;
using piece::TickId;

using TickFigure = double (PieceRecord::*)(TickId) const;

std::vector<double> each_tick(const PieceRecord& record, TickFigure measure) {
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

void add_figures(const PieceRecord& record, Facts& own) {
  const std::vector<double> lambda_l = each_tick(record, &PieceRecord::lambda_l);
  const std::vector<double> lambda_c = each_tick(record, &PieceRecord::lambda_c);
  own.real("asynchronous_share", "asynchronous part of computing", record.asynchronous_share());
  own.real("absorbed_skew", "skew absorbed", record.absorbed_skew());
  own.shown_only("mean_lambda_l", "lambda_L, mean", mean(lambda_l));
  own.shown_only("mean_lambda_c", "lambda_C, mean", mean(lambda_c));
  own.real("runtime_share", "share of time of the runtime", record.overhead_share());
  own.count("moved", "pieces that changed workers", record.count(Counter::MovedIn));
  own.count("frames", "frames", record.count(Counter::Frames));
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
  report.why = record.terminated ? "the values converged" : "the requested ticks are complete";
  report.visited = report.changed = objects * record.ticks;
  report.input.vertices = objects;
  report.phases.compute = record.seconds();
  report.wire_bytes = record.bytes();
  report.messages = {{"diffuse", record.messages(), report.wire_bytes}};
  report.digest = record.digest;
  report.section = "piece";
  add_figures(record, report.own);
  add_lanes(record.nodes, kOfPiece, report);
}

}  // namespace leeway::app
