#include "leeway/runtime/parts/part_structure.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/clock.h"
#include "leeway/datasets/hubs.h"
#include "leeway/runtime/input_lists.h"
#include "leeway/runtime/parts/division.h"
#include "leeway/runtime/parts/part_lists.h"
#include "leeway/runtime/parts/vertex_map.h"

namespace leeway {

namespace {

template <class T>
using ByNode = std::vector<std::vector<T>>;

/// How the vertices that live here are ordered, and what everybody has to know of how others are.
struct Arrangement {
  std::vector<std::uint32_t> from;   // by place: which of those that came here; empty: as they came
  std::vector<std::uint32_t> place;  // the other way round
  VertexGroups groups;               // of every node

  [[nodiscard]] std::uint32_t from_of(std::uint32_t here) const {
    return from.empty() ? here : from[here];
  }
  [[nodiscard]] std::uint32_t place_of(std::uint32_t came) const {
    return place.empty() ? came : place[came];
  }
};

Arrangement arrange_here(Exchange& exchange, VertexOrder order, bool hubs, const PartLists& lists) {
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
  const auto all = exchange.share_bytes(std::as_bytes(std::span(ends)));
  for (std::uint32_t node = 0; node < all.size(); ++node) {
    const auto& bytes = all[node];
    exchange.require(bytes.size() % sizeof(std::uint32_t) == 0, NodeId(node));
    auto& there = made.groups.emplace_back(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(there.data(), bytes.data(), bytes.size());
    exchange.require(std::is_sorted(there.begin(), there.end()), NodeId(node));
  }
  return made;
}

/// Turns lists of vertices into lists of handles.
class HandleMaker {
 public:
  HandleMaker(Exchange& exchange, const GraphPart& part, const Division& division,
              const Arrangement& arrangement, const PartLists& lists)
      : exchange_(exchange),
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
    find_objects(meet(), arrays);
    return needs.inputs || needs.dependents ? fill(needs, arrays) : Status();
  }

 private:
  /// Of this node's range, and not in the table.
  [[nodiscard]] bool near(VertexId vertex) const { return !knows_all_ && part_.holds(vertex); }
  /// Whether it lives here or was met.
  [[nodiscard]] bool knows(VertexId vertex) const { return near(vertex) || known_.has(vertex); }
  /// Requires one that lives here or was met.
  [[nodiscard]] std::uint32_t handle(VertexId vertex) const {
    return near(vertex) ? arrangement_.place_of(vertex.value() - part_.first()) : known_.at(vertex);
  }

  /// What is read here and lives elsewhere, each once.
  std::vector<VertexId> meet() {
    std::vector<VertexId> met;
    for (const VertexId u : lists_.targets) {
      if (near(u)) continue;
      const auto [number, fresh] =
          known_.insert(u, count_ + static_cast<std::uint32_t>(met.size()));
      if (fresh) met.push_back(u);
    }
    return met;
  }

  /// Where they live, from their homes, which hear who is read.
  void find_objects(const std::vector<VertexId>& met, ShardArrays& arrays) {
    const std::vector<NodeId> homes = division_.homes(exchange_, met);
    ByNode<VertexId> asked(exchange_.count());
    for (std::size_t i = 0; i < met.size(); ++i) asked[homes[i].index()].push_back(met[i]);
    const std::vector<std::size_t> questions_to = lengths(asked);
    ByNode<std::uint32_t> answers(exchange_.count());
    arrays.boundary.resize(count_ / 64 + 1);
    {
      const auto questions = exchange_.swap(asked);
      asked.clear();
      for (std::uint32_t node = 0; node < questions.size(); ++node) {
        for (const VertexId v : questions[node]) {
          exchange_.require(knows(v), NodeId(node));
          const std::uint32_t place = handle(v);
          exchange_.require(place < count_, NodeId(node));
          arrays.boundary[place / 64] |= std::uint64_t{1} << (place % 64);
          answers[node].push_back(place);
        }
      }
    }
    const auto places = exchange_.swap_answers(answers, questions_to);
    std::vector<std::size_t> next(exchange_.count(), 0);
    std::vector<std::pair<ObjectId, VertexId>> objects;
    objects.reserve(met.size());
    for (std::size_t i = 0; i < met.size(); ++i) {
      const std::size_t node = homes[i].index();
      objects.emplace_back(ObjectId(homes[i], LocalIndex(places[node][next[node]++])), met[i]);
    }
    // By home and place there: what one home sends stands together.
    std::sort(objects.begin(), objects.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    arrays.remote.reserve(objects.size());
    for (const auto& [object, vertex] : objects) {
      *known_.insert(vertex, 0).first = count_ + static_cast<std::uint32_t>(arrays.remote.size());
      arrays.remote.push_back(object);
    }
  }

  /// Every list by handle, so local ones first and long lists in the order of memory; without inputs, who reads each
  /// handle.
  Status fill(const StructureNeeds& needs, ShardArrays& arrays) const {
    const InputLists::Size size{.vertices = count_,
                                .remote = static_cast<std::uint32_t>(arrays.remote.size()),
                                .inputs = lists_.targets.size(),
                                .weighted = !lists_.weights.empty()};
    const auto its_list = [&](std::uint32_t v) {
      const std::uint32_t i = arrangement_.from_of(v);
      return std::pair(list(i), weights(i));
    };
    const auto handle_of = [&](std::uint32_t v, VertexId u) {
      const bool dropped = needs.drop_loops && u == lists_.vertices[arrangement_.from_of(v)];
      return dropped ? InputLists::kDropped : handle(u);
    };
    if (!needs.inputs) {
      LEEWAY_ASSIGN(arrays.dependents, turn_unwritten(size, its_list, handle_of));
      return {};
    }
    LEEWAY_ASSIGN(auto inputs,
                  InputLists::make(
                      size, find_runs(arrangement_.groups, exchange_.self(), arrays.remote), true));
    arrays.lists = write_lists(std::move(inputs), count_, its_list, handle_of);
    return {};
  }

  // Of the i-th vertex that came here.

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

  Exchange& exchange_;
  const GraphPart& part_;
  const Division& division_;
  const Arrangement& arrangement_;
  const PartLists& lists_;
  const std::uint32_t count_;
  VertexMap known_;  // handles; of what is in this node's range only where it knows all
  const bool knows_all_;
};

}  // namespace

Result<PartStructure> PartStructure::make(Exchange& exchange, GraphPart& part,
                                          const StructureNeeds& needs, const PartitionOptions& how,
                                          VertexOrder order, const Partition* known) {
  PartStructure structure;
  structure.needs_ = needs;
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const Division division, Division::make(exchange, part, how, known));
  structure.division_seconds_ = seconds(clock.now() - started);
  const bool hubs = order == VertexOrder::Hubs &&
                    has_hubs(most_arcs(exchange, part), part.totals.arcs, part.totals.vertices);
  LEEWAY_ASSIGN(PartLists lists, read_lists(exchange, part, needs.reads, needs.weights));
  if (!division.by_ranges()) {
    LEEWAY_ASSIGN(lists, move_home(exchange, std::move(lists), division));
  }
  const Arrangement arrangement = arrange_here(exchange, order, hubs, lists);
  ShardArrays& arrays = structure.arrays_;
  LEEWAY_TRY(HandleMaker(exchange, part, division, arrangement, lists).make(needs, arrays));
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

std::vector<std::byte> bring_to_ranges(Exchange& exchange, const VertexRanges& ranges,
                                       std::span<const VertexId> vertices,
                                       std::span<const std::byte> values, std::size_t size) {
  std::vector<std::byte> mine(ranges.size(exchange.self()) * size);
  const std::uint64_t first = ranges.first(exchange.self());
  const std::size_t record = sizeof(VertexId) + size;
  exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
    exchange.require(bytes.size() % record == 0, from);
    for (std::size_t at = 0; at < bytes.size(); at += record) {
      VertexId vertex;
      std::memcpy(&vertex, &bytes[at], sizeof vertex);
      exchange.require(vertex.value() - first < ranges.size(exchange.self()), from);
      std::memcpy(&mine[(vertex.value() - first) * size], &bytes[at + sizeof vertex], size);
    }
  });
  std::vector<std::vector<std::byte>> messages(exchange.count());
  const auto send_batch = [&](std::uint32_t to) {
    exchange.send(NodeId(to), messages[to]);
    messages[to].clear();
  };
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::uint32_t to = ranges.home(vertices[i]).value();
    std::vector<std::byte>& message = messages[to];
    const std::size_t at = message.size();
    message.resize(at + record);
    std::memcpy(&message[at], &vertices[i], sizeof(VertexId));
    std::memcpy(&message[at + sizeof(VertexId)], &values[i * size], size);
    if (message.size() >= Exchange::kMessageBytes) send_batch(to);
  }
  for (std::uint32_t to = 0; to < messages.size(); ++to) {
    if (!messages[to].empty()) send_batch(to);
  }
  exchange.end();
  return mine;
}

Result<bool> is_symmetric(Exchange& exchange, const GraphPart& part) {
  if (!part.totals.directed) return true;
  LEEWAY_ASSIGN(const GraphParts turned, turn_arcs(exchange, part, false));
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
  return exchange.sum(same ? 0 : 1) == 0;
}

}  // namespace leeway
