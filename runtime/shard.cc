#include "leeway/runtime/shard.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/runtime/input_lists.h"

namespace leeway {

namespace {

// Of a vertex that has no handle yet.
constexpr std::uint32_t kUnmet = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMet = kUnmet - 1;

Array<std::uint32_t> as_numbers(std::span<const VertexId> ids) {
  return Array<std::uint32_t>::view(
      {reinterpret_cast<const std::uint32_t*>(ids.data()), ids.size()}, nullptr);
}

bool has_loops(const Adjacency& lists) {
  for (VertexId v(0); v.value() < lists.vertex_count(); v = v.next()) {
    for (const VertexId u : lists.of(v)) {
      if (u == v) return true;
    }
  }
  return false;
}

}  // namespace

bool stands_alone(const ShardPlan& plan) {
  if (plan.layout.node_count() != 1) return false;
  const auto vertices = plan.layout.vertices(NodeId(0));
  if (!std::is_sorted(vertices.begin(), vertices.end())) return false;
  if (plan.inputs && plan.reads == nullptr) return false;
  if (plan.dependents && plan.readers == nullptr) return false;
  return !plan.drop_loops || !has_loops(plan.inputs ? *plan.reads : *plan.readers);
}

std::vector<std::uint64_t> find_read_afar(const Layout& layout, const Adjacency& reads) {
  std::vector<std::uint64_t> bits(layout.vertex_count() / 64 + 1);
  if (layout.node_count() == 1) return bits;
  for (VertexId v(0); v.value() < reads.vertex_count(); v = v.next()) {
    const NodeId home = layout.home(v);
    for (const VertexId u : reads.of(v)) {
      std::uint64_t& word = bits[u.index() / 64];
      const std::uint64_t bit = std::uint64_t{1} << (u.index() % 64);
      // The bits are in the processor's cache, and homes are not.
      if ((word & bit) == 0 && layout.home(u) != home) word |= bit;
    }
  }
  return bits;
}

Result<Shard> Shard::make(const ShardPlan& plan, NodeId self) {
  Shard shard;
  shard.vertices_ = plan.layout.vertices(self);
  if (plan.degrees != nullptr) LEEWAY_TRY(shard.count_degrees(*plan.degrees));
  if (stands_alone(plan)) {
    LEEWAY_TRY(shard.borrow(plan));
    return shard;
  }
  {
    Array<std::uint32_t> handle_of;  // by vertex, of those met
    LEEWAY_TRY(shard.meet_remotes(plan, handle_of));
    if (plan.inputs || plan.dependents) LEEWAY_TRY(shard.fill_lists(plan, self, handle_of));
    if (plan.inputs && plan.dependents) LEEWAY_TRY(shard.turn_inputs());
  }
  if (!plan.read_afar.empty()) shard.boundary_.resize(shard.local_count() / 64 + 1);
  for (std::uint32_t i = 0; i < shard.local_count() && !plan.read_afar.empty(); ++i) {
    const std::size_t v = shard.vertices_[i].index();
    shard.boundary_[i / 64] |= (plan.read_afar[v / 64] >> (v % 64) & 1) << (i % 64);
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

/// One node that holds everything in the graph's order: handles are vertices, lists serve as they are.
Status Shard::borrow(const ShardPlan& plan) {
  if (plan.inputs) {
    lists_.offsets = Array<std::uint64_t>::view(plan.reads->offsets(), nullptr);
    lists_.inputs = as_numbers(plan.reads->targets());
    lists_.weights = Array<double>::view(plan.reads->weights(), nullptr);
  }
  if (plan.dependents) {
    turned_.offsets = Array<std::uint64_t>::view(plan.readers->offsets(), nullptr);
    turned_.readers = as_numbers(plan.readers->targets());
    turned_.weights = Array<double>::view(plan.readers->weights(), nullptr);
  }
  return {};
}

/// Numbers what is read here: handles by vertex.
Status Shard::meet_remotes(const ShardPlan& plan, Array<std::uint32_t>& handle_of) {
  LEEWAY_ASSIGN(handle_of, Array<std::uint32_t>::make(plan.layout.vertex_count()));
  const auto handles = handle_of.mutable_span();
  std::fill(handles.begin(), handles.end(), kUnmet);
  for (std::uint32_t i = 0; i < local_count(); ++i) handles[vertices_[i].index()] = i;
  std::size_t met = 0;
  for (std::uint32_t i = 0; i < local_count(); ++i) {
    for (const VertexId u : plan.reads->of(vertices_[i])) {
      std::uint32_t& handle = handles[u.index()];
      if (handle != kUnmet) continue;
      handle = kMet;
      ++met;
    }
  }
  // By home and place there: what one home sends stands together.
  remote_.reserve(met);
  for (std::uint32_t node = 0; node < plan.layout.node_count(); ++node) {
    const auto there = plan.layout.vertices(NodeId(node));
    for (std::uint32_t place = 0; place < there.size(); ++place) {
      std::uint32_t& handle = handles[there[place].index()];
      if (handle != kMet) continue;
      handle = local_count() + remote_count();
      remote_.emplace_back(NodeId(node), LocalIndex(place));
    }
  }
  return {};
}

/// Without inputs, dependents at once.
Status Shard::fill_lists(const ShardPlan& plan, NodeId self, const Array<std::uint32_t>& handles) {
  const Adjacency& reads = *plan.reads;
  InputLists::Size size{
      .vertices = local_count(), .remote = remote_count(), .weighted = reads.weighted()};
  for (const VertexId v : vertices_) size.inputs += reads.of(v).size();
  const auto list = [&](std::uint32_t i) {
    const VertexId v = vertices_[i];
    return std::pair(reads.of(v), size.weighted ? reads.weights(v) : std::span<const double>());
  };
  const auto handle_of = [&](std::uint32_t i, VertexId u) {
    const std::uint32_t handle = handles[u.index()];
    return plan.drop_loops && handle == i ? InputLists::kDropped : handle;
  };
  if (!plan.inputs) {
    LEEWAY_ASSIGN(turned_, turn_unwritten(size, list, handle_of));
    return {};
  }
  const VertexOrder order = plan.layout.order();
  auto ends = order == VertexOrder::Hubs ? find_runs(plan.layout.groups(), self, remote_)
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
