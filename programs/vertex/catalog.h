// How a program of a catalog is run, whichever engine on vertices runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "datasets/build_graph.h"
#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/result.h"
#include "runtime/graph/graph_part.h"
#include "runtime/pie/fragment.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

struct ProgramOptions : RunOptions {
  pie::FragmentOptions fragments;  ///< of the pie engine, as the next
  pie::PredictorOptions prediction;
};

// The shipped vertex programs by name: what each needs of its input, how it is run, and how its result is
// checked and shown. What `leeway run` and `leeway programs` read.

/// Input of heat and wave, by vertex. Empty: the default of the program.
struct CellValues {
  std::vector<double> right_side;
  std::vector<double> start;
  std::vector<double> fixed;  ///< cells that keep this value; NaN for those that do not
};

struct ProgramSettings {
  VertexId source{0};
  bool source_said = false;  ///< else it is the first vertex
  double damping = 0.85;
  std::optional<double> tolerance;  ///< the program's own when absent
  bool ldbc = false;                ///< LDBC Graphalytics' semantics and output
  double rate = 0.02;               ///< of descent
  double regulariser = 0.05;        ///< lambda
  CellValues cells;
};

/// How values are written.
enum class Shown {
  Real,
  Distance,  ///< real, or infinity
  Count,
  Depth,   ///< a count, or "unreachable"
  Paths,   ///< a count, or "more than 9223372036854775807"
  Vertex,  ///< the name of a vertex
};

struct ProgramValues {
  std::variant<std::vector<double>, std::vector<std::uint64_t>> by_vertex;
  Shown shown = Shown::Count;
  /// Vectors instead, of so many numbers each, one after the other.
  std::uint32_t row = 0;
  std::vector<float> rows;
};

struct ProgramRun {
  ProgramValues values;
  RunRecord record;
  /// Figures of its own that a report shows, such as errors, by name.
  std::vector<std::pair<std::string, double>> figures;
};

struct ProgramInfo {
  std::string_view name;
  std::string_view engine = "vertex";
  std::string_view summary;
  std::string_view result;  ///< what a line of output says
  bool source = false;      ///< follows paths from one vertex
  bool symmetric = false;   ///< asks for a graph whose arcs go both ways (not with --ldbc)
  bool exact = false;       ///< the same result, bit for bit, under every scheduler
  bool selects = false;     ///< can be run by worklist, best first
  std::uint32_t patience = kPatience;  ///< default of EngineOptions::patience
  /// Refuses, before any work, input that the program cannot answer for; null: none.
  Status (*admit)(const Graph& graph, const ProgramSettings& settings) = nullptr;
  Result<ProgramRun> (*run)(const Graph& graph, const ProgramSettings& settings,
                            const ProgramOptions& options) = nullptr;
  /// The same over processes that each hold a part of the graph, and results of their own range: the program needs
  /// no more of the graph than its vertices' neighbours. Null: it does.
  Result<ProgramRun> (*run_part)(GraphPart& part, const ProgramSettings& settings,
                                 const ProgramOptions& options) = nullptr;
  /// What the check found in words; an error if the result is wrong.
  Result<std::string> (*verify)(const Graph& graph, const ProgramSettings& settings,
                                const ProgramOptions& options,
                                const ProgramValues& values) = nullptr;
};

[[nodiscard]] std::span<const ProgramInfo> vertex_programs();
[[nodiscard]] const ProgramInfo* find_vertex_program(std::string_view name);

/// Everything that can be refused before any work starts: the program's own needs, and schedulers, orders
/// and visits that do not fit it.
Status admit(const ProgramInfo& program, const Graph& graph, const ProgramSettings& settings,
             const ProgramOptions& options);

/// The same where each process holds a part. Collective.
Status admit_part(const ProgramInfo& program, const GraphPart& part,
                  const ProgramSettings& settings, const ProgramOptions& options);

/// One value as a line of output shows it.
[[nodiscard]] std::string shown_value(const ProgramValues& values, VertexId vertex,
                                      const VertexNames& names, bool ldbc);

// What a program's input must be, checked before any work starts; every refusal comes with a remedy.
struct ProgramSettings;

/// The source is a vertex of the graph.
Status admit_source(const GraphTotals& graph, const ProgramSettings& settings);
Status admit_source(const Graph& graph, const ProgramSettings& settings);
/// And every weight is a number of at least 0.
Status admit_sssp(const Graph& graph, const ProgramSettings& settings);
/// No arc of a part is negative.
Status admit_weights(const GraphPart& part);
/// The equation has a diagonal. Whether it settles, the run itself finds out.
Status admit_diffusion(const Graph& graph, const ProgramSettings& settings);

// The shipped programs, each set up from a graph and settings and run as a job. One signature for all, so
// that the catalog can list them.

/// Runs the program that `make` makes of the graph; making it is a part of setting up.
template <class Make>
auto run_made(const JobGraph& graph, const Make& make, const ProgramOptions& options) {
  const SteadyClock clock;
  const Instant started = clock.now();
  const auto program = make();
  const double making = seconds(clock.now() - started);
  auto result = run_job(graph, program, options);
  if (result) result->record.phases.setup += making;
  return result;
}

// On a whole graph, or on this process's part of one:

Result<ProgramRun> run_pagerank(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_sssp(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_bfs(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_paths(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_shortest_path_counts(const JobGraph&, const ProgramSettings&,
                                            const ProgramOptions&);
Result<ProgramRun> run_cc(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_cdlp(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_coloring(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_degree(const JobGraph&, const ProgramSettings&, const ProgramOptions&);

// On a whole graph:

Result<ProgramRun> run_heat(const Graph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_wave(const Graph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_lcc(const Graph&, const ProgramSettings&, const ProgramOptions&);

// Results held against the sequential oracles of programs/reference, which share no code with the engines.
// The text says what was found; an error says where the result is wrong, which is a bug of ours.
using Verified = Result<std::string>;

Verified verify_pagerank(const Graph&, const ProgramSettings&, const ProgramOptions&,
                         const ProgramValues&);
Verified verify_sssp(const Graph&, const ProgramSettings&, const ProgramOptions&,
                     const ProgramValues&);
Verified verify_bfs(const Graph&, const ProgramSettings&, const ProgramOptions&,
                    const ProgramValues&);
Verified verify_paths(const Graph&, const ProgramSettings&, const ProgramOptions&,
                      const ProgramValues&);
Verified verify_shortest_path_counts(const Graph&, const ProgramSettings&, const ProgramOptions&,
                                     const ProgramValues&);
Verified verify_cc(const Graph&, const ProgramSettings&, const ProgramOptions&,
                   const ProgramValues&);
Verified verify_cdlp(const Graph&, const ProgramSettings&, const ProgramOptions&,
                     const ProgramValues&);
Verified verify_coloring(const Graph&, const ProgramSettings&, const ProgramOptions&,
                         const ProgramValues&);
Verified verify_diffusion(const Graph&, const ProgramSettings&, const ProgramOptions&,
                          const ProgramValues&);
Verified verify_lcc(const Graph&, const ProgramSettings&, const ProgramOptions&,
                    const ProgramValues&);
Verified verify_degree(const Graph&, const ProgramSettings&, const ProgramOptions&,
                       const ProgramValues&);

}  // namespace leeway
