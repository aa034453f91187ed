#include "programs/catalog/verify.h"

#include <algorithm>
#include <cmath>

namespace leeway {

namespace {

constexpr double kRelative = 1e-6;
constexpr const char* kReport =
    "this is a bug of Leeway: report it, with the command and the graph";

}  // namespace

Error wrong(const Graph& graph, std::size_t vertex, const std::string& found,
            const std::string& expected) {
  return {ErrorKind::Environment,
          format("vertex {}", graph.names().name(VertexId(static_cast<std::uint32_t>(vertex)))),
          format("the result is wrong: {} where the oracle finds {}", found, expected), kReport};
}

Verified close(const Graph& graph, const Reals& found, const Reals& expected, double least) {
  double worst = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (found[v] == expected[v]) continue;
    const double error = std::abs(found[v] - expected[v]) / std::max(std::abs(expected[v]), least);
    if (!(error <= kRelative))
      return fail(wrong(graph, v, format("{}", found[v]), format("{}", expected[v])));
    worst = std::max(worst, error);
  }
  return format("within {:.1e} of the sequential oracle", worst);
}

Verified close_in_sum(const Reals& found, const Reals& expected, double most) {
  double sum = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) sum += std::abs(found[v] - expected[v]);
  if (sum <= most)
    return format("within {:.1e} of the sequential oracle in the sum of all differences", sum);
  return fail(Error{
      ErrorKind::Environment, "",
      format("the result is wrong: its differences from the oracle's add up to {:.1e}, and only "
             "{:.1e} is within the tolerance",
             sum, most),
      kReport});
}

Verified stays(double move) {
  constexpr double kMost = 1e-4;
  if (move <= kMost) return format("a further step moves no value by more than {:.1e}", move);
  return fail(Error{ErrorKind::Environment, "the result",
                    format("a further step moves a value by {:.1e} of the largest", move),
                    kReport});
}

}  // namespace leeway
