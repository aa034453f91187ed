#include "leeway/programs/tick/page_rank_ticks.h"

#include <bit>
#include <cmath>

#include "leeway/base/mix.h"

namespace leeway::tick {

namespace {

std::vector<LabelQuery> queries_of(const HaloLevels* labels) {
  std::vector<LabelQuery> queries;
  for (std::uint32_t part = 0; part < labels->parts(); ++part)
    queries.push_back({labels, PartId(part), 0});
  return queries;
}

/// The same on every node, another for every state.
std::uint64_t seed_of(std::span<const double> ranks) {
  std::uint64_t seed = 0;
  for (const double rank : ranks) seed = mix64(seed ^ std::bit_cast<std::uint64_t>(rank));
  return seed;
}

}  // namespace

Result<std::vector<LabelQuery>> PageRankTicks::part(std::uint32_t count, const State* now) const {
  const bool anew = now != nullptr && now->held().labels != nullptr;
  if (!anew) {
    LEEWAY_ASSIGN(const HaloLevels* const first, parts_.divided({count, settings_.partition.seed}));
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
    result.values()[place] = least + settings_.what.damping * sum;
  }
}

/// The same additions in the same order, of a state in the graph's order.
void PageRankTicks::step_whole(std::span<const std::uint32_t> vertices, const State& context,
                               State& result) const {
  const auto shares = parts_.shares();
  for (const std::uint32_t vertex : vertices) {
    double sum = 0;
    for (const std::uint32_t source : parts_.lists().of(vertex))
      sum += context.values()[source] * shares[source];
    result.values()[vertex] = base() + settings_.what.damping * sum;
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
      static_cast<std::int64_t>(to_step.size() * arcs_a_vertex * settings_.arc_price_ps / 1000));
}

void PageRankTicks::pack(std::span<const LabelQuery> parts, ByteWriter& out) const {
  parts_.pack_division(parts.front().labels, out);
}

Result<std::vector<LabelQuery>> PageRankTicks::unpack(ByteReader& in) const {
  LEEWAY_ASSIGN(const HaloLevels* const labels, parts_.unpack_division(in));
  return queries_of(labels);
}

}  // namespace leeway::tick
