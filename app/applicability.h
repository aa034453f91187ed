// Applicability of settings: the runs to which each row of the settings table applies. A row lists `AppliesTo`
// alternatives. A setting that was given for a run that matches none of them has no effect there: the run warns and
// ignores it. The run is refused if the setting contradicts another one, if ignoring it would change the result or
// omit a requested output (role kMustApply), or under --strict. Messages, help, man pages, completion and reports use
// the same rows, so they cannot disagree with what a run does. Plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engines.h"
#include "base/result.h"
#include "transport/fabric.h"

namespace leeway::app {

struct CommandOptions;
struct Setting;

/// The program, engine, scheduler, fabric and node count of a run, before the graph is opened.
struct Request {
  const Program* program = nullptr;
  EngineName engine = EngineName::Vertex;
  std::optional<Scheduler> scheduler;  ///< none if the engine has no schedulers
  Fabric fabric = Fabric::Loopback;    ///< never Auto
  std::uint32_t nodes = 1;
  bool own = false;  ///< a program of the caller, whose facts are unknown

  [[nodiscard]] std::string_view name() const { return program->name; }
  [[nodiscard]] const EngineRun& on() const { return *program->on(engine); }
};

/// The input of a condition. `run` is null for commands that only read a graph.
struct Situation {
  const CommandOptions& options;
  const Request* run = nullptr;
  std::string_view graph;  ///< name as given by the user; empty: no graph
  bool divides = true;     ///< the command divides the graph into parts
};

/// A requirement on other settings.
struct Condition {
  bool (*holds)(const Situation& situation) = nullptr;  ///< null: always
  std::string_view words = {};                          ///< the flags that satisfy it, for help
  /// Why a setting has no effect where the condition does not hold; if it `contradicts`: what contradicts it.
  std::string_view reason = {};
  std::string_view remedy = "drop it";
  bool contradicts =
      false;  ///< a run with the setting is refused where the condition does not hold
  ProgramFact named = nullptr;  ///< "{}" in `words` and `reason`: the programs with it
};

/// One alternative of a row: the runs to which a setting applies. An empty member imposes no restriction.
struct AppliesTo {
  ProgramFact programs = nullptr;  ///< only programs with this fact on the run's engine
  bool on_graph = false;           ///< only programs that run on a graph
  std::vector<EngineName> engines = {};
  std::vector<Scheduler> schedulers = {};
  std::vector<Fabric> fabrics = {};
  bool several = false;  ///< only runs with more than one node
  Condition when = {};
  std::string_view otherwise =
      {};  ///< why the setting has no effect elsewhere; empty: derived from the members
};

[[nodiscard]] bool applies(const Setting& setting, const Situation& situation);
/// True if the setting applies to at least one run of the program on this engine.
[[nodiscard]] bool may_apply(const Setting& setting, const Program& program, const EngineRun& run);
/// The same on any of its engines.
[[nodiscard]] bool may_apply(const Setting& setting, const Program& program);
/// True if a row of the setting names the program: it is one of the program's own settings.
[[nodiscard]] bool names_program(const Setting& setting, const Program& program);
/// The runs to which the setting applies, as flags: "--engine pie and --cut edge"; empty: every run. With `program`:
/// restricted to runs of that program.
[[nodiscard]] std::string where_it_applies(const Setting& setting,
                                           const Program* program = nullptr);

/// Chooses engine, scheduler and fabric of a run of `program`. Takes defaults from the graph's LDBC
/// properties file, and removes settings without effect from `options`, with a line in `options.warnings` for each that
/// not all commands of a configuration file share. Returns an Input error for an engine without this program, a
/// scheduler that the engine does not implement, and a setting that the run must not ignore. `job`: null if all nodes
/// live in this process. `own`: see Request.
Result<Request> decide_run(const Program& program, CommandOptions& options, Job* job,
                           bool own = false);

/// The same for a command that only reads `graph` and takes the settings of `groups`.
Status decide_reading(unsigned groups, std::string_view graph, CommandOptions& options);

/// Logs `options.warnings`, or passes them to the caller in this process that receives the results; clears them.
void report_warnings(CommandOptions& options);

using Configuration = std::vector<std::pair<std::string, std::string>>;
/// The configuration that a report records: the settings that apply to the run and that their roles select, with the
/// values that the run has used (`resolved`).
[[nodiscard]] Configuration configuration_of(const CommandOptions& resolved,
                                             const CommandOptions& given, const Request& run);

inline const std::vector<AppliesTo> kOnGraph = {{.on_graph = true}};
/// Under asytick a node works on one piece at a time, the one of least priority.
inline const std::vector<Scheduler> kNotByPieces = {Scheduler::DoWork, Scheduler::Bsp,
                                                    Scheduler::Ap,     Scheduler::Ssp,
                                                    Scheduler::Aap,    Scheduler::Hsync};
inline const std::vector<Scheduler> kInPlace = {Scheduler::DoWork, Scheduler::Ap,
                                                Scheduler::Ssp,    Scheduler::Aap,
                                                Scheduler::Hsync,  Scheduler::AsyTick};
/// Fabrics that run in real time.
inline const std::vector<Fabric> kRealTime = {Fabric::Loopback, Fabric::Mpi, Fabric::Ofi};

// Conditions on the input and its division.
extern const Condition kFile, kDrawnGraph, kDrawnWeights, kMerged;
extern const Condition kDrawnDivision, kBalanced, kByMetis, kDividedBySeed;
// Conditions on runs of the vertex and pie engines.
extern const Condition kValuesOfMany, kBoundedCache, kOwnHomes, kFreeVisits, kFittingOrder,
    kLateCaches, kEdgeCut, kChangesAddUp, kMovableWorkers;
extern const Condition kSnapshots, kDelays, kOpenEnd;
// Conditions on simulations and the tick and piece engines.
extern const Condition kFilm, kGeneratedScene, kDrawnScene, kGoals, kAhead, kReplicas, kByLoad,
    kByPriority, kInPieces, kBalancer;

}  // namespace leeway::app
