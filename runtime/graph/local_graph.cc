#include "runtime/graph/local_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "runtime/graph/input_lists.h"
#include "runtime/graph/layout.h"
#include "runtime/graph/range_lists.h"
#include "runtime/graph/vertex_set.h"

namespace leeway {

void LocalArrays::set_readers(Csr all, std::uint32_t locals) {
  local_readers = std::move(all);
  copy_readers = local_readers.view(locals);
}

LocalGraph::LocalGraph(LocalArrays arrays)
    : arrays_(std::move(arrays)),
      local_count_(static_cast<std::uint32_t>(arrays_.vertices.size())) {
  const auto view = [](const Csr& lists) {
    return ReaderLists{.offsets = lists.offsets.data(),
                       .vertices = lists.targets.data(),
                       .weights = pointer(lists.weights)};
  };
  of_locals_ = view(arrays_.inputs_read_back ? arrays_.inputs : arrays_.local_readers);
  of_copies_ = view(arrays_.copy_readers);
  if (arrays_.inputs_read_back) of_locals_.counts = pointer(arrays_.local_inputs);
  if (!has_readers()) return;
  local_reader_count_ = of_locals_.counts == nullptr
                            ? of_locals_.offsets[local_count_]
                            : std::accumulate(arrays_.local_inputs.begin(),
                                              arrays_.local_inputs.end(), std::uint64_t{0});
}

std::size_t LocalGraph::bytes() const {
  const LocalArrays& a = arrays_;
  const bool one = a.copy_readers.targets.data() == a.local_readers.targets.data();
  return a.copies.size() * sizeof(ObjectId) + a.boundary.size() * sizeof(std::uint64_t) +
         a.degrees.bytes() + a.records.bytes() + a.inputs.bytes() + a.local_inputs.bytes() +
         a.local_readers.bytes() + (one ? 0 : a.copy_readers.bytes());
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

/// One bit for each vertex: whether a node other than its home reads it.
std::vector<std::uint64_t> find_read_remotely(const Layout& layout, const Csr& reads) {
  std::vector<std::uint64_t> bits(layout.vertex_count() / 64 + 1);
  for (VertexId v(0); v.value() < reads.rows(); v = v.next()) {
    const NodeId home = layout.home(v);
    for (const std::uint32_t u : reads.row(v.value())) {
      std::uint64_t& word = bits[u / 64];
      const std::uint64_t bit = std::uint64_t{1} << (u % 64);
      // Test the bit first: the bits are in the processor's cache, the homes are not.
      if ((word & bit) == 0 && layout.home(VertexId(u)) != home) word |= bit;
    }
  }
  return bits;
}

}  // namespace

GraphCut::GraphCut() = default;
GraphCut::~GraphCut() = default;
GraphCut::GraphCut(GraphCut&&) noexcept = default;
GraphCut& GraphCut::operator=(GraphCut&&) noexcept = default;

Result<GraphCut> GraphCut::make(const Graph& graph, const LocalNeeds& needs, std::uint32_t nodes,
                                PartitionOptions how, VertexOrder order,
                                const Partition* partition) {
  GraphCut cut;
  cut.needs_ = needs;
  cut.graph_ = &graph;
  const Stopwatch watch;
  LEEWAY_ASSIGN(Layout layout, lay_out(graph, nodes, std::move(how), order, partition));
  cut.layout_ = std::make_unique<Layout>(std::move(layout));
  cut.partition_seconds_ = watch.elapsed_seconds();
  // A node that stands alone may use the graph's lists unchanged; make only those it needs.
  const bool alone = nodes == 1 && order == VertexOrder::Graph;
  if (needs.readers && alone) {
    LEEWAY_ASSIGN(cut.readers_, lists_of(graph, reversed(needs.reads), needs.weights));
    if (!cut.stands_alone() && !needs.inputs) {
      LEEWAY_ASSIGN(cut.reads_, lists_of(graph, needs.reads, needs.weights));
    }
  }
  if (needs.inputs || !alone) {
    LEEWAY_ASSIGN(cut.reads_, lists_of(graph, needs.reads, needs.weights));
  }
  // If it reads its own readers, a range's lists show which of its vertices others read.
  const bool shown = cut.is_by_ranges() && reads_its_readers(graph.directed(), needs.reads);
  if (nodes > 1 && !shown) cut.read_remotely_ = find_read_remotely(*cut.layout_, *cut.reads_);
  return cut;
}

/// True for a single node in the graph's order: then the graph's lists are used unchanged, and `inputs` needs only
/// reads_, `readers` only readers_.
bool GraphCut::stands_alone() const {
  if (layout_->node_count() != 1) return false;
  const auto vertices = layout_->vertices(NodeId(0));
  if (!std::is_sorted(vertices.begin(), vertices.end())) return false;
  if (needs_.inputs && !reads_) return false;
  if (needs_.readers && !readers_) return false;
  return !needs_.drop_loops || !has_loops(needs_.inputs ? *reads_ : *readers_);
}

/// Whether RangeLists can write the lists.
bool GraphCut::is_by_ranges() const {
  return layout_->by_ranges() && ascend(graph_->directed(), needs_.reads);
}

Result<LocalGraph> GraphCut::local(NodeId node) const {
  LocalArrays arrays;
  const auto vertices = layout_->vertices(node);
  arrays.vertices = Array<VertexId>::view(vertices, nullptr);
  arrays.mutual = reads_its_readers(graph_->directed(), needs_.reads);
  if (needs_.degrees) {
    LEEWAY_ASSIGN(arrays.degrees, Array<std::uint32_t>::make(vertices.size()));
    for (std::size_t i = 0; i < vertices.size(); ++i)
      arrays.degrees.mutable_span()[i] = static_cast<std::uint32_t>(graph_->degree(vertices[i]));
  }
  if (needs_.records != nullptr) {
    LEEWAY_ASSIGN(arrays.records, needs_.records->pick(vertices.size(), [&](std::size_t i) {
      return vertices[i].index();
    }));
  }
  if (stands_alone()) return borrow(std::move(arrays));
  LEEWAY_TRY(is_by_ranges() ? cut_range(node, arrays) : cut_any(node, arrays));
  if (!read_remotely_.empty()) mark_boundary(arrays);
  return LocalGraph(std::move(arrays));
}

/// For one node with all vertices in the graph's order: handles are vertex numbers.
LocalGraph GraphCut::borrow(LocalArrays arrays) const {
  if (needs_.inputs) arrays.inputs = reads_->view();
  if (needs_.readers) arrays.set_readers(readers_->view(), layout_->vertex_count());
  return LocalGraph(std::move(arrays));
}

Status GraphCut::cut_range(NodeId node, LocalArrays& arrays) const {
  const auto vertices = layout_->vertices(node);
  const std::uint32_t first = vertices.empty() ? 0 : vertices.front().value();
  RangeLists lists(needs_, *reads_, {first, static_cast<std::uint32_t>(vertices.size()), first},
                   layout_->vertex_count());
  lists.meet(read_remotely_.empty() && layout_->node_count() > 1 ? &arrays.boundary : nullptr);
  arrays.copies.reserve(lists.copies().count());
  lists.copies().for_each([&](VertexId u) { arrays.copies.push_back(layout_->object(u)); });
  return lists.fill(reads_its_readers(graph_->directed(), needs_.reads), arrays);
}

Status GraphCut::cut_any(NodeId node, LocalArrays& arrays) const {
  const Csr& reads = *reads_;
  const auto vertices = layout_->vertices(node);
  InputLists::Size size{.vertices = static_cast<std::uint32_t>(vertices.size()),
                        .weighted = reads.weighted()};
  for (const VertexId v : vertices) size.inputs += reads.row(v.value()).size();
  VertexSet met(layout_->vertex_count(), size.inputs + size.vertices);
  for (const VertexId v : vertices) {
    met.add(v);
    for (const std::uint32_t u : reads.row(v.value())) met.add(VertexId(u));
  }
  met.settle();
  LEEWAY_ASSIGN(auto handles, Array<std::uint32_t>::make(met.count()));
  const auto handle = handles.mutable_span();
  size.copies = met.count() - size.vertices;
  arrays.copies.reserve(size.copies);
  for (std::uint32_t i = 0; i < size.vertices; ++i) handle[met.rank(vertices[i])] = i;
  // By home and local index there: the objects of one home are consecutive.
  for (NodeId home(0); home.value() < layout_->node_count(); home = home.next()) {
    const auto there = layout_->vertices(home);
    for (std::uint32_t place = 0; home != node && place < there.size(); ++place) {
      if (!met.has(there[place])) continue;
      handle[met.rank(there[place])] =
          size.vertices + static_cast<std::uint32_t>(arrays.copies.size());
      arrays.copies.emplace_back(home, LocalIndex(place));
    }
  }
  const auto list = [&](std::uint32_t i) {
    return std::pair(reads.row(vertices[i].value()), reads.row_weights(vertices[i].value()));
  };
  const auto handle_of = [&](std::uint32_t i, std::uint32_t u) {
    const std::uint32_t found = handle[met.rank(VertexId(u))];
    return needs_.drop_loops && found == i ? InputLists::kDropped : found;
  };
  // The lists of readers are to ascend, as the lists of an undirected graph do.
  return write_lists(needs_, size, !graph_->directed(), list, handle_of, arrays);
}

void GraphCut::mark_boundary(LocalArrays& arrays) const {
  const auto vertices = arrays.vertices.span();
  arrays.boundary.assign(vertices.size() / 64 + 1, 0);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::size_t v = vertices[i].index();
    arrays.boundary[i / 64] |= (read_remotely_[v / 64] >> (v % 64) & 1) << (i % 64);
  }
}

}  // namespace leeway
