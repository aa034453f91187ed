// PageRank as a tick program (Tick, Appendix B.2), and the divisions and halo labels of its graph. Tuples are
// vertices; a query is a part and a minimum label.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "leeway/tick.h"
#include "programs/pagerank/vertex.h"
#include "programs/reference/kernels.h"
#include "runtime/cluster/record.h"
#include "runtime/tick/property_check.h"
#include "runtime/tick/vertex_state.h"

namespace leeway::tick {

/// The parameters that determine a division.
struct DivisionKey {
  std::uint32_t parts = 1;
  std::uint64_t seed = 1;
  friend bool operator==(const DivisionKey&, const DivisionKey&) = default;
};

/// The divisions of a graph with their labels, each computed once and kept until destruction. Shared by all nodes of
/// a process; thread-safe, except `start`.
class RankedParts {
 public:
  /// Labels go down to -halo. The graph must outlive this object; number of parts and seed are given by a key.
  RankedParts(const Graph& graph, const PartitionOptions& how, Level halo);

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(shares_.size());
  }
  /// For each vertex, the vertices that it reads.
  [[nodiscard]] const reference::Lists& lists() const { return lists_; }
  /// 1 / out-degree of each vertex; 0 for vertices without arcs. The weights of HaloLevels.
  [[nodiscard]] std::span<const double> shares() const { return shares_; }

  /// Computes the initial division; call before the nodes start. In a job, one process computes this and all later
  /// divisions, and `pack_division` sends them to the others.
  Result<const HaloLevels*> start(const ClusterOptions& cluster, const DivisionKey& key);
  /// Returns an error if the graph cannot be divided.
  Result<const HaloLevels*> divided(const DivisionKey& key) const;
  /// The key of the division of `labels`, which `divided` returned.
  [[nodiscard]] DivisionKey key_of(const HaloLevels* labels) const;
  /// A new division, if its busiest part has less work than that of `labels`; else `labels`.
  Result<const HaloLevels*> evener(const HaloLevels* labels, std::uint64_t seed) const;
  /// Packs a division for another node.
  void pack_division(const HaloLevels* labels, ByteWriter& out) const;
  Result<const HaloLevels*> unpack_division(ByteReader& in) const;

 private:
  struct CachedDivision {
    DivisionKey key;
    std::uint64_t most = 0;  // work of the busiest part: arcs read plus vertices
    std::unique_ptr<const HaloLevels> labels;
  };

  [[nodiscard]] PartitionOptions options_of(const DivisionKey& key) const;
  [[nodiscard]] const HaloLevels* known(const DivisionKey& key) const;
  [[nodiscard]] std::uint64_t most_of(const Partition& partition) const;
  const HaloLevels* keep(const DivisionKey& key, const Partition& partition) const;

  const Graph& graph_;
  PartitionOptions how_;
  Level halo_;
  reference::Lists lists_;
  std::vector<double> shares_;
  bool apart_ = false;  // other nodes do not share these divisions
  mutable std::mutex mutex_;
  mutable std::vector<CachedDivision> divisions_;
};

/// A tick is one iteration that drops the rank of vertices without arcs. Spreading it evenly scales all ranks equally
/// in the limit, so scaling the result to a sum of 1 gives the textbook's ranks.
struct RankTicksJob {
  PageRankParameters what;  ///< the number of ticks is fixed, so a tolerance is refused
  PartitionOptions partition = equal_arcs();  ///< except the number of parts
  std::uint64_t arc_price_ps = 5'000;         ///< virtual compute time of one arc's tick
};

using PageRankResult = TickResult<VertexState>;
using PageRankEnds = TickEnds<VertexState>;

struct RankedGraph {
  PageRankResult run;                        ///< the state is in the graph's order
  std::shared_ptr<const HaloLevels> labels;  ///< of the last division; the state refers to it
};

/// Runs the ticks on all nodes; ranks are not scaled. Starts from `from` at tick `ends.first`, or from uniform ranks.
/// The ranks of a checkpoint are VertexState::whole of its bytes.
[[nodiscard]] Result<RankedGraph> run_page_ranks(const Graph& graph, const RankTicksJob& job,
                                                 const TickOptions& options,
                                                 const ClusterOptions& cluster,
                                                 const std::vector<double>* from = nullptr,
                                                 const PageRankEnds& ends = {});

/// Checks the properties of the eight functions on this graph (property_check.h).
[[nodiscard]] Result<std::optional<Counterexample>> find_rank_counterexample(
    const Graph& graph, const RankTicksJob& job, const PropertySamples& samples = {});

/// The ranks scaled to a sum of 1.
[[nodiscard]] std::vector<double> scaled_ranks(std::span<const double> ranks);

/// The eight functions of PageRank (Tick, Appendix B.2). R_D and R_X change the minimum label by one; vertices do not
/// move, so W_D and W_X are the identity. Immutable, except for the cached divisions.
class PageRankTicks {
 public:
  using Query = LabelQuery;
  using State = VertexState;

  /// Starts from `from`, one rank per vertex; null: uniform ranks.
  PageRankTicks(const RankedParts& parts, const RankTicksJob& job, const std::vector<double>* from)
      : parts_(parts), job_(job), from_(from) {}

  /// The queries of `count` parts. With a current state: a new division, seeded by that state, if it is more even
  /// than the present one.
  [[nodiscard]] Result<std::vector<LabelQuery>> part(std::uint32_t count, const State* now) const;
  Status create(const LabelQuery& query, State& state) const;
  void step(const State::Selection& to_step, const State& context, State& result) const;
  [[nodiscard]] LabelQuery rd(const LabelQuery& query) const { return query.moved(-1); }
  [[nodiscard]] LabelQuery rx(const LabelQuery& query) const { return query.moved(1); }
  [[nodiscard]] LabelQuery wd(const LabelQuery& query) const { return query; }
  [[nodiscard]] LabelQuery wx(const LabelQuery& query) const { return query; }
  [[nodiscard]] bool disjoint(const LabelQuery& a, const LabelQuery& b) const {
    return a.disjoint(b);
  }
  [[nodiscard]] Residual moved(const State::Selection& own, const State& before,
                               const State& after) const;
  /// Proportional to arcs read plus vertices.
  [[nodiscard]] Duration price(const State::Selection& to_step) const;

  /// Sends queries as the key of their division, because labels are local to a process.
  void pack(std::span<const LabelQuery> parts, ByteWriter& out) const;
  [[nodiscard]] Result<std::vector<LabelQuery>> unpack(ByteReader& in) const;

 private:
  void step_whole(std::span<const std::uint32_t> vertices, const State& context,
                  State& result) const;
  [[nodiscard]] double base() const {
    return (1 - job_.what.damping) / static_cast<double>(parts_.vertices());
  }

  const RankedParts& parts_;
  const RankTicksJob& job_;
  const std::vector<double>* from_;
};

}  // namespace leeway::tick
