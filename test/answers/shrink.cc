#include "test/answers/shrink.h"

#include <algorithm>
#include <array>

namespace leeway::answers {

namespace {

using Clock = std::chrono::steady_clock;

/// A parameter of a scene replaces the graph, so it cannot be omitted.
bool is_scene(const std::string& name) {
  constexpr std::array kScenes = {"iterations", "seed", "plate", "bodies",
                                  "box",        "fish", "food",  "basin"};
  return std::find(kScenes.begin(), kScenes.end(), name) != kScenes.end();
}

Case without_vertices(const Case& from, std::uint32_t first, std::uint32_t count) {
  Case to = from;
  const std::uint32_t end = std::min(first + count, to.graph.size());
  remove_vertices(to.graph, first, end);
  remove_vertices(to.changes, first, end);
  const auto erase = [&](auto& values) {
    if (values.size() >= end) values.erase(values.begin() + first, values.begin() + end);
  };
  erase(to.owners);
  erase(to.cells.rhs);
  erase(to.cells.start);
  erase(to.cells.fixed);
  return to;
}

Case with_nodes(const Case& from, std::uint32_t nodes) {
  Case to = from;
  to.nodes = nodes;
  for (std::uint32_t& owner : to.owners) owner %= to.parts();
  return to;
}

Case with_plain_names(const Case& from) {
  Case to = from;
  to.graph.words = false;
  to.graph.form = FileForm::Edges;
  for (std::uint32_t v = 0; v < to.graph.size(); ++v) {
    for (Choice& choice : to.choices) {
      if (choice.name == "source" && choice.value == from.graph.names[v])
        choice.value = std::to_string(v);
    }
    to.graph.names[v] = std::to_string(v);
  }
  return to;
}

class Shrinker {
 public:
  Shrinker(Shrunk& best, Runner& runner, Clock::time_point end)
      : best_(best), runner_(runner), end_(end) {}

  bool take_if_failing(const Case& candidate) {
    for (int attempt = 0; attempt < attempts_ && Clock::now() < end_; ++attempt) {
      Verdict verdict = runner_.run(candidate);
      if (verdict.kind != Kind::Failed || verdict.sort != best_.verdict.sort) continue;
      best_.smallest = candidate;
      best_.verdict = std::move(verdict);
      return true;
    }
    return false;
  }

  /// Whether the case fails when it is repeated; intermittent failures are tried more often.
  bool repeats() {
    constexpr int kTries = 20;
    for (int attempt = 0; attempt < kTries && Clock::now() < end_; ++attempt) {
      attempts_ = 1;
      const Case same = best_.smallest;
      if (!take_if_failing(same)) continue;
      attempts_ = attempt == 0 ? 2 : std::min(2 * (attempt + 1), kTries);
      return true;
    }
    return false;
  }

  void shrink() {
    for (bool smaller = true; smaller && Clock::now() < end_;) {
      smaller = drop_choices();
      smaller = fewer_nodes() || smaller;
      if (best_.smallest.takes_graph) {
        smaller = drop_vertices() || smaller;
        smaller = drop_edges() || smaller;
        smaller = plainer() || smaller;
      } else {
        smaller = halve_scene() || smaller;
      }
    }
  }

 private:
  bool drop_choices() {
    bool any = false;
    if (best_.smallest.resumes) {
      Case candidate = best_.smallest;
      candidate.resumes = false;
      any = take_if_failing(candidate);
    }
    for (std::size_t i = best_.smallest.changes.size(); i-- > 0;) {
      Case candidate = best_.smallest;
      candidate.changes.erase(candidate.changes.begin() + static_cast<std::ptrdiff_t>(i));
      any = take_if_failing(candidate) || any;
    }
    for (std::size_t i = best_.smallest.choices.size(); i-- > 0;) {
      if (!best_.smallest.takes_graph && is_scene(best_.smallest.choices[i].name)) continue;
      Case candidate = best_.smallest;
      candidate.choices.erase(candidate.choices.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::uint32_t& owner : candidate.owners) owner %= candidate.parts();
      any = take_if_failing(candidate) || any;
    }
    if (best_.smallest.owners.empty()) return any;
    Case candidate = best_.smallest;
    candidate.owners.clear();
    return take_if_failing(candidate) || any;
  }

  bool fewer_nodes() {
    for (std::uint32_t nodes = 1; nodes < best_.smallest.nodes; ++nodes) {
      if (take_if_failing(with_nodes(best_.smallest, nodes))) return true;
    }
    return false;
  }

  [[nodiscard]] bool holds_source(std::uint32_t first, std::uint32_t count) const {
    const auto source = chosen(best_.smallest.choices, "source");
    const auto& names = best_.smallest.graph.names;
    for (std::size_t v = first; source && v < std::min<std::size_t>(first + count, names.size());
         ++v) {
      if (names[v] == *source) return true;
    }
    return false;
  }

  bool drop_vertices() {
    bool any = false;
    for (std::uint32_t count = std::max(best_.smallest.graph.size() / 2, 1U); count > 0;
         count /= 2) {
      for (std::uint32_t first = best_.smallest.graph.size(); first > 0;) {
        first = first > count ? first - count : 0;
        if (holds_source(first, count)) continue;
        any = take_if_failing(without_vertices(best_.smallest, first, count)) || any;
      }
    }
    return any;
  }

  bool drop_edges() {
    bool any = false;
    for (std::size_t count = std::max<std::size_t>(best_.smallest.graph.edges.size() / 2, 1);
         count > 0; count /= 2) {
      for (std::size_t first = best_.smallest.graph.edges.size(); first > 0;) {
        first = first > count ? first - count : 0;
        Case candidate = best_.smallest;
        auto& edges = candidate.graph.edges;
        const std::size_t end = std::min(first + count, edges.size());
        edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(first),
                    edges.begin() + static_cast<std::ptrdiff_t>(end));
        any = take_if_failing(candidate) || any;
      }
    }
    return any;
  }

  bool plainer() {
    Case candidate = best_.smallest;
    bool any = false;
    if (candidate.graph.form != FileForm::Ratings) {
      candidate = with_plain_names(best_.smallest);
      if (candidate.graph.names != best_.smallest.graph.names ||
          candidate.graph.form != best_.smallest.graph.form)
        any = take_if_failing(candidate);
      candidate = best_.smallest;
      candidate.graph.weighted = false;
      if (best_.smallest.graph.weighted) any = take_if_failing(candidate) || any;
    }
    for (std::size_t i = 0; i < best_.smallest.graph.edges.size() && best_.smallest.graph.weighted;
         ++i) {
      candidate = best_.smallest;
      if (candidate.graph.edges[i].weight == 1) continue;
      candidate.graph.edges[i].weight = 1;
      any = take_if_failing(candidate) || any;
    }
    return any;
  }

  bool halve_scene() {
    constexpr std::array kNumbers = {"iterations", "bodies", "fish", "food"};
    bool any = false;
    for (const char* const name : kNumbers) {
      for (const std::uint64_t part : {2U, 1U}) {
        const std::uint64_t value = best_.smallest.number(name, 0);
        if (value < 2) continue;
        Case candidate = best_.smallest;
        for (Choice& choice : candidate.choices) {
          if (choice.name == name) choice.value = std::to_string(part == 2 ? value / 2 : value - 1);
        }
        any = take_if_failing(candidate) || any;
      }
    }
    return any;
  }

  Shrunk& best_;
  Runner& runner_;
  Clock::time_point end_;
  int attempts_ = 1;
};

}  // namespace

Shrunk shrink(const Case& failing, const Verdict& verdict, Runner& runner,
              std::chrono::seconds time) {
  Shrunk best{failing, verdict, false};
  Shrinker shrinker(best, runner, Clock::now() + time);
  best.repeats = shrinker.repeats();
  if (best.repeats) shrinker.shrink();
  return best;
}

}  // namespace leeway::answers
