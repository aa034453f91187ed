#include "leeway/programs/tick/page_ranks.h"

#include <numeric>

#include "leeway/base/format.h"
#include "leeway/programs/reference/lists.h"

namespace leeway {

namespace {

/// The graph as ticks read it; shared by all nodes of a process.
struct Ranking {
  reference::Lists lists;
  std::shared_ptr<const Labels> labels;
  std::vector<std::vector<double>> shares;  ///< 1 / out-degree, by part and place
  std::uint32_t vertices = 0;
};

class PageRankTicks {
 public:
  using Query = LabelQuery;
  using State = VertexState;

  PageRankTicks(const Ranking& ranking, const PageRankSettings& settings,
                const std::vector<double>* from)
      : ranking_(ranking), settings_(settings), from_(from) {}

  [[nodiscard]] Result<std::vector<LabelQuery>> part(std::uint32_t count, const State* now) const {
    (void)now;
    std::vector<LabelQuery> parts;
    for (std::uint32_t part = 0; part < count; ++part)
      parts.push_back({ranking_.labels.get(), PartId(part), 0});
    return parts;
  }
  Status create(const LabelQuery& query, State& state) const {
    const LabelledPart& part = ranking_.labels->part(query.part);
    for (std::uint32_t place = 0; place < query.count(); ++place) {
      state.values()[place] = from_ != nullptr ? (*from_)[part.vertices[place]]
                                               : 1.0 / static_cast<double>(ranking_.vertices);
    }
    return {};
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    const PartId part = context.held().part;
    const LabelledPart& here = ranking_.labels->part(part);
    const std::vector<double>& shares = ranking_.shares[part.index()];
    const double base = (1 - settings_.damping) / static_cast<double>(ranking_.vertices);
    for (std::uint32_t place = to_step.begin(); place < to_step.end(); ++place) {
      double sum = 0;
      for (std::uint64_t i = here.offsets[place]; i < here.offsets[place + 1]; ++i)
        sum += context.values()[here.sources[i]] * shares[here.sources[i]];
      result.values()[place] = base + settings_.damping * sum;
    }
  }
  [[nodiscard]] LabelQuery rd(const LabelQuery& query) const { return query.moved(-1); }
  [[nodiscard]] LabelQuery rx(const LabelQuery& query) const { return query.moved(1); }
  [[nodiscard]] LabelQuery wd(const LabelQuery& query) const { return query; }
  [[nodiscard]] LabelQuery wx(const LabelQuery& query) const { return query; }
  [[nodiscard]] bool disjoint(const LabelQuery& a, const LabelQuery& b) const {
    return a.disjoint(b);
  }
  /// By arcs read, as each costs the same: a vertex counts as one arc more.
  [[nodiscard]] Duration price(const State::Selection& to_step) const {
    return Duration(static_cast<std::int64_t>(to_step.size() * arcs_a_vertex() *
                                              settings_.arc_price_ps / 1000));
  }

 private:
  [[nodiscard]] std::uint64_t arcs_a_vertex() const {
    return 1 + ranking_.lists.targets.size() / std::max<std::uint64_t>(ranking_.vertices, 1);
  }

  const Ranking& ranking_;
  const PageRankSettings& settings_;
  const std::vector<double>* from_;
};

Result<Ranking> ranking_of(const Graph& graph, const PageRankSettings& settings,
                           std::uint32_t parts, Level halo) {
  Ranking ranking;
  ranking.vertices = graph.vertex_count();
  ranking.lists = reference::incoming(graph);
  PartitionOptions partition;
  partition.method = settings.method;
  partition.parts = parts;
  partition.balance = BalanceBy::Arcs;
  partition.seed = settings.seed;
  LEEWAY_ASSIGN(const Partition owners, partition_graph(graph, partition));
  ranking.labels = std::make_shared<const Labels>(
      InLists{ranking.lists.offsets, ranking.lists.targets}, owners.owner.span(), parts, halo);
  for (std::uint32_t part = 0; part < parts; ++part) {
    std::vector<double>& shares = ranking.shares.emplace_back();
    for (const std::uint32_t vertex : ranking.labels->part(PartId(part)).vertices) {
      const auto degree = static_cast<double>(graph.degree(VertexId(vertex)));
      shares.push_back(degree > 0 ? 1 / degree : 0);
    }
  }
  return ranking;
}

}  // namespace

Result<RankedGraph> run_page_ranks(const Graph& graph, const PageRankSettings& settings,
                                   const TickOptions& options, const ClusterOptions& cluster,
                                   const std::vector<double>* from, const PageRankEnds& ends) {
  if (graph.vertex_count() == 0) {
    return fail(input_error("pagerank", "the graph has no vertices", "give one that has"));
  }
  if (options.rebalance != 0) {
    return fail(
        input_error("--rebalance", "PageRank's load does not change as it runs", "leave it out"));
  }
  LEEWAY_ASSIGN(const TickPace pace, settled(options));
  LEEWAY_ASSIGN(const Ranking ranking,
                ranking_of(graph, settings, cluster.nodes, pace.replicas + 1));
  LEEWAY_ASSIGN(PageRankRun run,
                run_ticks(PageRankTicks(ranking, settings, from), options, cluster, ends));
  return RankedGraph{std::move(run), ranking.labels};
}

std::vector<double> scaled_ranks(std::span<const double> ranks) {
  const double sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
  std::vector<double> scaled(ranks.begin(), ranks.end());
  for (double& rank : scaled) rank /= sum;
  return scaled;
}

}  // namespace leeway
