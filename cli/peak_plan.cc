#include "cli/peak_plan.h"

#include <algorithm>

#include "app/engines.h"

namespace leeway::cli {

namespace {

// What follows from the code are the lists. The bytes for each vertex and copy, and those of a process, are measured:
// test/jobs/plan_test.py compares the predictions with runs.

constexpr double kProcess = 12.3e6;  // a command without a graph
constexpr double kMpi = 29e6;        // the same in a job over MPI

/// The vertex engines, for each vertex: metadata in the object memory, and arrays of the run.
constexpr double kVertexAlone = 26;
constexpr double kVertexHere = 40;
constexpr double kDegree = 12;    // more for programs that need degrees
constexpr double kOfValue = 2.5;  // values, results, and results in the graph's order
constexpr double kOfRecord = 2;   // records, and those of a node's own vertices
constexpr double kCopy = 150;     // for a copy of a remote vertex, at both ends
constexpr double kMet = 38;       // while the local graph is built, for each vertex that is met
constexpr double kOffer = 36;     // for each copy under a worklist, whose changes are on their way
constexpr double kFetched = 12;   // lcc: for each fetched entry of a list
constexpr double kMostFetched = 35e6;
constexpr double kCounted = 6;      // lcc: for each vertex that is met
constexpr double kCountedOwn = 30;  // lcc: more for a vertex of the part

/// PIE, for each vertex and copy; "ranked" for programs that pull.
constexpr double kFragmentVertex = 33;
constexpr double kWeightedVertex = 13;  // more for programs with weights
constexpr double kRankedVertex = 78;
constexpr double kKnown = 30;  // while the lists are brought, for each vertex in them
constexpr double kFragmentCopy = 55;
constexpr double kRankedCopy = 110;

struct PartCounts {
  double vertices = 0;
  double arcs = 0;
  double remote = 0;
  double cut_share = 0;
};

double lists(double rows, double arcs, bool weighted) {
  return 8 * rows + arcs * (weighted ? 12 : 4);
}

class PeakPlan {
 public:
  PeakPlan(const GraphCounts& graph, bool has_loops, const ProgramMemory& memory)
      : graph_(graph),
        has_loops_(has_loops),
        memory_(memory),
        needs_(memory.needs),
        stored_weights_(graph.weight_kind != WeightKind::None),
        weighted_(needs_.reads == Reads::BothMarked ? graph.directed
                                                    : needs_.weights && stored_weights_),
        reads_(needs_.reads != Reads::None),
        own_lists_(!graph.directed || needs_.reads == Reads::Out || !reads_),
        back_(reads_its_readers(graph.directed, needs_.reads)) {}

  [[nodiscard]] double vertex_alone(const PartCounts& all) const {
    double bytes = kProcess + stored(all) + all.vertices * kOfValue * values();
    const double run = all.vertices * (kVertexAlone + kOfRecord * records());
    if (memory_.counts_triangles) return bytes + std::max(triangles(all), run);
    bytes += run;
    if (needs_.degrees) bytes += all.vertices * kDegree;
    const bool copied = needs_.drop_loops && has_loops_;
    if (reads_ && needs_.inputs && (!own_lists_ || copied)) bytes += read(all.vertices, all);
    if (reads_ && needs_.readers && !back_ && needs_.reads != Reads::In)
      bytes += read(all.vertices, all);
    return bytes;
  }

  [[nodiscard]] double vertex_part(const PartCounts& part) const {
    if (memory_.counts_triangles) {
      return kMpi + stored(part) + triangles(part) + part.vertices * kCountedOwn +
             std::min(kMostFetched, kFetched * part.remote * mean_list(part));
    }
    const double remote = reads_ ? part.remote : 0;
    const double met = part.vertices + remote;
    double held = records() * part.vertices;
    if (reads_ && needs_.inputs) held += read(part.vertices, part);
    if (reads_ && needs_.readers)
      held +=
          needs_.inputs && back_ ? 8 * remote + part.cut_share * entries(part) : read(met, part);
    const double source = own_lists_ ? stored(part) : read(part.vertices, part);
    const double build = source + held + kMet * met;
    double run = held + kVertexHere * part.vertices + kCopy * remote +
                 values() * (part.vertices + 2 * remote);
    if (!needs_.inputs) run += kOffer * remote;
    // Both ends of each crossing arc, and the lists made of them.
    const double reversal =
        own_lists_ ? 0
                   : stored(part) + part.arcs * (weighted_ ? 17 : 9) + read(part.vertices, part);
    return kMpi + std::max({build, run, reversal});
  }

  [[nodiscard]] double fragment_alone(const PartCounts& all) const {
    double bytes = kProcess + stored(all) +
                   all.vertices * (fragment_vertex() + (weighted_ ? kWeightedVertex : 0));
    if (!own_lists_) bytes += read(all.vertices, all);
    if (needs_.readers && graph_.directed) bytes += lists(all.vertices, all.arcs, false);
    return bytes;
  }

  [[nodiscard]] double fragment_part(const PartCounts& part) const {
    const double met = part.vertices + part.remote;
    const double known = read(met, part);
    const double back = needs_.readers ? lists(met, part.arcs, false) : 0;
    const double copy = needs_.readers ? kRankedCopy : kFragmentCopy;
    const double cut = known + read(part.vertices, part) + back + copy * part.remote +
                       kFragmentVertex * part.vertices;
    const double brought = stored(part) + known + kKnown * met;
    return kMpi + std::max(cut, brought);
  }

 private:
  [[nodiscard]] double values() const { return static_cast<double>(memory_.value_bytes); }
  [[nodiscard]] double records() const { return static_cast<double>(memory_.record_bytes); }
  [[nodiscard]] double stored(const PartCounts& part) const {
    return lists(part.vertices, part.arcs, stored_weights_);
  }
  /// Bytes of the entries of the lists that the program reads, and of the lists.
  [[nodiscard]] double entries(const PartCounts& part) const {
    const bool twice = graph_.directed && reads_both(needs_.reads);
    return lists(0, part.arcs * (twice ? 2 : 1), weighted_);
  }
  [[nodiscard]] double read(double rows, const PartCounts& part) const {
    return lists(rows, 0, false) + entries(part);
  }
  [[nodiscard]] static double mean_list(const PartCounts& part) {
    return part.arcs / 2 / std::max(1.0, part.vertices);
  }
  /// Each pair is listed at one of its ends.
  [[nodiscard]] double triangles(const PartCounts& part) const {
    return lists(part.vertices, part.arcs / 2, false) + kCounted * (part.vertices + part.remote) +
           records() * part.vertices;
  }
  [[nodiscard]] double fragment_vertex() const {
    return needs_.readers ? kRankedVertex : kFragmentVertex;
  }

  const GraphCounts& graph_;
  const bool has_loops_;
  const ProgramMemory& memory_;
  const LocalNeeds& needs_;
  const bool stored_weights_;
  const bool weighted_;
  const bool reads_;
  const bool own_lists_;  // the lists that it reads are those of the graph
  const bool back_;       // each vertex's readers are the vertices that it reads
};

/// Calls `body(program, run, name of the engine)` for each program on each engine, one engine after the other.
template <class Body>
void each_run(Body&& body) {
  for (const app::EngineInfo& engine : app::engines()) {
    for (const Program& program : all_programs())
      if (const EngineRun* const run = program.on(engine.engine)) body(program, *run, engine.name);
  }
}

std::uint64_t whole_number(double bytes) { return static_cast<std::uint64_t>(bytes); }

}  // namespace

std::vector<PlannedPeak> plan_peaks(const PlannedGraph& graph) {
  const GraphCounts& counts = graph.counts;
  const PartCounts all{.vertices = static_cast<double>(counts.vertices),
                       .arcs = static_cast<double>(counts.arcs)};
  const auto over_parts = [&](const auto& peak_of) {
    double most = 0;
    for (const NodeEstimate& node : graph.estimate.nodes)
      most = std::max(most, peak_of(PartCounts{
                                static_cast<double>(node.vertices), static_cast<double>(node.arcs),
                                static_cast<double>(node.remote_neighbors), graph.cut_share}));
    return graph.estimate.nodes.size() > 1 ? whole_number(most) : 0;
  };
  std::vector<PlannedPeak> peaks;
  each_run([&](const Program& program, const EngineRun& run, std::string_view engine) {
    if (run.memory == nullptr || (program.symmetric && counts.directed)) return;
    const ProgramMemory memory = run.memory();
    const PeakPlan plan(counts, graph.has_loops, memory);
    const bool by_vertex = run.engine == EngineName::Vertex;
    peaks.push_back({engine, program.name,
                     whole_number(by_vertex ? plan.vertex_alone(all) : plan.fragment_alone(all)),
                     over_parts([&](const PartCounts& part) {
                       return by_vertex ? plan.vertex_part(part) : plan.fragment_part(part);
                     })});
  });
  const auto graph_bytes = static_cast<double>(graph.estimate.graph_bytes);
  const double reversed = counts.directed ? lists(all.vertices, all.arcs, false) : 0;
  each_run([&](const Program& program, const EngineRun& run, std::string_view engine) {
    if (run.whole.arc == 0) return;
    const double more =
        graph_bytes + reversed + run.whole.arc * all.arcs + run.whole.vertex * all.vertices;
    const double dividing = graph_bytes + static_cast<double>(graph.estimate.partition_bytes);
    const bool several = graph.estimate.nodes.size() > 1;
    peaks.push_back({engine, program.name, whole_number(kProcess + more),
                     several ? whole_number(kMpi + std::max(more, dividing)) : 0});
  });
  return peaks;
}

}  // namespace leeway::cli
