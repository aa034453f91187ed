#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "test/answers/centrality_oracles.h"
#include "test/answers/models.h"
#include "test/answers/oracles.h"
#include "test/answers/verdict.h"

namespace leeway::answers {

namespace {

constexpr double kRelative = 1e-6;
constexpr std::uint32_t kRounds = 10;      // LDBC's number of rounds for cdlp and pagerank
constexpr std::uint32_t kRankTicks = 180;  // default of pagerank on the tick engine
constexpr std::uint32_t kTicks = 100;

Verdict failed(std::string sort, std::string text) {
  return {Kind::Failed, std::move(sort), std::move(text)};
}

using Fields = std::vector<std::string>;

/// The remedy in an error message: the text after the last semicolon, which does not depend on the
/// case.
std::string advice_of(const std::string& message) {
  const std::size_t at = message.rfind("; ");
  const std::string advice = message.substr(at == std::string::npos ? 0 : at + 2);
  return advice.substr(0, std::min<std::size_t>(advice.find('\n'), 56));
}

Fields fields_of(const std::string& line) {
  std::istringstream words(line);
  Fields fields;
  for (std::string word; words >> word;) fields.push_back(word);
  return fields;
}

std::optional<double> real_of(const std::string& text) {
  if (text == "infinity") return std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The value of an entry of the summary, if it is a single word.
std::optional<std::string> summary_value(const std::string& output, const std::string& what) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const Fields fields = fields_of(line);
    if (fields.size() == 2 && fields[0] == what) return fields[1];
  }
  return std::nullopt;
}

/// The values of one run, line by line, and the expected graph.
class Judge {
 public:
  Judge(const Case& drawn, const Observation& seen) : case_(drawn), seen_(seen) {}

  Verdict values() {
    for (const std::string& line : seen_.values) lines_.push_back(fields_of(line));
    if (!case_.takes_graph) return model();
    if (lines_.size() != case_.graph.size()) {
      return failed("lines", std::to_string(lines_.size()) + " lines for " +
                                 std::to_string(case_.graph.size()) + " vertices");
    }
    for (std::uint32_t v = 0; v < case_.graph.size(); ++v) {
      if (lines_[v].size() >= 2 && lines_[v][0] == case_.graph.names[v]) continue;
      return failed("names", "line " + std::to_string(v + 1) + " is '" + seen_.values[v] +
                                 "', not of vertex " + case_.graph.names[v]);
    }
    lists_ = case_.lists();
    return program();
  }

 private:
  [[nodiscard]] const std::string& found(std::uint32_t v) const { return lines_[v][1]; }
  [[nodiscard]] Verdict wrong(std::uint32_t v, const std::string& expected) const {
    return failed("wrong value", "vertex " + case_.graph.names[v] + ": expected " + expected +
                                     ", found " + found(v));
  }

  Verdict words(const std::vector<std::string>& expected) const {
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      if (found(v) != expected[v]) return wrong(v, expected[v]);
    }
    return {};
  }
  template <class Number>
  Verdict counts(const std::vector<Number>& expected) const {
    std::vector<std::string> text;
    for (const Number each : expected) text.push_back(std::to_string(each));
    return words(text);
  }
  Verdict names(const std::vector<std::uint32_t>& expected) const {
    std::vector<std::string> text;
    for (const std::uint32_t each : expected) text.push_back(case_.graph.names[each]);
    return words(text);
  }
  /// Each value must be within `relative` times the expected value or `least`, whichever is
  /// greater; 0: must be equal.
  template <class Real>
  Verdict reals(const std::vector<Real>& expected, double relative, double least) const {
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      const auto value = real_of(found(v));
      const auto right = static_cast<double>(expected[v]);
      const double slack = relative * std::max(std::abs(right), least);
      const bool same = value && (*value == right || std::abs(*value - right) <= slack);
      if (!same) return wrong(v, decimal(right));
    }
    return {};
  }

  [[nodiscard]] std::uint32_t source() const {
    const auto given = chosen(case_.choices, "source");
    if (!given) {  // the first vertex with an arc to another
      for (std::uint32_t v = 0; v < lists_.size(); ++v) {
        const auto& list = lists_.out[v];
        if (std::any_of(list.begin(), list.end(), [&](const auto& arc) { return arc.to != v; }))
          return v;
      }
      return 0;
    }
    const auto& all = case_.graph.names;
    return static_cast<std::uint32_t>(std::find(all.begin(), all.end(), *given) - all.begin());
  }

  Verdict program() const {
    const std::string& name = case_.program;
    // The LDBC format has sixteen digits.
    const double digits = case_.has("ldbc") ? 1e-15 : 0;
    const bool rounds =
        name == "cdlp" && case_.scheduler() == "bsp";  // in place, the result depends on the order
    // With a fixed number of iterations only these have a known answer; the others need not have
    // converged.
    if (name == "linear-system") return equations();
    const bool found_first = name == "spanning-forest" || name == "louvain";
    const bool by_steps = name == "pagerank" || name == "eigenvector" || name == "hits";
    if (case_.has("iterations") && !rounds && !found_first && !by_steps && name != "cf") return {};
    if (name == "sssp") return reals(lengths(lists_, source()), digits, 0);
    if (name == "bfs") return bfs();
    if (name == "paths") return paths(path_counts(lists_, source()));
    if (name == "shortest-path-counts") return paths(shortest_path_counts(lists_, source()));
    if (name == "cc") return names(smallest_joined(lists_));
    if (name == "lcc") return reals(clustering(lists_), 1e-9, 1e-9);
    if (name == "triangles") return counts(triangles(lists_));
    if (name == "degree") return degrees();
    if (name == "kcore") return counts(cores(lists_));
    if (name == "scc") return names(smallest_in_cycles(lists_));
    if (name == "bipartite") return sides();
    if (name == "coloring") return colouring();
    if (name == "independent-set") return independent_set();
    if (name == "spanning-forest") return forest();
    if (name == "louvain") return division();
    if (name == "closeness" || name == "harmonic" || name == "betweenness") return from_sources();
    if (name == "katz") return walks();
    if (name == "eigenvector") return eigenvector();
    if (name == "hits") return hubs();
    if (name == "cdlp") return communities();
    if (name == "pagerank") return ranks();
    if (name == "cf") return ratings();
    return rest();
  }

  Verdict bfs() const {
    std::vector<std::string> expected;
    for (const std::uint64_t depth : depths(lists_, source())) {
      expected.push_back(depth != kNoPath    ? std::to_string(depth)
                         : case_.has("ldbc") ? "9223372036854775807"
                                             : "unreachable");
    }
    return words(expected);
  }

  Verdict paths(const std::vector<std::uint64_t>& expected) const {
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      const bool many = expected[v] > kMostPaths;
      const std::string right = many ? "more" : std::to_string(expected[v]);
      if (found(v) != right) return wrong(v, many ? "more than 2^63 - 1" : right);
    }
    return {};
  }

  Verdict degrees() const {
    std::vector<std::size_t> expected;
    for (const auto& arcs : lists_.out) expected.push_back(arcs.size());
    return counts(expected);
  }

  Verdict sides() const {
    std::vector<std::string> expected;
    for (const std::uint32_t parity : parities(lists_))
      expected.push_back(parity == 2 ? "none" : std::to_string(parity));
    return words(expected);
  }

  Verdict colouring() const {
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      const auto colour = real_of(found(v));
      if (!colour || *colour < 0 || *colour > lists_.size()) return wrong(v, "a colour");
      for (const Lists::Arc& arc : lists_.out[v]) {
        if (arc.to == v || found(arc.to) != found(v)) continue;
        return wrong(v, "not the colour of neighbour " + case_.graph.names[arc.to]);
      }
    }
    return {};
  }

  /// Without --ldbc a vertex's own label counts, and the run ends at convergence unless
  /// --iterations is given.
  Verdict communities() const {
    const bool own_counts = !case_.has("ldbc");
    if (case_.has("ldbc") || case_.has("iterations")) {
      std::vector<std::uint32_t> labels(lists_.size());
      std::iota(labels.begin(), labels.end(), 0U);
      const auto rounds = case_.number("iterations", kRounds);
      for (std::uint64_t i = 0; i < rounds; ++i) labels = next_labels(lists_, labels, own_counts);
      return names(labels);
    }
    const auto labels = found_vertices();
    if (!labels) return failed("wrong value", "a value is not a vertex");
    return names(next_labels(lists_, *labels, own_counts));
  }

  /// A vertex is in the set exactly if none of its neighbours is.
  Verdict independent_set() const {
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      if (found(v) != "0" && found(v) != "1") return wrong(v, "0 or 1");
      const auto& list = lists_.out[v];
      const bool near_set = std::any_of(list.begin(), list.end(), [&](const Lists::Arc& arc) {
        return arc.to != v && found(arc.to) == "1";
      });
      if (near_set == (found(v) == "1")) return wrong(v, near_set ? "0" : "1");
    }
    return {};
  }

  /// Values that are names of vertices, as numbers; nothing if one is not.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> found_vertices() const {
    const auto& all = case_.graph.names;
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      const auto at = std::find(all.begin(), all.end(), found(v));
      if (at == all.end()) return std::nullopt;
      vertices.push_back(static_cast<std::uint32_t>(at - all.begin()));
    }
    return vertices;
  }

  /// Every tree has the first vertex of its component as root, and the edges have the weights of Kruskal's forest.
  Verdict forest() const {
    const auto parents = found_vertices();
    if (!parents) return failed("wrong value", "a value is not a vertex");
    const std::vector<std::uint32_t> roots = smallest_joined(lists_);
    std::vector<double> weights;
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      std::uint32_t up = v;
      for (std::uint32_t i = 0; i < lists_.size() && up != roots[v]; ++i) up = (*parents)[up];
      if (up != roots[v] || (*parents)[up] != up)
        return wrong(v, "a path of parents to " + case_.graph.names[roots[v]]);
      if (v == up) continue;
      weights.push_back(lightest_between(lists_, v, (*parents)[v]));
      if (std::isinf(weights.back())) return wrong(v, "a neighbour");
    }
    std::sort(weights.begin(), weights.end());
    const std::vector<double> expected = forest_weights(lists_);
    const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    if (weights != expected) {
      return failed("wrong forest",
                    "a forest of weight " +
                        decimal(std::accumulate(weights.begin(), weights.end(), 0.0)) +
                        ", expected " + decimal(sum) + ", or other weights with the same sum");
    }
    double scale = 0;
    for (const double weight : expected) scale += std::abs(weight);
    return figure("forest_weight", sum, scale);
  }

  /// An entry of the summary, which has four digits; `scale` bounds the rounding of a sum.
  [[nodiscard]] Verdict figure(const std::string& name, double expected, double scale) const {
    std::string text = summary_value(seen_.output, name).value_or("nothing");
    std::erase(text, ',');
    const auto value = real_of(text);
    const double slack = std::max(1e-3 * std::abs(expected), 1e-9 * scale);
    if (value && std::abs(*value - expected) <= slack) return {};
    return failed("wrong figure", name + ": expected " + decimal(expected) + ", found " + text);
  }

  /// A vertex whose community with one of its neighbours has a higher modularity than single vertices, which have `least`.
  [[nodiscard]] std::optional<std::uint32_t> gaining_pair(long double least, double resolution,
                                                          bool by_weight) const {
    std::vector<std::uint32_t> joined(lists_.size());
    std::iota(joined.begin(), joined.end(), 0U);
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      for (const Lists::Arc& arc : lists_.out[v]) {
        joined[arc.to] = v;
        if (quality_of(lists_, joined, resolution, by_weight) > least + 1e-6L) return v;
        joined[arc.to] = arc.to;
      }
    }
    return std::nullopt;
  }

  /// A community is called after its first vertex, lies in one component and has at least the modularity of vertices alone.
  Verdict division() const {
    const auto communities = found_vertices();
    if (!communities) return failed("wrong value", "a value is not a vertex");
    const std::vector<std::uint32_t> component = smallest_joined(lists_);
    std::vector<std::uint32_t> alone;
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      const std::uint32_t first = (*communities)[v];
      if (first > v || (*communities)[first] != first)
        return wrong(v, "the first vertex of a community");
      if (component[first] != component[v]) return wrong(v, "a vertex of the same component");
      alone.push_back(v);
    }
    const bool by_weight = case_.has("by-weight");
    const double resolution = real_of(case_.choice("resolution", "1")).value_or(1);
    const long double quality = quality_of(lists_, *communities, resolution, by_weight);
    const long double least = quality_of(lists_, alone, resolution, by_weight);
    if (quality < least - 1e-9L) {
      return failed("wrong division", "modularity " + decimal(static_cast<double>(quality)) +
                                          ", and single vertices have " +
                                          decimal(static_cast<double>(least)));
    }
    if (*communities == alone) {
      if (const auto pair = gaining_pair(least, resolution, by_weight))
        return wrong(*pair, "a community, because joining a neighbour raises the modularity");
    }
    return figure("modularity", static_cast<double>(quality), 1);
  }

  /// All sets of sources that the case can have drawn; none if there are too many.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> possible_sources() const {
    if (case_.has("source")) return {{source()}};
    std::vector<std::uint32_t> all(lists_.size());
    std::iota(all.begin(), all.end(), 0U);
    const std::uint64_t samples = case_.number("samples", all.size());
    if (samples >= all.size()) return {all};
    std::vector<std::vector<std::uint32_t>> sets;
    for (const std::uint32_t v : all) {
      if (samples == 1) {
        sets.push_back({v});
      } else if (samples == all.size() - 1) {
        sets.push_back(all);
        sets.back().erase(sets.back().begin() + v);
      }
    }
    return sets;
  }

  Verdict from_sources() const {
    const bool by_weight = case_.has("by-weight");
    Verdict verdict;
    for (const std::vector<std::uint32_t>& sources : possible_sources()) {
      const auto expected = case_.program == "betweenness" ? betweenness_from(lists_, sources)
                            : case_.program == "closeness"
                                ? closeness_from(lists_, sources, by_weight)
                                : harmonic_from(lists_, sources, by_weight);
      verdict = reals(expected, 1e-9, 0);
      if (verdict.kind == Kind::Passed) return verdict;
    }
    return verdict;
  }

  Verdict walks() const {
    const bool by_weight = case_.has("by-weight");
    const auto given = chosen(case_.choices, "attenuation");
    const double attenuation =
        given ? real_of(*given).value_or(0) : default_attenuation(lists_, by_weight);
    std::vector<long double> expected = walk_sums(lists_, attenuation, by_weight);
    long double squares = 0, most = 0;
    for (const long double each : expected) {
      squares += each * each;
      most = std::max(most, each);
    }
    for (long double& each : expected) each /= std::sqrt(squares);
    // At the end every value x misses its equation by at most the tolerance times x; the solution of the equations amplifies that by
    // at most the largest value.
    const double tolerance = real_of(case_.choice("tolerance", "1e-10")).value_or(0);
    return reals(expected, 1e-12 + 8 * tolerance * static_cast<double>(most), 0);
  }

  Verdict eigenvector() const {
    const auto steps = static_cast<std::uint32_t>(case_.number("iterations", 0));
    const PowerSteps expected = power_steps(case_);
    if (!expected.converged) return {};
    if (steps > 0) return reals(expected.vector, 1e-9, 0);
    return reals(expected.vector, 1e-6, 1);
  }

  Verdict hubs() const {
    const auto steps = static_cast<std::uint32_t>(case_.number("iterations", 0));
    const PowerSteps expected = power_steps(case_);
    if (!expected.converged) return {};
    const double slack = steps > 0 ? 1e-6 : 1e-5;
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      if (lines_[v].size() != 3) return wrong(v, "two numbers");
      const std::array pair = {expected.vector[v], expected.other[v]};
      for (std::size_t i = 0; i < pair.size(); ++i) {
        const auto value = real_of(lines_[v][i + 1]);
        const auto right = static_cast<double>(pair[i]);
        if (value && std::abs(*value - right) <= slack) continue;
        return failed("wrong value", "vertex " + case_.graph.names[v] + ": expected " +
                                         decimal(right) + ", found " + lines_[v][i + 1] +
                                         (i == 0 ? " as hub" : " as authority"));
      }
    }
    return {};
  }

  Verdict ranks() const {
    if (lists_.size() == 0) return {};
    const auto given = chosen(case_.choices, "damping");
    const double damping = given ? real_of(*given).value_or(0) : 0.85;
    const auto iterations = static_cast<std::uint32_t>(case_.number("iterations", 0));
    if (case_.by_ticks()) {
      const std::uint32_t ticks = iterations == 0 ? kRankTicks : iterations;
      return reals(leaking_ranks(lists_, damping, ticks, false), 1e-9, 0);
    }
    if (case_.by_pieces() && iterations > 0) {
      // Initial ranks can be 1/n, or (1 - damping)/n, which is one tick after 0: the documents do
      // not specify which.
      const Verdict even = reals(leaking_ranks(lists_, damping, iterations, false), 1e-9, 0);
      const Verdict none = reals(leaking_ranks(lists_, damping, iterations, true), 1e-9, 0);
      return even.kind == Kind::Passed ? even : none;
    }
    const bool rounds = iterations > 0 || (case_.has("ldbc") && case_.scheduler() == "bsp");
    if (!rounds) {
      const double slack = case_.choice("precision") == "single" ? 1e-2
                           : damping > 0.9                       ? 1e-5
                                                                 : kRelative;
      return reals(page_ranks(lists_, damping, 0), slack, 0);
    }
    if (case_.scheduler() != "bsp") return shares();  // in-place sweeps have no unique answer
    return reals(page_ranks(lists_, damping, iterations == 0 ? kRounds : iterations), 1e-9, 0);
  }

  Verdict shares() const {
    double sum = 0;
    for (std::uint32_t v = 0; v < lists_.size(); ++v) {
      const auto value = real_of(found(v));
      if (!value || !(*value >= 0)) return wrong(v, "a share");
      sum += *value;
    }
    if (std::abs(sum - 1) < 1e-9) return {};
    return failed("wrong value", "ranks sum to " + decimal(sum));
  }

  Verdict equations() const {
    if (!case_.has("iterations")) return rest();
    const auto ticks = static_cast<std::uint32_t>(case_.number("iterations", 0));
    const auto expected = jacobi_values(lists_, case_.cells, ticks);
    long double largest = 0;
    for (const long double each : expected) largest = std::max(largest, std::abs(each));
    return reals(expected, 1e-9, static_cast<double>(largest));
  }

  Verdict rest() const {
    const Rest expected = rest_of(lists_, case_.cells);
    if (!expected.dominant) return {};  // the result may depend on the order of updates
    // A run ends when no cell moves by more than a share of the largest value, the initial ones included.
    long double largest = 0;
    for (const long double each : expected.heat) largest = std::max(largest, std::abs(each));
    for (const double each : case_.cells.start)
      if (!std::isnan(each)) largest = std::max<long double>(largest, std::abs(each));
    return reals(expected.heat, kRelative, static_cast<double>(largest));
  }

  /// Eight factors per vertex; the error of their products must be at most that of the mean rating.
  Verdict ratings() const {
    constexpr std::size_t kFactors = 8;
    double mean = 0;
    for (const InputEdge& edge : case_.graph.edges) mean += edge.weight;
    const auto count = static_cast<double>(case_.graph.edges.size());
    mean /= count;
    double variance = 0;
    for (const InputEdge& edge : case_.graph.edges) variance += std::pow(edge.weight - mean, 2);
    const double deviation = std::sqrt(variance / count);
    double missed = 0;
    for (const InputEdge& edge : case_.graph.edges) {
      double product = 0;
      for (std::size_t k = 1; k <= kFactors; ++k) {
        if (lines_[edge.from].size() != kFactors + 1) return wrong(edge.from, "eight numbers");
        if (lines_[edge.to].size() != kFactors + 1) return wrong(edge.to, "eight numbers");
        const auto user = real_of(lines_[edge.from][k]);
        const auto item = real_of(lines_[edge.to][k]);
        if (!user || !item) return wrong(edge.from, "eight numbers");
        product += *user * *item;
      }
      missed += std::pow(edge.weight - std::max(1.0, deviation) * product, 2);
    }
    const double error = std::sqrt(missed / count);
    // One rating in ten is left out of the training; of a few ratings, that one decides the error.
    constexpr double kFewRatings = 20;
    if (count < kFewRatings && std::isfinite(error)) return {};
    if (error <= 1.2 * deviation + 0.2) return {};
    return failed("wrong value", "factors miss the ratings by " + decimal(error) +
                                     ", their mean does by " + decimal(deviation));
  }

  /// Final states of fish, bodies or cells.
  Verdict model() const {
    const auto ticks = static_cast<std::uint32_t>(case_.number("iterations", kTicks));
    const std::uint64_t seed = case_.number("seed", 1);
    if (case_.program == "jacobi") {
      const auto [columns, rows] = sides("plate");
      const auto width = static_cast<std::uint32_t>(columns);
      return plate(plate_after(width, static_cast<std::uint32_t>(rows), seed, ticks), width);
    }
    if (case_.program == "nbody") return movers(bodies_after(bodies_of(case_), ticks));
    if (case_.program == "fish-food") return pond(pond_after(pond_of(case_), ticks));
    return movers(school_after(school_of(case_), ticks));
  }

  [[nodiscard]] std::pair<double, double> sides(std::string_view flag) const {
    const std::string text = case_.choice(flag);
    const std::size_t cross = text.find('x');
    return {real_of(text.substr(0, cross)).value_or(0),
            real_of(text.substr(cross + 1)).value_or(0)};
  }

  /// Compares the fields of a line from field `first` on.
  Verdict row(std::size_t line, const std::vector<double>& expected, std::size_t first = 0) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto value =
          first + i < lines_[line].size() ? real_of(lines_[line][first + i]) : std::nullopt;
      if (value && std::abs(*value - expected[i]) <= 1e-9 * std::max(1.0, std::abs(expected[i])))
        continue;
      return failed("wrong value", "line " + std::to_string(line + 1) + " is '" +
                                       seen_.values[line] + "', expected " + decimal(expected[i]) +
                                       " as number " + std::to_string(i + 1));
    }
    return {};
  }
  Verdict count_lines(std::size_t expected) const {
    if (lines_.size() == expected) return {};
    return failed("lines",
                  std::to_string(lines_.size()) + " lines, expected " + std::to_string(expected));
  }
  Verdict plate(const std::vector<double>& heat, std::uint32_t width) const {
    Verdict verdict = count_lines(heat.size());
    for (std::size_t i = 0; i < heat.size() && verdict.kind == Kind::Passed; ++i)
      verdict = row(i, {static_cast<double>(i % width), static_cast<double>(i / width), heat[i]});
    return verdict;
  }
  Verdict movers(const std::vector<Mover>& all) const {
    Verdict verdict = count_lines(all.size());
    for (std::size_t i = 0; i < all.size() && verdict.kind == Kind::Passed; ++i)
      verdict = row(i, {static_cast<double>(i), all[i].x, all[i].y, all[i].vx, all[i].vy});
    return verdict;
  }

  /// Two tables: each line begins with the table's name.
  Verdict pond(const PondMovers& all) const {
    Verdict verdict = count_lines(all.fish.size() + all.food.size());
    for (std::size_t line = 0; line < lines_.size() && verdict.kind == Kind::Passed; ++line) {
      const bool food = line >= all.fish.size();
      const std::size_t id = food ? line - all.fish.size() : line;
      const Mover& each = food ? all.food[id] : all.fish[id];
      if (lines_[line].empty() || lines_[line][0] != (food ? "food" : "fish"))
        return failed("wrong table", "line " + std::to_string(line + 1) + " is of another table");
      verdict = row(line,
                    {static_cast<double>(id), each.x, each.y, each.vx, each.vy,
                     static_cast<double>(each.bites)},
                    1);
    }
    return verdict;
  }

  const Case& case_;
  const Observation& seen_;
  std::vector<Fields> lines_;
  Lists lists_;
};

/// Runs that need not converge: label propagation in place, power iterations that need many steps, and matrices that are not
/// diagonally dominant.
bool may_not_converge(const Case& drawn) {
  if (drawn.has("iterations")) return true;
  if (drawn.program == "cdlp") return !drawn.has("ldbc");
  if (drawn.program == "eigenvector" || drawn.program == "hits")
    return !power_steps(drawn).converged;
  const bool solves =
      drawn.program == "heat" || drawn.program == "wave" || drawn.program == "linear-system";
  if (!solves) return false;
  return !rest_of(read_as(drawn.graph, drawn.choices), drawn.cells).dominant;
}

/// --iterations is an upper bound. Ticks, sweeps and supersteps reach it; asynchronous nodes may
/// converge before. Every worker of cf makes all passes.
Verdict counted(const Case& drawn, const Observation& seen) {
  const auto asked = chosen(drawn.choices, "iterations");
  if (!asked || !drawn.takes_graph || drawn.graph.size() == 0) return {};
  const bool ticking = drawn.by_ticks() || drawn.by_pieces();
  const auto run = summary_value(seen.output, ticking ? "ticks" : "iterations");
  if (!run) return failed("iterations", "the summary has no number of iterations");
  const std::string scheduler = drawn.scheduler();
  const bool in_step =
      ticking || drawn.by_fragments() || scheduler == "do-work" || scheduler == "bsp";
  const bool all = in_step && !drawn.resumes;
  const auto most = drawn.number("iterations", 0);
  const auto found = std::strtoull(run->c_str(), nullptr, 10);
  if (all ? found == most : found <= most) return {};
  return failed("iterations", *asked + " iterations were requested, and " + *run + " run");
}

/// Supersteps, ticks and counted iterations give the same values in a resumed run as in an
/// uninterrupted one.
Verdict as_before(const Case& drawn, const Observation& seen) {
  if (seen.before == nullptr) return {};
  const bool exact = drawn.program != "pagerank" && drawn.program != "heat" &&
                     drawn.program != "linear-system" && drawn.program != "wave" &&
                     drawn.program != "cf" && drawn.program != "katz" &&
                     drawn.program != "eigenvector" && drawn.program != "hits";
  const bool same_way = drawn.scheduler() == "bsp" || drawn.by_ticks() || drawn.by_pieces();
  if (!same_way || !drawn.has("iterations")) return {};
  const auto first = summary_value(seen.before->output, "converged");
  if (first != summary_value(seen.output, "converged")) {
    return failed("resumed otherwise",
                  "the first run has converged = " + first.value_or("nothing") +
                      ", and the resumed one has another value");
  }
  if (!exact || seen.values == seen.before->values) return {};
  return failed("resumed otherwise", "the resumed run has other values than the uninterrupted one");
}

}  // namespace

Verdict judge(const Case& drawn, const Observation& seen) {
  const std::string message = seen.errors.substr(0, 1000);
  if (seen.code == 2) {
    if (may_refuse(drawn, seen.errors)) return {Kind::Skipped, "", message};
    return failed("refused: " + advice_of(message), "refused without reason: " + message);
  }
  constexpr int kGaveUp = 5;
  const bool unfinished = summary_value(seen.output, "converged") == "no";
  if (seen.code == kGaveUp) {
    if (!unfinished)
      return failed("stopped early", "stopped without progress, but reports convergence");
    if (may_not_converge(drawn)) return {};
    return failed("unfinished", "the run stopped without progress");
  }
  if (seen.code != 0)
    return failed("exit code " + std::to_string(seen.code) + ": " + advice_of(message), message);
  const bool by_rounds = drawn.program == "cdlp" || drawn.program == "pagerank";
  const bool has_its_own = drawn.program == "cf" || (by_rounds && drawn.has("ldbc"));
  if (unfinished && !drawn.has("iterations") && !has_its_own)
    return failed("unfinished", "unfinished without a count of iterations, and exit code 0");
  if (Verdict wrong = counted(drawn, seen); wrong.kind == Kind::Failed) return wrong;
  if (Verdict wrong = as_before(drawn, seen); wrong.kind == Kind::Failed) return wrong;
  return Judge(drawn, seen).values();
}

}  // namespace leeway::answers
