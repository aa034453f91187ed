#include "test/campaign/snapshot_judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "leeway/base/format.h"
#include "test/answers/oracles.h"

namespace leeway::campaign {

namespace {

using Counts = std::vector<std::uint64_t>;

constexpr double kRelative = 1e-6;  // of what ends where it moves no more
constexpr double kRounded = 1e-9;   // of what so many rounds give
constexpr double kDamping = 0.85;

std::string differs(std::size_t vertex, const std::string& found, const std::string& expected) {
  return format("vertex {}: found {}, expected {}", vertex, found, expected);
}

template <class Expected>
std::string wrong_counts(const ProgramValues& values, const std::vector<Expected>& expected) {
  const auto* found = std::get_if<Counts>(&values.by_vertex);
  if (found == nullptr || found->size() != expected.size()) return "counts are missing";
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if ((*found)[v] != expected[v])
      return differs(v, std::to_string((*found)[v]), std::to_string(expected[v]));
  }
  return {};
}

/// Each within `relative` of the expected, or of `least` where that is more.
template <class Expected>
std::string wrong_reals(const ProgramValues& values, const std::vector<Expected>& expected,
                        double relative, double least = 0) {
  const auto* found = std::get_if<std::vector<double>>(&values.by_vertex);
  if (found == nullptr || found->size() != expected.size()) return "reals are missing";
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const auto right = static_cast<double>(expected[v]);
    const double slack = relative * std::max(std::abs(right), least);
    if ((*found)[v] == right || std::abs((*found)[v] - right) <= slack) continue;
    return differs(v, format("{}", (*found)[v]), format("{}", right));
  }
  return {};
}

std::string wrong_colours(const answers::Lists& lists, const ProgramValues& values) {
  const auto* found = std::get_if<Counts>(&values.by_vertex);
  if (found == nullptr || found->size() != lists.size()) return "colours are missing";
  for (std::uint32_t v = 0; v < lists.size(); ++v) {
    for (const answers::Lists::Arc& arc : lists.out[v]) {
      if (arc.to != v && (*found)[arc.to] == (*found)[v])
        return format("vertices {} and {} are joined, and both have colour {}", v, arc.to,
                      (*found)[v]);
    }
  }
  return {};
}

std::string wrong_rest(const answers::Lists& lists, const ProgramValues& values) {
  const answers::Rest expected = answers::rest_of(lists);
  if (!expected.dominant || expected.divided_by_zero) return {};
  long double largest = 0;
  for (const long double each : expected.heat) largest = std::max(largest, std::abs(each));
  return wrong_reals(values, expected.heat, kRelative, static_cast<double>(largest));
}

/// As many as there may be are told; more are not counted.
std::string wrong_paths(const answers::Lists& lists, std::uint32_t source,
                        const ProgramValues& values) {
  Counts expected = answers::path_counts(lists, source);
  for (std::uint64_t& count : expected) {
    if (count > answers::kMostPaths) count = ~std::uint64_t{0};
  }
  return wrong_counts(values, expected);
}

}  // namespace

std::string wrong_values(const SnapshotPlan& plan, const ProgramValues& values) {
  const answers::Lists lists = answers::read_as(plan.graph, {});
  const std::string name(plan.program->name);
  if (name == "sssp") return wrong_reals(values, answers::lengths(lists, plan.source), 0);
  if (name == "bfs") return wrong_counts(values, answers::depths(lists, plan.source));
  if (name == "cc") return wrong_counts(values, answers::smallest_joined(lists));
  if (name == "paths") return wrong_paths(lists, plan.source, values);
  if (name == "coloring") return wrong_colours(lists, values);
  if (name == "pagerank") {
    return wrong_reals(values, answers::page_ranks(lists, kDamping, plan.rounds),
                       plan.rounds > 0 ? kRounded : kRelative);
  }
  if (name == "cdlp") {
    std::vector<std::uint32_t> labels(lists.size());
    std::iota(labels.begin(), labels.end(), 0U);
    for (std::uint32_t i = 0; i < plan.rounds; ++i) labels = answers::next_labels(lists, labels);
    return wrong_counts(values, labels);
  }
  return wrong_rest(lists, values);
}

}  // namespace leeway::campaign
