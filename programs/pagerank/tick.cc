#include "programs/pagerank/tick.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "runtime/graph/division.h"

namespace leeway::tick {

RankedParts::RankedParts(const Graph& graph, const PartitionOptions& how, Level halo)
    : graph_(graph), how_(how), halo_(halo), lists_(reference::incoming(graph)) {
  for (std::uint32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
    const auto degree = static_cast<double>(graph.degree(VertexId(vertex)));
    shares_.push_back(degree > 0 ? 1 / degree : 0);
  }
}

Result<const HaloLevels*> RankedParts::divided(const DivisionKey& key) const {
  const std::lock_guard lock(mutex_);
  if (const HaloLevels* const labels = known(key)) return labels;
  LEEWAY_ASSIGN(const Partition made, partition_graph(graph_, options_of(key)));
  return keep(key, made);
}

Result<const HaloLevels*> RankedParts::start(const ClusterOptions& cluster,
                                             const DivisionKey& key) {
  apart_ = cluster.job != nullptr;
  LEEWAY_ASSIGN(const Partition made, divide_once(cluster, graph_, options_of(key)));
  return keep(key, made);
}

/// The caller holds the mutex.
const HaloLevels* RankedParts::known(const DivisionKey& key) const {
  for (const CachedDivision& each : divisions_) {
    if (each.key == key) return each.labels.get();
  }
  return nullptr;
}

DivisionKey RankedParts::key_of(const HaloLevels* labels) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(divisions_.begin(), divisions_.end(),
                   [&](const CachedDivision& each) { return each.labels.get() == labels; });
  LEEWAY_CHECK(found != divisions_.end());
  return found->key;
}

Result<const HaloLevels*> RankedParts::evener(const HaloLevels* labels, std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  const auto now =
      std::find_if(divisions_.begin(), divisions_.end(),
                   [&](const CachedDivision& each) { return each.labels.get() == labels; });
  LEEWAY_CHECK(now != divisions_.end());
  if (how_.method == PartitionMethod::File) return labels;  // a file contains one division only
  const DivisionKey key{now->key.parts, seed};
  LEEWAY_ASSIGN(const Partition other, partition_graph(graph_, options_of(key)));
  if (most_of(other) >= now->most) return labels;
  return keep(key, other);
}

PartitionOptions RankedParts::options_of(const DivisionKey& key) const {
  PartitionOptions options = how_;
  options.parts = key.parts;
  options.seed = key.seed;
  return options;
}

/// All processes have the initial division; nodes of one process share all others.
void RankedParts::pack_division(const HaloLevels* labels, ByteWriter& out) const {
  const DivisionKey key = key_of(labels);
  const std::lock_guard lock(mutex_);
  const bool whole = apart_ && divisions_.front().key != key;
  out.varint(key.parts);
  out.varint(key.seed);
  out.byte(whole ? 1 : 0);
  if (!whole) return;
  std::vector<std::uint32_t> owners(vertices());
  for (std::uint32_t part = 0; part < key.parts; ++part) {
    for (const std::uint32_t vertex : LabelQuery{labels, PartId(part), 0}.vertices())
      owners[vertex] = part;
  }
  for (const std::uint32_t owner : owners) out.varint(owner);
}

Result<const HaloLevels*> RankedParts::unpack_division(ByteReader& in) const {
  DivisionKey key;
  key.parts = static_cast<std::uint32_t>(in.varint());
  key.seed = in.varint();
  Partition made;
  made.part_count = key.parts;
  const bool whole = in.byte() != 0;
  {
    // All divisions have a part for each node.
    const std::lock_guard lock(mutex_);
    if (in.failed() || key.parts != divisions_.front().key.parts) {
      in.fail();
      return divisions_.front().labels.get();
    }
  }
  if (!whole) return divided(key);
  LEEWAY_ASSIGN(made.owner, Array<PartId>::make(vertices()));
  for (PartId& owner : made.owner.mutable_span())
    owner = PartId(static_cast<std::uint32_t>(in.varint_up_to(key.parts - 1)));
  const std::lock_guard lock(mutex_);
  if (const HaloLevels* const labels = known(key)) return labels;
  return keep(key, made);
}

std::uint64_t RankedParts::most_of(const Partition& partition) const {
  std::vector<std::uint64_t> work(partition.part_count);
  for (std::uint32_t vertex = 0; vertex < vertices(); ++vertex)
    work[partition.owner[vertex].index()] += 1 + lists_.of(vertex).size();
  return *std::max_element(work.begin(), work.end());
}

const HaloLevels* RankedParts::keep(const DivisionKey& key, const Partition& partition) const {
  divisions_.push_back(
      {key, most_of(partition),
       std::make_unique<const HaloLevels>(InLists{lists_.offsets, lists_.targets},
                                          partition.owner.span(), key.parts, halo_, shares_)});
  return divisions_.back().labels.get();
}

namespace {

std::vector<LabelQuery> queries_of(const HaloLevels* labels) {
  std::vector<LabelQuery> queries;
  for (std::uint32_t part = 0; part < labels->parts(); ++part)
    queries.push_back({labels, PartId(part), 0});
  return queries;
}

/// Equal on every node, different for every state.
std::uint64_t seed_of(std::span<const double> ranks) {
  std::uint64_t seed = 0;
  for (const double rank : ranks) seed = mix64(seed ^ std::bit_cast<std::uint64_t>(rank));
  return seed;
}

}  // namespace

Result<std::vector<LabelQuery>> PageRankTicks::part(std::uint32_t count, const State* now) const {
  const bool rebalances = now != nullptr && now->held().labels != nullptr;
  if (!rebalances) {
    LEEWAY_ASSIGN(const HaloLevels* const first, parts_.divided({count, job_.partition.seed}));
    return queries_of(first);
  }
  LEEWAY_ASSIGN(const HaloLevels* const labels,
                parts_.evener(now->held().labels, seed_of(now->values())));
  return queries_of(labels);
}

Status PageRankTicks::create(const LabelQuery& query, State& state) const {
  const auto first = [&](std::uint32_t vertex) {
    return from_ != nullptr ? (*from_)[vertex] : 1.0 / static_cast<double>(parts_.vertices());
  };
  if (query.all()) {
    for (std::uint32_t vertex = 0; vertex < parts_.vertices(); ++vertex)
      state.values()[vertex] = first(vertex);
    return {};
  }
  const auto vertices = query.vertices();
  for (std::size_t place = 0; place < vertices.size(); ++place)
    state.values()[state.held().all() ? vertices[place] : place] = first(vertices[place]);
  return {};
}

void PageRankTicks::step(const State::Selection& to_step, const State& context,
                         State& result) const {
  if (context.held().all()) return step_whole(to_step.vertices(), context, result);
  const LabelledPart& here = context.held().labels->part(context.held().part);
  const double least = base();
  for (std::uint32_t place = to_step.begin(); place < to_step.end(); ++place) {
    double sum = 0;
    for (std::uint64_t i = here.offsets[place]; i < here.offsets[place + 1]; ++i)
      sum += context.values()[here.sources[i]] * here.weights[here.sources[i]];
    result.values()[place] = least + job_.what.damping * sum;
  }
}

/// The same additions in the same order, for a state in the graph's order.
void PageRankTicks::step_whole(std::span<const std::uint32_t> vertices, const State& context,
                               State& result) const {
  const auto shares = parts_.shares();
  for (const std::uint32_t vertex : vertices) {
    double sum = 0;
    for (const std::uint32_t source : parts_.lists().of(vertex))
      sum += context.values()[source] * shares[source];
    result.values()[vertex] = base() + job_.what.damping * sum;
  }
}

Residual PageRankTicks::moved(const State::Selection& own, const State& before,
                              const State& after) const {
  Residual moved;
  const auto add = [&](std::uint32_t place) {
    moved.add(std::abs(after.values()[place] - before.values()[place]));
  };
  if (before.held().all()) {
    for (const std::uint32_t vertex : own.vertices()) add(vertex);
  } else {
    for (std::uint32_t place = own.begin(); place < own.end(); ++place) add(place);
  }
  return moved;
}

Duration PageRankTicks::price(const State::Selection& to_step) const {
  const std::uint64_t arcs_a_vertex =
      1 + parts_.lists().targets.size() / std::max<std::uint64_t>(parts_.vertices(), 1);
  return Duration(
      static_cast<std::int64_t>(to_step.size() * arcs_a_vertex * job_.arc_price_ps / 1000));
}

void PageRankTicks::pack(std::span<const LabelQuery> parts, ByteWriter& out) const {
  parts_.pack_division(parts.front().labels, out);
}

Result<std::vector<LabelQuery>> PageRankTicks::unpack(ByteReader& in) const {
  LEEWAY_ASSIGN(const HaloLevels* const labels, parts_.unpack_division(in));
  return queries_of(labels);
}

Result<RankedGraph> run_page_ranks(const Graph& graph, const RankTicksJob& job,
                                   const TickOptions& options, const ClusterOptions& cluster,
                                   const std::vector<double>* from, const PageRankEnds& ends) {
  if (graph.vertex_count() == 0) {
    return fail(input_error("pagerank", "the graph has no vertices", "give a graph with vertices"));
  }
  if (job.what.tolerance) {
    return fail(input_error("pagerank", "a tolerance conflicts with a fixed number of ticks",
                            "give the number of ticks"));
  }
  if (from != nullptr && from->size() != graph.vertex_count()) {
    return fail(input_error(
        "pagerank",
        format("{} ranks to start from, for {} vertices", from->size(), graph.vertex_count()),
        "give the ranks of the same graph"));
  }
  LEEWAY_ASSIGN(const SyncParameters pace, settled(options));
  const auto parts = std::make_shared<RankedParts>(graph, job.partition, pace.replicas + 1);
  // Before the nodes start, because an error here is an Input error of the user.
  LEEWAY_ASSIGN(const HaloLevels* const first,
                parts->start(cluster, {cluster.nodes, job.partition.seed}));
  LEEWAY_ASSIGN(PageRankResult run,
                run_ticks(PageRankTicks(*parts, job, from), options, cluster, ends));
  const HaloLevels* const last = run.result.state.held().labels;
  return RankedGraph{std::move(run), {parts, last != nullptr ? last : first}};
}

Result<std::optional<Counterexample>> find_rank_counterexample(const Graph& graph,
                                                               const RankTicksJob& job,
                                                               const PropertySamples& samples) {
  constexpr Level kHalo = 3;  // levels that the property checks need
  const RankedParts parts(graph, job.partition, kHalo);
  return find_counterexample(PageRankTicks(parts, job, nullptr), samples);
}

std::vector<double> scaled_ranks(std::span<const double> ranks) {
  std::vector<double> scaled(ranks.begin(), ranks.end());
  scale_to_one(scaled, sum_of(ranks));
  return scaled;
}

}  // namespace leeway::tick
