#include "datasets/partition_methods.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "datasets/binary.h"
#include "datasets/build_graph.h"
#include "datasets/plan.h"
#include "datasets/vertex_column.h"
#include "leeway/graph.h"

namespace leeway {

namespace {

/// Moves vertices into one part, those with most neighbours there first, from parts that can spare some.
class Mover {
 public:
  /// `spare[p]` is what part p may still give.
  Mover(const Graph& graph, std::span<PartId> owner, std::vector<std::uint64_t>& spare, PartId into)
      : graph_(graph), owner_(owner), spare_(spare), into_(into), neighbours_(owner.size(), 0) {
    for (std::uint32_t v = 0; v < owner_.size(); ++v) {
      if (owner_[v] == into_) notice_neighbours(VertexId(v));
    }
  }

  void take(std::uint64_t wanted) {
    std::uint32_t next_unconnected = 0;
    while (wanted > 0) {
      const VertexId vertex = best_connected(next_unconnected);
      if (vertex == VertexId::none()) return;
      --spare_[owner_[vertex.index()].index()];
      owner_[vertex.index()] = into_;
      notice_neighbours(vertex);
      --wanted;
    }
  }

 private:
  [[nodiscard]] bool movable(VertexId vertex) const {
    const PartId from = owner_[vertex.index()];
    return from != into_ && spare_[from.index()] > 0;
  }

  void notice_neighbours(VertexId vertex) {
    for (const VertexId target : graph_.neighbors(vertex)) {
      const std::uint32_t count = ++neighbours_[target.index()];
      if (movable(target)) candidates_.emplace(count, ~target.value());
    }
  }

  /// The queue keeps outdated entries; one counts if its number of neighbours is still right. Where no
  /// neighbour is left, the first vertex that may move.
  VertexId best_connected(std::uint32_t& next_unconnected) {
    while (!candidates_.empty()) {
      const auto [count, flipped] = candidates_.top();
      candidates_.pop();
      const VertexId vertex(~flipped);
      if (movable(vertex) && neighbours_[vertex.index()] == count) return vertex;
    }
    for (; next_unconnected < owner_.size(); ++next_unconnected) {
      if (movable(VertexId(next_unconnected))) return VertexId(next_unconnected);
    }
    return VertexId::none();
  }

  const Graph& graph_;
  std::span<PartId> owner_;
  std::vector<std::uint64_t>& spare_;
  const PartId into_;
  std::vector<std::uint32_t> neighbours_;  // arcs into the vertex from the part that grows
  std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> candidates_;  // ties: lower vertex
};

std::vector<std::uint64_t> part_sizes(const Partition& partition) {
  std::vector<std::uint64_t> sizes(partition.part_count, 0);
  for (const PartId part : partition.owner) ++sizes[part.index()];
  return sizes;
}

/// How many vertices each part shall have: `large` for part 0, the rest dealt out evenly.
std::vector<std::uint64_t> quotas(std::uint64_t total, std::uint32_t parts, double large) {
  std::vector<std::uint64_t> quota(parts);
  quota[0] = std::min(total, static_cast<std::uint64_t>(std::ceil(large)));
  const std::uint64_t rest = total - quota[0];
  const std::uint64_t others = parts - 1;
  for (std::uint64_t part = 0; part < others; ++part) {
    quota[part + 1] = rest / others + (part < rest % others ? 1 : 0);
  }
  return quota;
}

}  // namespace

Status skew_partition(const Graph& graph, double ratio, Partition& partition) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  const std::uint64_t total = graph.vertex_count();
  const std::uint32_t parts = partition.part_count;
  if (!std::isfinite(ratio) || ratio < 1.0) {
    return fail(input_error("skew", format("{} is not a ratio of largest to median part", ratio),
                            "give a number from 1 up"));
  }
  if (parts == 1) {
    if (ratio <= 1.0) return {};
    return fail(
        input_error("skew", "one part cannot be larger than the median", "use 2 or more parts"));
  }
  const double share = static_cast<double>(total) / (parts - 1 + ratio);
  if (share < 1.0) {
    return fail(
        input_error("skew",
                    format("{} vertices cannot make {} parts of which one is {} times the rest",
                           total, parts, ratio),
                    "use fewer parts or a smaller ratio"));
  }
  const auto quota = quotas(total, parts, share * ratio);
  auto spare = part_sizes(partition);
  const auto owner = partition.owner.mutable_span();
  // First part 0 takes what the others have too much, then each other part what it still lacks.
  std::vector<std::uint64_t> lacking(parts, 0);
  for (std::uint32_t part = 1; part < parts; ++part) {
    lacking[part] = quota[part] - std::min(quota[part], spare[part]);
    spare[part] -= std::min(quota[part], spare[part]);
  }
  spare[0] = 0;
  Mover(graph, owner, spare, PartId(0)).take(total);
  spare.assign(parts, 0);
  spare[0] = part_sizes(partition)[0] - quota[0];
  for (std::uint32_t part = 1; part < parts; ++part) {
    if (lacking[part] > 0) Mover(graph, owner, spare, PartId(part)).take(lacking[part]);
  }
  return {};
}

namespace {

/// Of the arcs that would be cut if vertices were dealt out by chance: so many, and ranges are good enough.
constexpr double kFew = 0.25;

/// Between ranges that hold equally much.
std::uint64_t block_cut(const Graph& graph, const Partition& ranges) {
  const auto owner = ranges.owner.span();
  std::uint64_t cut = 0;
  for (VertexId v(0); v.index() < graph.vertex_count(); v = v.next()) {
    for (const VertexId target : graph.neighbors(v))
      cut += owner[target.index()] != owner[v.index()] ? 1 : 0;
  }
  return cut;
}

}  // namespace

std::optional<PartitionMethod> method_said(const PartitionOptions& options) {
  if (options.method != PartitionMethod::Auto) return options.method;
  if (options.edge_weights || options.tries > 0 || !options.vertex_weights.empty())
    return PartitionMethod::Metis;
  return std::nullopt;
}

PartitionMethod choose_method(const CutFacts& facts) {
  if (facts.parts <= 1) return PartitionMethod::Block;
  if (facts.arcs <= kArcsForMetis) return PartitionMethod::Metis;
  const auto arcs = static_cast<double>(facts.arcs);
  const double by_chance = arcs * (1 - 1.0 / facts.parts);
  if (static_cast<double>(facts.block_cut) <= kFew * by_chance) return PartitionMethod::Block;
  // Where all vertices are alike, METIS finds cuts that no cheap method comes near.
  const bool hubs = has_hubs(facts.most_arcs, facts.arcs, facts.vertices);
  return hubs ? PartitionMethod::Ldg : PartitionMethod::Metis;
}

PartitionMethod method_for(const Graph& graph, const PartitionOptions& options) {
  if (const auto said = method_said(options)) return *said;
  CutFacts facts{
      .vertices = graph.vertex_count(), .arcs = graph.arc_count(), .parts = options.parts};
  if (facts.parts > 1 && facts.arcs > kArcsForMetis) {
    const auto ranges = partitioners::block(graph, options);
    if (!ranges) return PartitionMethod::Block;  // there is no room for anything, as it will say
    facts.block_cut = block_cut(graph, *ranges);
    facts.most_arcs = most_arcs(graph);
  }
  const PartitionMethod method = choose_method(facts);
  const bool fits =
      partitioner_bytes(counts_of(graph), options.parts, method) <= memory_room().left;
  return method == PartitionMethod::Metis && !fits ? PartitionMethod::Ldg : method;
}

namespace {

constexpr std::array<PartitionMethodInfo, 8> kMethods = {{
    {PartitionMethod::Auto, "auto", "what the graph's arcs speak for (the default)"},
    {PartitionMethod::Metis, "metis", "METIS k-way, the smallest cut"},
    {PartitionMethod::Block, "block", "contiguous ranges of vertices"},
    {PartitionMethod::Hash, "hash", "by a hash of the vertex and the seed"},
    {PartitionMethod::Random, "random", "a seeded shuffle, dealt out evenly"},
    {PartitionMethod::Ldg, "ldg", "linear deterministic greedy, one streaming pass"},
    {PartitionMethod::Fennel, "fennel", "Fennel, one streaming pass"},
    {PartitionMethod::File, "file", "owners from a text file, written file:PATH"},
}};

Status check_options(const Graph& graph, const PartitionOptions& options) {
  const bool from_file = options.method == PartitionMethod::File;
  if (options.parts == 0 && !from_file) {
    return fail(input_error("partition", "0 parts asked for", "ask for at least 1"));
  }
  if (options.parts > kMaxParts) {
    return fail(input_error("partition", format("{} parts asked for", options.parts),
                            format("ask for at most {}", kMaxParts)));
  }
  if (!options.vertex_weights.empty() && options.vertex_weights.size() != graph.vertex_count()) {
    return fail(input_error("partition",
                            format("{} vertex weights for {} vertices",
                                   options.vertex_weights.size(), graph.vertex_count()),
                            "give one weight a vertex"));
  }
  if (options.edge_weights && graph.weight_kind() != WeightKind::Integer &&
      graph.weight_kind() != WeightKind::Real) {
    return fail(input_error("--edge-weights", "the graph has no real weights",
                            "leave edge weights off, or load the graph with weights"));
  }
  return {};
}

Result<Partition> by_method(const Graph& graph, const PartitionOptions& options) {
  switch (method_for(graph, options)) {
    case PartitionMethod::Auto:
      break;  // was settled
    case PartitionMethod::Metis:
      return partitioners::metis(graph, options);
    case PartitionMethod::Block:
      return partitioners::block(graph, options);
    case PartitionMethod::Hash:
      return partitioners::hash(graph, options);
    case PartitionMethod::Random:
      return partitioners::random(graph, options);
    case PartitionMethod::Ldg:
      return partitioners::ldg(graph, options);
    case PartitionMethod::Fennel:
      return partitioners::fennel(graph, options);
    case PartitionMethod::File:
      return partitioners::from_file(graph, options);
  }
  LEEWAY_UNREACHABLE("partition method", static_cast<int>(options.method));
}

}  // namespace

std::span<const PartitionMethodInfo> partition_methods() { return kMethods; }

std::string_view partition_method_name(PartitionMethod method) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                  [&](const auto& info) { return info.method == method; });
  LEEWAY_CHECK(found != kMethods.end());
  return found->name;
}

Status parse_partition_method(std::string_view text, PartitionOptions& options) {
  constexpr std::string_view kFilePrefix = "file:";
  const auto found = std::find_if(kMethods.begin(), kMethods.end(), [&](const auto& info) {
    return info.name == text && info.method != PartitionMethod::File;
  });
  if (found != kMethods.end()) {
    options.method = found->method;
    return {};
  }
  const bool prefixed = text.starts_with(kFilePrefix) && text.size() > kFilePrefix.size();
  if (prefixed || (text.find_first_of("/.") != text.npos && text.find(':') == text.npos)) {
    options.method = PartitionMethod::File;
    options.owner_file = prefixed ? text.substr(kFilePrefix.size()) : text;
    return {};
  }
  std::vector<std::string_view> names;
  for (const auto& info : kMethods) {
    names.push_back(info.method == PartitionMethod::File ? "file:PATH" : info.name);
  }
  return fail(
      input_error("partition", format("unknown method '{}'", text), did_you_mean(text, names)));
}

Result<Partition> partition_graph(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_TRY(check_options(graph, options));
  if (options.progress != nullptr) {
    options.progress->start("partitioning", graph.vertex_count(), "vertices");
  }
  LEEWAY_ASSIGN(Partition partition, by_method(graph, options));
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  if (options.skew) LEEWAY_TRY(skew_partition(graph, *options.skew, partition));
  return partition;
}

}  // namespace leeway

namespace leeway::partitioners {

namespace {

// Owners from a text file, as gpmetis writes it (a part a line) or with names (`vertex part`), or from a divided .lwg.
Result<PartId> parse_part(std::string_view text, std::uint32_t limit) {
  std::uint32_t part = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), part);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    return fail(
        input_error("", format("'{}' is not a part", text), "parts are whole numbers from 0 up"));
  }
  if (part < limit) return PartId(part);
  return fail(input_error("", format("part {} where there are {} parts", part, limit),
                          format("number parts from 0 to {}", limit - 1)));
}

}  // namespace

Result<Partition> from_file(const Graph& graph, const PartitionOptions& options) {
  const std::string& path = options.owner_file;
  if (is_binary_name(path) && std::filesystem::exists(path)) {
    LEEWAY_ASSIGN(Partition stored, open_binary_partition(path));
    stored.part_count = std::max(stored.part_count, options.parts);
    if (stored.owner.size() == graph.vertex_count()) return stored;
    return fail(input_error(path,
                            format("it divides {} vertices, and the graph has {}",
                                   stored.owner.size(), graph.vertex_count()),
                            "give the division of this graph"));
  }
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const std::span<PartId> owner = owners.mutable_span();
  const std::uint32_t limit = options.parts > 0 ? options.parts : kMaxParts;
  std::uint32_t parts = std::max(options.parts, 1U);
  const auto take = [&](VertexId vertex, std::string_view field) -> Status {
    LEEWAY_ASSIGN(const PartId part, parse_part(field, limit));
    owner[vertex.index()] = part;
    parts = std::max(parts, part.value() + 1);
    return {};
  };
  LEEWAY_ASSIGN(const VertexColumn column, read_vertex_column(path, graph.names(), "part", take));
  if (!column.complete()) {
    return fail(input_error(
        path,
        format("{} of {} vertices have no owner, vertex '{}' among them",
               owner.size() - column.count, owner.size(), column.first_missing(graph.names())),
        "give one line a vertex"));
  }
  return Partition{parts, std::move(owners)};
}

namespace {

// The partitioners that look at no neighbours: block, hash and random.
__extension__ using Wide = unsigned __int128;

/// What lies before `vertex` in the measure to be balanced.
std::uint64_t weight_before(const Graph& graph, BalanceBy balance, std::size_t vertex) {
  return balance == BalanceBy::Vertices ? vertex : vertex + graph.offsets()[vertex];
}

}  // namespace

Result<Partition> block(const Graph& graph, const PartitionOptions& options) {
  const std::size_t count = graph.vertex_count();
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(count));
  if (count == 0) return Partition{options.parts, std::move(owners)};
  const Wide total = weight_before(graph, options.balance, count);
  const auto owner = owners.mutable_span();
  for (std::size_t v = 0; v < count; ++v) {
    // The part in which the middle of this vertex's weight falls: at most half a vertex off a boundary.
    const Wide middle = Wide{weight_before(graph, options.balance, v)} +
                        weight_before(graph, options.balance, v + 1);
    owner[v] = PartId(static_cast<std::uint32_t>(middle * options.parts / (2 * total)));
  }
  return Partition{options.parts, std::move(owners)};
}

Result<Partition> hash(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  VertexId vertex(0);
  for (PartId& owner : owners.mutable_span()) {
    owner = hashed_part(vertex, options.parts, options.seed);
    vertex = vertex.next();
  }
  return Partition{options.parts, std::move(owners)};
}

Result<Partition> random(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const std::size_t count = graph.vertex_count();
  VertexId vertex(0);
  for (PartId& owner : owners.mutable_span()) {
    owner = dealt_part(vertex, count, options.parts, options.seed);
    vertex = vertex.next();
  }
  return Partition{options.parts, std::move(owners)};
}

}  // namespace leeway::partitioners

namespace leeway {

PartId hashed_part(VertexId vertex, std::uint32_t parts, std::uint64_t seed) {
  const std::uint64_t mixed = mix64(vertex.value() ^ mix64(seed));
  return PartId(static_cast<std::uint32_t>(partitioners::Wide{mixed} * parts >> 64));
}

PartId dealt_part(VertexId vertex, std::uint64_t count, std::uint32_t parts, std::uint64_t seed) {
  // A Feistel network of four rounds permutes the numbers below a power of four; walking on until a number is below
  // `count` permutes those. At least every fourth number is one of them, so walks are short.
  const unsigned half = std::max(1U, (static_cast<unsigned>(std::bit_width(count - 1)) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t place = vertex.value();
  do {
    std::uint64_t left = place >> half;
    std::uint64_t right = place & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = mix64(right ^ mix64(seed * 4 + round));
      left = std::exchange(right, left ^ (mixed & mask));
    }
    place = left << half | right;
  } while (place >= count);
  return PartId(static_cast<std::uint32_t>(place % parts));
}

}  // namespace leeway

namespace leeway::partitioners {

namespace {

// Streaming partitioners: vertices arrive once, in order, and stay where they are put. They look at
// out-neighbours only and hold nothing but the owners and the parts' loads, so they serve graphs that
// METIS cannot hold. Ties go to the lighter part, then to the lower number.

/// The parts' loads, and which part is lightest.
class Loads {
 public:
  explicit Loads(std::uint32_t parts) : load_(parts, 0) {
    for (std::uint32_t part = 0; part < parts; ++part)
      ordered_.emplace_hint(ordered_.end(), 0, part);
  }
  [[nodiscard]] std::uint64_t of(std::uint32_t part) const { return load_[part]; }
  [[nodiscard]] std::uint32_t lightest() const { return ordered_.begin()->second; }
  void add(std::uint32_t part, std::uint64_t weight) {
    ordered_.erase({load_[part], part});
    load_[part] += weight;
    ordered_.emplace(load_[part], part);
  }

 private:
  std::vector<std::uint64_t> load_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> ordered_;
};

std::uint64_t weight_of(const Graph& graph, BalanceBy balance, VertexId vertex) {
  return balance == BalanceBy::Vertices ? 1 : 1 + graph.degree(vertex);
}

Result<Partition> stream(const Graph& graph, const PartitionOptions& options,
                         const StreamRule& rule) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const auto owner = owners.mutable_span();
  Loads loads(options.parts);
  std::vector<std::uint32_t> neighbours(options.parts, 0);
  std::vector<std::uint32_t> touched;
  constexpr std::uint32_t kReportEvery = 1U << 14U;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    if (options.progress != nullptr && v % kReportEvery == 0) options.progress->update(v);
    for (const VertexId target : graph.neighbors(VertexId(v))) {
      if (target.value() >= v) break;  // lists ascend: from here on nothing is placed yet
      const std::uint32_t part = owner[target.index()].value();
      if (neighbours[part]++ == 0) touched.push_back(part);
    }
    const std::uint64_t weight = weight_of(graph, options.balance, VertexId(v));
    std::uint32_t best = loads.lightest();
    double best_score = rule.score(neighbours[best], static_cast<double>(loads.of(best)));
    for (const std::uint32_t part : touched) {
      if (static_cast<double>(loads.of(part) + weight) > rule.capacity()) continue;
      const double candidate = rule.score(neighbours[part], static_cast<double>(loads.of(part)));
      if (std::pair(-candidate, std::pair(loads.of(part), part)) <
          std::pair(-best_score, std::pair(loads.of(best), best))) {
        best = part;
        best_score = candidate;
      }
    }
    owner[v] = PartId(best);
    loads.add(best, weight);
    for (const std::uint32_t part : touched) neighbours[part] = 0;
    touched.clear();
  }
  return Partition{options.parts, std::move(owners)};
}

double total_weight(const Graph& graph, BalanceBy balance) {
  const std::uint64_t arcs = balance == BalanceBy::Vertices ? 0 : graph.arc_count();
  return static_cast<double>(graph.vertex_count() + arcs);
}

}  // namespace

Result<Partition> ldg(const Graph& graph, const PartitionOptions& options) {
  return stream(graph, options,
                StreamRule::ldg(total_weight(graph, options.balance), options.parts));
}

Result<Partition> fennel(const Graph& graph, const PartitionOptions& options) {
  return stream(graph, options,
                StreamRule::fennel(total_weight(graph, options.balance),
                                   static_cast<double>(graph.edge_count()), options.parts));
}

}  // namespace leeway::partitioners

namespace leeway {

namespace {

struct Arcs {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The arcs from `source` to `target`: neighbours in its list, for lists ascend.
Arcs arcs_between(const Graph& graph, std::uint32_t source, std::uint32_t target) {
  const auto list = graph.neighbors(VertexId(source));
  const auto [first, last] = std::equal_range(list.begin(), list.end(), VertexId(target));
  const std::uint64_t base = graph.offsets()[source];
  return {base + static_cast<std::uint64_t>(first - list.begin()),
          base + static_cast<std::uint64_t>(last - list.begin())};
}

double largest_weight(const Graph& graph, Arcs arcs) {
  double largest = 0;
  for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
    largest = std::max(largest, graph.weighted() ? std::abs(graph.weights()[arc]) : 1.0);
  }
  return largest;
}

class Reporter {
 public:
  Reporter(const Graph& graph, const Partition& partition)
      : graph_(graph), owner_(partition.owner.span()), boundary_(owner_.size(), false) {
    report_.parts.resize(partition.part_count);
  }

  PartitionReport run() {
    for (std::uint32_t v = 0; v < owner_.size(); ++v) visit(v);
    for (std::size_t v = 0; v < owner_.size(); ++v) {
      if (boundary_[v]) ++report_.parts[owner_[v].index()].boundary;
    }
    count_remote_neighbors();
    for (PartReport& part : report_.parts) {
      part.bytes = structure_bytes(counts_of(graph_, part));
    }
    report_.vertex_balance = balance(&PartReport::vertices);
    report_.arc_balance = balance(&PartReport::arcs);
    return std::move(report_);
  }

 private:
  void visit(std::uint32_t v) {
    PartReport& part = report_.parts[owner_[v].index()];
    ++part.vertices;
    part.arcs += graph_.degree(VertexId(v));
    if (graph_.names().kind() == NameKind::Strings) {
      part.name_bytes += graph_.names().ids()[v + std::size_t{1}] - graph_.names().ids()[v];
    }
    const auto list = graph_.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (owner_[list[i].index()] == owner_[v]) continue;
      ++report_.cut_arcs;
      boundary_[v] = true;
      boundary_[list[i].index()] = true;
      if (i == 0 || list[i - 1] != list[i]) count_pair(v, list[i].value());
    }
  }

  /// A pair counts where its lower vertex is the source, or where no arc leads the other way.
  void count_pair(std::uint32_t source, std::uint32_t target) {
    const Arcs back = arcs_between(graph_, target, source);
    if (source > target && back.begin < back.end) return;
    ++report_.edge_cut;
    report_.weight_cut += std::max(largest_weight(graph_, arcs_between(graph_, source, target)),
                                   largest_weight(graph_, back));
  }

  /// Visits vertices part by part; a target is stamped with the last part that has counted it.
  void count_remote_neighbors() {
    std::vector<std::uint64_t> next(report_.parts.size() + 1, 0);
    for (const PartId part : owner_) ++next[part.index() + 1];
    for (std::size_t p = 0; p < report_.parts.size(); ++p) next[p + 1] += next[p];
    std::vector<std::uint32_t> grouped(owner_.size());
    for (std::uint32_t v = 0; v < owner_.size(); ++v) grouped[next[owner_[v].index()]++] = v;
    std::vector<PartId> counted_by(owner_.size(), PartId::none());
    for (const std::uint32_t v : grouped) {
      const PartId part = owner_[v];
      for (const VertexId target : graph_.neighbors(VertexId(v))) {
        if (owner_[target.index()] == part || counted_by[target.index()] == part) continue;
        counted_by[target.index()] = part;
        ++report_.parts[part.index()].remote_neighbors;
        ++report_.parts[owner_[target.index()].index()].copies;
      }
    }
  }

  [[nodiscard]] double balance(std::uint64_t PartReport::*amount) const {
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (const PartReport& part : report_.parts) {
      largest = std::max(largest, part.*amount);
      sum += part.*amount;
    }
    if (sum == 0) return 1.0;
    return static_cast<double>(largest) * static_cast<double>(report_.parts.size()) /
           static_cast<double>(sum);
  }

  const Graph& graph_;
  std::span<const PartId> owner_;
  std::vector<bool> boundary_;
  PartitionReport report_;
};

}  // namespace

PartitionReport report_partition(const Graph& graph, const Partition& partition) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  return Reporter(graph, partition).run();
}

}  // namespace leeway
