// Which state of the sources this command was built from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/applicability.h"
#include "cli/output.h"
#include "cli/result_table.h"
#include "cli/scene.h"
#include "runtime/cluster/record.h"

namespace leeway {

/// As `git describe` names it, "-dirty" where files were changed; "unknown" outside a checkout.
const char* source_commit();

}  // namespace leeway

namespace leeway::cli {

// Events in Chrome's trace format: lanes of stretches and counters, times in microseconds since a start.
class TraceWriter {
 public:
  TraceWriter(JsonWriter& events, Instant begin) : events_(events), begin_(begin) {}

  /// A stretch of time in a lane; lanes of one `group` stand together.
  struct LaneStretch {
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
  /// `arguments()` writes members that a viewer shows beside it.
  template <class Arguments>
  void stretch(const LaneStretch& stretch, Arguments&& arguments) {
    event(
        [&] {
          begin_event("X", stretch.group).member("tid", stretch.lane).member("name", stretch.name);
          if (!stretch.category.empty()) events_.member("cat", stretch.category);
          events_.member("ts", micros(stretch.begin));
          events_.member("dur", seconds(stretch.end - stretch.begin) * 1e6);
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

// Who worked in a run, and when: a node, or a worker, of whatever engine. Of lanes a report makes its picture of few
// stretches and its series, and a trace all that it draws. Plain data and pure functions.

/// A stretch of time spent on one thing, and what else a trace tells of it.
struct LaneSpan : ActivitySpan {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::string_view kind = {};  ///< what the engine calls it; empty: what all do
  std::uint32_t tick = kNone;
  std::uint32_t piece = kNone;
  std::uint32_t waits_for_piece = kNone;
  std::uint32_t waits_for_node = kNone;
};

struct ReportLane {
  std::string name;
  Instant begin{};  ///< of the first iteration
  Instant end{};
  std::vector<LaneSpan> spans;
  std::vector<IterationSample>
      iterations;  ///< of ticks, `visited` is 0 where the lane had no part in one
  Facts details;   ///< as the engine counts them
};

/// All lanes' iterations of one number together.
struct IterationTotal {
  double seconds = 0;  ///< since the first iteration began, when the last lane ended it
  std::uint64_t visited = 0;
  std::uint64_t changed = 0;
  std::optional<Residual> residual = {};  ///< of those that have one
};

[[nodiscard]] std::string_view activity_name(Activity activity);

/// When the first of them began.
[[nodiscard]] Instant first_begin(const std::vector<ReportLane>& lanes);

/// At most `pieces` stretches from the lane's first iteration to its end, in order, each of what took most of it. Blocked
/// time and refreshing lie within the computation that they hold up, and are taken from it.
[[nodiscard]] std::vector<ActivitySpan> picture_of(const ReportLane& lane, std::size_t pieces);

[[nodiscard]] std::vector<IterationTotal> series_of(const std::vector<ReportLane>& lanes,
                                                    std::uint32_t iterations);

/// Every stretch, and what changed at the end of each iteration, or which tick ended.
void draw(const std::vector<ReportLane>& lanes, bool by_ticks, TraceWriter& trace);

// A run as its user sees it, whatever engine ran it: a summary, a report that `leeway compare` reads, and a
// trace for chrome://tracing. An engine fills in what all runs have, its lanes among them, and adds what it alone
// can tell.

/// Seconds of the run's parts; none where there was no such part, or nobody could measure it.
struct ReportPhases {
  std::optional<double> load, partition, setup;
  double compute = 0;  ///< virtual under the virtual cluster
  double output = 0;
  double check = 0;  ///< of the result, against what it should be
  double total = 0;  ///< from the command's start to the answer written; always real
};

struct ReportInput {
  std::string graph;  ///< as it was named, or in words
  std::string hash;
  std::uint64_t vertices = 0;  ///< or tuples, cells, bodies
  std::uint64_t arcs = 0;
};

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
  bool by_ticks = false;  ///< its iterations are ticks, in each of which all that there is changes
  std::uint32_t iterations = 0;
  std::optional<bool> converged;  ///< of what may come to rest
  bool gave_up = false;           ///< before it was done: its values are not the answer
  std::string why;                ///< it stopped
  std::uint64_t visited = 0, changed = 0;
  std::vector<SentMessages> messages;
  std::uint64_t wire_bytes = 0;
  std::uint64_t digest = 0;  ///< of a simulated run's events
  std::string verified;      ///< what the check found; empty if there was none
  std::string frames;        ///< the file they were written to; empty: none
  Facts own;                 ///< what this engine alone tells, in summary and report
  std::string_view section;  ///< of the report, where `own` stands; empty: beside all else
  std::vector<ReportLane> lanes;
  std::function<void(TraceWriter& trace)> trace;  ///< draws what there is beside the lanes
};

[[nodiscard]] std::string report_json(const Report& report);
[[nodiscard]] std::string trace_json(const Report& report);
[[nodiscard]] std::string summary(const Report& report, bool json);

/// What a run leaves behind beside its report.
struct RunResults {
  ResultTable values;
  std::function<std::string()> film = {};  ///< empty: this program has none
  std::uint32_t top = 0;                   ///< so many rows are shown
  bool taken = false;  ///< a caller inside the process takes the values as they are
};

/// Writes the run's results and what is told of them, and says the summary. `begun`: the command's start.
Status finish(Report& report, const RunResults& results, RunOutputs& outputs, bool json,
              Instant begun);

/// The stretch from its making to its end is spent on checking the result: shown while it lasts, and counted.
class CheckingPhase {
 public:
  explicit CheckingPhase(Report& report) : report_(report), begun_(SteadyClock().now()) {
    show_phase("checking the result");
  }
  ~CheckingPhase() { report_.phases.check += seconds(SteadyClock().now() - begun_); }
  CheckingPhase(const CheckingPhase&) = delete;
  CheckingPhase& operator=(const CheckingPhase&) = delete;

 private:
  Report& report_;
  Instant begun_;
};

}  // namespace leeway::cli
