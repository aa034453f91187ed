// A graph divided and labelled for PageRank in ticks: by how many parts and by which seed, each division made
// once and kept for as long as this is. Shared by every node of a process; thread-safe but for `start`.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/tick.h"
#include "programs/reference/kernels.h"
#include "programs/vertex/pagerank.h"
#include "runtime/cluster/record.h"
#include "runtime/tick/property_check.h"
#include "runtime/tick/vertex_state.h"

namespace leeway::tick {

/// What a division is made from.
struct DivisionKey {
  std::uint32_t parts = 1;
  std::uint64_t seed = 1;
  friend bool operator==(const DivisionKey&, const DivisionKey&) = default;
};

class RankedParts {
 public:
  /// HaloLevels go down to -halo. The graph outlives this; how many parts and by which seed, a key says.
  RankedParts(const Graph& graph, const PartitionOptions& how, Level halo);

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(shares_.size());
  }
  /// The vertices that each vertex reads.
  [[nodiscard]] const reference::Lists& lists() const { return lists_; }
  /// 1 / out-degree of each vertex; 0 for one without arcs. HaloLevels have it as their weights.
  [[nodiscard]] std::span<const double> shares() const { return shares_; }

  /// Before there are nodes: the division that a run on this cluster starts from. Where nodes are processes it
  /// is made by one for all, and so are those that follow it: `pack_division` carries them.
  Result<const HaloLevels*> start(const ClusterOptions& cluster, const DivisionKey& key);
  /// An error where the graph cannot be divided so.
  Result<const HaloLevels*> divided(const DivisionKey& key) const;
  /// The division that `labels` is of, which `divided` gave.
  [[nodiscard]] DivisionKey key_of(const HaloLevels* labels) const;
  /// Another division if its busiest part has less to do than that of `labels`, else the same again.
  Result<const HaloLevels*> evener(const HaloLevels* labels, std::uint64_t seed) const;
  /// A division for another node of the run.
  void pack_division(const HaloLevels* labels, ByteWriter& out) const;
  Result<const HaloLevels*> unpack_division(ByteReader& in) const;

 private:
  struct CachedDivision {
    DivisionKey key;
    std::uint64_t most = 0;  // arcs read and vertices of the busiest part
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
  bool apart_ = false;  // other nodes have divisions of their own
  mutable std::mutex mutex_;
  mutable std::vector<CachedDivision> divisions_;
};

// PageRank as a tick program (Appendix B.2): tuples are vertices, queries parts and labels. A tick is one
// iteration without the rank of vertices that have no arcs; the result, scaled to a sum of 1, has it spread
// evenly, for both rank alike in the end.
struct PageRankSettings {
  PageRankOptions what;  ///< ticks are counted, so a tolerance is refused
  PartitionOptions partition{.balance = BalanceBy::Arcs};  ///< but for the number of parts
  std::uint64_t arc_price_ps = 5'000;  ///< of one arc's tick in a virtual cluster, picoseconds
};

using PageRankRun = TickRun<VertexState>;
using PageRankEnds = TickEnds<VertexState>;

struct RankedGraph {
  PageRankRun run;                           ///< its state is in the graph's order
  std::shared_ptr<const HaloLevels> labels;  ///< of the last division, which the state speaks of
};

/// Ticks of it on every node; ranks are not scaled. Starts from `from` at `ends.first`, or from even ranks; a
/// checkpoint's ranks are VertexState::whole of its bytes.
[[nodiscard]] Result<RankedGraph> run_page_ranks(const Graph& graph,
                                                 const PageRankSettings& settings,
                                                 const TickOptions& options,
                                                 const ClusterOptions& cluster,
                                                 const std::vector<double>* from = nullptr,
                                                 const PageRankEnds& ends = {});

/// Tries the eight functions on this graph (see property_check.h).
[[nodiscard]] Result<std::optional<Counterexample>> find_rank_counterexample(
    const Graph& graph, const PageRankSettings& settings, const PropertySamples& samples = {});

/// Scaled so that they sum to 1.
[[nodiscard]] std::vector<double> scaled_ranks(std::span<const double> ranks);

// PageRank's eight functions (Appendix B.2): tuples are vertices, queries a part and a least label, so R_D and R_X
// move by one label; vertices stay where they are, so W_D and W_X are the identity. Immutable but for the
// divisions it looks up.
class PageRankTicks {
 public:
  using Query = LabelQuery;
  using State = VertexState;

  /// Starts from `from`, a rank a vertex, or from even ranks if it is null.
  PageRankTicks(const RankedParts& parts, const PageRankSettings& settings,
                const std::vector<double>* from)
      : parts_(parts), settings_(settings), from_(from) {}

  /// Of a state under way: a new division, seeded by it, if that is more even than the present one.
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
  /// By arcs read, as each costs the same: a vertex counts as one arc more.
  [[nodiscard]] Duration price(const State::Selection& to_step) const;

  /// Queries as what their division is made from: labels lie in one process.
  void pack(std::span<const LabelQuery> parts, ByteWriter& out) const;
  [[nodiscard]] Result<std::vector<LabelQuery>> unpack(ByteReader& in) const;

 private:
  void step_whole(std::span<const std::uint32_t> vertices, const State& context,
                  State& result) const;
  [[nodiscard]] double base() const {
    return (1 - settings_.what.damping) / static_cast<double>(parts_.vertices());
  }

  const RankedParts& parts_;
  const PageRankSettings& settings_;
  const std::vector<double>* from_;
};

}  // namespace leeway::tick
