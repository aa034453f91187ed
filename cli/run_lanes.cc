#include "leeway/cli/run_lanes.h"

#include <algorithm>
#include <array>

namespace leeway::cli {

namespace {

constexpr std::size_t kKinds = 4;

/// Nanoseconds of each activity.
using Shares = std::array<std::int64_t, kKinds>;

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

}  // namespace

std::vector<ActivitySpan> lanes_of(const NodeLog& log, std::size_t pieces) {
  const std::int64_t length = nanoseconds(log.end - log.begin);
  if (length <= 0 || pieces == 0 || log.spans.empty()) return {};
  const std::int64_t width =
      (length + static_cast<std::int64_t>(pieces) - 1) / static_cast<std::int64_t>(pieces);
  std::vector<Shares> shares(static_cast<std::size_t>((length + width - 1) / width));
  for (const ActivitySpan& span : log.spans) spread(span, log.begin, width, shares);
  std::vector<ActivitySpan> lanes;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == Shares{}) continue;
    const Activity activity = greatest(shares[i]);
    const Instant from = log.begin + std::chrono::nanoseconds(static_cast<std::int64_t>(i) * width);
    const Instant to = std::min(log.end, from + std::chrono::nanoseconds(width));
    if (!lanes.empty() && lanes.back().activity == activity && lanes.back().end == from) {
      lanes.back().end = to;
    } else {
      lanes.push_back({activity, from, to});
    }
  }
  return lanes;
}

}  // namespace leeway::cli
