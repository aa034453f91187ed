// A run as its user sees it, whatever engine ran it: a summary, a report that `leeway compare` reads, and a
// trace for chrome://tracing. An engine fills in what all runs have, its lanes among them, and adds what it alone
// can tell.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/json_writer.h"
#include "leeway/base/phase.h"
#include "leeway/cli/applicability.h"
#include "leeway/cli/film.h"
#include "leeway/cli/output.h"
#include "leeway/cli/report_lane.h"
#include "leeway/cli/result_table.h"
#include "leeway/cli/run_outputs.h"

namespace leeway::cli {

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
