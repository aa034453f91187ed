#include "leeway/cli/report_lane.h"

#include <algorithm>
#include <array>
#include <utility>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

constexpr std::array<std::string_view, 4> kActivities = {"compute", "blocked", "refresh",
                                                         "barrier"};

/// Nanoseconds of each activity.
using Shares = std::array<std::int64_t, kActivities.size()>;

std::int64_t nanoseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

/// Spreads a span over the pieces it touches.
void spread(const ActivitySpan& span, Instant begin, std::int64_t width,
            std::vector<Shares>& pieces) {
  const std::int64_t last = static_cast<std::int64_t>(pieces.size()) * width;
  const std::int64_t from = std::clamp<std::int64_t>(nanoseconds(span.begin - begin), 0, last);
  const std::int64_t to = std::clamp<std::int64_t>(nanoseconds(span.end - begin), from, last);
  for (std::int64_t at = from; at < to;) {
    const std::int64_t piece = at / width;
    const std::int64_t until = std::min(to, (piece + 1) * width);
    pieces[static_cast<std::size_t>(piece)][static_cast<std::size_t>(span.activity)] += until - at;
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

void write_arguments(const LaneSpan& span, JsonWriter& json) {
  const std::pair<std::string_view, std::uint32_t> all[] = {
      {"tick", span.tick},
      {"piece", span.piece},
      {"waits_for_piece", span.waits_for_piece},
      {"waits_for_node", span.waits_for_node}};
  for (const auto& [name, value] : all) {
    if (value != LaneSpan::kNone) json.member(name, value);
  }
}

}  // namespace

std::string_view activity_name(Activity activity) {
  return kActivities[static_cast<std::size_t>(activity)];
}

Instant first_begin(const std::vector<ReportLane>& lanes) {
  Instant begin = lanes.empty() ? Instant{} : lanes.front().begin;
  for (const ReportLane& lane : lanes) begin = std::min(begin, lane.begin);
  return begin;
}

std::vector<ActivitySpan> picture_of(const ReportLane& lane, std::size_t pieces) {
  const std::int64_t length = nanoseconds(lane.end - lane.begin);
  if (length <= 0 || pieces == 0 || lane.spans.empty()) return {};
  const std::int64_t width =
      (length + static_cast<std::int64_t>(pieces) - 1) / static_cast<std::int64_t>(pieces);
  std::vector<Shares> shares(static_cast<std::size_t>((length + width - 1) / width));
  for (const LaneSpan& span : lane.spans) spread(span, lane.begin, width, shares);
  std::vector<ActivitySpan> picture;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == Shares{}) continue;
    const Activity activity = greatest(shares[i]);
    const Instant from =
        lane.begin + std::chrono::nanoseconds(static_cast<std::int64_t>(i) * width);
    const Instant to = std::min(lane.end, from + std::chrono::nanoseconds(width));
    if (!picture.empty() && picture.back().activity == activity && picture.back().end == from) {
      picture.back().end = to;
    } else {
      picture.push_back({activity, from, to});
    }
  }
  return picture;
}

std::vector<IterationTotal> series_of(const std::vector<ReportLane>& lanes,
                                      std::uint32_t iterations) {
  std::vector<IterationTotal> series(iterations);
  const Instant begin = first_begin(lanes);
  for (const ReportLane& lane : lanes) {
    for (std::size_t i = 0; i < std::min(lane.iterations.size(), series.size()); ++i) {
      const IterationSample& sample = lane.iterations[i];
      series[i].seconds = std::max(series[i].seconds, seconds(sample.at - begin));
      series[i].visited += sample.visited;
      series[i].changed += sample.changed;
      add_to(series[i].residual, sample.residual);
    }
  }
  return series;
}

void draw(const std::vector<ReportLane>& lanes, bool by_ticks, TraceWriter& trace) {
  JsonWriter& json = trace.json();
  for (std::size_t at = 0; at < lanes.size(); ++at) {
    const ReportLane& lane = lanes[at];
    trace.lane_name(at, lane.name);
    for (const LaneSpan& span : lane.spans) {
      const std::string name = span.kind.empty() ? std::string(activity_name(span.activity))
                                                 : format("{} {}", span.kind, span.tick);
      trace.stretch({at, name, span.begin, span.end, span.kind},
                    [&] { write_arguments(span, json); });
    }
    for (std::size_t i = 0; i < lane.iterations.size(); ++i) {
      const IterationSample& sample = lane.iterations[i];
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

}  // namespace leeway::cli
