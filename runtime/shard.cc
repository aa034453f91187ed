#include "leeway/runtime/shard.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "leeway/base/check.h"

namespace leeway {

namespace {

constexpr std::uint32_t kMet = std::numeric_limits<std::uint32_t>::max();

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
      if (layout.home(u) != home) bits[u.index() / 64] |= std::uint64_t{1} << (u.index() % 64);
    }
  }
  return bits;
}

Result<Shard> Shard::make(const ShardPlan& plan, NodeId self) {
  Shard shard;
  shard.vertices_ = plan.layout.vertices(self);
  if (stands_alone(plan)) {
    LEEWAY_TRY(shard.borrow(plan));
    return shard;
  }
  {
    Array<std::uint32_t> slot_of;  // by vertex, of those met
    LEEWAY_TRY(shard.meet_remotes(plan, self, slot_of));
    LEEWAY_TRY(shard.fill_inputs(plan, self, slot_of));
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

Status Shard::meet_remotes(const ShardPlan& plan, NodeId self, Array<std::uint32_t>& slot_of) {
  LEEWAY_ASSIGN(slot_of, Array<std::uint32_t>::make(plan.layout.vertex_count()));
  const auto slots = slot_of.mutable_span();
  std::vector<VertexId> met;
  for (const VertexId v : vertices_) {
    for (const VertexId u : plan.reads->of(v)) {
      if (plan.layout.home(u) == self || slots[u.index()] == kMet) continue;
      slots[u.index()] = kMet;
      met.push_back(u);
    }
  }
  // By home and place there: what one home sends stands together.
  std::sort(met.begin(), met.end(),
            [&](VertexId a, VertexId b) { return plan.layout.object(a) < plan.layout.object(b); });
  remote_.reserve(met.size());
  for (const VertexId u : met) {
    slots[u.index()] = static_cast<std::uint32_t>(remote_.size());
    remote_.push_back(plan.layout.object(u));
  }
  return {};
}

Status Shard::fill_inputs(const ShardPlan& plan, NodeId self, const Array<std::uint32_t>& slot_of) {
  const std::uint32_t count = local_count();
  LEEWAY_ASSIGN(input_offsets_, Array<std::uint64_t>::make(count + std::size_t{1}));
  LEEWAY_ASSIGN(local_inputs_, Array<std::uint32_t>::make(count + std::size_t{1}));
  const auto offsets = input_offsets_.mutable_span();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto list = plan.reads->of(vertices_[i]);
    const auto dropped = plan.drop_loops ? std::count(list.begin(), list.end(), vertices_[i]) : 0;
    offsets[i + 1] = offsets[i] + list.size() - static_cast<std::size_t>(dropped);
  }
  LEEWAY_ASSIGN(inputs_, Array<std::uint32_t>::make(offsets[count]));
  const bool weighted = plan.reads->weighted();
  LEEWAY_ASSIGN(input_weights_, Array<double>::make(weighted ? offsets[count] : 0));
  const bool ordered = plan.layout.order() == VertexOrder::Graph;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t at = offsets[i];
    const auto list = plan.reads->of(vertices_[i]);
    for (const bool remote : {false, true}) {
      for (std::size_t k = 0; k < list.size(); ++k) {
        const VertexId u = list[k];
        if ((plan.layout.home(u) != self) != remote) continue;
        if (plan.drop_loops && u == vertices_[i]) continue;
        inputs_.mutable_span()[at] =
            remote ? count + slot_of[u.index()] : plan.layout.place(u).value();
        if (weighted) input_weights_.mutable_span()[at] = plan.reads->weights(vertices_[i])[k];
        ++at;
      }
      if (!remote) local_inputs_.mutable_span()[i] = static_cast<std::uint32_t>(at - offsets[i]);
    }
    if (!ordered) sort_inputs(i);
  }
  return {};
}

/// By handle, so that long lists are read in the order of memory.
void Shard::sort_inputs(std::uint32_t local) {
  const std::size_t begin = input_offsets_[local];
  const std::size_t count = input_offsets_[local + std::size_t{1}] - begin;
  const auto handles = inputs_.mutable_span().subspan(begin, count);
  if (input_weights_.empty()) {
    std::sort(handles.begin(), handles.end());
    return;
  }
  const auto weights = input_weights_.mutable_span().subspan(begin, count);
  std::vector<std::pair<std::uint32_t, double>> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i) list.emplace_back(handles[i], weights[i]);
  std::sort(list.begin(), list.end());
  for (std::size_t i = 0; i < count; ++i) std::tie(handles[i], weights[i]) = list[i];
}

Status Shard::turn_inputs() {
  const std::size_t handles = std::size_t{local_count()} + remote_count();
  const bool weighted = !input_weights_.empty();
  LEEWAY_ASSIGN(dependent_offsets_, Array<std::uint64_t>::make(handles + 1));
  LEEWAY_ASSIGN(dependents_, Array<std::uint32_t>::make(inputs_.size()));
  LEEWAY_ASSIGN(dependent_weights_, Array<double>::make(input_weights_.size()));
  const auto offsets = dependent_offsets_.mutable_span();
  for (const std::uint32_t handle : inputs_) ++offsets[handle + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t v = 0; v < local_count(); ++v) {
    for (std::uint64_t at = input_offsets_[v]; at < input_offsets_[v + std::size_t{1}]; ++at) {
      const std::uint64_t place = next[inputs_[at]]++;
      dependents_.mutable_span()[place] = v;
      if (weighted) dependent_weights_.mutable_span()[place] = input_weights_[at];
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
         input_offsets_.bytes() + local_inputs_.bytes() + inputs_.bytes() + input_weights_.bytes() +
         dependent_offsets_.bytes() + dependents_.bytes() + dependent_weights_.bytes();
}

}  // namespace leeway
