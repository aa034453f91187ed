#include "runtime/graph/division.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "datasets/partition_methods.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/halo.h"
#include "runtime/graph/load_part.h"
#include "runtime/graph/multilevel_division.h"

namespace leeway {

Result<std::vector<PartId>> scatter_owners(Group& group, const VertexRanges& ranges,
                                           const Result<std::span<const PartId>>& all) {
  std::vector<std::vector<PartId>> owners(group.count());
  const bool first = group.self() == NodeId(0);
  LEEWAY_TRY(group.agree(first && !all ? fail(all.error()) : Status{}));
  for (std::uint32_t node = 0; first && node < owners.size(); ++node) {
    const auto range = all->subspan(ranges.first(NodeId(node)), ranges.size(NodeId(node)));
    owners[node].assign(range.begin(), range.end());
  }
  auto got = group.swap(owners);
  group.require(got.front().size() == ranges.size(group.self()), NodeId(0));
  return std::move(got.front());
}

namespace {

/// The largest number of arcs of a graph that node 0 may hold whole, next to its own part, while it partitions it.
constexpr std::uint64_t kArcsGathered = 1'000'000;

}  // namespace

Result<VertexNames> gather_names(Group& group, const GraphPart& part) {
  const VertexNames& mine = part.lists.names;
  NameBlock names;
  names.kind = mine.kind();
  names.count = part.totals.vertices;
  names.first = mine.first() - part.ranges.first(part.self);
  if (names.kind == NameKind::Numbers) {
    const auto ids = mine.ids().span();
    names.numbers.assign(ids.begin(), ids.end());
  }
  for (VertexId v(0); names.kind == NameKind::Strings && v.value() < mine.count(); v = v.next())
    names.words.push_back(mine.name(v));
  std::vector<std::uint64_t> firsts(group.count() + std::size_t{1}, names.count);
  firsts[0] = 0;
  return scatter_names(group, names, firsts);
}

bool is_gathered(std::uint64_t arcs) { return arcs <= kArcsGathered; }

PartitionMethod method_for(Group& group, const GraphPart& part, const PartitionOptions& how) {
  if (const auto given = specified_method(how)) return *given;
  if (!is_gathered(part.totals.arcs)) return PartitionMethod::Block;
  CutFacts facts{
      .vertices = part.totals.vertices, .arcs = part.totals.arcs, .parts = group.count()};
  const auto targets = part.lists.targets.span();
  facts.block_cut = group.sum(static_cast<std::uint64_t>(std::count_if(
      targets.begin(), targets.end(), [&](VertexId target) { return !part.holds(target); })));
  facts.most_arcs = most_arcs(group, part);
  return choose_method(facts);
}

std::uint64_t most_arcs(Group& group, const GraphPart& part) {
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < part.size(); ++i) most = std::max(most, part.degree(i));
  const auto all = group.share(most);
  return *std::max_element(all.begin(), all.end());
}

Result<Graph> gather_graph(Group& group, const GraphPart& part) {
  std::vector<std::uint64_t> degrees(part.size());
  for (std::uint32_t i = 0; i < part.size(); ++i) degrees[i] = part.degree(i);
  GraphArrays parts;
  LEEWAY_ASSIGN(const auto all, gather_array<std::uint64_t>(group, degrees));
  LEEWAY_ASSIGN(parts.targets, gather_array(group, part.lists.targets.span()));
  LEEWAY_ASSIGN(parts.weights, gather_array(group, part.lists.weights.span()));
  LEEWAY_ASSIGN(parts.names, gather_names(group, part));
  if (group.self() != NodeId(0)) return Graph();
  LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(all.size() + 1));
  for (std::size_t v = 0; v < all.size(); ++v)
    parts.offsets.mutable_span()[v + 1] = parts.offsets[v] + all[v];
  parts.directed = part.totals.directed;
  parts.weight_kind = part.totals.weight_kind;
  parts.left_count = part.totals.left_count;
  return Graph(std::move(parts));
}

namespace {

/// Whether METIS runs on a contracted graph (multilevel_division).
bool contracts(const GraphPart& part, const PartitionOptions& how) {
  return how.method == PartitionMethod::Metis && !how.skew && !how.edge_weights &&
         !is_gathered(part.totals.arcs);
}

/// Whether node 0 holds the whole graph to partition it.
bool divides_whole(const GraphPart& part, const PartitionOptions& how) {
  if (contracts(part, how)) return false;
  return how.skew || how.method == PartitionMethod::Metis || how.method == PartitionMethod::File;
}

/// Node 0 gathers the whole graph, partitions it, and sends each node the owners of its range's vertices.
Result<std::vector<PartId>> divide_gathered(Group& group, const GraphPart& part,
                                            const PartitionOptions& how) {
  LEEWAY_ASSIGN(const Graph graph, gather_graph(group, part));
  Result<Partition> divided = Partition{};
  if (group.self() == NodeId(0)) {
    PartitionOptions options = how;
    options.parts = group.count();
    divided = partition_graph(graph, options);
  }
  return scatter_owners(group, part.ranges, owners_of(divided));
}

/// A batch has this fraction of the vertices placed before it, but at most the second fraction of all vertices. Early
/// batches are small, so that later vertices soon have placed neighbours.
constexpr std::uint32_t kBatchGrowth = 4;
constexpr std::uint32_t kBatches = 64;
/// A part that is heavier than the lightest by at most this fraction of the capacity counts as equally heavy; a
/// batch of all nodes adds less.
constexpr double kHardly = 0.1;

StreamRule rule_for(Group& group, const GraphPart& part, const PartitionOptions& how) {
  const GraphTotals& totals = part.totals;
  const std::uint64_t arcs = how.balance == BalanceBy::Vertices ? 0 : totals.arcs;
  const auto total = static_cast<double>(totals.vertices + arcs);
  if (how.method == PartitionMethod::Ldg) return StreamRule::ldg(total, group.count());
  std::uint64_t loops = 0;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    const auto list = part.list(i);
    loops += static_cast<std::uint64_t>(std::count(list.begin(), list.end(), part.vertex(i)));
  }
  loops = group.sum(loops);
  const std::uint64_t edges = totals.directed ? totals.arcs : (totals.arcs + loops) / 2;
  return StreamRule::fennel(total, static_cast<double>(edges), group.count());
}

class Streamer {
 public:
  Streamer(Group& group, const GraphPart& part, const PartitionOptions& how)
      : group_(group),
        part_(part),
        balance_(how.balance),
        rule_(rule_for(group, part, how)),
        parts_(group.count()),
        halo_(group, part.ranges, {part.lists.targets.span()}),
        owners_(halo_.indices(), PartId::none()),
        loads_(parts_, 0),
        mine_(parts_, 0),
        neighbours_(parts_, 0) {}

  std::vector<PartId> run() {
    std::uint64_t widest = 0;
    for (std::uint32_t node = 0; node < parts_; ++node)
      widest = std::max<std::uint64_t>(widest, part_.ranges.size(NodeId(node)));
    for (std::uint64_t done = 0; done < widest;) {
      const std::uint64_t next = std::min(
          widest, done + std::clamp<std::uint64_t>(done / kBatchGrowth, 1, widest / kBatches + 1));
      place(static_cast<std::uint32_t>(done * part_.size() / widest),
            static_cast<std::uint32_t>(next * part_.size() / widest));
      done = next;
    }
    owners_.resize(part_.size());
    return std::move(owners_);
  }

 private:
  [[nodiscard]] std::uint64_t weight(std::uint32_t place) const {
    return balance_ == BalanceBy::Vertices ? 1 : 1 + part_.degree(place);
  }
  /// Estimated load of a part: assumes that the other nodes add as much to it as this node.
  [[nodiscard]] double estimated_load(std::uint32_t p) const {
    return static_cast<double>(loads_[p] + mine_[p] * parts_);
  }
  /// Breaks ties: each node starts with a different part, so that the vertices of one range stay together.
  [[nodiscard]] std::uint32_t turn(std::uint32_t p) const {
    return (p + parts_ - group_.self().value()) % parts_;
  }

  void place(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t v = begin; v < end; ++v) choose_part(v);
    settle(begin, end);
    halo_.publish<PartId>(
        group_, begin, end, [](std::uint32_t) { return true; },
        [&](std::uint32_t v) { return owners_[v]; },
        [&](std::uint32_t index, PartId owner) { owners_[index] = owner; });
  }

  void count_neighbours(std::uint32_t v) {
    for (const VertexId target : part_.list(v)) {
      const PartId owner = owners_[halo_.index(target)];
      if (owner != PartId::none() && neighbours_[owner.index()]++ == 0)
        touched_.push_back(owner.value());
    }
  }
  void forget_neighbours() {
    for (const std::uint32_t p : touched_) neighbours_[p] = 0;
    touched_.clear();
  }

  /// The part of a vertex without placed neighbours: this node's own, while it is not much heavier than the lightest,
  /// because vertices with consecutive numbers are often connected; else, and for a vertex without arcs, the
  /// lightest.
  [[nodiscard]] std::uint32_t default_part(std::uint32_t v) const {
    const std::uint32_t own = group_.self().value();
    std::uint32_t lightest = own;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      if (std::tuple(estimated_load(p), turn(p)) <
          std::tuple(estimated_load(lightest), turn(lightest)))
        lightest = p;
    }
    const bool hardly =
        estimated_load(own) <= estimated_load(lightest) + kHardly * rule_.capacity();
    return hardly && part_.degree(v) > 0 ? own : lightest;
  }

  void choose_part(std::uint32_t v) {
    count_neighbours(v);
    std::uint32_t best = default_part(v);
    const auto rank = [&](std::uint32_t p) {
      const auto load = static_cast<double>(loads_[p] + mine_[p]);
      return std::tuple(-rule_.score(neighbours_[p], load), estimated_load(p), turn(p));
    };
    for (const std::uint32_t p : touched_) {
      const std::uint64_t after = loads_[p] + mine_[p] + weight(v);
      if (static_cast<double>(after) <= rule_.capacity() && rank(p) < rank(best)) best = p;
    }
    owners_[v] = PartId(best);
    mine_[best] += weight(v);
    forget_neighbours();
  }

  /// Allgather of a list with one entry for each node.
  std::vector<std::vector<std::uint64_t>> share(const std::vector<std::uint64_t>& list) {
    std::vector<std::vector<std::uint64_t>> all(parts_, std::vector<std::uint64_t>(list.size()));
    const auto bytes = group_.share_bytes(std::as_bytes(std::span(list)));
    for (std::uint32_t node = 0; node < parts_; ++node)
      std::memcpy(all[node].data(), bytes[node].data(), bytes[node].size());
    return all;
  }

  [[nodiscard]] std::uint64_t room(std::uint32_t p) const {
    const auto capacity = static_cast<std::uint64_t>(rule_.capacity());
    return capacity > loads_[p] ? capacity - loads_[p] : 0;
  }

  /// Fits the choices of all nodes into the parts: if they exceed a part's remaining capacity, each node gets its
  /// share of that and places its other vertices elsewhere.
  void settle(std::uint32_t begin, std::uint32_t end) {
    const auto requests = share(mine_);
    bool over = false;
    std::vector<std::uint64_t> granted = mine_;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      std::uint64_t all = 0;
      for (const auto& each : requests) all += each[p];
      if (all <= room(p)) continue;
      over = true;
      granted[p] =
          static_cast<std::uint64_t>(static_cast<double>(room(p)) *
                                     (static_cast<double>(mine_[p]) / static_cast<double>(all)));
    }
    if (!over) return add(requests);
    std::vector<std::uint32_t> left;
    std::fill(mine_.begin(), mine_.end(), 0);
    std::uint64_t left_weight = 0;
    for (std::uint32_t v = begin; v < end; ++v) {
      std::uint64_t& into = mine_[owners_[v].index()];
      if (into + weight(v) <= granted[owners_[v].index()]) {
        into += weight(v);
      } else {
        owners_[v] = PartId::none();
        left.push_back(v);
        left_weight += weight(v);
      }
    }
    mine_.push_back(left_weight);
    auto placed = share(mine_);
    mine_.pop_back();
    std::uint64_t all_left = 0;
    for (auto& each : placed) {
      all_left += each.back();
      each.pop_back();
    }
    add(placed);
    place_left(left, all_left == 0
                         ? 0.0
                         : static_cast<double>(left_weight) / static_cast<double>(all_left));
    add(share(mine_));
  }

  /// Places the vertices left over, within this node's share of the remaining capacity, in proportion to their
  /// weight.
  void place_left(const std::vector<std::uint32_t>& left, double my_share) {
    std::vector<double> quota(parts_);
    for (std::uint32_t p = 0; p < parts_; ++p) quota[p] = static_cast<double>(room(p)) * my_share;
    for (const std::uint32_t v : left) {
      count_neighbours(v);
      const auto own = static_cast<double>(weight(v));
      std::uint32_t best = 0;
      const auto rank = [&](std::uint32_t p) {
        // If the vertex fits nowhere, each node starts with a different part that has some room.
        const bool fits = quota[p] >= own;
        const bool full = quota[p] <= 0;
        return std::tuple(!fits, !fits && full, fits ? -static_cast<double>(neighbours_[p]) : 0.0,
                          fits || full ? -quota[p] : 0.0, turn(p));
      };
      for (std::uint32_t p = 1; p < parts_; ++p) {
        if (rank(p) < rank(best)) best = p;
      }
      owners_[v] = PartId(best);
      quota[best] -= own;
      mine_[best] += weight(v);
      forget_neighbours();
    }
  }

  void add(const std::vector<std::vector<std::uint64_t>>& weights) {
    for (const auto& each : weights) {
      for (std::uint32_t p = 0; p < parts_; ++p) loads_[p] += each[p];
    }
    std::fill(mine_.begin(), mine_.end(), 0);
  }

  Group& group_;
  const GraphPart& part_;
  const BalanceBy balance_;
  const StreamRule rule_;
  const std::uint32_t parts_;
  const Halo halo_;
  std::vector<PartId> owners_;        // by halo index
  std::vector<std::uint64_t> loads_;  // of all nodes, before this batch
  std::vector<std::uint64_t> mine_;   // of this node, in this batch
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> touched_;
};

/// Partitions a graph in parts by one pass over its vertices (LDG, Fennel). All nodes make the pass over their own
/// ranges at the same time, in batches. Within a batch a node knows where the other nodes placed their earlier
/// vertices, and estimates that they have added to each part since then what it has added itself. A node holds only
/// its range and the targets of its arcs.
/// Returns the parts of the vertices of this node's range; there is one part for each node. `how.method` must be Ldg
/// or Fennel. A part exceeds the method's limit by at most its heaviest vertices. The same number of nodes gives the
/// same result. Collective.
std::vector<PartId> stream_division(Group& group, const GraphPart& part,
                                    const PartitionOptions& how) {
  return Streamer(group, part, how).run();
}

}  // namespace

Result<Division> Division::make(Group& group, const GraphPart& part, const PartitionOptions& how,
                                const Partition* known) {
  Division division;
  division.method_ = how.method;
  division.part_ = &part;
  division.seed_ = how.seed;
  const bool streams = how.method == PartitionMethod::Ldg || how.method == PartitionMethod::Fennel;
  division.has_owners_ = true;
  if (group.sum(known != nullptr ? 1 : 0) > 0) {
    LEEWAY_ASSIGN(division.owners_, scatter_owners(group, part.ranges,
                                                   known != nullptr ? known->owner.span()
                                                                    : std::span<const PartId>()));
  } else if (divides_whole(part, how)) {
    LEEWAY_ASSIGN(division.owners_, divide_gathered(group, part, how));
  } else if (contracts(part, how)) {
    LEEWAY_ASSIGN(division.owners_, multilevel_division(group, part, how, kArcsGathered));
  } else if (streams) {
    division.owners_ = stream_division(group, part, how);
  } else {
    division.has_owners_ = false;
  }
  return division;
}

NodeId Division::by_formula(VertexId vertex) const {
  const std::uint32_t nodes = part_->ranges.count();
  if (by_ranges()) return part_->ranges.home(vertex);
  const PartId owner = method_ == PartitionMethod::Hash
                           ? hashed_part(vertex, nodes, seed_)
                           : assigned_part(vertex, part_->totals.vertices, nodes, seed_);
  return NodeId(owner.value());
}

NodeId Division::home_here(std::uint32_t place) const {
  return has_owners_ ? NodeId(owners_[place].value()) : by_formula(part_->vertex(place));
}

std::vector<NodeId> Division::homes(Group& group, std::span<const VertexId> vertices) const {
  std::vector<NodeId> homes;
  homes.reserve(vertices.size());
  if (!has_owners_) {
    for (const VertexId v : vertices) homes.push_back(by_formula(v));
    return homes;
  }
  // The owner of a vertex is stored at the node whose range has the vertex.
  const std::vector<PartId> owners = ask_homes<PartId>(group, part_->ranges, vertices, owners_);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    group.require(owners[i].index() < group.count(), part_->ranges.home(vertices[i]));
    homes.emplace_back(owners[i].value());
  }
  return homes;
}

namespace {

static_assert(sizeof(PartId) == sizeof(std::uint32_t) && std::is_trivially_copyable_v<PartId>);

/// Node 0 divides the graph and sends the owners of its vertices to the others.
Result<Partition> share_division(Group& group, const Graph& graph, const PartitionOptions& how) {
  const bool first = group.self() == NodeId(0);
  Result<Partition> divided = Partition{.part_count = how.parts, .owner = {}};
  if (first) {
    divided = partition_graph(graph, how);
  } else if (auto room = Array<PartId>::make(graph.vertex_count()); room) {
    divided->owner = std::move(*room);
  } else {
    divided = fail(room.error());
  }
  LEEWAY_TRY(group.agree(divided ? Status{} : fail(divided.error())));
  std::vector<std::uint64_t> lengths(group.count(), 0);
  if (!first) lengths.front() = graph.vertex_count();
  ListJoiner<PartId> joiner(group, lengths);
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    joiner.take(from, bytes, divided->owner.mutable_span());
  });
  for (std::uint32_t to = 1; first && to < group.count(); ++to)
    group.send_list(NodeId(to), divided->owner.span());
  group.end();
  joiner.finish();
  const auto owners = divided->owner.span();
  const bool known = std::all_of(owners.begin(), owners.end(),
                                 [&](PartId owner) { return owner.value() < how.parts; });
  group.require(known, NodeId(0));
  return divided;
}

}  // namespace

PartitionMethod method_for(const ClusterOptions& cluster, const Graph& graph,
                           const PartitionOptions& how) {
  // Dividing takes no virtual time.
  const bool is_virtual = cluster.fabric == Fabric::Sim;
  if (how.method == PartitionMethod::Auto && is_virtual) return PartitionMethod::Metis;
  // Nodes that are threads exchange values through memory, so a smaller cut is not worth a pass over all arcs if, with hubs, it
  // would not be much smaller.
  const bool plain =
      cluster.job == nullptr && cluster.network.name == "ideal" && !specified_method(how);
  if (plain && graph.arc_count() > kArcsForMetis &&
      has_hubs(most_arcs(graph), graph.arc_count(), graph.vertex_count()))
    return PartitionMethod::Block;
  return method_for(graph, how);
}

Result<Partition> divide_once(const ClusterOptions& cluster, const Graph& graph,
                              const PartitionOptions& given) {
  PartitionOptions how = given;
  const bool divides = cluster.job == nullptr || cluster.job->self() == NodeId(0);
  if (divides) how.method = method_for(cluster, graph, given);
  if (cluster.job == nullptr || cluster.nodes == 1) return partition_graph(graph, how);
  Partition divided;
  LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
    LEEWAY_ASSIGN(divided, share_division(group, graph, how));
    return {};
  }));
  return divided;
}

}  // namespace leeway
