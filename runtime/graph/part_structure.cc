#include "runtime/graph/part_structure.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "base/archive.h"
#include "base/check.h"
#include "base/clock.h"
#include "datasets/build_graph.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/input_lists.h"

namespace leeway {

namespace {

/// Arcs of one sender that are packed together: enough for large pages, small compared with a node's share.
constexpr std::size_t kArcsPerSender = std::size_t{1} << 16U;

}  // namespace

ArcExchange::ArcExchange(Group& group, WeightKind kind)
    : group_(group),
      kind_(kind),
      plain_(group),
      weighted_(group),
      complex_(group),
      builders_(group.count()),
      chunks_(group.count()) {
  group_.begin([this](NodeId from, std::span<const std::byte> bytes) { take(from, bytes); });
}

void ArcExchange::send(NodeId to, VertexId source, VertexId target, double weight,
                       double imaginary) {
  switch (kind_) {
    case WeightKind::None:
      return plain_.add(to, {source, target});
    case WeightKind::Integer:
    case WeightKind::Real:
      return weighted_.add(to, {source, target, weight});
    case WeightKind::Complex:
      return complex_.add(to, {source, target, weight, imaginary});
  }
}

void ArcExchange::take(NodeId from, std::span<const std::byte> bytes) {
  EdgeChunkBuilder& builder = builders_[from.index()];
  switch (kind_) {
    case WeightKind::None:
      group_.for_each_record<PlainArc>(from, bytes,
                                       [&](const PlainArc& a) { builder.add(a.source, a.target); });
      break;
    case WeightKind::Integer:
    case WeightKind::Real:
      group_.for_each_record<WeightedArc>(
          from, bytes, [&](const WeightedArc& a) { builder.add(a.source, a.target, a.weight); });
      break;
    case WeightKind::Complex:
      group_.for_each_record<ComplexArc>(from, bytes, [&](const ComplexArc& a) {
        builder.add(a.source, a.target, a.weight, a.imaginary);
      });
      break;
  }
  if (builder.size() >= kArcsPerSender) pack(from);
}

void ArcExchange::pack(NodeId from) {
  if (builders_[from.index()].size() == 0) return;
  auto chunk = builders_[from.index()].finish();
  if (chunk)
    chunks_[from.index()].push_back(std::move(*chunk));
  else if (pack_status_)
    pack_status_ = fail(chunk.error());
}

Result<EdgeList> ArcExchange::finish() {
  plain_.flush();
  weighted_.flush();
  complex_.flush();
  group_.end();
  EdgeList list;
  list.weight_kind = kind_;
  for (std::uint32_t from = 0; from < group_.count(); ++from) {
    pack(NodeId(from));
    builders_[from] = {};
    for (EdgeChunk& chunk : chunks_[from]) list.chunks.push_back(std::move(chunk));
  }
  if (!pack_status_) return fail(std::move(pack_status_).error());
  return list;
}

namespace {

/// Each vertex's outgoing arcs, then its incoming ones.
Result<PartLists> join(PartLists lists, const GraphParts& own, const GraphParts& turned,
                       bool weights) {
  const std::size_t count = lists.vertices.size();
  LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::make(count + 1));
  LEEWAY_ASSIGN(lists.targets, Array<VertexId>::make(own.targets.size() + turned.targets.size()));
  LEEWAY_ASSIGN(lists.weights, Array<double>::make(weights ? lists.targets.size() : 0));
  std::uint64_t at = 0;
  for (std::size_t v = 0; v < count; ++v) {
    for (const GraphParts* each : {&own, &turned}) {
      for (std::uint64_t i = each->offsets[v]; i < each->offsets[v + 1]; ++i, ++at) {
        lists.targets.mutable_span()[at] = each->targets[i];
        if (weights) lists.weights.mutable_span()[at] = each->weights[i];
      }
    }
    lists.offsets.mutable_span()[v + 1] = at;
  }
  return lists;
}

void drop_arcs(GraphPart& part) {
  part.lists.offsets = {};
  part.lists.targets = {};
  part.lists.weights = {};
  part.lists.imaginary = {};
}

}  // namespace

Result<GraphParts> reverse_arcs(Group& group, const GraphPart& part, bool weights) {
  const WeightKind kind = weights ? WeightKind::Real : WeightKind::None;
  ArcExchange arcs(group, kind);
  const GraphParts& own = part.lists;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    for (std::uint64_t arc = own.offsets[i]; arc < own.offsets[i + std::size_t{1}]; ++arc) {
      const VertexId target = own.targets[arc];
      const NodeId home = part.ranges.home(target);
      const auto first = static_cast<std::uint32_t>(part.ranges.first(home));
      arcs.send(home, VertexId(target.value() - first), part.vertex(i),
                weights ? own.weights[arc] : 0);
    }
  }
  LEEWAY_ASSIGN(EdgeList list, arcs.finish());
  GraphShape shape;
  shape.vertex_count = part.size();
  shape.names = VertexNames::sequence(0, part.size());
  LoadOptions unchanged;
  unchanged.duplicates = Duplicates::Keep;
  unchanged.threads = 1;
  LEEWAY_ASSIGN(Graph turned, build_graph(std::move(list), std::move(shape), unchanged));
  return std::move(turned).take();
}

namespace {

/// The lists that updates of the range's vertices read. Consumes the arcs of the part. Collective.
Result<PartLists> read_lists(Group& group, GraphPart& part, Reads reads, bool weights) {
  PartLists lists;
  const std::uint32_t count = part.size();
  weights = weights && part.totals.weighted();
  lists.vertices.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) lists.vertices.push_back(part.vertex(i));
  LEEWAY_ASSIGN(lists.degrees, Array<std::uint32_t>::make(count));
  for (std::uint32_t i = 0; i < count; ++i)
    lists.degrees.mutable_span()[i] = static_cast<std::uint32_t>(part.degree(i));
  GraphParts turned;
  const bool turns = part.totals.directed && (reads == Reads::In || reads == Reads::Both);
  if (turns) {
    LEEWAY_ASSIGN(turned, reverse_arcs(group, part, weights));
  }
  if (reads == Reads::None) {
    LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::make(count + std::size_t{1}));
  } else if (turns && reads == Reads::Both) {
    LEEWAY_ASSIGN(lists, join(std::move(lists), part.lists, turned, weights));
  } else if (turns) {
    lists.offsets = std::move(turned.offsets);
    lists.targets = std::move(turned.targets);
    if (weights) lists.weights = std::move(turned.weights);
  } else {
    lists.offsets = std::move(part.lists.offsets);
    lists.targets = std::move(part.lists.targets);
    if (weights) lists.weights = std::move(part.lists.weights);
  }
  drop_arcs(part);
  return lists;
}

/// A vertex that moves to its home; its neighbours are sent in a separate step.
struct VertexMove {
  VertexId vertex;
  std::uint32_t degree;
  std::uint64_t listed;
};

/// Moves the neighbours' values in the order of the vertices.
template <class T>
Result<Array<T>> move_values(Group& group, const PartLists& lists, std::span<const T> values,
                             const std::vector<NodeId>& homes,
                             const std::vector<std::uint64_t>& from_each) {
  ListJoiner<T> joiner(group, from_each);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(group.agree(all ? Status{} : fail(all.error())));
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    joiner.take(from, bytes, all->mutable_span());
  });
  MessageBatcher<T> batcher(group);
  for (std::size_t v = 0; v < homes.size(); ++v) {
    for (std::uint64_t i = lists.offsets[v]; i < lists.offsets[v + 1]; ++i)
      batcher.add(homes[v], values[i]);
  }
  batcher.flush();
  group.end();
  joiner.finish();
  return all;
}

/// Moves each list to its vertex's home. Collective.
Result<PartLists> move_home(Group& group, PartLists lists, const Division& division) {
  std::vector<NodeId> homes;
  ByNode<VertexMove> leaving(group.count());
  for (std::uint32_t v = 0; v < lists.vertices.size(); ++v) {
    homes.push_back(division.home_here(v));
    leaving[homes.back().index()].push_back({lists.vertices[v], lists.degrees[v],
                                             lists.offsets[v + std::size_t{1}] - lists.offsets[v]});
  }
  const auto coming = group.swap(leaving);
  leaving.clear();
  PartLists home;
  std::vector<std::uint64_t> from_each;
  std::vector<std::uint32_t> degrees;
  std::vector<std::uint64_t> offsets = {0};
  // The nodes' ranges ascend, so the vertices received from them ascend too.
  for (const auto& movers : coming) {
    from_each.push_back(0);
    for (const VertexMove& mover : movers) {
      home.vertices.push_back(mover.vertex);
      degrees.push_back(mover.degree);
      offsets.push_back(offsets.back() + mover.listed);
      from_each.back() += mover.listed;
    }
  }
  LEEWAY_ASSIGN(home.degrees, Array<std::uint32_t>::copy_of(degrees));
  LEEWAY_ASSIGN(home.offsets, Array<std::uint64_t>::copy_of(offsets));
  LEEWAY_ASSIGN(home.targets, move_values(group, lists, lists.targets.span(), homes, from_each));
  const bool weighted = group.sum(lists.weights.empty() ? 0 : 1) > 0;
  if (weighted) {
    LEEWAY_ASSIGN(home.weights, move_values(group, lists, lists.weights.span(), homes, from_each));
  }
  return home;
}

}  // namespace

Halo::Halo(Group& group, const VertexRanges& ranges, std::span<const VertexId> targets)
    : first_(ranges.first(group.self())), size_(ranges.size(group.self())) {
  for (const VertexId target : targets) {
    const std::uint64_t place = std::uint64_t{target.value()} - first_;
    if (place >= size_ && numbers_.insert(target, 0).second) ghosts_.push_back(target);
  }
  std::sort(ghosts_.begin(), ghosts_.end());
  std::vector<std::vector<VertexId>> asked(group.count());
  for (std::uint32_t i = 0; i < ghosts_.size(); ++i) {
    *numbers_.insert(ghosts_[i], i).first = i;
    asked[ranges.home(ghosts_[i]).index()].push_back(ghosts_[i]);
  }
  std::uint64_t before = 0;
  for (const auto& list : asked) {
    first_ghost_.push_back(before);
    before += list.size();
  }
  const auto questions = group.swap(asked);
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    std::vector<std::uint32_t>& places = read_by_.emplace_back();
    places.reserve(questions[node].size());
    for (const VertexId v : questions[node]) {
      const std::uint64_t place = std::uint64_t{v.value()} - first_;
      group.require(place < size_, NodeId(node));
      places.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

namespace {

/// The order of the vertices whose home is this node, and the groups of every node's order.
struct Arrangement {
  std::vector<std::uint32_t>
      from;  // by local index: index among the vertices received; empty: the same order
  std::vector<std::uint32_t> place;  // inverse of `from`
  VertexGroups groups;               // of every node

  [[nodiscard]] std::uint32_t from_of(std::uint32_t here) const {
    return from.empty() ? here : from[here];
  }
  [[nodiscard]] std::uint32_t place_of(std::uint32_t came) const {
    return place.empty() ? came : place[came];
  }
};

Arrangement arrange_here(Group& group, VertexOrder order, bool hubs, const PartLists& lists) {
  const auto count = static_cast<std::uint32_t>(lists.vertices.size());
  Arrangement made;
  std::vector<std::uint32_t> ends = {count};
  if (hubs || order == VertexOrder::Degree) {
    made.from.resize(count);
    std::iota(made.from.begin(), made.from.end(), 0);
    ends = arrange(std::span(made.from), order, hubs,
                   [&](std::uint32_t i) { return lists.degrees[i]; });
    made.place.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) made.place[made.from[i]] = i;
  }
  const auto all = group.share_bytes(std::as_bytes(std::span(ends)));
  for (std::uint32_t node = 0; node < all.size(); ++node) {
    const auto& bytes = all[node];
    group.require(bytes.size() % sizeof(std::uint32_t) == 0, NodeId(node));
    auto& there = made.groups.emplace_back(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(there.data(), bytes.data(), bytes.size());
    group.require(std::is_sorted(there.begin(), there.end()), NodeId(node));
  }
  return made;
}

/// Turns lists of vertices into lists of handles.
class HandleMaker {
 public:
  HandleMaker(Group& group, const GraphPart& part, const Division& division,
              const Arrangement& arrangement, const PartLists& lists)
      : group_(group),
        part_(part),
        division_(division),
        arrangement_(arrangement),
        lists_(lists),
        count_(static_cast<std::uint32_t>(lists.vertices.size())),
        known_(part.totals.vertices, lists.targets.size()),
        knows_all_(known_.dense() || !division.by_ranges()) {}

  Status make(const StructureNeeds& needs, ShardArrays& arrays) {
    if (knows_all_) {
      for (std::uint32_t i = 0; i < count_; ++i)
        known_.insert(lists_.vertices[i], arrangement_.place_of(i));
    }
    find_objects(number_remotes(), arrays);
    return needs.inputs || needs.dependents ? fill(needs, arrays) : Status();
  }

 private:
  /// True if the handle follows from the vertex's place in this node's range, not from the table known_.
  [[nodiscard]] bool in_range(VertexId vertex) const { return !knows_all_ && part_.holds(vertex); }
  /// True if the vertex is local or a known remote one.
  [[nodiscard]] bool knows(VertexId vertex) const { return in_range(vertex) || known_.has(vertex); }
  /// Requires a local or known remote vertex.
  [[nodiscard]] std::uint32_t handle(VertexId vertex) const {
    return in_range(vertex) ? arrangement_.place_of(vertex.value() - part_.first())
                            : known_.at(vertex);
  }

  /// The remote vertices that are read here, each once, with the next handles.
  std::vector<VertexId> number_remotes() {
    std::vector<VertexId> remote;
    for (const VertexId u : lists_.targets) {
      if (in_range(u)) continue;
      const auto [handle, fresh] =
          known_.insert(u, count_ + static_cast<std::uint32_t>(remote.size()));
      if (fresh) remote.push_back(u);
    }
    return remote;
  }

  /// Finds the objects of the remote vertices by asking their homes, and marks the local vertices that other nodes
  /// read.
  void find_objects(const std::vector<VertexId>& remote, ShardArrays& arrays) {
    const std::vector<NodeId> homes = division_.homes(group_, remote);
    ByNode<VertexId> asked(group_.count());
    for (std::size_t i = 0; i < remote.size(); ++i) asked[homes[i].index()].push_back(remote[i]);
    const std::vector<std::size_t> questions_to = lengths(asked);
    ByNode<std::uint32_t> answers(group_.count());
    arrays.boundary.resize(count_ / 64 + 1);
    {
      const auto questions = group_.swap(asked);
      asked.clear();
      for (std::uint32_t node = 0; node < questions.size(); ++node) {
        for (const VertexId v : questions[node]) {
          group_.require(knows(v), NodeId(node));
          const std::uint32_t place = handle(v);
          group_.require(place < count_, NodeId(node));
          arrays.boundary[place / 64] |= std::uint64_t{1} << (place % 64);
          answers[node].push_back(place);
        }
      }
    }
    const auto places = group_.swap_answers(answers, questions_to);
    std::vector<std::size_t> next(group_.count(), 0);
    std::vector<std::pair<ObjectId, VertexId>> objects;
    objects.reserve(remote.size());
    for (std::size_t i = 0; i < remote.size(); ++i) {
      const std::size_t node = homes[i].index();
      objects.emplace_back(ObjectId(homes[i], LocalIndex(places[node][next[node]++])), remote[i]);
    }
    // By home and local index there: the objects of one home are consecutive.
    std::sort(objects.begin(), objects.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    arrays.remote.reserve(objects.size());
    for (const auto& [object, vertex] : objects) {
      *known_.insert(vertex, 0).first = count_ + static_cast<std::uint32_t>(arrays.remote.size());
      arrays.remote.push_back(object);
    }
  }

  /// Writes every list sorted by handle, so local inputs are first and long lists are read in the order of memory.
  /// Without inputs: the lists of readers of each handle.
  Status fill(const StructureNeeds& needs, ShardArrays& arrays) const {
    const InputLists::Size size{.vertices = count_,
                                .remote = static_cast<std::uint32_t>(arrays.remote.size()),
                                .inputs = lists_.targets.size(),
                                .weighted = !lists_.weights.empty()};
    const auto list_of = [&](std::uint32_t v) {
      const std::uint32_t i = arrangement_.from_of(v);
      return std::pair(list(i), weights(i));
    };
    const auto handle_of = [&](std::uint32_t v, VertexId u) {
      const bool dropped = needs.drop_loops && u == lists_.vertices[arrangement_.from_of(v)];
      return dropped ? InputLists::kDropped : handle(u);
    };
    if (!needs.inputs) {
      LEEWAY_ASSIGN(arrays.dependents, turn_unwritten(size, list_of, handle_of));
      return {};
    }
    LEEWAY_ASSIGN(
        auto inputs,
        InputLists::make(size, find_runs(arrangement_.groups, group_.self(), arrays.remote), true));
    arrays.lists = write_lists(std::move(inputs), count_, list_of, handle_of);
    return {};
  }

  // Of the i-th vertex received.

  [[nodiscard]] std::span<const VertexId> list(std::uint32_t i) const {
    return lists_.targets.span().subspan(lists_.offsets[i], length(i));
  }
  [[nodiscard]] std::span<const double> weights(std::uint32_t i) const {
    if (lists_.weights.empty()) return {};
    return lists_.weights.span().subspan(lists_.offsets[i], length(i));
  }
  [[nodiscard]] std::uint64_t length(std::uint32_t i) const {
    return lists_.offsets[i + std::size_t{1}] - lists_.offsets[i];
  }

  Group& group_;
  const GraphPart& part_;
  const Division& division_;
  const Arrangement& arrangement_;
  const PartLists& lists_;
  const std::uint32_t count_;
  VertexMap known_;  // handles; vertices of this node's range only if knows_all_
  const bool knows_all_;
};

}  // namespace

Result<PartStructure> PartStructure::make(Group& group, GraphPart& part,
                                          const StructureNeeds& needs, const PartitionOptions& how,
                                          VertexOrder order, const Partition* known) {
  PartStructure structure;
  structure.needs_ = needs;
  const Stopwatch watch;
  LEEWAY_ASSIGN(const Division division, Division::make(group, part, how, known));
  structure.division_seconds_ = watch.elapsed_seconds();
  const bool hubs = order == VertexOrder::Hubs &&
                    has_hubs(most_arcs(group, part), part.totals.arcs, part.totals.vertices);
  LEEWAY_ASSIGN(PartLists lists, read_lists(group, part, needs.reads, needs.weights));
  if (!division.by_ranges()) {
    LEEWAY_ASSIGN(lists, move_home(group, std::move(lists), division));
  }
  const Arrangement arrangement = arrange_here(group, order, hubs, lists);
  ShardArrays& arrays = structure.arrays_;
  LEEWAY_TRY(HandleMaker(group, part, division, arrangement, lists).make(needs, arrays));
  const std::size_t count = lists.vertices.size();
  if (needs.degrees) {
    LEEWAY_ASSIGN(arrays.degrees, Array<std::uint32_t>::make(count));
  }
  structure.vertices_.reserve(count);
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::uint32_t i = arrangement.from_of(v);
    structure.vertices_.push_back(lists.vertices[i]);
    if (needs.degrees) arrays.degrees.mutable_span()[v] = lists.degrees[i];
  }
  return structure;
}

Result<Shard> PartStructure::shard() {
  arrays_.vertices = vertices_;
  return Shard::make(std::move(arrays_), needs_.dependents);
}

Result<bool> is_symmetric(Group& group, const GraphPart& part) {
  if (!part.totals.directed) return true;
  LEEWAY_ASSIGN(const GraphParts turned, reverse_arcs(group, part, false));
  bool same = true;
  std::vector<VertexId> own;
  std::vector<VertexId> incoming;
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    const auto distinct = [&](const GraphParts& lists, std::vector<VertexId>& list) {
      const auto all = lists.targets.span().subspan(
          lists.offsets[v], lists.offsets[v + std::size_t{1}] - lists.offsets[v]);
      list.assign(all.begin(), all.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    distinct(part.lists, own);
    distinct(turned, incoming);
    same = same && own == incoming;
  }
  return group.sum(same ? 0 : 1) == 0;
}

namespace {

constexpr std::uint64_t kNoVertex = ~std::uint64_t{0};

}  // namespace

Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Group& group, const GraphPart& part, std::span<const std::uint64_t> vertices) {
  std::unordered_map<std::uint32_t, std::string> names;
  std::vector<std::vector<VertexId>> asked(group.count());
  for (const std::uint64_t vertex : vertices) {
    const VertexId id(static_cast<std::uint32_t>(vertex));
    if (names.try_emplace(id.value()).second) asked[part.ranges.home(id).index()].push_back(id);
  }
  const auto questions = group.swap(asked);
  std::vector<std::vector<std::byte>> answers(group.count());
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    std::vector<std::string> named;
    for (const VertexId v : questions[node]) {
      group.require(part.holds(v), NodeId(node));
      named.push_back(part.lists.names.name(VertexId(v.value() - part.first())));
    }
    answers[node] = archived(named);
  }
  const auto received = group.swap(answers);
  for (std::uint32_t node = 0; node < received.size(); ++node) {
    std::vector<std::string> named;
    group.require(load_archived(received[node], named) && named.size() == asked[node].size(),
                  NodeId(node));
    for (std::size_t i = 0; i < named.size(); ++i)
      names[asked[node][i].value()] = std::move(named[i]);
  }
  return names;
}

VertexId find_vertex(Group& group, const GraphPart& part, std::string_view name) {
  const auto mine = part.lists.names.find(name);
  std::uint64_t found = kNoVertex;
  for (const std::uint64_t each :
       group.share(mine ? std::uint64_t{part.first()} + mine->value() : kNoVertex))
    found = std::min(found, each);
  return found == kNoVertex ? VertexId::none() : VertexId(static_cast<std::uint32_t>(found));
}

}  // namespace leeway
