// Who worked in a run, and when: a node, or a worker, of whatever engine. Of lanes a report makes its picture of few
// stretches and its series, and a trace all that it draws. Plain data and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/cli/output.h"
#include "leeway/cli/trace_writer.h"
#include "leeway/runtime/node_log.h"

namespace leeway::cli {

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

}  // namespace leeway::cli
