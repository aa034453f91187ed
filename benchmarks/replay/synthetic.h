// The synthetic benchmark of ASPIRE §6.3, run in the virtual cluster, and the parts it needs: a transport that delays
// answers to fetches, and a graph distributed over the nodes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/study.h"
#include "datasets/graph.h"
#include "protocol/ids.h"
#include "transport/cluster_model.h"
#include "transport/transport.h"

namespace leeway::replay {

/// A transport that delays answers to Read messages, and nothing else, at the node that requested them; the parameter
/// of ASPIRE's Figure 15. Works over any transport; the first byte of a frame is its kind.
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
  std::deque<DelayedFrame> held_;  // equal delays: in order of arrival
};

// A graph distributed over the nodes of a cluster: every vertex is an object of its part's home, numbered there in
// the order of the graph, and neighbours are object ids. Immutable.

/// The objects of one node.
struct NodeObjects {
  std::vector<std::uint64_t> offsets;  ///< one more than vertices
  std::vector<ObjectId> targets;
  std::uint32_t remote_objects = 0;  ///< distinct remote neighbours

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
  std::vector<NodeObjects> parts;
};

/// Divides the graph by METIS, with one part per node.
Result<LaidGraph> lay_out(const Graph& graph, std::string name, std::uint32_t nodes,
                          std::uint64_t seed);

/// The default graph of the figures: a social graph of the folder LEEWAY_DATA, else a generated stand-in.
struct DefaultGraph {
  std::string source;  ///< path or spec
  bool stand_in = false;
};
[[nodiscard]] DefaultGraph default_graph();

// The benchmark: every node sweeps over its vertices as DO-WORK does (Algorithm 1), fetches each vertex and its
// neighbours one by one, computes and stores, for a fixed number of iterations. Results are virtual seconds and
// counts; equal plans give identical results.

/// The available object sizes: a double, with and without padding.
inline constexpr std::array<std::uint32_t, 4> kObjectBytes = {8, 64, 512, 4096};

struct SyntheticParameters {
  std::string mode = "rcp";
  std::uint32_t writes = 1;  ///< per vertex and iteration
  /// False: a vertex's writes follow one another, each after its share of the neighbours' fetches. True: an iteration
  /// has one pass over all vertices per write, so that the writes of a vertex are as far apart as possible.
  bool spread_writes = false;
  std::uint32_t object_bytes = 8;  ///< one of kObjectBytes
  std::uint32_t iterations = 2;
  bool barrier = true;     ///< after each iteration, as in Algorithm 1
  Duration fetch_delay{};  ///< added to answers to Reads only
  bool warm = false;       ///< fill caches before the clock starts
  NetworkProfile network;
  CostModel cost;
  std::uint64_t seed = 1;
};

struct SyntheticResult {
  double seconds = 0;  ///< virtual, from the first sweep to the last acknowledged store
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocked_fetches = 0;
  std::uint64_t current_hits = 0;  ///< this and the following: uses of remote objects
  std::uint64_t stale_hits = 0;
  std::uint64_t misses = 0;
  /// [s]: number of copies that were s versions old at their stalest use.
  std::vector<std::uint64_t> copies_by_staleness;
};

/// Returns an error for an unknown mode, or if the cluster did not finish.
Result<SyntheticResult> run_synthetic(const LaidGraph& graph,
                                      const SyntheticParameters& parameters);

[[nodiscard]] std::vector<RawCell> raw_cells(const SyntheticResult& result);

class Laboratory;

/// Runs of Figures 12 and 13, which share them; by index in kWrites.
struct MultipleWrites {
  std::vector<const SyntheticResult*> scp, scp_pb, rcp;
};
inline constexpr std::array<std::uint32_t, 4> kWrites = {1, 2, 3, 4};

/// ASPIRE's synthetic program on one graph, for Figures 12 to 15. The laboratory's study keeps the runs. Not
/// thread-safe.
class SyntheticBench {
 public:
  /// Distributes the graph.
  static Result<SyntheticBench> on(const Graph& graph, const DefaultGraph& source, Laboratory& lab);

  /// Parameters with the laboratory's settings. Caches are warm, so that a short run represents a long one.
  [[nodiscard]] SyntheticParameters parameters(std::string mode,
                                               std::uint32_t usual_iterations = 2) const;
  Result<const SyntheticResult*> run(const SyntheticParameters& parameters);
  /// `spread`: SyntheticParameters::spread_writes.
  Result<MultipleWrites> multiple_writes(bool spread = false);
  /// A figure with its configuration and notes, and no rows; the study's runs of the figure begin here.
  [[nodiscard]] Figure blank(const SyntheticParameters& parameters) const;

 private:
  SyntheticBench(LaidGraph graph, bool stand_in, Laboratory& lab)
      : graph_(std::move(graph)), stand_in_(stand_in), lab_(&lab) {}

  LaidGraph graph_;
  bool stand_in_;  // the graph is generated instead of real
  Laboratory* lab_;
};

[[nodiscard]] std::vector<double> seconds_of(std::span<const SyntheticResult* const> results);

}  // namespace leeway::replay
