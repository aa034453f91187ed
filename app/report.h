// The report of a run, independent of its engine: summary, JSON report for `leeway compare`, and trace for
// chrome://tracing. An engine fills in a `Report`, its lanes and its own facts; `finish` writes all outputs. Plain
// data and pure functions, except `finish`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/applicability.h"
#include "app/output.h"
#include "app/result_table.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "runtime/cluster/record.h"

namespace leeway {

/// The commit this program was built from, as `git describe` prints it, with "-dirty" if files were changed;
/// "unknown" outside a checkout.
const char* source_commit();

}  // namespace leeway

namespace leeway::app {

/// Writes events in Chrome's trace format: spans in lanes, and counters. Times are microseconds since `begin`.
class TraceWriter {
 public:
  TraceWriter(JsonWriter& events, Instant begin) : events_(events), begin_(begin) {}

  /// A span of time in a lane; lanes of one `group` are shown together.
  struct LaneSpan {
    std::size_t lane = 0;
    std::string name;
    Instant begin{};
    Instant end{};
    std::string_view category = {};
    std::uint32_t group = 0;
  };
  void lane_name(std::size_t lane, std::string_view name) {
    event([&] { begin_event("M", 0).member("tid", lane).member("name", "thread_name"); },
          [&] { events_.member("name", name); });
  }
  /// `arguments()` writes the members that a viewer shows with the span.
  template <class Arguments>
  void span(const LaneSpan& span, Arguments&& arguments) {
    event(
        [&] {
          begin_event("X", span.group).member("tid", span.lane).member("name", span.name);
          if (!span.category.empty()) events_.member("cat", span.category);
          events_.member("ts", micros(span.begin));
          events_.member("dur", seconds(span.end - span.begin) * 1e6);
        },
        arguments);
  }
  template <class Values>
  void counter(std::string_view name, Instant at, Values&& values, std::uint32_t group = 0) {
    event([&] { begin_event("C", group).member("name", name).member("ts", micros(at)); }, values);
  }
  JsonWriter& json() { return events_; }

 private:
  template <class Head, class Arguments>
  void event(Head&& head, Arguments&& arguments) {
    events_.object([&] {
      head();
      events_.key("args").object(arguments);
    });
  }
  JsonWriter& begin_event(const char* phase, std::uint32_t group) {
    return events_.member("ph", phase).member("pid", group);
  }
  [[nodiscard]] double micros(Instant at) const { return seconds(at - begin_) * 1e6; }

  JsonWriter& events_;
  Instant begin_;
};

/// One row of the picture and trace: a node, or a worker of a node.
struct ReportLane {
  std::string name;
  NodeRecord
      node;  ///< in runs by ticks, `visited` of an iteration is 0 if the lane took no part in the tick
  /// If spans were not recorded: blocked fetches times the run's median time of a refresh.
  double blocked_seconds_estimated = 0;
  Facts details;  ///< the counters of its engine
};

/// Draws every span, and at the end of each iteration the number of changes, or the tick that ended.
void draw(const std::vector<ReportLane>& lanes, bool by_ticks, TraceWriter& trace);

/// Seconds per phase of a run; none: there was no such phase, or it could not be measured.
struct ReportPhases {
  std::optional<double> load, partition, setup;
  double compute = 0;  ///< virtual under --fabric sim
  double output = 0;
  double check = 0;  ///< verification of the result
  double total = 0;  ///< from command start to output; always real time
};

struct ReportInput {
  std::string graph;  ///< as given, or a description of the scene
  std::string hash;
  std::uint64_t vertices = 0;  ///< or tuples, cells, bodies
  std::uint64_t arcs = 0;
  std::string held =
      {};  ///< how much of it each process of a job has in memory; empty: there are no other processes
};

/// ReportInput::held of a run whose processes all have the whole graph of `bytes`. `because`: the setting or program that needs
/// it so. Empty in a job of one process.
[[nodiscard]] std::string whole_graph_held(const ClusterOptions& cluster, std::uint64_t bytes,
                                           std::string_view because);

struct SentMessages {
  std::string_view kind;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct Report {
  std::string engine;
  std::string program;
  Configuration configuration;
  ReportInput input;
  bool simulated = false;
  ReportPhases phases;
  bool by_ticks = false;  ///< iterations are ticks; each changes all objects
  std::uint32_t iterations = 0;
  std::optional<bool> converged;  ///< none: the program has no convergence
  bool gave_up = false;           ///< stopped at its limit; the values are not final
  std::string why;                ///< why the run stopped
  std::uint64_t visited = 0, changed = 0;
  std::vector<SentMessages> messages;
  std::uint64_t wire_bytes = 0;
  std::uint64_t digest = 0;  ///< hash of a simulated run's events
  std::string verified;      ///< result of the verification; empty: none
  std::string frames;        ///< file of frames; empty: none
  Facts answer;              ///< what the run has found, in summary and report
  Facts own;                 ///< facts of this engine, in summary and report
  std::string_view section;  ///< object of the report that contains `own`; empty: top level
  std::vector<ReportLane> lanes;
  std::function<void(TraceWriter& trace)> trace;  ///< draws further events
};

/// Appends the records of all nodes, with the counters that their engine shows.
void add_lanes(std::span<const NodeRecord> nodes, EngineFlags engine, Report& report);

/// One sentence on what dominated the time of a run of any engine, and a remedy; empty: nothing did.
[[nodiscard]] std::string profile(const Report& report);

/// The table that a run prints. On one node it leaves out what concerns other nodes.
[[nodiscard]] std::string summary(const Report& report);

/// The results of a run, to be written by `finish`.
struct ReportedResults {
  ResultTable values;
  std::optional<ResultTable> ranked = {};  ///< what `top` ranks; none: `values`
  std::function<std::string()> film = {};  ///< empty: no frames
  std::uint32_t top = 0;                   ///< number of rows to print
  bool taken = false;                      ///< a caller in this process takes the values directly
};

/// Writes the results, report and trace, and prints the summary. `begun`: start of the command.
Status finish(Report& report, const ReportedResults& results, Outputs& outputs, bool json,
              Instant begun);

/// Measures the time from construction to destruction as the check phase, and shows that phase in the progress line.
class CheckingPhase {
 public:
  explicit CheckingPhase(Report& report) : report_(report) { show_phase("checking the result"); }
  ~CheckingPhase() { report_.phases.check += watch_.elapsed_seconds(); }
  CheckingPhase(const CheckingPhase&) = delete;
  CheckingPhase& operator=(const CheckingPhase&) = delete;

 private:
  Report& report_;
  Stopwatch watch_;
};

}  // namespace leeway::app
