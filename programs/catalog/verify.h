// Comparisons of a run's values with those of the sequential oracles (programs/reference), which share no code with the
// engines. A difference is a bug of Leeway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "programs/catalog/program.h"

namespace leeway {

/// The outcome in words; an error states where the result is wrong.
using Verified = Result<std::string>;
using Counts = std::vector<std::uint64_t>;
using Reals = std::vector<double>;

[[nodiscard]] inline const Counts& counts(const ProgramValues& values) {
  return std::get<Counts>(values.by_vertex);
}
[[nodiscard]] inline const Reals& reals(const ProgramValues& values) {
  return std::get<Reals>(values.by_vertex);
}

[[nodiscard]] Error wrong(const Graph& graph, std::size_t vertex, const std::string& found,
                          const std::string& expected);

template <class T, class U>
Verified same(const Graph& graph, const std::vector<T>& found, const std::vector<U>& expected) {
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (found[v] != static_cast<T>(expected[v]))
      return fail(wrong(graph, v, format("{}", found[v]), format("{}", expected[v])));
  }
  return std::string("equals the sequential oracle");
}

/// Within 1e-6 of each expected value, or of `least` if that is greater.
Verified close(const Graph& graph, const Reals& found, const Reals& expected, double least);
/// A further step of the iteration moves no value by more than 1e-4 of the largest.
Verified stays(double move);
/// The sum of all differences is at most `most`.
Verified close_in_sum(const Reals& found, const Reals& expected, double most);

}  // namespace leeway
