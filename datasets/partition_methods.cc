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
#include "datasets/graph.h"
#include "datasets/plan.h"
#include "datasets/vertex_column.h"

namespace leeway {

namespace {

/// Moves vertices into one part, those with most neighbours there first, from parts that have more than their quota.
class VertexMover {
 public:
  /// `spare[p]` is the number of vertices that can still be taken from part p.
  VertexMover(const Graph& graph, std::span<PartId> owner, std::vector<std::uint64_t>& spare,
              PartId into)
      : graph_(graph), owner_(owner), spare_(spare), into_(into), neighbours_(owner.size(), 0) {
    for (std::uint32_t v = 0; v < owner_.size(); ++v) {
      if (owner_[v] == into_) notice_neighbours(VertexId(v));
    }
  }

  void take(std::uint64_t count) {
    std::uint32_t next_unconnected = 0;
    while (count > 0) {
      const VertexId vertex = best_connected(next_unconnected);
      if (vertex == VertexId::none()) return;
      --spare_[owner_[vertex.index()].index()];
      owner_[vertex.index()] = into_;
      notice_neighbours(vertex);
      --count;
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

  /// The queue may contain outdated entries: an entry is valid if its neighbour count is current. If no neighbour is left,
  /// returns the first movable vertex.
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

/// Target number of vertices of each part: `large` for part 0, the rest distributed evenly.
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

/// Skews a partition to study the effect of a straggler (AAP §7, Exp-4: r = vertices of the largest part / vertices of the
/// median part). Part 0 gets `ratio` times the median part; all others become equal, up to rounding. Moves the vertices
/// with most neighbours in the growing part first. Input errors: ratio < 1, a single part with ratio > 1, too few vertices
/// for non-empty parts. Of two parts, the smaller is the median.
Status skew_partition(const Graph& graph, double ratio, Partition& partition) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  const std::uint64_t total = graph.vertex_count();
  const std::uint32_t parts = partition.part_count;
  if (!std::isfinite(ratio) || ratio < 1.0) {
    return fail(input_error("--skew", format("{} is not a ratio of largest to median part", ratio),
                            "give a number from 1 up"));
  }
  if (parts == 1) {
    if (ratio <= 1.0) return {};
    return fail(
        input_error("--skew", "one part cannot be larger than the median", "use 2 or more parts"));
  }
  const double share = static_cast<double>(total) / (parts - 1 + ratio);
  if (share < 1.0) {
    return fail(
        input_error("--skew",
                    format("{} vertices cannot make {} parts of which one is {} times the rest",
                           total, parts, ratio),
                    "use fewer parts or a smaller ratio"));
  }
  const auto quota = quotas(total, parts, share * ratio);
  auto spare = part_sizes(partition);
  const auto owner = partition.owner.mutable_span();
  // First part 0 takes the surplus of the other parts, then each other part takes what it lacks.
  std::vector<std::uint64_t> lacking(parts, 0);
  for (std::uint32_t part = 1; part < parts; ++part) {
    lacking[part] = quota[part] - std::min(quota[part], spare[part]);
    spare[part] -= std::min(quota[part], spare[part]);
  }
  spare[0] = 0;
  VertexMover(graph, owner, spare, PartId(0)).take(total);
  spare.assign(parts, 0);
  spare[0] = part_sizes(partition)[0] - quota[0];
  for (std::uint32_t part = 1; part < parts; ++part) {
    if (lacking[part] > 0) VertexMover(graph, owner, spare, PartId(part)).take(lacking[part]);
  }
  return {};
}

/// Ranges of vertices are chosen if they cut at most this fraction of the arcs that a random assignment would cut.
constexpr double kFew = 0.25;

/// Number of arcs between different parts.
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

std::optional<PartitionMethod> specified_method(const PartitionOptions& options) {
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
  // If all degrees are similar, METIS finds much smaller cuts than any cheap method.
  const bool hubs = has_hubs(facts.most_arcs, facts.arcs, facts.vertices);
  return hubs ? PartitionMethod::Ldg : PartitionMethod::Metis;
}

PartitionMethod method_for(const Graph& graph, const PartitionOptions& options) {
  if (const auto specified = specified_method(options)) return *specified;
  CutFacts facts{
      .vertices = graph.vertex_count(), .arcs = graph.arc_count(), .parts = options.parts};
  if (facts.parts > 1 && facts.arcs > kArcsForMetis) {
    const auto ranges = partitioners::block(graph, options);
    if (!ranges) return PartitionMethod::Block;  // out of memory; the partitioner will report it
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
    {PartitionMethod::Auto, "auto", "chosen by the graph's size and arcs (the default)"},
    {PartitionMethod::Metis, "metis", "METIS k-way, the smallest cut"},
    {PartitionMethod::Block, "block", "contiguous ranges of vertices"},
    {PartitionMethod::Hash, "hash", "by a hash of the vertex and the seed"},
    {PartitionMethod::Random, "random", "a seeded shuffle, distributed evenly"},
    {PartitionMethod::Ldg, "ldg", "linear deterministic greedy, one streaming pass"},
    {PartitionMethod::Fennel, "fennel", "Fennel, one streaming pass"},
    {PartitionMethod::File, "file", "owners from a text file, written file:PATH"},
}};

Status check_options(const Graph& graph, const PartitionOptions& options) {
  const bool from_file = options.method == PartitionMethod::File;
  if (options.parts == 0 && !from_file) {
    return fail(input_error("partition", "0 parts requested", "request at least 1"));
  }
  if (options.parts > kMaxParts) {
    return fail(input_error("partition", format("{} parts requested", options.parts),
                            format("request at most {}", kMaxParts)));
  }
  if (!options.vertex_weights.empty() && options.vertex_weights.size() != graph.vertex_count()) {
    return fail(input_error("partition",
                            format("{} vertex weights for {} vertices",
                                   options.vertex_weights.size(), graph.vertex_count()),
                            "give one weight for each vertex"));
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
      break;  // method_for never returns it
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

// Owners are read from a text file (a part on each line, as gpmetis writes it, or `vertex part`) or from a partitioned
// .lwg file.
Result<PartId> parse_part(std::string_view text, std::uint32_t limit) {
  std::uint32_t part = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), part);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    return fail(
        input_error("", format("'{}' is not a part", text), "parts are whole numbers from 0 up"));
  }
  if (part < limit) return PartId(part);
  return fail(input_error("", format("part {}, but there are only {} parts", part, limit),
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
                            format("the partition has {} vertices, but the graph has {}",
                                   stored.owner.size(), graph.vertex_count()),
                            "give a partition of this graph"));
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
        format("{} of {} vertices have no owner, for example vertex '{}'",
               owner.size() - column.count, owner.size(), column.first_missing(graph.names())),
        "give one line for each vertex"));
  }
  return Partition{parts, std::move(owners)};
}

namespace {

// Partitioners that ignore arcs: block, hash and random.
__extension__ using Wide = unsigned __int128;

/// Total weight of the vertices before `vertex`.
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
    // The part that contains the middle of this vertex's weight: boundaries are off by at most half a vertex.
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
    owner = assigned_part(vertex, count, options.parts, options.seed);
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

PartId assigned_part(VertexId vertex, std::uint64_t count, std::uint32_t parts,
                     std::uint64_t seed) {
  // A Feistel network of four rounds permutes the numbers below a power of four. Cycle walking (repeating until the result
  // is below `count`) restricts it to a permutation of [0, count). At least a quarter of the numbers are below `count`, so
  // few repetitions are needed.
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

// Streaming partitioners: each vertex is visited once, in order, and its assignment is final. They read only out-neighbours
// and store only the owners and the loads of the parts, so they work for graphs that exceed METIS' memory. Ties are broken
// by lower load, then by lower part number.

/// The load of each part, and the lightest part.
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
      if (target.value() >= v)
        break;  // lists are ascending: all further targets are not assigned yet
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

struct ArcRange {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The arcs from `source` to `target`; they are adjacent because lists are ascending.
ArcRange arcs_between(const Graph& graph, std::uint32_t source, std::uint32_t target) {
  const auto list = graph.neighbors(VertexId(source));
  const auto [first, last] = std::equal_range(list.begin(), list.end(), VertexId(target));
  const std::uint64_t base = graph.offsets()[source];
  return {base + static_cast<std::uint64_t>(first - list.begin()),
          base + static_cast<std::uint64_t>(last - list.begin())};
}

double largest_weight(const Graph& graph, ArcRange arcs) {
  double largest = 0;
  for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
    largest = std::max(largest, graph.weighted() ? std::abs(graph.weights()[arc]) : 1.0);
  }
  return largest;
}

/// Computes the report of `report_partition`.
class PartitionReporter {
 public:
  PartitionReporter(const Graph& graph, const Partition& partition)
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

  /// Counts a pair of vertices once: at the arc from its lower vertex, or at the only direction that exists.
  void count_pair(std::uint32_t source, std::uint32_t target) {
    const ArcRange back = arcs_between(graph_, target, source);
    if (source > target && back.begin < back.end) return;
    ++report_.edge_cut;
    report_.weight_cut += std::max(largest_weight(graph_, arcs_between(graph_, source, target)),
                                   largest_weight(graph_, back));
  }

  /// Visits the vertices grouped by part; `counted_by` holds the last part that counted each target.
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
  return PartitionReporter(graph, partition).run();
}

}  // namespace leeway
