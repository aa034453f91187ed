#include "programs/catalog/ticked_run.h"

#include <cmath>
#include <utility>

#include "base/format.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

constexpr std::uint64_t kVerifiedCellTicks = 20'000'000;
constexpr double kVerifiedPairTicks = 2e9;

}  // namespace

bool verifies_cells(std::uint64_t cells, std::uint64_t ticks) {
  return cells * ticks <= kVerifiedCellTicks;
}

bool verifies_pairs(std::uint64_t things, double range, double width, std::uint64_t ticks) {
  const double pairs = reference::swept_pairs(things, range, width);
  return pairs * static_cast<double>(ticks) <= kVerifiedPairTicks;
}

Error differs(const std::string& what) {
  return Error{ErrorKind::Environment, "--verify",
               format("the result differs from the sequential program's: {}", what),
               "report this bug, with the command"};
}

Result<double> verify_ranks(const std::vector<double>& expected, std::span<const double> ranks,
                            double tolerance) {
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double off = std::abs(expected[i] - ranks[i]);
    if (!(off <= tolerance)) return fail(differs(format("a rank is {} off", off)));  // or NaN
    most = std::max(most, off);
  }
  return most;
}

std::uint64_t tuple_bytes(std::size_t tuple, const ClusterOptions& cluster) {
  const std::uint64_t versions = cluster.job == nullptr ? 2 : 0;  // otherwise only a part
  return (versions + 2) * tuple;
}

TickedSubject graph_subject(const TickedSettings& settings,
                            std::vector<std::pair<std::string, std::string>> own) {
  return {.name = std::string(settings.graph_name),
          .identity = {.graph = std::string(settings.graph_name),
                       .graph_hash = settings.graph_hash,
                       .vertices = settings.graph->vertex_count(),
                       .arcs = settings.graph->arc_count(),
                       .settings = std::move(own)}};
}

tick::TickOptions in_span(const TickedSettings& settings, const TickInterval& span) {
  tick::TickOptions ticks = settings.tick;
  ticks.ticks = tick::Tick(span.ticks);
  ticks.checkpoint = span.every;
  return ticks;
}

}  // namespace leeway
