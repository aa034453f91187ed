// A transport whose fetches take longer, and nothing else: frames that answer a Read are held back at
// the node that asked for so long after they arrived. What Figure 15 of ASPIRE varies. Works over any
// transport; the frame's first byte tells what it is.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/replay/figure.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "protocol/ids.h"
#include "transport/network_profile.h"
#include "transport/transport.h"

namespace leeway::replay {

class DelayedFetches final : public ForwardingTransport {
 public:
  DelayedFetches(Transport& inner, Duration delay) : ForwardingTransport(inner), delay_(delay) {}

  std::size_t poll(FrameSink& sink, std::size_t most) override;
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override;

 private:
  class Sorter;
  struct DelayedFrame {
    Instant due{};
    NodeId from{0};
    Frame frame;
  };

  Duration delay_;
  std::deque<DelayedFrame> held_;  // the same delay for all: due in the order they came
};

// A graph dealt out to the nodes of a cluster: every vertex an object of its part's home, numbered there
// in the order of the graph; every neighbour named by its object. Immutable once made.

/// What one node computes on.
struct LaidPart {
  std::vector<std::uint64_t> offsets;  ///< one more than vertices
  std::vector<ObjectId> targets;
  std::uint32_t remote_objects = 0;  ///< different neighbours that live elsewhere

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(offsets.size() - 1);
  }
  [[nodiscard]] std::span<const ObjectId> neighbors(std::uint32_t vertex) const {
    return std::span(targets).subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

struct LaidGraph {
  std::string name;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t cut_arcs = 0;
  std::vector<LaidPart> parts;
};

/// Divides by METIS, one part a node.
Result<LaidGraph> lay_out(const Graph& graph, std::string name, std::uint32_t nodes,
                          std::uint64_t seed);

/// The graph the figures use unless told otherwise: a social graph of the folder that LEEWAY_DATA names,
/// else a generated stand-in.
struct DefaultGraph {
  std::string source;  ///< a path or a spec
  bool stand_in = false;
};
[[nodiscard]] DefaultGraph default_graph();

// The synthetic benchmark of ASPIRE §6.3, run in the virtual cluster: every node sweeps over its vertices
// as DO-WORK does (Algorithm 1), fetches each vertex and its neighbours one after the other, computes and
// stores, for a number of iterations fixed beforehand. Plan in, virtual seconds and counts out; the same
// plan gives the same result, to the byte.

/// The sizes an object may have: a double, and a double with a bloat.
inline constexpr std::array<std::uint32_t, 4> kObjectBytes = {8, 64, 512, 4096};

struct SyntheticPlan {
  std::string mode = "rcp";
  std::uint32_t writes = 1;  ///< of each vertex in each iteration
  /// Off: a vertex's writes follow each other, each after its share of the neighbours' fetches. On: the
  /// iteration has a pass over all vertices for each write, so they lie as far apart as they can.
  bool spread_writes = false;
  std::uint32_t object_bytes = 8;  ///< one of kObjectBytes
  std::uint32_t iterations = 2;
  bool barrier = true;     ///< after each iteration, as in Algorithm 1
  Duration fetch_delay{};  ///< added to every answer to a Read, and to nothing else
  bool warm = false;       ///< caches are filled before the clock starts
  NetworkProfile network;
  CostModel cost;
  std::uint64_t seed = 1;
};

struct SyntheticResult {
  double seconds = 0;  ///< virtual, from the first sweep to the last store known everywhere
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocked_fetches = 0;
  std::uint64_t current_hits = 0;  ///< of remote objects, like all that follow
  std::uint64_t stale_hits = 0;
  std::uint64_t misses = 0;
  /// [s]: copies whose value was, at its stalest use, s versions old.
  std::vector<std::uint64_t> copies_by_staleness;
};

/// An Error if a mode has no such name or the cluster did not finish.
Result<SyntheticResult> run_synthetic(const LaidGraph& graph, const SyntheticPlan& plan);

// ASPIRE's synthetic program on one graph, as Figures 12 to 15 run it, and what one of them measured that another needs
// too. One thread's own.
class Laboratory;

/// Runs of Figures 12 and 13, which show the same measurement twice; by place in kWrites.
struct MultipleWrites {
  std::vector<SyntheticResult> scp, scp_pb, rcp;
};
inline constexpr std::array<std::uint32_t, 4> kWrites = {1, 2, 3, 4};

class SyntheticBench {
 public:
  /// Deals the graph out.
  static Result<SyntheticBench> on(const Graph& graph, const DefaultGraph& source,
                                   const Laboratory& lab);

  /// A plan with everything the laboratory decides; of a short run that stands for a long one, so its caches
  /// are warm.
  [[nodiscard]] SyntheticPlan plan(std::string mode, std::uint32_t usual_iterations = 2) const;
  Result<SyntheticResult> run(const SyntheticPlan& plan);
  /// Measured once each. `spread`: SyntheticPlan::spread_writes.
  Result<const MultipleWrites*> multiple_writes(bool spread = false);
  /// A figure with its configuration and notes, otherwise empty.
  [[nodiscard]] Figure blank(const SyntheticPlan& plan) const;

 private:
  SyntheticBench(LaidGraph graph, bool stand_in, const Laboratory& lab)
      : graph_(std::move(graph)), stand_in_(stand_in), lab_(&lab) {}

  LaidGraph graph_;
  bool stand_in_;  // the graph is generated for want of a real one
  const Laboratory* lab_;
  std::optional<MultipleWrites> multiple_writes_[2];  // together, spread
};

/// A run's columns in the raw numbers, after `first`, and their values.
[[nodiscard]] std::vector<Column> raw_columns(std::vector<Column> first = {});
[[nodiscard]] std::vector<FigureCell> raw_cells(const SyntheticPlan& plan,
                                                const SyntheticResult& result,
                                                std::vector<FigureCell> first = {});
[[nodiscard]] std::vector<double> seconds_of(std::span<const SyntheticResult> results);

}  // namespace leeway::replay
