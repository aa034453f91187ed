// Partitioning by METIS k-way. METIS needs an undirected graph without loops or parallel edges, in 32-bit integers: arcs in
// either direction become one edge, whose weight is the largest weight of the arcs.

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "datasets/partition_methods.h"

namespace leeway::partitioners {

namespace {

static_assert(sizeof(idx_t) == sizeof(std::uint32_t), "METIS must be built with 32-bit integers");
constexpr std::uint64_t kMostTotal = std::numeric_limits<idx_t>::max();

struct MetisGraph {
  std::vector<idx_t> offsets;
  std::vector<idx_t> targets;
  std::vector<double> raw_weights;  // unscaled, from the graph
  std::vector<idx_t> edge_weights;
  std::vector<idx_t> vertex_weights;
};

/// The reversed arcs. Each list is ascending because the sources are visited in order.
struct ReversedArcs {
  std::vector<std::uint64_t> offsets;
  std::vector<idx_t> sources;
  std::vector<double> weights;
};

ReversedArcs reverse(const Graph& graph, bool weighted) {
  ReversedArcs reversed;
  reversed.offsets.assign(graph.vertex_count() + std::size_t{1}, 0);
  reversed.sources.resize(graph.arc_count());
  if (weighted) reversed.weights.resize(graph.arc_count());
  for (const VertexId target : graph.targets()) ++reversed.offsets[target.index() + 1];
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    reversed.offsets[v + 1] += reversed.offsets[v];
  }
  std::vector<std::uint64_t> next(reversed.offsets.begin(), reversed.offsets.end() - 1);
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    for (std::uint64_t arc = graph.offsets()[v]; arc < graph.offsets()[v + 1]; ++arc) {
      const std::uint64_t at = next[graph.targets()[arc].index()]++;
      reversed.sources[at] = static_cast<idx_t>(v);
      if (weighted) reversed.weights[at] = graph.weights()[arc];
    }
  }
  return reversed;
}

/// Appends the list of one vertex. Neighbours are added in ascending order; loops and duplicates are omitted.
class ListWriter {
 public:
  ListWriter(MetisGraph& out, idx_t vertex) : out_(out), vertex_(vertex) {}
  void add(idx_t target, double weight, bool weighted) {
    if (target == vertex_) return;
    const bool again = out_.targets.size() > static_cast<std::size_t>(out_.offsets.back()) &&
                       out_.targets.back() == target;
    if (!again) out_.targets.push_back(target);
    if (!weighted) return;
    if (again) {
      out_.raw_weights.back() = std::max(out_.raw_weights.back(), std::abs(weight));
    } else {
      out_.raw_weights.push_back(std::abs(weight));
    }
  }

 private:
  MetisGraph& out_;
  idx_t vertex_;
};

/// Merges the out-arcs and in-arcs of a vertex in ascending order of the other end.
void append_list(const Graph& graph, const ReversedArcs& reversed, std::uint32_t vertex,
                 bool weighted, MetisGraph& out) {
  ListWriter writer(out, static_cast<idx_t>(vertex));
  std::uint64_t forth = graph.offsets()[vertex];
  const std::uint64_t forth_end = graph.offsets()[vertex + std::size_t{1}];
  std::uint64_t back = reversed.offsets.empty() ? 0 : reversed.offsets[vertex];
  const std::uint64_t back_end =
      reversed.offsets.empty() ? 0 : reversed.offsets[vertex + std::size_t{1}];
  while (forth < forth_end || back < back_end) {
    const bool take_forth =
        back == back_end ||
        (forth < forth_end &&
         graph.targets()[forth].value() <= static_cast<std::uint32_t>(reversed.sources[back]));
    if (take_forth) {
      const auto target = static_cast<idx_t>(graph.targets()[forth].value());
      writer.add(target, weighted ? graph.weights()[forth] : 1.0, weighted);
      ++forth;
    } else {
      writer.add(reversed.sources[back], weighted ? reversed.weights[back] : 1.0, weighted);
      ++back;
    }
  }
  out.offsets.push_back(static_cast<idx_t>(out.targets.size()));
}

/// METIS needs positive whole weights whose sum fits in its integers: weights that do not meet this are scaled.
std::vector<idx_t> whole_weights(const std::vector<double>& raw) {
  double sum = 0;
  bool whole = true;
  for (const double weight : raw) {
    sum += weight;
    whole = whole && weight >= 1.0 && std::floor(weight) == weight;
  }
  const double room = static_cast<double>(kMostTotal) / 2 - static_cast<double>(raw.size());
  const double scale = sum <= room && (whole || raw.empty()) ? 1.0 : sum > 0 ? room / sum : 1.0;
  std::vector<idx_t> weights;
  weights.reserve(raw.size());
  for (const double weight : raw) {
    weights.push_back(static_cast<idx_t>(std::max(1.0, std::floor(weight * scale))));
  }
  return weights;
}

Status set_vertex_weights(const Graph& graph, const PartitionOptions& options, MetisGraph& out) {
  if (options.vertex_weights.empty() && options.balance == BalanceBy::Vertices) return {};
  std::uint64_t sum = 0;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const std::uint64_t weight =
        options.vertex_weights.empty() ? 1 + graph.degree(VertexId(v)) : options.vertex_weights[v];
    sum += weight;
    if (sum > kMostTotal) {
      return fail(input_error("metis", "the vertex weights add up to more than 2^31 - 1",
                              "use smaller weights, or fennel or ldg"));
    }
    out.vertex_weights.push_back(static_cast<idx_t>(weight));
  }
  return {};
}

Result<MetisGraph> to_metis(const Graph& graph, const PartitionOptions& options) {
  const std::uint64_t most_arcs = graph.arc_count() * (graph.directed() ? 2 : 1);
  if (graph.vertex_count() >= kMostTotal || most_arcs >= kMostTotal) {
    return fail(
        input_error("metis",
                    format("{} vertices and {} arcs are more than METIS' 32-bit integers hold",
                           format_count(graph.vertex_count()), format_count(most_arcs)),
                    "use fennel or ldg"));
  }
  const bool weighted = options.edge_weights;
  MetisGraph out;
  LEEWAY_TRY(set_vertex_weights(graph, options, out));
  const ReversedArcs reversed = graph.directed() ? reverse(graph, weighted) : ReversedArcs{};
  out.offsets.reserve(graph.vertex_count() + std::size_t{1});
  out.targets.reserve(most_arcs);
  if (weighted) out.raw_weights.reserve(most_arcs);
  out.offsets.push_back(0);
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    append_list(graph, reversed, v, weighted, out);
  }
  if (weighted) out.edge_weights = whole_weights(out.raw_weights);
  out.raw_weights = {};
  return out;
}

/// The result of one run of METIS.
struct MetisSolution {
  idx_t cut = 0;
  std::vector<idx_t> owner;  ///< part of each vertex
  std::int64_t heaviest = 0;
};

std::int64_t heaviest_part(const MetisGraph& graph, std::span<const idx_t> owner, idx_t parts) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(parts), 0);
  for (std::size_t v = 0; v < owner.size(); ++v) {
    const auto part = static_cast<std::size_t>(owner[v]);
    weight[part] += graph.vertex_weights.empty() ? 1 : graph.vertex_weights[v];
  }
  return *std::max_element(weight.begin(), weight.end());
}

/// Runs METIS. `answer` receives the status, the cut, then the part of each vertex.
void try_once(MetisGraph& graph, idx_t vertices, idx_t parts, idx_t seed, std::span<idx_t> answer) {
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = seed;
  const auto pointer = [](std::vector<idx_t>& values) {
    return values.empty() ? nullptr : values.data();
  };
  idx_t constraints = 1;
  answer[0] =
      METIS_PartGraphKway(&vertices, &constraints, graph.offsets.data(), graph.targets.data(),
                          pointer(graph.vertex_weights), nullptr, pointer(graph.edge_weights),
                          &parts, nullptr, nullptr, settings, &answer[1], &answer[2]);
}

/// Runs METIS for each seed in a child process, because METIS installs handlers for SIGTERM and SIGABRT that leave it by
/// longjmp, even from an allocation that holds the heap's lock.
Result<std::vector<MetisSolution>> run(MetisGraph& graph, idx_t vertices, idx_t parts,
                                       std::span<const idx_t> seeds) {
  const std::size_t each = 2 + static_cast<std::size_t>(vertices);
  LEEWAY_ASSIGN(const auto answers,
                compute_in_child<idx_t>("metis", each * seeds.size(), [&](std::span<idx_t> all) {
                  for (std::size_t i = 0; i < seeds.size(); ++i)
                    try_once(graph, vertices, parts, seeds[i], all.subspan(i * each, each));
                }));
  std::vector<MetisSolution> solutions;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const auto answer = answers.span().subspan(i * each, each);
    if (answer[0] != METIS_OK) {
      return fail(environment_error("metis",
                                    answer[0] == METIS_ERROR_MEMORY ? "out of memory" : "it failed",
                                    "use fennel or ldg, or a machine with more memory"));
    }
    MetisSolution& solution = solutions.emplace_back();
    solution.cut = answer[1];
    solution.owner.assign(answer.begin() + 2, answer.end());
    solution.heaviest = heaviest_part(graph, solution.owner, parts);
  }
  return solutions;
}

/// A solution is better only if neither its cut nor its heaviest part is larger.
bool better(const MetisSolution& a, const MetisSolution& b) {
  return a.cut <= b.cut && a.heaviest <= b.heaviest && (a.cut < b.cut || a.heaviest < b.heaviest);
}

}  // namespace

Result<Partition> metis(const Graph& graph, const PartitionOptions& options) {
  constexpr std::uint64_t kSmall = 4'000'000;  // arcs: one run takes at most about a second
  constexpr std::uint64_t kLittle = 50'000;    // arcs: all runs together take some ten milliseconds
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const auto owner = owners.mutable_span();
  if (options.parts >=
      graph.vertex_count()) {  // not supported by METIS: each vertex becomes a part
    for (std::uint32_t v = 0; v < owner.size(); ++v) owner[v] = PartId(v);
    return Partition{options.parts, std::move(owners)};
  }
  if (options.parts == 1) return Partition{1, std::move(owners)};
  LEEWAY_ASSIGN(MetisGraph input, to_metis(graph, options));
  const auto vertices = static_cast<idx_t>(graph.vertex_count());
  const auto parts = static_cast<idx_t>(options.parts);
  const unsigned tries = options.tries > 0 ? options.tries : graph.arc_count() < kSmall ? 4 : 1;
  // METIS reports no progress, so of one try only the time is shown.
  if (options.progress != nullptr && tries > 1)
    options.progress->start("partitioning by METIS", tries, "tries");
  else if (options.progress != nullptr)
    options.progress->start("partitioning by METIS");
  std::vector<idx_t> seeds;
  for (std::uint64_t seed = options.seed; seed < options.seed + tries; ++seed)
    seeds.push_back(seed == 1 ? -1 : static_cast<idx_t>(seed % kMostTotal));
  // For a small graph, starting a process costs more than partitioning, so one process runs all seeds.
  const std::size_t per_process = graph.arc_count() < kLittle ? seeds.size() : 1;
  MetisSolution best;
  for (std::size_t first = 0; first < seeds.size(); first += per_process) {
    if (options.progress != nullptr) options.progress->update(first);
    LEEWAY_ASSIGN(auto solutions,
                  run(input, vertices, parts, std::span(seeds).subspan(first, per_process)));
    for (MetisSolution& solution : solutions) {
      if (best.owner.empty() || better(solution, best)) best = std::move(solution);
    }
  }
  for (std::size_t v = 0; v < owner.size(); ++v)
    owner[v] = PartId(static_cast<std::uint32_t>(best.owner[v]));
  return Partition{options.parts, std::move(owners)};
}

}  // namespace leeway::partitioners
