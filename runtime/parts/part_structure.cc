#include "leeway/runtime/parts/part_structure.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/runtime/parts/division.h"
#include "leeway/runtime/parts/part_lists.h"
#include "leeway/runtime/parts/vertex_map.h"

namespace leeway {

namespace {

template <class T>
using ByNode = std::vector<std::vector<T>>;

/// Turns lists of vertices into lists of handles, where they lie.
class HandleMaker {
 public:
  HandleMaker(Exchange& exchange, const GraphPart& part, const Division& division, PartLists& lists)
      : exchange_(exchange),
        part_(part),
        division_(division),
        lists_(lists),
        count_(static_cast<std::uint32_t>(lists.vertices.size())) {}

  Status make(bool drop_loops, ShardArrays& arrays) {
    if (!division_.by_ranges()) {
      for (std::uint32_t i = 0; i < count_; ++i) known_.insert(lists_.vertices[i], i);
    }
    find_objects(meet(), arrays);
    return rewrite(drop_loops, arrays);
  }

 private:
  [[nodiscard]] bool near(VertexId vertex) const {
    return division_.by_ranges() && part_.holds(vertex);
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
    ByNode<std::uint32_t> answers(exchange_.count());
    arrays.boundary.resize(count_ / 64 + 1);
    {
      const auto questions = exchange_.swap(asked);
      asked.clear();
      for (std::size_t node = 0; node < questions.size(); ++node) {
        for (const VertexId v : questions[node]) {
          const std::uint32_t place = near(v) ? v.value() - part_.first() : known_.at(v);
          LEEWAY_CHECK(place < count_);
          arrays.boundary[place / 64] |= std::uint64_t{1} << (place % 64);
          answers[node].push_back(place);
        }
      }
    }
    const auto places = exchange_.swap(answers);
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

  void sort_list(std::span<VertexId> handles, std::span<double> weights) {
    if (std::is_sorted(handles.begin(), handles.end())) return;
    if (weights.empty()) return std::sort(handles.begin(), handles.end());
    pairs_.clear();
    for (std::size_t i = 0; i < handles.size(); ++i) pairs_.emplace_back(handles[i], weights[i]);
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < handles.size(); ++i) std::tie(handles[i], weights[i]) = pairs_[i];
  }

  /// Every list by handle, so local ones first and long lists in the order of memory.
  Status rewrite(bool drop_loops, ShardArrays& arrays) {
    LEEWAY_ASSIGN(arrays.local_inputs, Array<std::uint32_t>::make(count_ + std::size_t{1}));
    LEEWAY_ASSIGN(arrays.input_offsets, Array<std::uint64_t>::make(count_ + std::size_t{1}));
    const auto targets = lists_.targets.mutable_span();
    const bool weighted = !lists_.weights.empty();
    const auto weights = weighted ? lists_.weights.mutable_span() : std::span<double>();
    const auto offsets = arrays.input_offsets.mutable_span();
    std::uint64_t at = 0;
    for (std::uint32_t v = 0; v < count_; ++v) {
      const std::uint64_t begin = at;
      for (std::uint64_t i = lists_.offsets[v]; i < lists_.offsets[v + std::size_t{1}]; ++i) {
        const VertexId u = targets[i];
        if (drop_loops && u == lists_.vertices[v]) continue;
        if (weighted) weights[at] = weights[i];
        targets[at++] = VertexId(near(u) ? u.value() - part_.first() : known_.at(u));
      }
      const auto list = targets.subspan(begin, at - begin);
      sort_list(list, weighted ? weights.subspan(begin, at - begin) : std::span<double>());
      const auto local =
          std::lower_bound(list.begin(), list.end(), VertexId(count_)) - list.begin();
      arrays.local_inputs.mutable_span()[v] = static_cast<std::uint32_t>(local);
      offsets[v + std::size_t{1}] = at;
    }
    auto kept = std::make_shared<Array<VertexId>>(std::move(lists_.targets));
    kept->shrink(at);
    arrays.inputs = Array<std::uint32_t>::view(
        {reinterpret_cast<const std::uint32_t*>(kept->data()), static_cast<std::size_t>(at)}, kept);
    if (weighted) lists_.weights.shrink(at);
    arrays.input_weights = std::move(lists_.weights);
    return {};
  }

  Exchange& exchange_;
  const GraphPart& part_;
  const Division& division_;
  PartLists& lists_;
  const std::uint32_t count_;
  std::vector<std::pair<VertexId, double>> pairs_;
  VertexMap
      known_;  // handles of what is not in this node's range, or of all where ranges do not divide
};

}  // namespace

Result<PartStructure> PartStructure::make(Exchange& exchange, GraphPart& part,
                                          const StructureNeeds& needs, const PartitionOptions& how,
                                          const Partition* known) {
  PartStructure structure;
  structure.needs_ = needs;
  LEEWAY_ASSIGN(const Division division, Division::make(exchange, part, how, known));
  LEEWAY_ASSIGN(PartLists lists, read_lists(exchange, part, needs.reads, needs.weights));
  if (!division.by_ranges()) {
    LEEWAY_ASSIGN(lists, move_home(exchange, std::move(lists), division));
  }
  ShardArrays& arrays = structure.arrays_;
  LEEWAY_TRY(HandleMaker(exchange, part, division, lists).make(needs.drop_loops, arrays));
  if (needs.degrees) arrays.degrees = std::move(lists.degrees);
  structure.vertices_ = std::move(lists.vertices);
  return structure;
}

Result<Shard> PartStructure::shard() {
  arrays_.vertices = vertices_;
  return Shard::make(std::move(arrays_), needs_.inputs, needs_.dependents);
}

std::vector<std::byte> bring_to_ranges(Exchange& exchange, const VertexRanges& ranges,
                                       std::span<const VertexId> vertices,
                                       std::span<const std::byte> values, std::size_t size) {
  std::vector<std::byte> mine(ranges.size(exchange.self()) * size);
  const std::uint64_t first = ranges.first(exchange.self());
  const std::size_t record = sizeof(VertexId) + size;
  exchange.begin([&](NodeId, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at + record <= bytes.size(); at += record) {
      VertexId vertex;
      std::memcpy(&vertex, &bytes[at], sizeof vertex);
      std::memcpy(&mine[(vertex.value() - first) * size], &bytes[at + sizeof vertex], size);
    }
  });
  std::vector<std::vector<std::byte>> letters(exchange.count());
  const auto post = [&](std::uint32_t to) {
    exchange.send(NodeId(to), letters[to]);
    letters[to].clear();
  };
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::uint32_t to = ranges.home(vertices[i]).value();
    std::vector<std::byte>& letter = letters[to];
    const std::size_t at = letter.size();
    letter.resize(at + record);
    std::memcpy(&letter[at], &vertices[i], sizeof(VertexId));
    std::memcpy(&letter[at + sizeof(VertexId)], &values[i * size], size);
    if (letter.size() >= Exchange::kLetterBytes) post(to);
  }
  for (std::uint32_t to = 0; to < letters.size(); ++to) {
    if (!letters[to].empty()) post(to);
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
