#include "datasets/graph_changes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/array.h"
#include "base/format.h"
#include "datasets/byte_stream.h"
#include "datasets/parse.h"
#include "datasets/text_input.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

Status check_weight(const Graph& graph, double weight, const std::string& where) {
  if (!std::isfinite(weight))
    return fail(input_error(where, format("{} is not a finite number", weight), "give a number"));
  if (!graph.weighted() && weight != 1) {
    return fail(input_error(where, "the graph has no weights",
                            "leave the weight out, or give a graph with weights"));
  }
  if (graph.weight_kind() != WeightKind::Integer || weight == std::floor(weight)) return {};
  return fail(input_error(
      where, format("{} is not a whole number, as all weights of the graph are", weight),
      "give a whole number"));
}

/// Reads the lines of a file of changes.
class ChangeReader {
 public:
  ChangeReader(TextInput& input, const Graph& graph) : input_(input), graph_(graph) {}

  Result<std::vector<GraphChange>> read() {
    std::vector<GraphChange> changes;
    while (true) {
      LEEWAY_ASSIGN(const auto line, input_.next_line());
      if (!line) return changes;
      const std::vector<std::string> words = words_of(line->substr(0, line->find('#')), ',');
      if (words.empty()) continue;
      LEEWAY_ASSIGN(const GraphChange change, change_of(words));
      changes.push_back(change);
    }
  }

 private:
  Result<GraphChange> change_of(std::span<const std::string> words) const {
    GraphChange change;
    const std::string_view sign = words[0];
    if (sign == "-") {
      change.kind = ChangeKind::Removed;
    } else if (sign == "=") {
      change.kind = ChangeKind::Weighted;
    } else if (sign != "+") {
      return fail(error(format("'{}' is not a change", sign),
                        "begin the line with + (add an arc), - (remove it) or = (set its weight)"));
    }
    const std::size_t least = change.kind == ChangeKind::Weighted ? 4 : 3;
    const std::size_t most = change.kind == ChangeKind::Removed ? 3 : 4;
    if (words.size() < least || words.size() > most) {
      return fail(error(format("a line of {} words", words.size()),
                        "write `+ source target [weight]`, `- source target` or `= source target "
                        "weight`"));
    }
    LEEWAY_ASSIGN(change.source, vertex(words[1]));
    LEEWAY_ASSIGN(change.target, vertex(words[2]));
    if (words.size() == 4) {
      LEEWAY_ASSIGN(change.weight, weight(words[3]));
    }
    return change;
  }

  Result<VertexId> vertex(std::string_view name) const {
    const auto found = graph_.names().find(name);
    if (found) return *found;
    return fail(
        error(format("the graph has no vertex '{}'", name), "use the names of the graph's file"));
  }
  Result<double> weight(std::string_view text) const {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size())
      return fail(error(format("'{}' is not a number", text), "give a number"));
    if (Status checked = check_weight(graph_, value, input_.at(input_.line_number())); !checked)
      return fail(std::move(checked).error());
    return value;
  }
  [[nodiscard]] Error error(std::string what, std::string remedy) const {
    return input_error(input_.at(input_.line_number()), std::move(what), std::move(remedy));
  }

  TextInput& input_;
  const Graph& graph_;
};

using ArcEnds = std::pair<std::uint32_t, std::uint32_t>;

/// The weights of the arcs between two vertices, ascending; 1 without weights.
using ArcWeights = std::vector<double>;

ArcWeights weights_between(const Graph& graph, const ArcEnds& ends) {
  const VertexId source(ends.first);
  const auto list = graph.neighbors(source);
  const auto [begin, end] = std::equal_range(list.begin(), list.end(), VertexId(ends.second));
  ArcWeights weights;
  for (auto at = begin; at != end; ++at) {
    const auto place = static_cast<std::size_t>(at - list.begin());
    weights.push_back(graph.weighted() ? graph.weights(source)[place] : 1.0);
  }
  return weights;
}

ArcChange compared(const ArcEnds& ends, ArcWeights before, ArcWeights after) {
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  ArcChange change{.source = VertexId(ends.first),
                   .target = VertexId(ends.second),
                   .before = static_cast<std::uint32_t>(before.size()),
                   .after = static_cast<std::uint32_t>(after.size())};
  // Arcs are compared in the order of their weights; a missing one counts as infinitely long.
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const double was = i < before.size() ? before[i] : kNone;
    const double is = i < after.size() ? after[i] : kNone;
    change.lost = change.lost || is > was;
    change.gained = change.gained || is < was;
  }
  return change;
}

/// The graph with other arcs between some pairs of vertices.
Result<Graph> rebuilt(const Graph& graph, const std::map<ArcEnds, ArcWeights>& changed) {
  std::uint64_t arcs = graph.arc_count();
  for (const auto& [ends, weights] : changed)
    arcs = arcs + weights.size() - weights_between(graph, ends).size();
  GraphArrays made;
  made.directed = graph.directed();
  made.weight_kind = graph.weight_kind();
  made.left_count = graph.left_count();
  const std::uint32_t count = graph.vertex_count();
  LEEWAY_ASSIGN(made.offsets, Array<std::uint64_t>::make(count + std::size_t{1}));
  LEEWAY_ASSIGN(made.targets, Array<VertexId>::make(arcs));
  LEEWAY_ASSIGN(made.weights, Array<double>::make(graph.weighted() ? arcs : 0));
  LEEWAY_ASSIGN(made.names, copy_of(graph.names()));
  const auto targets = made.targets.mutable_span();
  const auto weights = made.weights.mutable_span();
  std::uint64_t next = 0;
  const auto put = [&](VertexId target, double weight) {
    targets[next] = target;
    if (!weights.empty()) weights[next] = weight;
    ++next;
  };
  auto change = changed.begin();
  for (VertexId v(0); v.value() < count; v = v.next()) {
    const auto list = graph.neighbors(v);
    std::size_t at = 0;
    const auto copy_until = [&](std::size_t end) {
      for (; at < end; ++at) put(list[at], graph.weighted() ? graph.weights(v)[at] : 1);
    };
    for (; change != changed.end() && change->first.first == v.value(); ++change) {
      const VertexId target(change->first.second);
      const auto [begin, end] = std::equal_range(list.begin(), list.end(), target);
      copy_until(static_cast<std::size_t>(begin - list.begin()));
      for (const double weight : change->second) put(target, weight);
      at = static_cast<std::size_t>(end - list.begin());
    }
    copy_until(list.size());
    made.offsets.mutable_span()[v.index() + 1] = next;
  }
  return Graph(std::move(made));
}

}  // namespace

Result<std::vector<GraphChange>> read_graph_changes(const std::string& path, const Graph& graph) {
  LEEWAY_ASSIGN(auto source, open_source(path));
  TextInput input(path, std::move(source));
  return ChangeReader(input, graph).read();
}

ArcChanges joined(const ArcChanges& first, const ArcChanges& second) {
  const auto ends = [](const ArcChange& arc) {
    return ArcEnds{arc.source.value(), arc.target.value()};
  };
  ArcChanges both;
  auto more = second.begin();
  for (const ArcChange& arc : first) {
    for (; more != second.end() && ends(*more) < ends(arc); ++more) both.push_back(*more);
    both.push_back(arc);
    if (more == second.end() || ends(*more) != ends(arc)) continue;
    both.back().after = more->after;
    both.back().lost = arc.lost || more->lost;
    both.back().gained = arc.gained || more->gained;
    ++more;
  }
  both.insert(both.end(), more, second.end());
  return both;
}

Result<ChangedGraph> changed_graph(const Graph& graph, const std::vector<GraphChange>& changes) {
  std::map<ArcEnds, ArcWeights> changed;
  const auto apply = [&](const ArcEnds& ends, const GraphChange& change) {
    auto at = changed.find(ends);
    if (at == changed.end()) at = changed.emplace(ends, weights_between(graph, ends)).first;
    ArcWeights& weights = at->second;
    const bool any = !weights.empty();
    if (change.kind == ChangeKind::Added) weights.push_back(change.weight);
    if (change.kind == ChangeKind::Removed) weights.clear();
    if (change.kind == ChangeKind::Weighted)
      std::fill(weights.begin(), weights.end(), change.weight);
    return any;
  };
  for (const GraphChange& change : changes) {
    LEEWAY_TRY(check_weight(graph, change.weight, "changes"));
    const ArcEnds ends{change.source.value(), change.target.value()};
    const bool any = apply(ends, change);
    if (!graph.directed() && ends.first != ends.second)
      (void)apply({ends.second, ends.first}, change);
    if (any || change.kind == ChangeKind::Added) continue;
    return fail(input_error(format("arc {} -> {}", graph.names().name(change.source),
                                   graph.names().name(change.target)),
                            "the graph has no such arc to remove or to weigh",
                            "correct the changes"));
  }
  ChangedGraph made;
  for (const auto& [ends, weights] : changed) {
    const ArcChange arc = compared(ends, weights_between(graph, ends), weights);
    if (arc.lost || arc.gained) made.arcs.push_back(arc);
  }
  LEEWAY_ASSIGN(made.graph, rebuilt(graph, changed));
  return made;
}

}  // namespace leeway
