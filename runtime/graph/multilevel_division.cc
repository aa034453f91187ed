#include "runtime/graph/multilevel_division.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "datasets/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/arc_exchange.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

/// One level of a graph in parts: undirected, without loops and parallel arcs, with weights of vertices and arcs. The
/// finest level is the graph itself. Contracting a level by a label for each vertex makes the next coarser level,
/// whose vertices are the labels.
struct CoarseGraph {
  VertexRanges ranges;
  NodeId self{0};
  std::vector<std::uint64_t> offsets = {0};
  std::vector<VertexId> targets;  ///< numbers in this level, distinct for each vertex
  /// Number of the graph's arcs, in either direction, that an arc represents.
  std::vector<std::uint32_t> arc_weights;
  std::vector<std::uint32_t> weights;  ///< of vertices

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(weights.size()); }
  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>(ranges.first(self));
  }
};

/// A coarser level and the mapping to it.
struct Contraction {
  CoarseGraph coarser;
  std::vector<VertexId> coarse_of;  ///< by this node's vertices: the vertex of the coarser level
};

/// Sums of weights by label, for a few labels at a time. Open addressing; `clear` resets only the used entries.
class LabelSums {
 public:
  struct Sum {
    VertexId label;
    std::uint64_t weight;
  };
  void add(VertexId label, std::uint64_t weight) {
    if ((sums_.size() + 1) * 2 > places_.size()) grow();
    std::uint32_t& place = places_[find(label)];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({label, 0});
    }
    sums_[place].weight += weight;
  }
  /// In the order in which the labels were first added.
  [[nodiscard]] std::span<const Sum> sums() const { return sums_; }
  void clear() {
    for (const Sum& sum : sums_) cleared_.push_back(find(sum.label));
    for (const std::size_t place : cleared_) places_[place] = kNone;
    cleared_.clear();
    sums_.clear();
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  [[nodiscard]] std::size_t find(VertexId label) const {
    std::size_t at = mix64(label.value()) & (places_.size() - 1);
    while (places_[at] != kNone && sums_[places_[at]].label != label)
      at = (at + 1) & (places_.size() - 1);
    return at;
  }
  void grow() {
    places_.assign(places_.size() * 2, kNone);
    for (std::uint32_t i = 0; i < sums_.size(); ++i) places_[find(sums_[i].label)] = i;
  }

  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(64, kNone);
  std::vector<Sum> sums_;
  std::vector<std::size_t> cleared_;
};

// Clusters found by size-constrained label propagation (Meyerhenke, Sanders & Schulz, "Parallel Graph Partitioning
// for Complex Networks", TPDS 2017): each vertex takes the label with the largest weight of arcs to it, as long as no
// label gets too heavy. The node of the vertex whose number is the label keeps the label's weight and admits members.
struct LabelClusters {
  std::vector<VertexId> labels;              ///< by halo index
  std::vector<std::uint64_t> label_weights;  ///< by this node's vertices as labels; 0: unused
};

struct CoarseArc {
  VertexId source, target;
  std::uint32_t weight;
};

/// Numbers the labels in use consecutively over all nodes, and returns the number of each of this node's labels.
std::vector<VertexId> number_labels(Group& group, std::span<const std::uint64_t> label_weights,
                                    VertexRanges& ranges) {
  const auto used = static_cast<std::uint64_t>(
      std::count_if(label_weights.begin(), label_weights.end(), [](auto w) { return w > 0; }));
  std::vector<std::uint64_t> firsts = {0};
  for (const std::uint64_t each : group.share(used)) firsts.push_back(firsts.back() + each);
  ranges = VertexRanges(std::move(firsts));
  auto next = static_cast<std::uint32_t>(ranges.first(group.self()));
  std::vector<VertexId> numbers;
  numbers.reserve(label_weights.size());
  for (const std::uint64_t weight : label_weights)
    numbers.push_back(weight > 0 ? VertexId(next++) : VertexId::none());
  return numbers;
}

/// Sends the arcs of each coarse vertex, summed at each node that has some of its vertices, to the vertex's home.
std::vector<CoarseArc> send_arcs(Group& group, const CoarseGraph& level, const Halo& halo,
                                 std::span<const VertexId> coarse, const VertexRanges& ranges) {
  std::vector<CoarseArc> arcs;
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    group.for_each_record<CoarseArc>(from, bytes,
                                     [&](const CoarseArc& arc) { arcs.push_back(arc); });
  });
  MessageBatcher<CoarseArc> batcher(group);
  std::vector<std::uint32_t> order(level.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(coarse[a], a) < std::tuple(coarse[b], b);
  });
  LabelSums sums;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const VertexId source = coarse[order[i]];
    for (std::uint64_t arc = level.offsets[order[i]]; arc < level.offsets[order[i] + 1]; ++arc) {
      const VertexId target = coarse[halo.index(level.targets[arc])];
      if (target != source) sums.add(target, level.arc_weights[arc]);
    }
    if (i + 1 < order.size() && coarse[order[i + 1]] == source) continue;
    const NodeId home = ranges.home(source);
    for (const LabelSums::Sum& sum : sums.sums())
      batcher.add(home, {source, sum.label, static_cast<std::uint32_t>(sum.weight)});
    sums.clear();
  }
  batcher.flush();
  group.end();
  return arcs;
}

void set_arcs(std::vector<CoarseArc> arcs, CoarseGraph& level) {
  std::sort(arcs.begin(), arcs.end(), [](const CoarseArc& a, const CoarseArc& b) {
    return std::tuple(a.source, a.target) < std::tuple(b.source, b.target);
  });
  std::size_t at = 0;
  for (std::uint32_t v = 0; v < level.size(); ++v) {
    const VertexId source(level.first() + v);
    const std::size_t begin = level.targets.size();
    for (; at < arcs.size() && arcs[at].source == source; ++at) {
      if (level.targets.size() > begin && level.targets.back() == arcs[at].target) {
        level.arc_weights.back() += arcs[at].weight;
      } else {
        level.targets.push_back(arcs[at].target);
        level.arc_weights.push_back(arcs[at].weight);
      }
    }
    level.offsets.push_back(level.targets.size());
  }
}

/// The finest level of a graph. Collective.
Result<CoarseGraph> finest_level(Group& group, const GraphPart& part, BalanceBy balance) {
  CoarseGraph level;
  level.ranges = part.ranges;
  level.self = part.self;
  GraphArrays turned;
  if (part.totals.directed) {
    LEEWAY_ASSIGN(turned, reverse_arcs(group, part, false));
  }
  std::vector<VertexId> list;
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    list.clear();
    for (const GraphArrays* lists : {&part.lists, static_cast<const GraphArrays*>(&turned)}) {
      if (lists->offsets.empty()) continue;
      const auto all = lists->targets.span().subspan(
          lists->offsets[v], lists->offsets[v + std::size_t{1}] - lists->offsets[v]);
      const auto middle = static_cast<std::ptrdiff_t>(list.size());
      list.insert(list.end(), all.begin(), all.end());
      std::inplace_merge(list.begin(), list.begin() + middle, list.end());
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == part.vertex(v)) continue;
      if (i > 0 && list[i] == list[i - 1]) {
        ++level.arc_weights.back();
      } else {
        level.targets.push_back(list[i]);
        level.arc_weights.push_back(1);
      }
    }
    level.offsets.push_back(level.targets.size());
    level.weights.push_back(
        balance == BalanceBy::Vertices ? 1 : static_cast<std::uint32_t>(1 + part.degree(v)));
  }
  return level;
}

/// `labels`: by halo index, each the number of a vertex of the level. `label_weights`: for each vertex of this node,
/// the total weight of the vertices that have it as their label; 0: none. Collective.
Contraction contract(Group& group, const CoarseGraph& level, const Halo& halo,
                     std::span<const VertexId> labels,
                     std::span<const std::uint64_t> label_weights) {
  Contraction made;
  CoarseGraph& coarser = made.coarser;
  coarser.self = level.self;
  const std::vector<VertexId> numbers = number_labels(group, label_weights, coarser.ranges);
  for (const std::uint64_t weight : label_weights)
    if (weight > 0) coarser.weights.push_back(static_cast<std::uint32_t>(weight));
  std::vector<VertexId> coarse =
      ask_homes<VertexId>(group, level.ranges, labels.subspan(0, level.size()), numbers);
  coarse.resize(halo.indices());
  halo.publish<VertexId>(
      group, 0, level.size(), [](std::uint32_t) { return true; },
      [&](std::uint32_t v) { return coarse[v]; },
      [&](std::uint32_t index, VertexId number) { coarse[index] = number; });
  set_arcs(send_arcs(group, level, halo, coarse, coarser.ranges), coarser);
  coarse.resize(level.size());
  made.coarse_of = std::move(coarse);
  return made;
}

constexpr std::uint32_t kLabelSweeps = 5;
/// A sweep visits the vertices in this number of rounds, so that of two vertices that would take each other's label,
/// one mostly sees the other's new label.
constexpr std::uint32_t kLabelRounds = 6;
/// If more than one vertex in this number is still alone in its cluster, vertices with a common neighbour are joined.
constexpr std::uint64_t kSingletonFraction = 4;

class LabelPropagation {
 public:
  LabelPropagation(Group& group, const CoarseGraph& level, const Halo& halo, std::uint64_t limit)
      : group_(group),
        level_(level),
        halo_(halo),
        limit_(limit),
        requests_(group.count()),
        asking_(group.count()) {
    for (std::uint32_t v = 0; v < level.size(); ++v) {
      found_.labels.emplace_back(level.first() + v);
      found_.label_weights.push_back(level.weights[v]);
    }
    halo.for_each_ghost([&](VertexId ghost) { found_.labels.push_back(ghost); });
    changed_.assign(level.size(), 0);
  }

  LabelClusters run() {
    for (std::uint32_t sweep = 0; sweep < kLabelSweeps; ++sweep) {
      for (std::uint32_t round = 0; round < kLabelRounds; ++round) {
        for (std::uint32_t v = 0; v < level_.size(); ++v) {
          if (mix64(level_.first() + v) % kLabelRounds == round) visit(v, sweep);
        }
        settle();
        publish();
      }
    }
    settle();  // the requests of the last round
    std::uint64_t singletons = 0;
    for (std::uint32_t v = 0; v < level_.size(); ++v) singletons += is_singleton(v) ? 1 : 0;
    if (group_.sum(singletons) * kSingletonFraction > level_.ranges.firsts().back()) {
      join_singletons();
      publish();
    }
    return std::move(found_);
  }

 private:
  /// A request to add a weight to a label if that leaves it light enough, or a report that a weight leaves it.
  struct MoveRequest {
    VertexId label;
    std::uint32_t weight;
    bool leaves;
  };

  [[nodiscard]] bool is_mine(VertexId label) const {
    return std::uint64_t{label.value()} - level_.first() < level_.size();
  }
  [[nodiscard]] std::uint64_t& weight_of(VertexId label) {
    return found_.label_weights[label.value() - level_.first()];
  }
  [[nodiscard]] bool is_singleton(std::uint32_t v) const {
    return found_.labels[v].value() == level_.first() + v &&
           found_.label_weights[v] == level_.weights[v];
  }

  void count_labels(std::uint32_t v) {
    sums_.clear();
    for (std::uint64_t arc = level_.offsets[v]; arc < level_.offsets[v + std::size_t{1}]; ++arc)
      sums_.add(found_.labels[halo_.index(level_.targets[arc])], level_.arc_weights[arc]);
  }

  [[nodiscard]] bool may_have_room(VertexId label, std::uint64_t weight) {
    if (is_mine(label)) return weight_of(label) + weight <= limit_;
    return !full_.has(label);
  }

  void visit(std::uint32_t v, std::uint32_t sweep) {
    const std::uint32_t weight = level_.weights[v];
    if (weight >= limit_) return;
    count_labels(v);
    const VertexId now = found_.labels[v];
    VertexId best = now;
    std::uint64_t most = 0;
    for (const LabelSums::Sum& sum : sums_.sums())
      if (sum.label == now) most = sum.weight;
    // Ties are broken at random; otherwise long chains would follow the numbers.
    const auto draw = [&](VertexId label) { return mix64(label.value() ^ mix64(sweep)); };
    for (const LabelSums::Sum& sum : sums_.sums()) {
      if (sum.label == now || sum.weight < most) continue;
      if (sum.weight == most && (best == now || draw(sum.label) < draw(best))) continue;
      if (!may_have_room(sum.label, weight)) continue;
      best = sum.label;
      most = sum.weight;
    }
    if (best == now) return;
    if (is_mine(best)) {
      weight_of(best) += weight;
      take(v, best);
    } else {
      const std::uint32_t home = level_.ranges.home(best).value();
      requests_[home].push_back({best, weight, false});
      asking_[home].push_back(v);
    }
  }

  void take(std::uint32_t v, VertexId label) {
    const VertexId before = std::exchange(found_.labels[v], label);
    changed_[v] = 1;
    if (is_mine(before)) {
      weight_of(before) -= level_.weights[v];
    } else {
      leaving_.push_back({before, level_.weights[v], true});
    }
  }

  /// Sends the requests and reports to the labels' nodes, and applies their answers.
  void settle() {
    for (const MoveRequest& request : leaving_)
      requests_[level_.ranges.home(request.label).index()].push_back(request);
    leaving_.clear();
    const auto asked = group_.swap(requests_);
    std::vector<std::vector<std::uint8_t>> answers(group_.count());
    for (std::uint32_t node = 0; node < asked.size(); ++node) {
      for (const MoveRequest& request : asked[node]) {
        group_.require(is_mine(request.label), NodeId(node));
        if (request.leaves) weight_of(request.label) -= request.weight;
      }
    }
    for (std::size_t node = 0; node < asked.size(); ++node) {
      for (const MoveRequest& request : asked[node]) {
        if (request.leaves) continue;
        std::uint64_t& weight = weight_of(request.label);
        const bool fits = weight + request.weight <= limit_;
        if (fits) weight += request.weight;
        answers[node].push_back(fits ? 1 : 0);
      }
    }
    const auto received = group_.swap_answers(answers, lengths(asking_));
    for (std::size_t node = 0; node < received.size(); ++node) {
      for (std::size_t i = 0; i < received[node].size(); ++i) {
        const VertexId label = requests_[node][i].label;
        if (received[node][i] != 0)
          take(asking_[node][i], label);
        else
          full_.insert(label, 0);
      }
      requests_[node].clear();
      asking_[node].clear();
    }
  }

  void publish() {
    halo_.publish<VertexId>(
        group_, 0, level_.size(), [&](std::uint32_t v) { return changed_[v] != 0; },
        [&](std::uint32_t v) { return found_.labels[v]; },
        [&](std::uint32_t index, VertexId label) { found_.labels[index] = label; });
    std::fill(changed_.begin(), changed_.end(), 0);
  }

  /// Joins single-vertex clusters of this node whose strongest neighbours have the same label, such as the leaves of
  /// a hub that is too heavy itself.
  void join_singletons() {
    VertexMap leaders;  // by the neighbours' label: the last vertex that started a cluster
    for (std::uint32_t v = 0; v < level_.size(); ++v) {
      if (!is_singleton(v) || level_.weights[v] >= limit_) continue;
      count_labels(v);
      VertexId strongest(static_cast<std::uint32_t>(level_.ranges.firsts().back()));
      std::uint64_t most = 0;
      for (const LabelSums::Sum& sum : sums_.sums()) {
        if (sum.weight > most) strongest = sum.label;
        most = std::max(most, sum.weight);
      }
      const auto [leader, fresh] = leaders.insert(strongest, v);
      if (fresh) continue;
      const VertexId label(level_.first() + *leader);
      if (weight_of(label) + level_.weights[v] <= limit_) {
        weight_of(label) += level_.weights[v];
        take(v, label);
      } else {
        *leader = v;
      }
    }
  }

  Group& group_;
  const CoarseGraph& level_;
  const Halo& halo_;
  const std::uint64_t limit_;
  LabelClusters found_;
  LabelSums sums_;
  VertexMap full_;  // remote labels that had no room
  std::vector<std::vector<MoveRequest>> requests_;
  std::vector<std::vector<std::uint32_t>>
      asking_;  // requesting vertices, in the order of the requests
  std::vector<MoveRequest> leaving_;
  std::vector<std::uint8_t> changed_;
};

/// No label gets heavier than `limit`, unless it has a single vertex. The same number of nodes gives the same result.
/// Collective.
LabelClusters find_clusters(Group& group, const CoarseGraph& level, const Halo& halo,
                            std::uint64_t limit) {
  return LabelPropagation(group, level, halo, limit).run();
}

constexpr std::uint32_t kRefineSweeps = 6;
/// A sweep visits the vertices in this number of rounds, and each round twice: first vertices move only to parts with
/// higher numbers, then only to lower ones, so that no two neighbours swap parts.
constexpr std::uint32_t kRefineRounds = 2;

class Refinement {
 public:
  Refinement(Group& group, const CoarseGraph& level, const Halo& halo, std::uint64_t most,
             std::vector<PartId>& owners)
      : group_(group),
        level_(level),
        halo_(halo),
        parts_(group.count()),
        most_(static_cast<std::int64_t>(most)),
        owners_(owners),
        loads_(parts_, 0),
        moved_(parts_ + std::size_t{1}, 0),
        joined_(parts_, 0),
        changed_(level.size(), 1) {
    owners_.resize(halo.indices());
    for (std::uint32_t v = 0; v < level.size(); ++v) moved_[owners_[v].index()] += level.weights[v];
    settle();
  }

  void run() {
    for (std::uint32_t sweep = 0; sweep < kRefineSweeps; ++sweep) {
      std::int64_t moves = 0;
      for (std::uint32_t round = 0; round < 2 * kRefineRounds; ++round) {
        const bool up = round % 2 == 0;
        for (std::uint32_t v = 0; v < level_.size(); ++v) {
          if (mix64(level_.first() + v) % kRefineRounds == round / 2) visit(v, up);
        }
        moves += settle();
      }
      if (moves == 0) break;
    }
    owners_.resize(level_.size());
  }

 private:
  /// Whether this node may add `weight` to a part in this round: it may use its share of the part's room, and the
  /// room that it freed itself.
  [[nodiscard]] bool has_room(std::uint32_t p, std::int64_t weight) const {
    const std::int64_t room = std::max<std::int64_t>(0, most_ - loads_[p]) / parts_;
    return moved_[p] + weight <= room;
  }
  [[nodiscard]] bool too_full(std::uint32_t p) const {
    const std::int64_t over = loads_[p] - most_;
    return over > 0 && -moved_[p] * parts_ < over;
  }

  void visit(std::uint32_t v, bool up) {
    const std::uint32_t from = owners_[v].value();
    const bool must = too_full(from);
    bool inner = true;
    for (std::uint64_t arc = level_.offsets[v]; arc < level_.offsets[v + std::size_t{1}]; ++arc) {
      const std::uint32_t p = owners_[halo_.index(level_.targets[arc])].value();
      if (joined_[p] == 0) touched_.push_back(p);
      joined_[p] += level_.arc_weights[arc];
      inner = inner && p == from;
    }
    const std::int64_t weight = level_.weights[v];
    std::uint32_t best = from;
    for (const std::uint32_t p : touched_) {
      if (p == from || (p > from) != up || !has_room(p, weight)) continue;
      if (best == from || joined_[p] > joined_[best] ||
          (joined_[p] == joined_[best] && loads_[p] < loads_[best]))
        best = p;
    }
    if (best == from && must && inner) best = anywhere(from, up, weight);
    const bool gains = joined_[best] > joined_[from];
    const bool evens = joined_[best] == joined_[from] &&
                       loads_[best] + moved_[best] + weight < loads_[from] + moved_[from] - weight;
    if (best != from && (gains || evens || must)) {
      owners_[v] = PartId(best);
      moved_[from] -= weight;
      moved_[best] += weight;
      ++moved_.back();
      changed_[v] = 1;
    }
    for (const std::uint32_t p : touched_) joined_[p] = 0;
    touched_.clear();
  }

  /// The lightest part with room, for vertices without arcs, whose move costs nothing.
  [[nodiscard]] std::uint32_t anywhere(std::uint32_t from, bool up, std::int64_t weight) const {
    std::uint32_t best = from;
    if (!touched_.empty()) return best;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      if ((p > from) != up || p == from || !has_room(p, weight)) continue;
      if (best == from || loads_[p] < loads_[best]) best = p;
    }
    return best;
  }

  /// Exchanges the moves with all nodes. Returns the number of moved vertices.
  std::int64_t settle() {
    std::int64_t moves = 0;
    std::vector<std::int64_t> sums(moved_.size());
    for (const auto& bytes : group_.share_bytes(std::as_bytes(std::span(moved_)))) {
      std::memcpy(sums.data(), bytes.data(), bytes.size());
      for (std::uint32_t p = 0; p < parts_; ++p) loads_[p] += sums[p];
      moves += sums.back();
    }
    std::fill(moved_.begin(), moved_.end(), 0);
    halo_.publish<PartId>(
        group_, 0, level_.size(), [&](std::uint32_t v) { return changed_[v] != 0; },
        [&](std::uint32_t v) { return owners_[v]; },
        [&](std::uint32_t index, PartId owner) { owners_[index] = owner; });
    std::fill(changed_.begin(), changed_.end(), 0);
    return moves;
  }

  Group& group_;
  const CoarseGraph& level_;
  const Halo& halo_;
  const std::uint32_t parts_;
  const std::int64_t most_;
  std::vector<PartId>& owners_;      // by halo index, during the refinement
  std::vector<std::int64_t> loads_;  // of all nodes, before this round
  std::vector<std::int64_t> moved_;  // by this node, in this round; last: number of moved vertices
  std::vector<std::uint64_t> joined_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint8_t> changed_;
};

/// Refines a partition of a level by label propagation with the parts as labels: vertices at the cut move to the part
/// with the largest weight of arcs to it, if that has room. Vertices also leave a part that is too heavy for any part
/// with room.
///
/// `owners`: the parts of this node's vertices; there is one part for each node. No part heavier than `most` gets
/// heavier. The same number of nodes gives the same result. Collective.
void refine_division(Group& group, const CoarseGraph& level, const Halo& halo, std::uint64_t most,
                     std::vector<PartId>& owners) {
  Refinement(group, level, halo, most, owners).run();
}

/// Desired number of clusters for each part; if the graph stays too large, fewer, but at least the second number,
/// because fewer clusters would spoil the balance.
constexpr std::uint64_t kMostClusters = 1000;
constexpr std::uint64_t kLeastClusters = 60;
/// A cluster weighs at most this number of mean vertices of its level: small steps leave more levels to refine.
constexpr std::uint64_t kFirstGrowth = 10;
/// If more than this fraction of the vertices is left, contraction is stuck.
constexpr double kStuck = 0.9;
/// If more than this fraction of the arcs is left, the next step is larger, because each level takes memory.
constexpr double kSlow = 0.7;
constexpr double kSlack = 1.03;

class Multilevel {
 public:
  Multilevel(Group& group, const PartitionOptions& how, std::uint64_t most_arcs)
      : group_(group), how_(how), most_arcs_(most_arcs) {}

  Result<std::vector<PartId>> run(const GraphPart& part) {
    LEEWAY_ASSIGN(CoarseGraph finest, finest_level(group_, part, how_.balance));
    total_ =
        group_.sum(std::accumulate(finest.weights.begin(), finest.weights.end(), std::uint64_t{0}));
    levels_.push_back(std::move(finest));
    while (arcs() > most_arcs_ && contract_once()) {
    }
    LEEWAY_ASSIGN(std::vector<PartId> owners, divide_coarsest());
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (i < coarse_of_.size()) {
        owners = ask_homes<PartId>(group_, levels_[i + 1].ranges, coarse_of_[i], owners);
        levels_.pop_back();
      }
      const Halo halo(group_, levels_[i].ranges, {levels_[i].targets});
      refine_division(group_, levels_[i], halo, most_of_a_part(), owners);
    }
    return owners;
  }

 private:
  [[nodiscard]] std::uint64_t arcs() {
    return group_.sum(std::uint64_t{levels_.back().targets.size()});
  }
  [[nodiscard]] std::uint64_t most_of_a_part() const {
    return static_cast<std::uint64_t>(
        std::ceil(kSlack * static_cast<double>(total_) / group_.count()));
  }

  /// False if the graph cannot be contracted further.
  bool contract_once() {
    const CoarseGraph& level = levels_.back();
    const std::uint64_t vertices = level.ranges.firsts().back();
    if (vertices == 0) return false;
    const std::uint64_t most = total_ / (clusters_ * group_.count());
    const std::uint64_t limit =
        std::max<std::uint64_t>(2, std::min(most, total_ * growth_ / vertices));
    const Halo halo(group_, level.ranges, {level.targets});
    const LabelClusters found = find_clusters(group_, level, halo, limit);
    Contraction made = contract(group_, level, halo, found.labels, found.label_weights);
    const auto left = static_cast<double>(made.coarser.ranges.firsts().back());
    if (left > kStuck * static_cast<double>(vertices)) {
      const bool may_continue = clusters_ > kLeastClusters;
      clusters_ = std::max(kLeastClusters, clusters_ / 4);
      growth_ *= 4;
      return may_continue;
    }
    const auto before = static_cast<double>(arcs());
    levels_.push_back(std::move(made.coarser));
    coarse_of_.push_back(std::move(made.coarse_of));
    if (static_cast<double>(arcs()) > kSlow * before) growth_ *= 4;
    return true;
  }

  Result<std::vector<PartId>> divide_coarsest() {
    const CoarseGraph& level = levels_.back();
    std::vector<std::uint64_t> degrees(level.size());
    for (std::uint32_t v = 0; v < level.size(); ++v)
      degrees[v] = level.offsets[v + std::size_t{1}] - level.offsets[v];
    LEEWAY_ASSIGN(const auto all, gather_array<std::uint64_t>(group_, degrees));
    LEEWAY_ASSIGN(auto targets, gather_array<VertexId>(group_, level.targets));
    LEEWAY_ASSIGN(const auto arc_weights, gather_array<std::uint32_t>(group_, level.arc_weights));
    LEEWAY_ASSIGN(const auto weights, gather_array<std::uint32_t>(group_, level.weights));
    Result<Partition> divided = Partition{};
    if (group_.self() == NodeId(0))
      divided = by_metis(all.span(), std::move(targets), arc_weights.span(), weights.span());
    return scatter_owners(group_, level.ranges, owners_of(divided));
  }

  Result<Partition> by_metis(std::span<const std::uint64_t> degrees, Array<VertexId> targets,
                             std::span<const std::uint32_t> arc_weights,
                             std::span<const std::uint32_t> weights) {
    GraphArrays parts;
    LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(degrees.size() + 1));
    for (std::size_t v = 0; v < degrees.size(); ++v)
      parts.offsets.mutable_span()[v + 1] = parts.offsets[v] + degrees[v];
    parts.targets = std::move(targets);
    LEEWAY_ASSIGN(parts.weights, Array<double>::make(arc_weights.size()));
    std::copy(arc_weights.begin(), arc_weights.end(), parts.weights.mutable_span().begin());
    parts.weight_kind = WeightKind::Integer;
    parts.directed = false;
    parts.names = VertexNames::sequence(0, static_cast<std::uint32_t>(degrees.size()));
    const Graph graph(std::move(parts));
    // METIS sums weights in 31 bits.
    const std::uint64_t unit = total_ / (std::uint64_t{1} << 30U) + 1;
    std::vector<std::uint32_t> scaled(weights.begin(), weights.end());
    for (std::uint32_t& weight : scaled)
      weight = static_cast<std::uint32_t>((weight + unit - 1) / unit);
    PartitionOptions options = how_;
    options.parts = group_.count();
    options.edge_weights = true;
    options.vertex_weights = scaled;
    return partition_graph(graph, options);
  }

  Group& group_;
  const PartitionOptions& how_;
  const std::uint64_t most_arcs_;
  std::uint64_t total_ = 0;
  std::uint64_t clusters_ = kMostClusters;
  std::uint64_t growth_ = kFirstGrowth;
  std::vector<CoarseGraph> levels_;
  std::vector<std::vector<VertexId>> coarse_of_;  // for each level but the coarsest
};

}  // namespace

Result<std::vector<PartId>> multilevel_division(Group& group, const GraphPart& part,
                                                const PartitionOptions& how,
                                                std::uint64_t most_arcs) {
  return Multilevel(group, how, most_arcs).run(part);
}

}  // namespace leeway
