#include "leeway/runtime/shard.h"

#include <algorithm>
#include <limits>
#include <numeric>
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
    LEEWAY_TRY(shard.fill_inputs(plan, self, handle_of));
  }
  if (plan.dependents) LEEWAY_TRY(shard.turn_inputs());
  if (!plan.inputs) shard.drop_inputs();
  if (!plan.read_afar.empty()) shard.boundary_.resize(shard.local_count() / 64 + 1);
  for (std::uint32_t i = 0; i < shard.local_count() && !plan.read_afar.empty(); ++i) {
    const std::size_t v = shard.vertices_[i].index();
    shard.boundary_[i / 64] |= (plan.read_afar[v / 64] >> (v % 64) & 1) << (i % 64);
  }
  return shard;
}

Result<Shard> Shard::make(ShardArrays arrays, bool inputs, bool dependents) {
  Shard shard;
  shard.vertices_ = arrays.vertices;
  shard.remote_ = std::move(arrays.remote);
  shard.boundary_ = std::move(arrays.boundary);
  shard.degrees_ = std::move(arrays.degrees);
  shard.take(std::move(arrays.lists));
  if (dependents) LEEWAY_TRY(shard.turn_inputs());
  if (!inputs) shard.drop_inputs();
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
    input_offsets_ = Array<std::uint64_t>::view(plan.reads->offsets(), nullptr);
    inputs_ = as_numbers(plan.reads->targets());
    input_weights_ = Array<double>::view(plan.reads->weights(), nullptr);
  }
  if (plan.dependents) {
    dependent_offsets_ = Array<std::uint64_t>::view(plan.readers->offsets(), nullptr);
    dependents_ = as_numbers(plan.readers->targets());
    dependent_weights_ = Array<double>::view(plan.readers->weights(), nullptr);
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

Status Shard::fill_inputs(const ShardPlan& plan, NodeId self,
                          const Array<std::uint32_t>& handle_of) {
  InputLists::Size size{
      .vertices = local_count(), .remote = remote_count(), .weighted = plan.reads->weighted()};
  for (const VertexId v : vertices_) size.inputs += plan.reads->of(v).size();
  const VertexOrder order = plan.layout.order();
  auto ends = order == VertexOrder::Hubs ? find_runs(plan.layout.groups(), self, remote_)
                                         : std::vector<std::uint32_t>{local_count()};
  LEEWAY_ASSIGN(auto lists, InputLists::make(size, std::move(ends), order != VertexOrder::Graph));
  for (std::uint32_t i = 0; i < local_count(); ++i) {
    const VertexId v = vertices_[i];
    lists.add(plan.reads->of(v), size.weighted ? plan.reads->weights(v) : std::span<const double>(),
              [&](VertexId u) {
                const std::uint32_t handle = handle_of[u.index()];
                return plan.drop_loops && handle == i ? InputLists::kDropped : handle;
              });
  }
  take(lists.take());
  return {};
}

void Shard::take(InputArrays lists) {
  input_offsets_ = std::move(lists.offsets);
  local_inputs_ = std::move(lists.local);
  inputs_ = std::move(lists.inputs);
  input_weights_ = std::move(lists.weights);
}

Status Shard::turn_inputs() {
  const std::size_t handles = std::size_t{local_count()} + remote_count();
  const bool weighted = !input_weights_.empty();
  LEEWAY_ASSIGN(dependent_offsets_, Array<std::uint64_t>::make(handles + 1));
  LEEWAY_ASSIGN(dependents_, Array<std::uint32_t>::make(inputs_.size()));
  LEEWAY_ASSIGN(dependent_weights_, Array<double>::make(input_weights_.size()));
  const auto offsets = dependent_offsets_.mutable_span();
  const auto dependents = dependents_.mutable_span();
  const auto weights = dependent_weights_.mutable_span();
  for (const std::uint32_t handle : inputs_) ++offsets[handle + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t v = 0; v < local_count(); ++v) {
    for (std::uint64_t at = input_offsets_[v]; at < input_offsets_[v + std::size_t{1}]; ++at) {
      const std::uint64_t place = next[inputs_[at]]++;
      dependents[place] = v;
      if (weighted) weights[place] = input_weights_[at];
    }
  }
  return {};
}

void Shard::drop_inputs() {
  input_offsets_ = {};
  local_inputs_ = {};
  inputs_ = {};
  input_weights_ = {};
}

std::size_t Shard::bytes() const {
  return remote_.size() * sizeof(ObjectId) + boundary_.size() * sizeof(std::uint64_t) +
         degrees_.bytes() + input_offsets_.bytes() + local_inputs_.bytes() + inputs_.bytes() +
         input_weights_.bytes() + dependent_offsets_.bytes() + dependents_.bytes() +
         dependent_weights_.bytes();
}

}  // namespace leeway
