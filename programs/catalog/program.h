// A program: what it computes, the facts by which the command treats it, and how each engine runs it. Each folder of
// programs/ defines one (program.cc); programs/meson.build lists the folders.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "leeway/options.h"
#include "programs/pagerank/vertex.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

namespace pie {
struct CheckOptions;
struct ConditionReport;
}  // namespace pie

struct Continuation;

/// Values of the cells of a linear problem, by vertex. Empty: the program's default.
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
  std::optional<std::uint32_t> samples;        ///< sources of paths; none: all vertices
  bool by_weight = false;               ///< weights count: lengths of paths, strengths of arcs
  std::optional<double> attenuation;    ///< katz
  double resolution = 1;                ///< louvain
  std::vector<double> personalization;  ///< pagerank: shares of restarts by vertex; empty: equal
  CellValues cells;
  /// Null: the run begins from nothing.
  std::shared_ptr<const Continuation> continuation;

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
  Side,    ///< 0, 1, or "none"
};

/// "real", "distance", "count", "depth", "paths", "vertex" or "side".
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

/// Bytes for each arc and vertex in addition to the graph; measured. 0: not known.
struct WholeMemory {
  double arc = 0;
  double vertex = 0;
};

enum class EngineName : std::uint8_t { Vertex, Pie, Tick, Piece };

/// Settings that only some programs use.
enum class Parameter : std::uint8_t {
  Source,
  Samples,
  ByWeight,
  Attenuation,
  Resolution,
  Personalization,
  Damping,
  Rate,       ///< and the regulariser
  RightSide,  ///< and initial values
  Fixed,
  Tolerance,
  ToleranceOf,
  Precision,  ///< and the rescaling of sweeps in place
  Patience,
  Passes,     ///< a number of iterations, on an engine that counts rounds otherwise
  Seed,       ///< the program itself draws numbers
  SceneSeed,  ///< a generated scene is drawn
  Fish,       ///< and all about the basin
  Food,
  Plate,
  Bodies,  ///< and all about their box
  SceneFile,
  Frames,
};

class ParameterSet {
 public:
  constexpr ParameterSet() = default;
  constexpr ParameterSet(std::initializer_list<Parameter> all) {  // NOLINT: implicit, for rows
    for (const Parameter each : all) bits_ |= bit(each);
  }
  [[nodiscard]] constexpr bool has(Parameter one) const { return (bits_ & bit(one)) != 0; }

 private:
  static constexpr std::uint32_t bit(Parameter one) {
    return std::uint32_t{1} << static_cast<unsigned>(one);
  }

  std::uint32_t bits_ = 0;
};

/// What a program runs on.
enum class ProgramInput : std::uint8_t {
  Graph,
  Matrix,   ///< a graph whose lists are the rows of a matrix
  Ratings,  ///< a graph of users and items
  Scene,    ///< its own
};

struct TickedSettings;
class TickedRun;

/// A program on one engine.
struct EngineRun {
  EngineName engine = EngineName::Vertex;
  ParameterSet takes = {};
  bool selects = false;           ///< vertex: can run by worklist, best first
  bool contracts = false;         ///< vertex: joins connected vertices within a node first
  bool rounds_visit_all = false;  ///< vertex: an iteration of bsp computes every vertex
  bool splits_rounds = false;     ///< pie: a round of a single fragment uses several threads
  bool needs_supersteps =
      false;  ///< vertex: an update needs values of one iteration, so bsp is the only scheduler
  bool staged = false;       ///< vertex: a StagedProgram
  bool continues = false;    ///< can begin from the answer before changes of the graph
  bool by_levels = false;    ///< vertex: supersteps are its fastest form, and the default
  bool needs_bound = false;  ///< pie: on staleness; the default is 0
  bool adds_up = false;      ///< pie: changes add up, so that messages are paced
  /// With default options. Null: not known.
  ProgramMemory (*memory)() = nullptr;
  /// For an engine that has the whole graph in every process.
  WholeMemory whole = {};
  Result<ProgramResult> (*run)(const Graph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) = nullptr;
  /// Runs on a distributed graph and returns results for this process's vertices. Null: the program needs more than
  /// the neighbour lists of the part.
  Result<ProgramResult> (*run_part)(GraphPart& part, const ProgramParameters& parameters,
                                    const RunOptions& options) = nullptr;
  /// pie::check_conditions on `options.pie.workers` fragments.
  Result<pie::ConditionReport> (*check)(const Graph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options,
                                        const pie::CheckOptions& how) = nullptr;
  /// A run on the tick or piece engine (programs/catalog/ticked_run.h).
  std::unique_ptr<TickedRun> (*ticked)(const TickedSettings& settings) = nullptr;
};

struct Program {
  std::string_view name;
  std::string_view summary;
  std::string_view result;  ///< meaning of a value in the output
  /// Names of the same computation in NetworkX and NetworKit, for suggestions.
  std::vector<std::string_view> known_as = {};
  ProgramInput input = ProgramInput::Graph;
  bool symmetric = false;      ///< requires every arc's reverse (except with --ldbc)
  bool exact = false;          ///< bitwise equal results under all schedulers
  bool weighted = false;       ///< uses weights, which must not be negative
  bool checks_rounds = false;  ///< `verify` knows the values after a number of iterations
  bool scaled = false;         ///< results are values divided by their sum
  std::uint32_t passes =
      0;  ///< default of a run that ends after a number of passes; 0: it converges
  Ldbc ldbc = Ldbc::Nothing;
  std::string_view ldbc_name =
      {};                     ///< in an LDBC graph's properties file; empty: it has no properties
  bool ldbc_changes = false;  ///< --ldbc changes the rule, so a number of rounds belongs to it
  Shown shown = Shown::Real;  ///< ProgramValues::shown of all results
  std::string_view groups = {};  ///< equal values are a group: "components"; empty: they are not
  Baseline baseline = {};
  std::uint32_t patience = kPatience;  ///< default of EngineOptions::patience
  /// Returns an error, before any work, for input without a defined result; null: all input is valid.
  Status (*admit)(const Graph& graph, const ProgramParameters& parameters) = nullptr;
  /// Returns the outcome in words, or an error if the result is wrong.
  Result<std::string> (*verify)(const Graph& graph, const ProgramParameters& parameters,
                                const RunOptions& options, const ProgramValues& values) = nullptr;
  std::vector<EngineRun> engines = {};  ///< the default first

  [[nodiscard]] bool on_graph() const { return input != ProgramInput::Scene; }
  /// Null: the engine does not run it.
  [[nodiscard]] const EngineRun* on(EngineName engine) const;
  /// True if the program takes the parameter on at least one engine.
  [[nodiscard]] bool takes(Parameter parameter) const;
};

/// All programs, in the order in which lists show them.
[[nodiscard]] std::span<const Program> all_programs();
/// Null if there is none of that name.
[[nodiscard]] const Program* find_program(std::string_view name);
/// The program on the engine; null if there is none.
[[nodiscard]] const EngineRun* find_run(std::string_view name, EngineName engine);

/// True for a program on an engine: a fact of its row.
using ProgramFact = bool (*)(const Program& program, const EngineRun& run);
template <Parameter P>
bool takes(const Program&, const EngineRun& run) {
  return run.takes.has(P);
}

/// The names of the programs with a fact on one of these engines, in alphabetical order. No engines: on any.
[[nodiscard]] std::vector<std::string_view> programs_with(ProgramFact fact,
                                                          std::span<const EngineName> engines = {});
/// "bfs, cc or sssp"
[[nodiscard]] std::string alternatives(std::span<const std::string_view> names,
                                       std::string_view word = "or");

/// All checks before work starts: the program's requirements, and whether the schedule suits it.
Status admit(const Program& program, EngineName engine, const Graph& graph,
             const ProgramParameters& parameters, const RunOptions& options);

/// Same, for a distributed graph. Collective.
Status admit_part(const Program& program, EngineName engine, const GraphPart& part,
                  const ProgramParameters& parameters, const RunOptions& options);

/// One value, as printed in the output.
[[nodiscard]] std::string shown_value(const ProgramValues& values, VertexId vertex,
                                      const VertexNames& names, bool ldbc);

}  // namespace leeway
