// Catalog of the shipped vertex programs: what each requires of its input, how it is run, and how its result is
// verified and printed. Read by `leeway run` and `leeway programs`. The pie catalog uses the same types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "leeway/job.h"
#include "leeway/options.h"
#include "programs/vertex/pagerank.h"
#include "runtime/graph/graph_part.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

/// Input of heat and wave, by vertex. Empty: the program's default.
struct CellValues {
  std::vector<double> right_side;
  std::vector<double> start;
  std::vector<double> fixed;  ///< values of fixed cells; NaN: not fixed
};

struct ProgramParameters {
  VertexId source{0};
  bool source_given = false;  ///< false: it is the default
  double damping = 0.85;
  std::optional<double> tolerance;             ///< default: the program's
  RankChange tolerance_of = RankChange::Auto;  ///< pagerank
  bool rescale = true;                         ///< pagerank
  Precision precision = Precision::Double;     ///< pagerank
  bool ldbc = false;                           ///< LDBC Graphalytics' semantics and output
  double rate = 0.02;                          ///< learning rate
  double regulariser = 0.05;                   ///< lambda
  CellValues cells;

  [[nodiscard]] PageRankParameters pagerank() const {
    return {.damping = damping,
            .tolerance = tolerance,
            .tolerance_of = tolerance_of,
            .rescale = rescale};
  }
};

/// What LDBC Graphalytics defines of a program.
enum class Ldbc : std::uint8_t {
  Nothing,
  Values,
  Rounds,  ///< the values after a number of synchronous rounds
};

/// A single-thread program for the same problem (--cost).
struct Baseline {
  std::string_view method;
  /// Runs it and returns its time in seconds, without its set-up.
  double (*time)(const Graph& graph, const ProgramParameters& parameters,
                 std::uint32_t iterations) = nullptr;
};

/// Format of printed values.
enum class Shown {
  Real,
  Distance,  ///< real, or infinity
  Count,
  Depth,   ///< a count, or "unreachable"
  Paths,   ///< a count, or "more than 9223372036854775807"
  Vertex,  ///< the name of a vertex
};

/// "real", "distance", "count", "depth", "paths" or "vertex".
[[nodiscard]] std::string_view shown_name(Shown shown);

struct ProgramValues {
  std::variant<std::vector<double>, std::vector<std::uint64_t>> by_vertex;
  Shown shown = Shown::Count;
  /// Vectors of `row` numbers each, one after the other, instead of `by_vertex`.
  std::uint32_t row = 0;
  std::vector<float> rows;
};

struct ProgramResult {
  ProgramValues values;
  Record record;
  /// Program-specific figures for the report, such as errors, by name.
  std::vector<std::pair<std::string, double>> figures;
};

/// What a run keeps for each vertex and arc, from which its memory is predicted.
struct ProgramMemory {
  LocalNeeds needs;
  std::size_t value_bytes = 0;
  std::size_t record_bytes = 0;   ///< VertexRecords
  bool counts_triangles = false;  ///< fetches lists in batches before the run
};

struct ProgramInfo {
  std::string_view name;
  std::string_view engine = "vertex";
  std::string_view summary;
  std::string_view result;     ///< meaning of a value in the output
  bool source = false;         ///< starts from a source vertex
  bool symmetric = false;      ///< requires every arc's reverse (except with --ldbc)
  bool exact = false;          ///< bitwise equal results under all schedulers
  bool selects = false;        ///< can run by worklist, best first
  bool contracts = false;      ///< joins connected vertices within a node first
  bool weighted = false;       ///< uses weights, which must not be negative
  bool matrix = false;         ///< its graph is a matrix; for programs of the piece engine
  bool may_stall = false;      ///< need not converge: EngineOptions::patience applies
  bool splits_rounds = false;  ///< pie: a round of a single fragment uses several threads
  bool checks_rounds = false;  ///< `verify` knows the values after a number of iterations
  Ldbc ldbc = Ldbc::Nothing;
  Shown shown = Shown::Real;     ///< ProgramValues::shown of all results
  std::string_view groups = {};  ///< equal values are a group: "components"; empty: they are not
  Baseline baseline = {};
  std::uint32_t patience = kPatience;  ///< default of EngineOptions::patience
  /// Returns an error, before any work, for input without a defined result; null: all input is valid.
  Status (*admit)(const Graph& graph, const ProgramParameters& parameters) = nullptr;
  /// With default options. Null: not known.
  ProgramMemory (*memory)() = nullptr;
  Result<ProgramResult> (*run)(const Graph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) = nullptr;
  /// Runs on a distributed graph and returns results for this process's vertices. Null: the program needs more than
  /// the neighbour lists of the part.
  Result<ProgramResult> (*run_part)(GraphPart& part, const ProgramParameters& parameters,
                                    const RunOptions& options) = nullptr;
  /// Returns the outcome in words, or an error if the result is wrong.
  Result<std::string> (*verify)(const Graph& graph, const ProgramParameters& parameters,
                                const RunOptions& options, const ProgramValues& values) = nullptr;
};

[[nodiscard]] std::span<const ProgramInfo> vertex_programs();
[[nodiscard]] const ProgramInfo* find_vertex_program(std::string_view name);

/// All checks before work starts: the program's requirements, and whether scheduler, order and visit suit it.
Status admit(const ProgramInfo& program, const Graph& graph, const ProgramParameters& parameters,
             const RunOptions& options);

/// Same, for a distributed graph. Collective.
Status admit_part(const ProgramInfo& program, const GraphPart& part,
                  const ProgramParameters& parameters, const RunOptions& options);

/// One value, as printed in the output.
[[nodiscard]] std::string shown_value(const ProgramValues& values, VertexId vertex,
                                      const VertexNames& names, bool ldbc);

}  // namespace leeway
