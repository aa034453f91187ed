#include "programs/louvain/modularity.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/parallel.h"
#include "runtime/graph/arc_exchange.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

constexpr std::uint32_t kBatches = 8;
constexpr std::uint32_t kMostBatches = 512;
constexpr std::uint32_t kMostPasses = 100;
constexpr double kLeastGain = 1e-7;  // least gain of modularity in a pass or level, as NetworkX

/// An arc of a level's graph.
struct CommunityArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double weight = 0;
};

/// What the home of a community knows about it.
struct CommunityTotal {
  double strength = 0;  ///< sum of its vertices' strengths
  std::uint32_t size = 0;
};

/// A change of a CommunityTotal.
struct TotalChange {
  std::uint32_t community = 0;
  std::int32_t size = 0;
  double strength = 0;
};

/// Sums the weights of equal arcs.
void combine(std::vector<CommunityArc>& arcs) {
  std::sort(arcs.begin(), arcs.end(), [](const CommunityArc& a, const CommunityArc& b) {
    return std::tie(a.from, a.to, a.weight) < std::tie(b.from, b.to, b.weight);
  });
  std::size_t kept = 0;
  for (const CommunityArc& arc : arcs) {
    CommunityArc* const last = kept == 0 ? nullptr : &arcs[kept - 1];
    if (last != nullptr && last->from == arc.from && last->to == arc.to) {
      last->weight += arc.weight;
    } else {
      arcs[kept++] = arc;
    }
  }
  arcs.resize(kept);
}

/// Sums of a vertex's weights by community. One for each thread.
class NearCommunities {
 public:
  explicit NearCommunities(std::size_t communities) : weights_(communities, kNone) {}

  void add(std::uint32_t community, double weight) {
    double& sum = weights_[community];
    if (sum < 0) {
      sum = 0;
      met_.push_back(community);
    }
    sum += weight;
  }
  /// Calls use(community, sum) for each, in the order in which they were met, and forgets them.
  template <class Use>
  void take(const Use& use) {
    for (const std::uint32_t community : met_)
      use(community, std::exchange(weights_[community], kNone));
    met_.clear();
  }

 private:
  static constexpr double kNone = -1;
  std::vector<double> weights_;  // by community; kNone: not met
  std::vector<std::uint32_t> met_;
};

/// One node's part of the graph of a level, and its vertices' moves. A community has the number of one of the level's vertices, and its
/// home is that vertex's.
class CommunityGraph {
 public:
  /// `arcs`: those of the range's vertices, in both directions, loops with twice their weight; ordered and combined.
  CommunityGraph(Group& group, VertexRanges ranges, std::vector<CommunityArc> arcs,
                 const ModularityOptions& options)
      : group_(group),
        options_(options),
        ranges_(std::move(ranges)),
        first_(static_cast<std::uint32_t>(ranges_.first(group.self()))),
        size_(ranges_.size(group.self())),
        offsets_(size_ + std::size_t{1}),
        strength_(size_),
        totals_(size_) {
    for (const CommunityArc& arc : arcs) {
      const std::uint32_t place = arc.from - first_;
      ++offsets_[place + std::size_t{1}];
      strength_[place] += arc.weight;
      ends_.emplace_back(arc.to);
      weights_.push_back(arc.weight);
    }
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    halo_.emplace(group, ranges_, std::initializer_list<std::span<const VertexId>>{ends_});
    for (const VertexId end : ends_) places_.push_back(halo_->index(end));
    communities_.resize(halo_->indices());
    for (std::uint32_t v = 0; v < size_; ++v) {
      communities_[v] = first_ + v;
      totals_[v] = {strength_[v], 1};
    }
    std::uint32_t ghost = size_;
    halo_->for_each_ghost([&](VertexId vertex) { communities_[ghost++] = vertex.value(); });
    all_ = sum_of_all(group, std::accumulate(strength_.begin(), strength_.end(), 0.0));
  }

  /// Moves vertices until a pass gains little. Returns the modularity. Collective.
  double move_all(std::uint32_t level) {
    double best = modularity();
    std::uint32_t batches = kBatches;
    bool gained = false;
    for (std::uint32_t pass = 0; pass < kMostPasses && all_ > 0; ++pass) {
      const std::vector<std::uint32_t> before = communities_;
      const std::vector<CommunityTotal> totals_before = totals_;
      std::uint64_t moved = 0;
      for (const auto& batch : drawn_batches(level, pass, batches)) moved += move(batch);
      const double now = modularity();
      if (now < best) {
        // Vertices of a batch changed places, or joined a community that became too large. Smaller batches have fewer such vertices.
        communities_ = before;
        totals_ = totals_before;
        if (gained || batches == kMostBatches) break;
        batches *= 8;
        continue;
      }
      const double gain = now - std::exchange(best, now);
      gained = true;
      if (group_.sum(moved) == 0 || gain < kLeastGain) break;
    }
    return best;
  }

  /// The vertices of the next level: its ranges, and for each of this range's vertices the number of its community there. Collective.
  std::pair<VertexRanges, std::vector<std::uint32_t>> number_communities() {
    std::uint32_t count = 0;
    for (const CommunityTotal& total : totals_) count += total.size > 0 ? 1 : 0;
    std::vector<std::uint64_t> firsts{0};
    for (const std::uint32_t each : group_.share(count)) firsts.push_back(firsts.back() + each);
    std::vector<std::uint32_t> numbers(size_);
    auto next = static_cast<std::uint32_t>(firsts[group_.self().index()]);
    for (std::uint32_t c = 0; c < size_; ++c) {
      if (totals_[c].size > 0) numbers[c] = next++;
    }
    const auto needed = distinct(communities_);
    const auto found = ask_homes<std::uint32_t>(group_, ranges_, needed, numbers);
    next_number_.clear();
    for (const std::uint32_t community : communities_)
      next_number_.push_back(found[place_in(needed, community)]);
    return {VertexRanges(std::move(firsts)), {next_number_.begin(), next_number_.begin() + size_}};
  }

  /// The arcs of the next level's vertices in this node's range. After number_communities. Collective.
  std::vector<CommunityArc> arcs_between(const VertexRanges& next) {
    std::vector<CommunityArc> mine;
    for (std::uint32_t v = 0; v < size_; ++v) {
      for (std::uint64_t i = offsets_[v]; i < offsets_[v + std::size_t{1}]; ++i)
        mine.push_back({next_number_[v], next_number_[places_[i]], weights_[i]});
    }
    combine(mine);
    std::vector<CommunityArc> arcs;
    group_.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group_.for_each_record<CommunityArc>(from, bytes, [&](const CommunityArc& arc) {
        group_.require(arc.from - next.first(group_.self()) < next.size(group_.self()) &&
                           arc.to < next.firsts().back(),
                       from);
        arcs.push_back(arc);
      });
    });
    MessageBatcher<CommunityArc> batcher(group_);
    for (const CommunityArc& arc : mine) batcher.add(next.home(VertexId(arc.from)), arc);
    batcher.flush();
    group_.end();
    combine(arcs);
    return arcs;
  }

  [[nodiscard]] std::uint64_t vertices() const { return ranges_.firsts().back(); }

 private:
  static std::vector<VertexId> distinct(std::vector<std::uint32_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<VertexId> ids;
    ids.reserve(numbers.size());
    for (const std::uint32_t number : numbers) ids.emplace_back(number);
    return ids;
  }
  static std::size_t place_in(const std::vector<VertexId>& ids, std::uint32_t number) {
    return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), VertexId(number)) -
                                    ids.begin());
  }

  /// This range's vertices in batches; a vertex's batch depends neither on the ranges nor on the other vertices.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> drawn_batches(std::uint32_t level,
                                                                      std::uint32_t pass,
                                                                      std::uint32_t count) const {
    const std::uint64_t begin = mix64(mix64(mix64(options_.seed) + level) + pass);
    std::vector<std::vector<std::uint32_t>> batches(count);
    for (std::uint32_t v = 0; v < size_; ++v)
      batches[mix64(begin + first_ + std::uint64_t{v}) % count].push_back(v);
    return batches;
  }

  /// Moves the vertices of a batch; returns how many of this range moved. Collective.
  std::uint64_t move(std::span<const std::uint32_t> batch) {
    know_communities();
    std::vector<std::uint32_t> targets(batch.size());
    parallel_chunks(batch.size(), thread_count(options_.threads),
                    [&](unsigned, std::size_t begin, std::size_t end) {
                      NearCommunities near(totals().size());
                      for (std::size_t i = begin; i < end; ++i)
                        targets[i] = best_community(batch[i], near);
                    });
    return apply(batch, targets);
  }

  /// Numbers the communities of this node's vertices and ghosts, and fetches their totals. A node alone knows all. Collective.
  void know_communities() {
    if (group_.count() == 1) return;
    known_ = distinct(communities_);
    known_totals_ = ask_homes<CommunityTotal>(group_, ranges_, known_, totals_);
    known_places_.clear();
    for (const std::uint32_t community : communities_)
      known_places_.push_back(static_cast<std::uint32_t>(place_in(known_, community)));
  }
  /// The place among the known communities of that of a vertex or ghost.
  [[nodiscard]] std::uint32_t known_place(std::uint32_t index) const {
    return group_.count() == 1 ? communities_[index] : known_places_[index];
  }
  [[nodiscard]] const std::vector<CommunityTotal>& totals() const {
    return group_.count() == 1 ? totals_ : known_totals_;
  }
  [[nodiscard]] std::uint32_t known_community(std::uint32_t place) const {
    return group_.count() == 1 ? place : known_[place].value();
  }

  [[nodiscard]] std::uint32_t best_community(std::uint32_t v, NearCommunities& near) const {
    const std::uint32_t own = known_place(v);
    near.add(own, 0);
    for (std::uint64_t i = offsets_[v]; i < offsets_[v + std::size_t{1}]; ++i) {
      if (places_[i] != v) near.add(known_place(places_[i]), weights_[i]);
    }
    const double share = options_.resolution * strength_[v] / all_;
    const bool alone = totals()[own].size == 1;
    double stays = 0;
    double most = -std::numeric_limits<double>::infinity();
    std::uint32_t best = communities_[v];
    near.take([&](std::uint32_t place, double weight) {
      const CommunityTotal& total = totals()[place];
      if (place == own) {
        stays = weight - share * (total.strength - strength_[v]);
        return;
      }
      const std::uint32_t community = known_community(place);
      // If both vertices are alone, only one may join the other, or they would change places.
      if (alone && total.size == 1 && community > communities_[v]) return;
      const double gain = weight - share * total.strength;
      if (gain < most || (gain == most && community > best)) return;
      most = gain;
      best = community;
    });
    return most > stays + 1e-12 * all_ ? best : communities_[v];
  }

  std::uint64_t apply(std::span<const std::uint32_t> batch,
                      std::span<const std::uint32_t> targets) {
    std::uint64_t moved = 0;
    std::vector<bool> has_moved(size_);
    group_.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group_.for_each_record<TotalChange>(from, bytes, [&](const TotalChange& change) {
        group_.require(change.community - first_ < size_, from);
        CommunityTotal& total = totals_[change.community - first_];
        total.strength += change.strength;
        total.size += static_cast<std::uint32_t>(change.size);
        if (total.size == 0) total.strength = 0;
      });
    });
    MessageBatcher<TotalChange> batcher(group_);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t v = batch[i];
      if (targets[i] == communities_[v]) continue;
      batcher.add(ranges_.home(VertexId(communities_[v])), {communities_[v], -1, -strength_[v]});
      batcher.add(ranges_.home(VertexId(targets[i])), {targets[i], 1, strength_[v]});
      communities_[v] = targets[i];
      has_moved[v] = true;
      ++moved;
    }
    batcher.flush();
    group_.end();
    halo_->publish<std::uint32_t>(
        group_, 0, size_, [&](std::uint32_t v) { return has_moved[v]; },
        [&](std::uint32_t v) { return communities_[v]; },
        [&](std::uint32_t index, std::uint32_t community) { communities_[index] = community; });
    return moved;
  }

  double modularity() {
    if (all_ <= 0) return 0;
    double within = 0;
    for (std::uint32_t v = 0; v < size_; ++v) {
      for (std::uint64_t i = offsets_[v]; i < offsets_[v + std::size_t{1}]; ++i) {
        if (communities_[places_[i]] == communities_[v]) within += weights_[i];
      }
    }
    double squares = 0;
    for (const CommunityTotal& total : totals_) squares += total.strength * total.strength;
    return sum_of_all(group_, within) / all_ -
           options_.resolution * sum_of_all(group_, squares) / all_ / all_;
  }

  Group& group_;
  const ModularityOptions& options_;
  const VertexRanges ranges_;
  const std::uint32_t first_;
  const std::uint32_t size_;
  std::vector<std::uint64_t> offsets_;
  std::vector<VertexId> ends_;
  std::vector<std::uint32_t> places_;  // halo indices of the ends
  std::vector<double> weights_;
  std::vector<double> strength_;
  std::optional<Halo> halo_;
  double all_ = 0;                          // sum of the strengths of all vertices
  std::vector<std::uint32_t> communities_;  // by halo index
  std::vector<CommunityTotal> totals_;      // by community whose home is this node
  // Several nodes: the communities of vertices and ghosts, ascending, their totals, and by halo index their places.
  std::vector<VertexId> known_;
  std::vector<CommunityTotal> known_totals_;
  std::vector<std::uint32_t> known_places_;
  std::vector<std::uint32_t>
      next_number_;  // by halo index: the community's number on the next level
};

/// The arcs of the part in both directions.
Result<std::vector<CommunityArc>> first_arcs(Group& group, const GraphPart& part, bool by_weight) {
  const bool weighted = by_weight && part.totals.weighted();
  std::vector<CommunityArc> arcs;
  const auto add = [&](const GraphArrays& lists, bool loops) {
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      const std::uint32_t own = part.vertex(v).value();
      for (std::uint64_t i = lists.offsets[v]; i < lists.offsets[v + std::size_t{1}]; ++i) {
        const std::uint32_t to = lists.targets[i].value();
        if (to == own && !loops) continue;
        const double weight = weighted ? lists.weights[i] : 1.0;
        arcs.push_back({own, to, to == own ? 2 * weight : weight});
      }
    }
  };
  add(part.lists, true);
  if (part.totals.directed) {
    LEEWAY_ASSIGN(const GraphArrays reversed, reverse_arcs(group, part, weighted));
    add(reversed, false);
  }
  combine(arcs);
  return arcs;
}

/// For each of the last level's vertices that `member_of` names, the first vertex of the graph among its members. Collective.
std::vector<std::uint32_t> first_members(Group& group, const VertexRanges& level,
                                         const GraphPart& part,
                                         std::span<const std::uint32_t> member_of) {
  struct MemberRecord {
    std::uint32_t community;
    std::uint32_t vertex;
  };
  const std::uint64_t first = level.first(group.self());
  std::vector<std::uint32_t> firsts(level.size(group.self()),
                                    std::numeric_limits<std::uint32_t>::max());
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    group.for_each_record<MemberRecord>(from, bytes, [&](const MemberRecord& member) {
      group.require(member.community - first < firsts.size(), from);
      std::uint32_t& least = firsts[member.community - first];
      least = std::min(least, member.vertex);
    });
  });
  MessageBatcher<MemberRecord> batcher(group);
  std::vector<VertexId> communities;
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    communities.emplace_back(member_of[v]);
    batcher.add(level.home(communities.back()), {member_of[v], part.vertex(v).value()});
  }
  batcher.flush();
  group.end();
  return ask_homes<std::uint32_t>(group, level, communities, firsts);
}

}  // namespace

Result<FoundCommunities> find_communities(Group& group, const GraphPart& part,
                                          const ModularityOptions& options) {
  FoundCommunities found;
  LEEWAY_ASSIGN(std::vector<CommunityArc> arcs, first_arcs(group, part, options.by_weight));
  VertexRanges ranges = part.ranges;
  std::vector<std::uint32_t>
      member_of;  // the vertex of the level that each vertex of the part belongs to
  for (std::uint32_t v = 0; v < part.size(); ++v) member_of.push_back(part.vertex(v).value());
  while (part.totals.vertices > 0) {
    CommunityGraph level(group, ranges, std::move(arcs), options);
    const double modularity = level.move_all(found.levels);
    const bool gains = found.levels == 0 || modularity - found.modularity >= kLeastGain;
    if (!gains) break;
    found.modularity = modularity;
    ++found.levels;
    auto [next, numbers] = level.number_communities();
    arcs = level.arcs_between(next);
    std::vector<VertexId> members;
    for (const std::uint32_t each : member_of) members.emplace_back(each);
    member_of = ask_homes<std::uint32_t>(group, ranges, members, numbers);
    const bool shrinks = next.firsts().back() < level.vertices();
    ranges = std::move(next);
    if (!shrinks) break;
  }
  const auto firsts = first_members(group, ranges, part, member_of);
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    found.rows.push_back({firsts[v], static_cast<std::uint32_t>(part.degree(v)) * found.levels});
  }
  return found;
}

}  // namespace leeway
