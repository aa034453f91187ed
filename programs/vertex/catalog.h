// The shipped vertex programs by name: what each needs of its input, how it is run, and how its result is
// checked and shown. What `leeway run` and `leeway programs` read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "leeway/programs/program_options.h"
#include "leeway/runtime/job.h"

namespace leeway {

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

}  // namespace leeway
