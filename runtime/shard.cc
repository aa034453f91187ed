#include "leeway/runtime/shard.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "leeway/base/check.h"

namespace leeway {

namespace {

// Of a vertex that has no handle yet.
constexpr std::uint32_t kUnmet = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMet = kUnmet - 1;
// Of an input that is left out.
constexpr std::uint32_t kDropped = kUnmet;

/// Which of some ranges a handle is in, told by their ends; the last has none.
class RunFinder {
 public:
  RunFinder(std::vector<std::uint32_t> ends, std::uint32_t handles) : ends_(std::move(ends)) {
    if (ends_.size() <= kFew || ends_.size() > std::numeric_limits<std::uint8_t>::max()) return;
    run_of_.reserve(handles);
    for (std::uint32_t run = 0; run < ends_.size(); ++run)
      run_of_.resize(ends_[run], static_cast<std::uint8_t>(run));
    run_of_.resize(handles, static_cast<std::uint8_t>(ends_.size()));
  }

  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const {
    if (!run_of_.empty()) return run_of_[handle];
    if (ends_.size() > kFew) {
      return static_cast<std::uint32_t>(std::upper_bound(ends_.begin(), ends_.end(), handle) -
                                        ends_.begin());
    }
    std::uint32_t run = 0;
    for (const std::uint32_t end : ends_) run += handle >= end ? 1 : 0;
    return run;
  }
  [[nodiscard]] std::size_t count() const { return ends_.size() + 1; }

 private:
  static constexpr std::size_t kFew = 4;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint8_t> run_of_;  // by handle, where it is worth its memory
};

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
  shard.input_offsets_ = std::move(arrays.input_offsets);
  shard.local_inputs_ = std::move(arrays.local_inputs);
  shard.inputs_ = std::move(arrays.inputs);
  shard.input_weights_ = std::move(arrays.input_weights);
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

/// Numbers what is read here: handles by vertex. And counts what is kept of each list.
Status Shard::meet_remotes(const ShardPlan& plan, Array<std::uint32_t>& handle_of) {
  LEEWAY_ASSIGN(handle_of, Array<std::uint32_t>::make(plan.layout.vertex_count()));
  LEEWAY_ASSIGN(input_offsets_, Array<std::uint64_t>::make(vertices_.size() + 1));
  const auto handles = handle_of.mutable_span();
  std::fill(handles.begin(), handles.end(), kUnmet);
  for (std::uint32_t i = 0; i < local_count(); ++i) handles[vertices_[i].index()] = i;
  std::size_t met = 0;
  for (std::uint32_t i = 0; i < local_count(); ++i) {
    std::uint64_t kept = 0;
    for (const VertexId u : plan.reads->of(vertices_[i])) {
      std::uint32_t& handle = handles[u.index()];
      if (handle == kUnmet) {
        handle = kMet;
        ++met;
      }
      kept += plan.drop_loops && handle == i ? 0 : 1;
    }
    input_offsets_.mutable_span()[i + std::size_t{1}] = input_offsets_[i] + kept;
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

/// Where the handles end that stand in the graph's order: of this node's vertices and of those of each other node, group
/// by group.
std::vector<std::uint32_t> Shard::find_runs(const Layout& layout, NodeId self) const {
  if (layout.order() != VertexOrder::Hubs) return {local_count()};
  const auto mine = layout.groups(self);
  std::vector<std::uint32_t> ends(mine.begin(), mine.end());
  const auto run_of = [&](ObjectId id) {
    const auto groups = layout.groups(id.home());
    return std::pair(id.home(),
                     std::ranges::upper_bound(groups, id.local().value()) - groups.begin());
  };
  if (remote_.empty()) return ends;
  auto before = run_of(remote_.front());
  for (std::uint32_t i = 1; i < remote_count(); ++i) {
    const auto run = run_of(remote_[i]);
    if (std::exchange(before, run) != run) ends.push_back(local_count() + i);
  }
  return ends;
}

/// Each list run by run, so that long ones are read in the order of memory: most lists come in the graph's order, and
/// need no sorting then.
Status Shard::fill_inputs(const ShardPlan& plan, NodeId self,
                          const Array<std::uint32_t>& handle_of) {
  const std::uint32_t count = local_count();
  LEEWAY_ASSIGN(local_inputs_, Array<std::uint32_t>::make(count + std::size_t{1}));
  LEEWAY_ASSIGN(inputs_, Array<std::uint32_t>::make(input_offsets_[count]));
  const bool weighted = plan.reads->weighted();
  LEEWAY_ASSIGN(input_weights_, Array<double>::make(weighted ? input_offsets_[count] : 0));
  const bool ordered = plan.layout.order() == VertexOrder::Graph;
  const std::vector<std::uint32_t> ends = find_runs(plan.layout, self);
  const auto first_remote = std::ranges::upper_bound(ends, count) - ends.begin();
  const RunFinder runs(ends, count + remote_count());
  const auto inputs = inputs_.mutable_span();
  const auto weights = input_weights_.mutable_span();
  struct Input {
    std::uint32_t handle;
    std::uint32_t run;
  };
  std::vector<Input> found;       // by place in the list
  std::vector<std::uint64_t> at;  // by run: where its next goes
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto list = plan.reads->of(vertices_[i]);
    found.resize(list.size());
    at.assign(runs.count() + 1, 0);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::uint32_t handle = handle_of[list[k].index()];
      found[k] = {handle, plan.drop_loops && handle == i ? kDropped : runs.of(handle)};
      if (found[k].run != kDropped) ++at[found[k].run + std::size_t{1}];
    }
    at[0] = input_offsets_[i];
    std::partial_sum(at.begin(), at.end(), at.begin());
    local_inputs_.mutable_span()[i] =
        static_cast<std::uint32_t>(at[static_cast<std::size_t>(first_remote)] - input_offsets_[i]);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (found[k].run == kDropped) continue;
      const std::uint64_t place = at[found[k].run]++;
      inputs[place] = found[k].handle;
      if (weighted) weights[place] = plan.reads->weights(vertices_[i])[k];
    }
    if (!ordered) sort_inputs(i);
  }
  return {};
}

/// By handle, if it is not so already.
void Shard::sort_inputs(std::uint32_t local) {
  const std::size_t begin = input_offsets_[local];
  const std::size_t count = input_offsets_[local + std::size_t{1}] - begin;
  const auto handles = inputs_.mutable_span().subspan(begin, count);
  if (std::is_sorted(handles.begin(), handles.end())) return;
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
