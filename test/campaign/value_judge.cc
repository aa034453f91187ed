#include "test/campaign/value_judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "base/format.h"
#include "test/answers/oracles.h"

namespace leeway::campaign {

namespace {

using Counts = std::vector<std::uint64_t>;

constexpr double kRelative = 1e-6;  // for converged values
constexpr double kRounded = 1e-9;   // for a fixed number of rounds

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

/// Each value must be within `relative` of the expected one, or of `least` if that is greater.
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

/// Path counts above the reported maximum are only compared as "more".
std::string wrong_paths(Counts expected, const ProgramValues& values) {
  for (std::uint64_t& count : expected) {
    if (count > answers::kMostPaths) count = ~std::uint64_t{0};
  }
  return wrong_counts(values, expected);
}

std::string wrong_labels(const answers::Lists& lists, const Question& question,
                         const ProgramValues& values) {
  if (question.supersteps && question.rounds > 0) {
    std::vector<std::uint32_t> labels(lists.size());
    std::iota(labels.begin(), labels.end(), 0U);
    for (std::uint32_t i = 0; i < question.rounds; ++i)
      labels = answers::next_labels(lists, labels, true);
    return wrong_counts(values, labels);
  }
  // At convergence one more round changes nothing.
  const auto* found = std::get_if<Counts>(&values.by_vertex);
  if (found == nullptr || found->size() != lists.size()) return "labels are missing";
  std::vector<std::uint32_t> labels;
  for (const std::uint64_t label : *found) {
    if (label >= lists.size()) return format("{} is not a vertex", label);
    labels.push_back(static_cast<std::uint32_t>(label));
  }
  return wrong_counts(values, answers::next_labels(lists, labels, true));
}

std::string wrong_shares(const ProgramValues& values) {
  const auto* found = std::get_if<std::vector<double>>(&values.by_vertex);
  if (found == nullptr) return "reals are missing";
  double sum = 0;
  for (const double share : *found) {
    if (!(share >= 0)) return format("{} is not a share", share);
    sum += share;
  }
  return found->empty() || std::abs(sum - 1) < kRounded ? std::string()
                                                        : format("ranks sum to {}", sum);
}

std::string wrong_ranks(const answers::Lists& lists, const Question& question,
                        const ProgramValues& values) {
  if (question.rounds > 0 && !question.supersteps) return wrong_shares(values);
  const double rest = question.damping > 0.9 ? 10 * kRelative : kRelative;
  return wrong_reals(values, answers::page_ranks(lists, question.damping, question.rounds),
                     question.rounds > 0 ? kRounded : rest);
}

std::string wrong_degrees(const answers::Lists& lists, const ProgramValues& values) {
  Counts expected;
  for (const auto& arcs : lists.out) expected.push_back(arcs.size());
  return wrong_counts(values, expected);
}

}  // namespace

std::string wrong_values(const Question& question, const ProgramValues& values) {
  const answers::Lists lists = answers::read_as(question.graph, {});
  const std::string_view name = question.program;
  if (name == "pagerank") return wrong_ranks(lists, question, values);
  // After a fixed number of rounds, only label propagation in supersteps has another unique answer.
  if (question.rounds > 0 && !(name == "cdlp" && question.supersteps)) return {};
  if (name == "cdlp") return wrong_labels(lists, question, values);
  if (name == "sssp") return wrong_reals(values, answers::lengths(lists, question.source), 0);
  if (name == "bfs") return wrong_counts(values, answers::depths(lists, question.source));
  if (name == "cc") return wrong_counts(values, answers::smallest_joined(lists));
  if (name == "paths") return wrong_paths(answers::path_counts(lists, question.source), values);
  if (name == "shortest-path-counts")
    return wrong_paths(answers::shortest_path_counts(lists, question.source), values);
  if (name == "coloring") return wrong_colours(lists, values);
  if (name == "degree") return wrong_degrees(lists, values);
  if (name == "lcc") return wrong_reals(values, answers::clustering(lists), kRounded, kRounded);
  if (name == "triangles") return wrong_counts(values, answers::triangles(lists));
  return wrong_rest(lists, values);
}

}  // namespace leeway::campaign
