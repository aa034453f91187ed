// The fragments of one process's workers, made from its part of a graph that no process holds whole.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/division.h"
#include "runtime/graph/home_lists.h"
#include "runtime/pie/fragment.h"

namespace leeway::pie {

namespace {

/// An arc on its way to the home of its keeper.
struct SentArc {
  VertexId source;
  VertexId target;
  double weight;
};

/// Lists of vertices, by vertex number.
struct KnownLists {
  std::vector<VertexId> vertices;  // ascending
  Csr lists;
};

/// The begins of the workers' ranges of a node's vertices, and the end of the last, such that ranges have about equal numbers of
/// arcs and vertices.
std::vector<std::uint32_t> split(const Csr& lists, std::uint32_t workers) {
  const std::uint32_t count = lists.rows();
  const std::uint64_t total = count + (count > 0 ? lists.offsets[count] : 0);
  std::vector<std::uint32_t> begins = {0};
  std::uint32_t v = 0;
  for (std::uint32_t worker = 1; worker < workers; ++worker) {
    const std::uint64_t until = total / workers * worker;
    while (v < count && v + lists.offsets[v] < until) ++v;
    begins.push_back(v);
  }
  begins.push_back(count);
  return begins;
}

}  // namespace

/// Collective.
class FragmentBuilder {
 public:
  FragmentBuilder(Group& group, const GraphPart& part, const Division& division,
                  const FragmentNeeds& needs, std::uint32_t workers, HomeLists home)
      : group_(group),
        part_(part),
        division_(division),
        needs_(needs),
        workers_(workers),
        weighted_(needs.weights && part.totals.weighted()),
        count_(static_cast<std::uint32_t>(home.vertices.size())),
        own_(part.totals.vertices, count_) {
    for (const VertexId v : home.vertices) own_.add(v);
    own_.settle();
    known_.push_back({std::move(home.vertices), std::move(home.lists)});
  }

  Result<Fragmentation> build() {
    Fragmentation made;
    made.needs_ = needs_;
    made.count_ = workers_;
    made.vertex_count_ = static_cast<std::uint32_t>(part_.totals.vertices);
    share_splits();
    list_own(made.source_);
    for (std::uint32_t hop = 0; hop < needs_.hops; ++hop) LEEWAY_TRY(know_next());
    if (needs_.cut == Cut::Vertex) LEEWAY_TRY(exchange_arcs());
    LEEWAY_TRY(number(made.source_));
    made.checksums_ = checksums_of(made);
    return made;
  }

 private:
  [[nodiscard]] std::uint32_t workers_of(NodeId node) const {
    return (workers_ - node.value() + group_.count() - 1) / group_.count();
  }
  [[nodiscard]] PartId worker_of(NodeId node, std::uint32_t which) const {
    return PartId(node.value() + group_.count() * which);
  }
  /// The ends in lists that are not in `known`.
  [[nodiscard]] VertexSet ends_outside(const Csr& lists, const VertexSet& known) const {
    VertexSet met(part_.totals.vertices, lists.targets.size());
    for (const std::uint32_t u : lists.targets) {
      if (!known.has(VertexId(u))) met.add(VertexId(u));
    }
    met.settle();
    return met;
  }

  void share_splits() {
    const auto mine = split(known_.front().lists, workers_of(group_.self()));
    const auto all = group_.share_bytes(std::as_bytes(std::span(mine)));
    for (std::uint32_t node = 0; node < all.size(); ++node) {
      auto& there = splits_.emplace_back(workers_of(NodeId(node)) + std::size_t{1});
      group_.require(all[node].size() == there.size() * sizeof(std::uint32_t), NodeId(node));
      std::memcpy(there.data(), all[node].data(), all[node].size());
      group_.require(std::is_sorted(there.begin(), there.end()) && there.front() == 0,
                     NodeId(node));
    }
  }

  void list_own(FragmentSource& source) const {
    source.own.resize(workers_);
    const std::vector<VertexId>& all = known_.front().vertices;
    const std::vector<std::uint32_t>& begins = splits_[group_.self().index()];
    for (std::uint32_t which = 0; which + 1 < begins.size(); ++which) {
      const auto mine = std::span(all).subspan(begins[which], begins[which + 1] - begins[which]);
      source.own[worker_of(group_.self(), which).index()].assign(mine.begin(), mine.end());
    }
  }

  /// The worker of a vertex, and its place there.
  [[nodiscard]] Elsewhere elsewhere(ObjectId object) {
    const std::vector<std::uint32_t>& begins = splits_[object.home().index()];
    const std::uint32_t index = object.local().value();
    group_.require(index < begins.back(), object.home());
    const auto next = std::upper_bound(begins.begin() + 1, begins.end(), index);
    const auto which = static_cast<std::uint32_t>(next - begins.begin() - 1);
    return {worker_of(object.home(), which), index - begins[which]};
  }

  [[nodiscard]] std::vector<ObjectId> objects_of(std::span<const VertexId> remote) {
    if (division_.by_ranges()) return objects_in(part_.ranges, remote);
    return find_objects(group_, division_, remote, count_,
                        [&](VertexId v) { return own_.has(v) ? own_.rank(v) : count_; });
  }

  /// Adds the lists of the remote ends that have none yet.
  Status know_next() {
    std::uint64_t count = 0;
    for (const KnownLists& each : known_) count += each.vertices.size();
    VertexSet listed(part_.totals.vertices, count);
    for (const KnownLists& each : known_)
      for (const VertexId v : each.vertices) listed.add(v);
    listed.settle();
    KnownLists next{.vertices = ends_outside(known_.back().lists, listed).members(), .lists = {}};
    LEEWAY_ASSIGN(next.lists, fetch_lists(objects_of(next.vertices)));
    known_.push_back(std::move(next));
    return {};
  }

  Result<Csr> fetch_lists(std::span<const ObjectId> objects) {
    const Csr& own = known_.front().lists;
    ByNode<std::uint32_t> asked(group_.count());
    for (const ObjectId id : objects) asked[id.home().index()].push_back(id.local().value());
    ByNode<std::uint32_t> sizes(group_.count());
    ByNode<std::uint32_t> targets(group_.count());
    ByNode<double> weights(group_.count());
    const auto questions = group_.swap(asked);
    for (std::uint32_t node = 0; node < questions.size(); ++node) {
      for (const std::uint32_t v : questions[node]) {
        group_.require(v < count_, NodeId(node));
        const auto row = own.row(v);
        const auto row_weights = own.row_weights(v);
        sizes[node].push_back(static_cast<std::uint32_t>(row.size()));
        targets[node].insert(targets[node].end(), row.begin(), row.end());
        weights[node].insert(weights[node].end(), row_weights.begin(), row_weights.end());
      }
    }
    const auto got_sizes = group_.swap_answers(sizes, lengths(asked));
    std::vector<std::size_t> totals;
    for (const auto& each : got_sizes)
      totals.push_back(std::accumulate(each.begin(), each.end(), std::size_t{0}));
    const auto got_targets = group_.swap_answers(targets, totals);
    const auto got_weights =
        weighted_ ? group_.swap_answers(weights, totals) : ByNode<double>(group_.count());
    for (std::uint32_t node = 0; node < got_targets.size(); ++node)
      require_vertices(group_, NodeId(node), got_targets[node], part_.totals.vertices);
    // The answers of a node are in the order of its objects.
    const auto each = [&](auto&& use) {
      std::vector<std::size_t> next(group_.count(), 0);
      std::vector<std::size_t> at(group_.count(), 0);
      for (std::uint32_t i = 0; i < objects.size(); ++i) {
        const std::size_t node = objects[i].home().index();
        const std::size_t end = at[node] + got_sizes[node][next[node]++];
        for (; at[node] < end; ++at[node])
          use(i, got_targets[node][at[node]], weighted_ ? got_weights[node][at[node]] : 0);
      }
    };
    return collect(static_cast<std::uint32_t>(objects.size()), weighted_, each);
  }

  /// The lengths of remote vertices' whole lists.
  [[nodiscard]] std::vector<std::uint32_t> ask_degrees(std::span<const ObjectId> objects) {
    return ask_objects<std::uint32_t>(group_, objects, count_,
                                      [&](std::uint32_t v) { return degrees_[v]; });
  }

  /// Vertex cut: sends each arc to the home of the end with fewer arcs, and knows only the arcs that are then here.
  Status exchange_arcs() {
    const KnownLists own = std::move(known_.back());
    known_.pop_back();
    degrees_.resize(count_);
    for (std::uint32_t v = 0; v < count_; ++v)
      degrees_[v] = static_cast<std::uint32_t>(own.lists.row(v).size());
    const VertexSet met = ends_outside(own.lists, own_);
    const std::vector<ObjectId> objects = objects_of(met.members());
    const std::vector<std::uint32_t> degrees = ask_degrees(objects);
    // The node that has the arc.
    const auto keeper = [&](std::uint32_t target, std::uint32_t v) {
      const VertexId to(target);
      const bool here = own_.has(to);
      const std::uint32_t arcs = here ? degrees_[own_.rank(to)] : degrees[met.rank(to)];
      const bool by_target = target_keeps(own.vertices[v], degrees_[v], to, arcs);
      return by_target && !here ? objects[met.rank(to)].home() : group_.self();
    };
    std::vector<SentArc> received;
    group_.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group_.for_each_record<SentArc>(from, bytes, [&](const SentArc& arc) {
        group_.require(own_.has(arc.target) && arc.source.value() < part_.totals.vertices, from);
        received.push_back(arc);
      });
    });
    MessageBatcher<SentArc> batcher(group_);
    own.lists.for_each(0, count_, [&](std::uint32_t to, std::uint32_t v, double weight) {
      const NodeId node = keeper(to, v);
      if (node != group_.self()) batcher.add(node, {own.vertices[v], VertexId(to), weight});
    });
    batcher.flush();
    group_.end();
    VertexSet sources(part_.totals.vertices, count_ + received.size());
    for (const VertexId v : own.vertices) sources.add(v);
    for (const SentArc& arc : received) sources.add(arc.source);
    sources.settle();
    KnownLists kept{.vertices = sources.members(), .lists = {}};
    LEEWAY_ASSIGN(kept.lists, collect(sources.count(), weighted_, [&](auto&& use) {
                    own.lists.for_each(0, count_,
                                       [&](std::uint32_t to, std::uint32_t v, double weight) {
                                         if (keeper(to, v) == group_.self())
                                           use(sources.rank(own.vertices[v]), to, weight);
                                       });
                    for (const SentArc& arc : received)
                      use(sources.rank(arc.source), arc.target.value(), arc.weight);
                  }));
    known_.push_back(std::move(kept));
    return {};
  }

  /// Numbers all vertices in lists of this node, and turns the lists into lists of numbers.
  Status number(FragmentSource& source) {
    std::uint64_t ends = count_;
    for (const KnownLists& each : known_) ends += each.vertices.size() + each.lists.targets.size();
    VertexSet& known = source.known.emplace(part_.totals.vertices, ends);
    own_.for_each([&](VertexId v) { known.add(v); });
    for (const KnownLists& each : known_) {
      for (const VertexId v : each.vertices) known.add(v);
      for (const std::uint32_t u : each.lists.targets) known.add(VertexId(u));
    }
    known.settle();
    source.vertices = known.members();
    std::vector<VertexId> remote;
    for (const VertexId v : source.vertices) {
      if (!own_.has(v)) remote.push_back(v);
    }
    const std::vector<ObjectId> objects = objects_of(remote);
    const auto degrees =
        needs_.cut == Cut::Vertex ? ask_degrees(objects) : std::vector<std::uint32_t>();
    std::size_t next = 0;
    for (const VertexId v : source.vertices) {
      const bool here = own_.has(v);
      const std::uint32_t index = here ? own_.rank(v) : 0;
      source.homes.push_back(
          elsewhere(here ? ObjectId(group_.self(), LocalIndex(index)) : objects[next]));
      if (needs_.cut == Cut::Vertex)
        source.degrees.push_back(here ? degrees_[index] : degrees[next]);
      next += here ? 0 : 1;
    }
    LEEWAY_ASSIGN(source.lists, collect(known.count(), weighted_, [&](auto&& use) {
                    for (const KnownLists& each : known_) {
                      each.lists.for_each(0, each.lists.rows(),
                                          [&](std::uint32_t to, std::uint32_t row, double weight) {
                                            use(known.rank(each.vertices[row]),
                                                known.rank(VertexId(to)), weight);
                                          });
                    }
                  }));
    known_.clear();
    return {};
  }

  /// The checksums of all workers' vertices.
  [[nodiscard]] std::vector<std::uint64_t> checksums_of(const Fragmentation& made) {
    std::vector<std::uint64_t> sums(workers_, 0);
    const std::uint32_t mine = workers_of(group_.self());
    for (std::uint32_t which = 0; which < mine; ++which) {
      const PartId worker = worker_of(group_.self(), which);
      sums[worker.index()] = checksum(std::as_bytes(made.vertices(worker)));
    }
    group_.sum(sums);
    return sums;
  }

  Group& group_;
  const GraphPart& part_;
  const Division& division_;
  const FragmentNeeds& needs_;
  const std::uint32_t workers_;
  const bool weighted_;
  const std::uint32_t count_;  // number of this node's vertices
  VertexSet own_;
  std::vector<std::vector<std::uint32_t>> splits_;  // by node
  std::vector<std::uint32_t> degrees_;              // in a vertex cut: lengths of this node's lists
  std::vector<KnownLists> known_;  // first this node's vertices; then one for each hop
};

Result<Fragmentation> Fragmentation::build(Group& group, GraphPart& part,
                                           const PartitionOptions& how, const FragmentNeeds& needs,
                                           std::uint32_t workers, const Partition* known) {
  LEEWAY_CHECK((needs.cut == Cut::Edge || needs.hops == 0));
  LEEWAY_CHECK(workers >= group.count());
  LEEWAY_ASSIGN(const Division division, Division::make(group, part, how, known));
  LEEWAY_ASSIGN(HomeLists home,
                bring_home(group, part, division, needs.lists, needs.weights, nullptr));
  return FragmentBuilder(group, part, division, needs, workers, std::move(home)).build();
}

}  // namespace leeway::pie
