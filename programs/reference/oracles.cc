#include "programs/reference/oracles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "base/check.h"
#include "programs/reference/kernels.h"

namespace leeway::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double length(const Graph& graph, VertexId from, std::size_t place) {
  return graph.weighted() ? graph.weights(from)[place] : 1.0;
}

/// The most frequent label; of several the smallest.
std::uint64_t most_frequent(const std::unordered_map<std::uint64_t, std::uint64_t>& counts,
                            std::uint64_t otherwise) {
  std::uint64_t best = otherwise;
  std::uint64_t most = 0;
  for (const auto& [label, count] : counts) {
    if (count > most || (count == most && label < best)) {
      best = label;
      most = count;
    }
  }
  return best;
}

}  // namespace

std::vector<double> pagerank(const Graph& graph, const OraclePageRank& options) {
  const std::uint32_t n = graph.vertex_count();
  std::vector<double> restart(n, n == 0 ? 0.0 : 1.0 / n);
  if (!options.restart.empty()) {
    const double all = std::accumulate(options.restart.begin(), options.restart.end(), 0.0);
    for (std::uint32_t v = 0; v < n; ++v) restart[v] = options.restart[v] / all;
  }
  std::vector<double> rank = restart;
  std::vector<double> next(n);
  const std::uint32_t most = options.iterations.value_or(100'000);
  for (std::uint32_t i = 0; i < most && n > 0; ++i) {
    double dangling = 0;
    std::fill(next.begin(), next.end(), 0.0);
    for (VertexId v(0); v.value() < n; v = v.next()) {
      const auto neighbors = graph.neighbors(v);
      const auto strength = [&](std::size_t arc) {
        return options.by_weight ? length(graph, v, arc) : 1;
      };
      double strengths = 0;
      for (std::size_t arc = 0; arc < neighbors.size(); ++arc) strengths += strength(arc);
      if (strengths == 0) {
        dangling += rank[v.index()];
        continue;
      }
      const double share = rank[v.index()] / strengths;
      for (std::size_t arc = 0; arc < neighbors.size(); ++arc)
        next[neighbors[arc].index()] += share * strength(arc);
    }
    double change = 0;
    for (std::uint32_t v = 0; v < n; ++v) {
      next[v] = (1 - options.damping + options.damping * dangling) * restart[v] +
                options.damping * next[v];
      change += std::abs(next[v] - rank[v]);
    }
    rank.swap(next);
    if (!options.iterations && change <= options.tolerance) break;
  }
  return rank;
}

std::vector<double> shortest_distances(const Graph& graph, VertexId source) {
  LEEWAY_CHECK(source.value() < graph.vertex_count());
  std::vector<double> distance(graph.vertex_count(), kInfinity);
  using Reached = std::pair<double, VertexId>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> nearest;
  distance[source.index()] = 0;
  nearest.emplace(0.0, source);
  while (!nearest.empty()) {
    const auto [reached, v] = nearest.top();
    nearest.pop();
    if (reached > distance[v.index()]) continue;
    const auto neighbors = graph.neighbors(v);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const double through = reached + length(graph, v, i);
      if (through >= distance[neighbors[i].index()]) continue;
      distance[neighbors[i].index()] = through;
      nearest.emplace(through, neighbors[i]);
    }
  }
  return distance;
}

std::vector<std::uint64_t> depths(const Graph& graph, VertexId source) {
  LEEWAY_CHECK(source.value() < graph.vertex_count());
  std::vector<std::uint64_t> depth(graph.vertex_count(), kUnreached);
  std::deque<VertexId> frontier{source};
  depth[source.index()] = 0;
  for (; !frontier.empty(); frontier.pop_front()) {
    for (const VertexId next : graph.neighbors(frontier.front())) {
      if (depth[next.index()] != kUnreached) continue;
      depth[next.index()] = depth[frontier.front().index()] + 1;
      frontier.push_back(next);
    }
  }
  return depth;
}

std::vector<std::uint32_t> components(const Graph& graph) {
  const Lists joined = both_ways(graph);
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> component(graph.vertex_count(), kNone);
  std::vector<std::uint32_t> open;
  for (std::uint32_t first = 0; first < component.size(); ++first) {
    if (component[first] != kNone) continue;
    component[first] = first;
    open.push_back(first);
    while (!open.empty()) {
      const std::uint32_t v = open.back();
      open.pop_back();
      for (const std::uint32_t next : joined.of(v)) {
        if (component[next] != kNone) continue;
        component[next] = first;
        open.push_back(next);
      }
    }
  }
  return component;
}

std::vector<std::uint64_t> communities(const Graph& graph,
                                       std::span<const std::uint64_t> first_labels,
                                       std::uint32_t rounds, OwnLabel own) {
  LEEWAY_CHECK(first_labels.size() == graph.vertex_count());
  const Lists joined = both_ways(graph);
  std::vector<std::uint64_t> labels(first_labels.begin(), first_labels.end());
  std::vector<std::uint64_t> next(labels.size());
  std::unordered_map<std::uint64_t, std::uint64_t> counts;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t v = 0; v < labels.size(); ++v) {
      counts.clear();
      if (own == OwnLabel::Counts) ++counts[labels[v]];
      for (const std::uint32_t neighbor : joined.of(v)) ++counts[labels[neighbor]];
      next[v] = most_frequent(counts, labels[v]);
    }
    labels.swap(next);
  }
  return labels;
}

std::vector<double> clustering(const Graph& graph) {
  const Lists joined = both_ways(graph);
  std::vector<double> result(graph.vertex_count());
  std::vector<std::uint32_t> near;
  std::vector<bool> is_near(graph.vertex_count());
  for (std::uint32_t v = 0; v < result.size(); ++v) {
    near.assign(joined.of(v).begin(), joined.of(v).end());
    std::erase(near, v);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    if (near.size() < 2) continue;
    for (const std::uint32_t u : near) is_near[u] = true;
    std::uint64_t arcs = 0;
    for (const std::uint32_t u : near) {
      VertexId previous = VertexId::none();
      for (const VertexId w : graph.neighbors(VertexId(u))) {
        if (w != previous && w.value() != u && is_near[w.index()]) ++arcs;
        previous = w;
      }
    }
    for (const std::uint32_t u : near) is_near[u] = false;
    const double could = static_cast<double>(near.size()) * static_cast<double>(near.size() - 1);
    result[v] = static_cast<double>(arcs) / could;
  }
  return result;
}

std::vector<std::uint64_t> triangles(const Graph& graph) {
  std::vector<std::uint64_t> result(graph.vertex_count());
  std::vector<bool> is_near(graph.vertex_count());
  for (VertexId v(0); v.value() < result.size(); v = v.next()) {
    for (const VertexId u : graph.neighbors(v)) is_near[u.index()] = u != v;
    std::uint64_t both_ways = 0;
    VertexId last = v;
    for (const VertexId u : graph.neighbors(v)) {
      if (u == v || u == last) continue;
      last = u;
      VertexId previous = u;
      for (const VertexId w : graph.neighbors(u)) {
        if (w != u && w != previous && is_near[w.index()]) ++both_ways;
        previous = w;
      }
    }
    for (const VertexId u : graph.neighbors(v)) is_near[u.index()] = false;
    result[v.index()] = both_ways / 2;
  }
  return result;
}

std::vector<std::uint64_t> path_counts(const Graph& graph, VertexId source) {
  const std::vector<std::uint64_t> depth = depths(graph, source);
  const auto reached = [&](VertexId v) { return depth[v.index()] != kUnreached; };
  // For each reached vertex, the incoming arcs not yet counted; arcs back to the source are excluded.
  std::vector<std::uint64_t> left(graph.vertex_count());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (!reached(v)) continue;
    for (const VertexId next : graph.neighbors(v)) ++left[next.index()];
  }
  std::vector<std::uint64_t> paths(graph.vertex_count());
  paths[source.index()] = 1;
  left[source.index()] = 0;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (std::vector<VertexId> counted = {source}; !counted.empty();) {
    const VertexId v = counted.back();
    counted.pop_back();
    for (const VertexId next : graph.neighbors(v)) {
      if (next == source) continue;
      const bool too_many =
          paths[v.index()] > kMost || paths[next.index()] > kMost - paths[v.index()];
      paths[next.index()] = too_many ? kUncounted : paths[next.index()] + paths[v.index()];
      if (--left[next.index()] == 0) counted.push_back(next);
    }
  }
  // A vertex with arcs left waits for an arc of a cycle.
  for (std::size_t v = 0; v < paths.size(); ++v) {
    if (left[v] > 0) paths[v] = kUncounted;
  }
  return paths;
}

Result<std::vector<std::uint64_t>> shortest_path_counts(const Graph& graph, VertexId source) {
  const std::vector<std::uint64_t> depth = depths(graph, source);
  std::vector<VertexId> order;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (depth[v.index()] != kUnreached) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](VertexId a, VertexId b) { return depth[a.index()] < depth[b.index()]; });
  std::vector<std::uint64_t> paths(graph.vertex_count());
  paths[source.index()] = 1;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const VertexId v : order) {
    for (const VertexId next : graph.neighbors(v)) {
      if (depth[next.index()] != depth[v.index()] + 1) continue;
      if (paths[next.index()] > kMost - paths[v.index()]) {
        return fail(input_error("vertex " + graph.names().name(next),
                                "more than 2^63 - 1 shortest paths lead to it",
                                "count paths from a source that is nearer, or on a sparser graph"));
      }
      paths[next.index()] += paths[v.index()];
    }
  }
  return paths;
}

std::optional<std::pair<VertexId, VertexId>> first_clash(const Graph& graph,
                                                         std::span<const std::uint32_t> colours) {
  LEEWAY_CHECK(colours.size() == graph.vertex_count());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    for (const VertexId u : graph.neighbors(v)) {
      if (u != v && colours[u.index()] == colours[v.index()]) return std::pair(v, u);
    }
  }
  return std::nullopt;
}

namespace {

constexpr int kMostSweeps = 200'000;

double diagonal(const Graph& matrix, VertexId row) {
  double sum = 0;
  const auto columns = matrix.neighbors(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == row) sum += matrix.weights(row)[i];
  }
  return sum;
}

double off_diagonal_product(const Graph& matrix, VertexId row, std::span<const double> x) {
  double sum = 0;
  const auto columns = matrix.neighbors(row);
  const auto values = matrix.weights(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != row) sum += values[i] * x[columns[i].index()];
  }
  return sum;
}

}  // namespace

Result<std::vector<double>> linear_solution(const Graph& matrix, std::span<const double> right_side,
                                            double tolerance) {
  LEEWAY_CHECK(right_side.size() == matrix.vertex_count());
  LEEWAY_CHECK(matrix.weighted());
  std::vector<double> diagonals(matrix.vertex_count());
  for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next()) {
    diagonals[row.index()] = diagonal(matrix, row);
    if (diagonals[row.index()] == 0) {
      return fail(input_error("row " + matrix.names().name(row), "its diagonal entry is zero",
                              "Jacobi-like methods divide by it: permute the rows first"));
    }
  }
  std::vector<double> x(matrix.vertex_count());
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double largest = 0;
    double moved = 0;
    for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next()) {
      const double fresh =
          (right_side[row.index()] - off_diagonal_product(matrix, row, x)) / diagonals[row.index()];
      moved = std::max(moved, std::abs(fresh - x[row.index()]));
      largest = std::max(largest, std::abs(fresh));
      x[row.index()] = fresh;
    }
    if (!std::isfinite(moved)) break;
    if (moved <= tolerance * largest) return x;
  }
  return fail(
      input_error("", "Gauss-Seidel does not converge on this matrix",
                  "use a matrix that is diagonally dominant or symmetric positive definite"));
}

std::vector<double> jacobi_ticks(const Graph& matrix, std::span<const double> right_side,
                                 std::vector<double> start, std::uint32_t ticks) {
  std::vector<double> x = std::move(start);
  std::vector<double> next(x.size());
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    for (VertexId row(0); row.index() < x.size(); row = row.next()) {
      next[row.index()] =
          (right_side[row.index()] - off_diagonal_product(matrix, row, x)) / diagonal(matrix, row);
    }
    x.swap(next);
  }
  return x;
}

double residual(const Graph& matrix, std::span<const double> right_side,
                std::span<const double> solution) {
  double worst = 0;
  double scale = 0;
  for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next()) {
    const double product =
        off_diagonal_product(matrix, row, solution) + diagonal(matrix, row) * solution[row.index()];
    worst = std::max(worst, std::abs(right_side[row.index()] - product));
    scale = std::max(scale, std::abs(right_side[row.index()]));
  }
  return worst / (scale == 0 ? 1.0 : scale);
}

namespace {

using scene::Body;
using scene::Fish;
using scene::Food;
using scene::Forager;

constexpr double kUnits = 1'099'511'627'776.0;

/// Things sorted by x, so that neighbours are close in the order.
template <class Thing>
class Sweep {
 public:
  Sweep(const std::vector<Thing>& things, double range)
      : range_(range * (1 + 1e-9)), rank_(things.size()) {
    std::vector<std::size_t> order(things.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return things[a].x < things[b].x; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank_[order[i]] = i;
      sorted_.push_back(things[order[i]]);
    }
  }

  /// Visits all others whose distance in x is at most the range.
  template <class Visit>
  void near(std::size_t thing, Visit&& visit) const {
    const std::size_t rank = rank_[thing];
    const double x = sorted_[rank].x;
    for (std::size_t i = rank; i-- > 0 && x - sorted_[i].x <= range_;) visit(sorted_[i]);
    for (std::size_t i = rank + 1; i < sorted_.size() && sorted_[i].x - x <= range_; ++i)
      visit(sorted_[i]);
  }
  /// Visits all things whose distance in x from the place is at most the range.
  template <class Visit>
  void near_place(double x, Visit&& visit) const {
    auto thing = std::partition_point(sorted_.begin(), sorted_.end(),
                                      [&](const Thing& each) { return each.x < x - range_; });
    for (; thing != sorted_.end() && thing->x - x <= range_; ++thing) visit(*thing);
  }

 private:
  double range_;
  std::vector<std::size_t> rank_;
  std::vector<Thing> sorted_;
};

struct SweepDirection {
  double x;
  double y;
};

SweepDirection one_long(SweepDirection of) {
  const double length = std::sqrt(of.x * of.x + of.y * of.y);
  if (!(length > 0)) return {0, 0};
  return {of.x / length, of.y / length};
}

/// Integer units, in which the sums of both laws are kept.
struct Units {
  std::int64_t x = 0;
  std::int64_t y = 0;
  [[nodiscard]] SweepDirection direction() const {
    return one_long({static_cast<double>(x), static_cast<double>(y)});
  }
};

/// Sum of twelve uniform 16-bit draws minus its mean: approximately standard normal.
double nearly_normal(std::uint64_t& state) {
  double sum = 0;
  for (int word = 0; word < 3; ++word, ++state) {
    for (std::uint64_t bits = mix64(state), i = 0; i < 4; ++i, bits >>= 16U)
      sum += static_cast<double>(bits % 65'536);
  }
  return sum / 65'536 - 6 + 6.0 / 65'536;
}

/// Reflection at the walls 0 and `size`. `toward`: heading along this axis.
void turn_back(double& at, double& toward, double size) {
  if (at < 0) {
    at = -at;
    toward = std::abs(toward);
  } else if (at > size) {
    at = size - (at - size);
    toward = -std::abs(toward);
  }
}

/// Couzin's zones: the fish to flee from, to approach, and to align with.
struct Zones {
  Units away, toward, along;
  bool crowded = false, accompanied = false;
};

template <class Swimmer>
Zones zones_of(const scene::FishModel& model, const Fish& fish, const Sweep<Swimmer>& sweep,
               std::size_t place) {
  Zones zones;
  sweep.near(place, [&](const Fish& other) {
    const double x = other.x - fish.x;
    const double y = other.y - fish.y;
    const double square = x * x + y * y;
    if (square > model.visibility * model.visibility) return;
    zones.accompanied = true;
    zones.along.x += static_cast<std::int64_t>(other.vx * kUnits);
    zones.along.y += static_cast<std::int64_t>(other.vy * kUnits);
    const double units = square > 0 ? kUnits / std::sqrt(square) : 0;
    const Units to{static_cast<std::int64_t>(x * units), static_cast<std::int64_t>(y * units)};
    zones.toward.x += to.x;
    zones.toward.y += to.y;
    if (square >= model.personal * model.personal) return;
    zones.crowded = true;
    zones.away.x -= to.x;
    zones.away.y -= to.y;
  });
  return zones;
}

SweepDirection desired_direction(const scene::FishModel& model, const Fish& fish,
                                 const Zones& zones) {
  if (zones.crowded) return zones.away.direction();
  SweepDirection social{fish.vx, fish.vy};
  if (zones.accompanied)
    social = Units{zones.toward.x + zones.along.x, zones.toward.y + zones.along.y}.direction();
  if (fish.goal == 0) return social;
  const scene::Heading& goal = model.goals[(fish.goal - 1) % model.goals.size()];
  return one_long({social.x + model.insistence * goal.x, social.y + model.insistence * goal.y});
}

Fish moved(const scene::FishModel& model, Fish fish, const Zones& zones) {
  const SweepDirection now{fish.vx, fish.vy};
  const SweepDirection desired = desired_direction(model, fish, zones);
  double angle =
      std::atan2(now.x * desired.y - now.y * desired.x, now.x * desired.x + now.y * desired.y) +
      model.noise * nearly_normal(fish.random);
  angle = std::max(-model.turn, std::min(angle, model.turn));
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const SweepDirection heading = one_long({now.x * c - now.y * s, now.x * s + now.y * c});
  fish.vx = heading.x;
  fish.vy = heading.y;
  fish.x += model.reach * heading.x;
  fish.y += model.reach * heading.y;
  turn_back(fish.x, fish.vx, model.width);
  turn_back(fish.y, fish.vy, model.height);
  return fish;
}

double squared_distance(const Fish& fish, const Food& piece) {
  const double x = piece.x - fish.x;
  const double y = piece.y - fish.y;
  return x * x + y * y;
}

/// Food in sight attracts like fish, with a weight.
void add_food(const scene::FoodModel& model, const Fish& fish, const Food& piece, Zones& zones) {
  const double square = squared_distance(fish, piece);
  if (square > model.sight * model.sight) return;
  zones.accompanied = true;
  const double units = square > 0 ? kUnits / std::sqrt(square) : 0;
  zones.toward.x += model.weight * static_cast<std::int64_t>((piece.x - fish.x) * units);
  zones.toward.y += model.weight * static_cast<std::int64_t>((piece.y - fish.y) * units);
}

/// A number from -1 to 1.
double drawn_shift(std::uint64_t& state) {
  const std::uint64_t bits = mix64(state) / 2048;
  ++state;
  return static_cast<double>(bits) / 4'503'599'627'370'496.0 - 1;
}

/// Food drifts; once it is eaten up, it grows again nearby.
Food after_meal(const scene::FishModel& model, const scene::FoodModel& food, Food piece,
                std::uint32_t taken) {
  if (taken >= piece.bites) {
    piece.bites = food.bites;
    piece.x += drawn_shift(piece.random) * food.scatter;
    piece.y += drawn_shift(piece.random) * food.scatter;
  } else {
    piece.bites -= taken;
    piece.x += piece.vx;
    piece.y += piece.vy;
  }
  turn_back(piece.x, piece.vx, model.width);
  turn_back(piece.y, piece.vy, model.height);
  return piece;
}

/// A wall reflects position and speed.
void mirror(double& at, double& speed, double size) {
  const bool low = at < 0;
  if (low || at > size) {
    at = low ? -at : size - (at - size);
    speed = -speed;
  }
  at = std::min(std::max(at, 0.0), size);
}

Units pull_on(const scene::NBodyModel& model, const Body& body, const Sweep<Body>& sweep,
              std::size_t place) {
  Units sum;
  sweep.near(place, [&](const Body& other) {
    const double x = other.x - body.x;
    const double y = other.y - body.y;
    const double square = x * x + y * y;
    if (square > model.radius * model.radius) return;
    const double softened = square + model.softening * model.softening;
    const double units = model.strength * kUnits / (softened * std::sqrt(softened));
    sum.x += std::llround(x * units);
    sum.y += std::llround(y * units);
  });
  return sum;
}

Body moved(const scene::NBodyModel& model, Body body, const Units& pull) {
  body.vx += static_cast<double>(pull.x) / kUnits;
  body.vy += static_cast<double>(pull.y) / kUnits;
  if (body.trap > 0) {
    const scene::Trap& trap = model.traps.at(body.trap - 1);
    body.vx -= trap.stiffness * (body.x - trap.x);
    body.vy -= trap.stiffness * (body.y - trap.y);
  }
  const double speed = std::sqrt(body.vx * body.vx + body.vy * body.vy);
  if (speed > model.reach) {
    body.vx *= model.reach / speed;
    body.vy *= model.reach / speed;
  }
  body.x += body.vx;
  body.y += body.vy;
  mirror(body.x, body.vx, model.width);
  mirror(body.y, body.vy, model.height);
  return body;
}

}  // namespace

std::vector<Fish> fish_after(const scene::FishModel& model, std::vector<Fish> fish,
                             std::uint32_t ticks) {
  for (; ticks > 0; --ticks) {
    const std::vector<Fish> old = fish;
    const Sweep<Fish> sweep(old, model.visibility);
    for (std::size_t i = 0; i < old.size(); ++i)
      fish[i] = moved(model, old[i], zones_of(model, old[i], sweep, i));
  }
  return fish;
}

scene::Pond pond_after(const scene::FishModel& model, const scene::FoodModel& food,
                       scene::Pond pond, std::uint32_t ticks) {
  const double mouth = food.mouth * food.mouth;
  for (; ticks > 0; --ticks) {
    const scene::Pond old = pond;
    const Sweep<Forager> seen(old.fish, model.visibility);
    const Sweep<Forager> eating(old.fish, food.mouth);
    const Sweep<Food> pieces(old.food, std::max(food.sight, food.mouth));
    for (std::size_t i = 0; i < old.fish.size(); ++i) {
      const Forager& fish = old.fish[i];
      Zones zones = zones_of(model, fish, seen, i);
      pieces.near_place(fish.x, [&](const Food& piece) {
        add_food(food, fish, piece, zones);
        pond.fish[i].eaten += squared_distance(fish, piece) <= mouth ? 1 : 0;
      });
      static_cast<Fish&>(pond.fish[i]) = moved(model, fish, zones);
    }
    for (std::size_t i = 0; i < old.food.size(); ++i) {
      std::uint32_t taken = 0;
      eating.near_place(old.food[i].x, [&](const Forager& fish) {
        taken += squared_distance(fish, old.food[i]) <= mouth ? 1 : 0;
      });
      pond.food[i] = after_meal(model, food, old.food[i], taken);
    }
  }
  return pond;
}

std::vector<Body> bodies_after(const scene::NBodyModel& model, std::vector<Body> bodies,
                               std::uint32_t ticks) {
  for (; ticks > 0; --ticks) {
    const std::vector<Body> old = bodies;
    const Sweep<Body> sweep(old, model.radius);
    for (std::size_t i = 0; i < old.size(); ++i)
      bodies[i] = moved(model, old[i], pull_on(model, old[i], sweep, i));
  }
  std::sort(bodies.begin(), bodies.end(), [](const Body& a, const Body& b) { return a.id < b.id; });
  return bodies;
}

std::vector<double> plate_after(const scene::Plate& plate, std::vector<double> heat,
                                std::uint32_t ticks) {
  const std::size_t columns = plate.columns;
  const std::size_t rows = plate.rows;
  for (; ticks > 0; --ticks) {
    const std::vector<double> old = heat;
    for (std::size_t y = 1; y + 1 < rows; ++y) {
      for (std::size_t x = 1; x + 1 < columns; ++x) {
        const std::size_t cell = y * columns + x;
        const double left_and_right = old[cell - 1] + old[cell + 1];
        const double above_and_below = old[cell - columns] + old[cell + columns];
        heat[cell] = (left_and_right + above_and_below) / 4;
      }
    }
  }
  return heat;
}

double swept_pairs(std::uint64_t things, double range, double width) {
  const double count = static_cast<double>(things);
  return count * count * std::min(1.0, 2 * range / width);
}

}  // namespace leeway::reference
