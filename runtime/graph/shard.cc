#include "runtime/graph/shard.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "datasets/build_graph.h"
#include "runtime/graph/input_lists.h"

namespace leeway {

Result<Adjacency> Adjacency::make(const Graph& graph, Reads reads, bool weights) {
  const bool keep = weights && graph.weighted();
  if (reads == Reads::None) {
    Adjacency lists;
    LEEWAY_ASSIGN(lists.offsets_,
                  Array<std::uint64_t>::make(graph.vertex_count() + std::size_t{1}));
    return lists;
  }
  if (!graph.directed() || reads == Reads::Out) return borrowed(graph, keep);
  return turned(graph, reads == Reads::Both, keep);
}

Result<Adjacency> Adjacency::borrowed(const Graph& graph, bool weights) {
  Adjacency lists;
  if (graph.vertex_count() == 0) {
    LEEWAY_ASSIGN(lists.offsets_, Array<std::uint64_t>::make(1));
    return lists;
  }
  lists.offsets_ = Array<std::uint64_t>::view(graph.offsets(), nullptr);
  lists.targets_ = Array<VertexId>::view(graph.targets(), nullptr);
  if (weights) lists.weights_ = Array<double>::view(graph.weights(), nullptr);
  return lists;
}

/// Every vertex's incoming arcs, with `with_own` after its own arcs. Sources ascend.
Result<Adjacency> Adjacency::turned(const Graph& graph, bool with_own, bool weights) {
  Adjacency lists;
  const std::size_t count = graph.vertex_count();
  const std::size_t arcs = graph.arc_count() * (with_own ? 2 : 1);
  LEEWAY_ASSIGN(lists.offsets_, Array<std::uint64_t>::make(count + 1));
  LEEWAY_ASSIGN(lists.targets_, Array<VertexId>::make(arcs));
  if (weights) {
    LEEWAY_ASSIGN(lists.weights_, Array<double>::make(arcs));
  }
  const auto offsets = lists.offsets_.mutable_span();
  for (const VertexId target : graph.targets()) ++offsets[target.index() + 1];
  for (std::size_t v = 0; with_own && v < count; ++v) {
    offsets[v + 1] += graph.degree(VertexId(static_cast<std::uint32_t>(v)));
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  const auto put = [&](VertexId at, VertexId neighbor, std::uint64_t arc) {
    const std::uint64_t place = next[at.index()]++;
    lists.targets_.mutable_span()[place] = neighbor;
    if (weights) lists.weights_.mutable_span()[place] = graph.weights()[arc];
  };
  for (VertexId v(0); v.index() < count; v = v.next()) {
    const std::uint64_t first = graph.offsets()[v.index()];
    const auto own = graph.neighbors(v);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (with_own) put(v, own[i], first + i);
      put(own[i], v, first + i);
    }
  }
  return lists;
}

bool is_symmetric(const Graph& graph) {
  if (!graph.directed()) return true;
  // Lists ascend, so the sources of a vertex's incoming arcs appear in the order in which it lists its targets. For
  // parallel arcs one in each direction is sufficient.
  std::vector<std::uint64_t> next(graph.offsets().begin(), graph.offsets().end());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    VertexId previous = VertexId::none();
    for (const VertexId target : graph.neighbors(v)) {
      if (target == previous) continue;
      previous = target;
      std::uint64_t& at = next[target.index()];
      const std::uint64_t end = graph.offsets()[target.index() + 1];
      if (at == end || graph.targets()[at] != v) return false;
      while (at != end && graph.targets()[at] == v) ++at;
    }
  }
  return true;
}

Result<Layout> Layout::single(std::uint32_t vertices) {
  Layout layout;
  layout.firsts_ = {0, vertices};
  layout.groups_ = {{vertices}};
  LEEWAY_ASSIGN(layout.vertices_, Array<VertexId>::make(vertices));
  LEEWAY_ASSIGN(layout.places_, Array<LocalIndex>::make(vertices));
  for (std::uint32_t v = 0; v < vertices; ++v) {
    layout.vertices_.mutable_span()[v] = VertexId(v);
    layout.places_.mutable_span()[v] = LocalIndex(v);
  }
  return layout;
}

Result<Layout> Layout::make(const Graph& graph, const Partition& partition, VertexOrder order) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  Layout layout;
  layout.order_ = order;
  const std::uint32_t count = graph.vertex_count();
  LEEWAY_ASSIGN(layout.vertices_, Array<VertexId>::make(count));
  LEEWAY_ASSIGN(layout.places_, Array<LocalIndex>::make(count));
  LEEWAY_ASSIGN(layout.homes_, Array<PartId>::copy_of(partition.owner.span()));
  layout.firsts_.assign(partition.part_count + std::size_t{1}, 0);
  for (const PartId owner : layout.homes_) ++layout.firsts_[owner.index() + 1];
  std::partial_sum(layout.firsts_.begin(), layout.firsts_.end(), layout.firsts_.begin());
  const auto vertices = layout.vertices_.mutable_span();
  std::vector<std::size_t> next(layout.firsts_.begin(), layout.firsts_.end() - 1);
  for (VertexId v(0); v.value() < count; v = v.next()) {
    vertices[next[layout.homes_[v.index()].index()]++] = v;
  }
  const bool hubs =
      order == VertexOrder::Hubs && has_hubs(most_arcs(graph), graph.arc_count(), count);
  for (std::uint32_t node = 0; node < layout.node_count(); ++node) {
    const auto mine =
        vertices.subspan(layout.firsts_[node], layout.firsts_[node + 1] - layout.firsts_[node]);
    layout.groups_.push_back(
        arrange(mine, order, hubs, [&](VertexId v) { return graph.degree(v); }));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      layout.places_.mutable_span()[mine[i].index()] = LocalIndex(static_cast<std::uint32_t>(i));
    }
  }
  return layout;
}

namespace {

Result<Layout> lay_out(const Graph& graph, std::uint32_t nodes, PartitionOptions how,
                       VertexOrder by, const Partition* partition) {
  if (partition != nullptr) {
    LEEWAY_CHECK(partition->part_count == nodes);
    return Layout::make(graph, *partition, by);
  }
  if (nodes == 1 && by == VertexOrder::Graph) return Layout::single(graph.vertex_count());
  how.parts = nodes;
  LEEWAY_ASSIGN(const Partition made, partition_graph(graph, how));
  return Layout::make(graph, made, by);
}

bool has_loops(const Adjacency& lists) {
  for (VertexId v(0); v.value() < lists.vertex_count(); v = v.next()) {
    for (const VertexId u : lists.of(v)) {
      if (u == v) return true;
    }
  }
  return false;
}

/// True for a single node in the graph's order: then the graph's lists are used unchanged, and `inputs` needs only
/// `reads`, `dependents` only `readers`.
bool stands_alone(const ShardSources& sources) {
  if (sources.layout.node_count() != 1) return false;
  const auto vertices = sources.layout.vertices(NodeId(0));
  if (!std::is_sorted(vertices.begin(), vertices.end())) return false;
  if (sources.inputs && sources.reads == nullptr) return false;
  if (sources.dependents && sources.readers == nullptr) return false;
  return !sources.drop_loops || !has_loops(sources.inputs ? *sources.reads : *sources.readers);
}

/// One bit for each vertex: whether a node other than its home reads it.
std::vector<std::uint64_t> find_read_remotely(const Layout& layout, const Adjacency& reads) {
  std::vector<std::uint64_t> bits(layout.vertex_count() / 64 + 1);
  if (layout.node_count() == 1) return bits;
  for (VertexId v(0); v.value() < reads.vertex_count(); v = v.next()) {
    const NodeId home = layout.home(v);
    for (const VertexId u : reads.of(v)) {
      std::uint64_t& word = bits[u.index() / 64];
      const std::uint64_t bit = std::uint64_t{1} << (u.index() % 64);
      // Test the bit first: the bits are in the processor's cache, the homes are not.
      if ((word & bit) == 0 && layout.home(u) != home) word |= bit;
    }
  }
  return bits;
}

}  // namespace

Result<JobStructure> JobStructure::make(const Graph& graph, const StructureNeeds& needs,
                                        std::uint32_t nodes, PartitionOptions how,
                                        VertexOrder order, const Partition* partition) {
  JobStructure structure;
  structure.needs_ = needs;
  structure.graph_ = &graph;
  const Stopwatch watch;
  LEEWAY_ASSIGN(Layout layout, lay_out(graph, nodes, std::move(how), order, partition));
  structure.layout_ = std::make_unique<Layout>(std::move(layout));
  structure.partition_seconds_ = watch.elapsed_seconds();
  // A node that stands alone may use the graph's lists unchanged; make only those it needs.
  const bool alone = nodes == 1 && order == VertexOrder::Graph;
  if (needs.dependents && alone) {
    LEEWAY_ASSIGN(structure.readers_, Adjacency::make(graph, reversed(needs.reads), needs.weights));
    if (!stands_alone(structure.sources()) && !needs.inputs) {
      LEEWAY_ASSIGN(structure.reads_, Adjacency::make(graph, needs.reads, needs.weights));
    }
  }
  if (needs.inputs || !alone) {
    LEEWAY_ASSIGN(structure.reads_, Adjacency::make(graph, needs.reads, needs.weights));
  }
  if (nodes > 1)
    structure.read_remotely_ = find_read_remotely(*structure.layout_, *structure.reads_);
  return structure;
}

ShardSources JobStructure::sources() const {
  return {.layout = *layout_,
          .reads = reads_ ? &*reads_ : nullptr,
          .readers = readers_ ? &*readers_ : nullptr,
          .read_remotely = read_remotely_,
          .inputs = needs_.inputs,
          .dependents = needs_.dependents,
          .drop_loops = needs_.drop_loops,
          .degrees = needs_.degrees ? graph_ : nullptr};
}

namespace {

// Handles of vertices that have none yet.
constexpr std::uint32_t kUnmet = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMet = kUnmet - 1;

}  // namespace

Result<Shard> Shard::make(const ShardSources& sources, NodeId self) {
  Shard shard;
  shard.vertices_ = sources.layout.vertices(self);
  if (sources.degrees != nullptr) LEEWAY_TRY(shard.count_degrees(*sources.degrees));
  if (stands_alone(sources)) {
    LEEWAY_TRY(shard.borrow(sources));
    return shard;
  }
  {
    Array<std::uint32_t> handle_of;  // by vertex; of the vertices read here
    LEEWAY_TRY(shard.meet_remotes(sources, handle_of));
    if (sources.inputs || sources.dependents)
      LEEWAY_TRY(shard.fill_lists(sources, self, handle_of));
    if (sources.inputs && sources.dependents) LEEWAY_TRY(shard.turn_inputs());
  }
  if (!sources.read_remotely.empty()) shard.boundary_.resize(shard.local_count() / 64 + 1);
  for (std::uint32_t i = 0; i < shard.local_count() && !sources.read_remotely.empty(); ++i) {
    const std::size_t v = shard.vertices_[i].index();
    shard.boundary_[i / 64] |= (sources.read_remotely[v / 64] >> (v % 64) & 1) << (i % 64);
  }
  return shard;
}

Result<Shard> Shard::make(ShardArrays arrays, bool dependents) {
  Shard shard;
  shard.vertices_ = arrays.vertices;
  shard.remote_ = std::move(arrays.remote);
  shard.boundary_ = std::move(arrays.boundary);
  shard.degrees_ = std::move(arrays.degrees);
  shard.lists_ = std::move(arrays.lists);
  shard.turned_ = std::move(arrays.dependents);
  if (dependents && shard.turned_.offsets.empty()) LEEWAY_TRY(shard.turn_inputs());
  return shard;
}

Status Shard::count_degrees(const Graph& graph) {
  LEEWAY_ASSIGN(degrees_, Array<std::uint32_t>::make(vertices_.size()));
  for (std::size_t i = 0; i < vertices_.size(); ++i)
    degrees_.mutable_span()[i] = static_cast<std::uint32_t>(graph.degree(vertices_[i]));
  return {};
}

/// For one node with all vertices in the graph's order: handles are vertex numbers, and the graph's lists are used
/// unchanged.
Status Shard::borrow(const ShardSources& sources) {
  if (sources.inputs) {
    lists_.offsets = Array<std::uint64_t>::view(sources.reads->offsets(), nullptr);
    lists_.inputs = as_numbers(sources.reads->targets());
    lists_.weights = Array<double>::view(sources.reads->weights(), nullptr);
  }
  if (sources.dependents) {
    turned_.offsets = Array<std::uint64_t>::view(sources.readers->offsets(), nullptr);
    turned_.readers = as_numbers(sources.readers->targets());
    turned_.weights = Array<double>::view(sources.readers->weights(), nullptr);
  }
  return {};
}

/// Numbers the vertices that are read here: `handle_of` by vertex.
Status Shard::meet_remotes(const ShardSources& sources, Array<std::uint32_t>& handle_of) {
  LEEWAY_ASSIGN(handle_of, Array<std::uint32_t>::make(sources.layout.vertex_count()));
  const auto handles = handle_of.mutable_span();
  std::fill(handles.begin(), handles.end(), kUnmet);
  for (std::uint32_t i = 0; i < local_count(); ++i) handles[vertices_[i].index()] = i;
  std::size_t met = 0;
  for (std::uint32_t i = 0; i < local_count(); ++i) {
    for (const VertexId u : sources.reads->of(vertices_[i])) {
      std::uint32_t& handle = handles[u.index()];
      if (handle != kUnmet) continue;
      handle = kMet;
      ++met;
    }
  }
  // By home and local index there: the objects of one home are consecutive.
  remote_.reserve(met);
  for (std::uint32_t node = 0; node < sources.layout.node_count(); ++node) {
    const auto there = sources.layout.vertices(NodeId(node));
    for (std::uint32_t place = 0; place < there.size(); ++place) {
      std::uint32_t& handle = handles[there[place].index()];
      if (handle != kMet) continue;
      handle = local_count() + remote_count();
      remote_.emplace_back(NodeId(node), LocalIndex(place));
    }
  }
  return {};
}

/// Without inputs, makes the lists of readers directly.
Status Shard::fill_lists(const ShardSources& sources, NodeId self,
                         const Array<std::uint32_t>& handles) {
  const Adjacency& reads = *sources.reads;
  InputLists::Size size{
      .vertices = local_count(), .remote = remote_count(), .weighted = reads.weighted()};
  for (const VertexId v : vertices_) size.inputs += reads.of(v).size();
  const auto list = [&](std::uint32_t i) {
    const VertexId v = vertices_[i];
    return std::pair(reads.of(v), size.weighted ? reads.weights(v) : std::span<const double>());
  };
  const auto handle_of = [&](std::uint32_t i, VertexId u) {
    const std::uint32_t handle = handles[u.index()];
    return sources.drop_loops && handle == i ? InputLists::kDropped : handle;
  };
  if (!sources.inputs) {
    LEEWAY_ASSIGN(turned_, turn_unwritten(size, list, handle_of));
    return {};
  }
  const VertexOrder order = sources.layout.order();
  auto ends = order == VertexOrder::Hubs ? find_runs(sources.layout.groups(), self, remote_)
                                         : std::vector<std::uint32_t>{local_count()};
  LEEWAY_ASSIGN(auto lists, InputLists::make(size, std::move(ends), order != VertexOrder::Graph));
  lists_ = write_lists(std::move(lists), size.vertices, list, handle_of);
  return {};
}

Status Shard::turn_inputs() {
  const bool weighted = !lists_.weights.empty();
  const auto each = [&](auto&& use) {
    for (std::uint32_t v = 0; v < local_count(); ++v) {
      for (std::uint64_t i = lists_.offsets[v]; i < lists_.offsets[v + std::size_t{1}]; ++i)
        use(lists_.inputs[i], v, weighted ? lists_.weights[i] : 0);
    }
  };
  LEEWAY_ASSIGN(turned_, turn_lists(local_count() + remote_count(), weighted, each));
  return {};
}

std::size_t Shard::bytes() const {
  return remote_.size() * sizeof(ObjectId) + boundary_.size() * sizeof(std::uint64_t) +
         degrees_.bytes() + lists_.offsets.bytes() + lists_.local.bytes() + lists_.inputs.bytes() +
         lists_.weights.bytes() + turned_.offsets.bytes() + turned_.readers.bytes() +
         turned_.weights.bytes();
}

}  // namespace leeway
