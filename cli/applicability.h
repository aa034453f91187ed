// Applicability of settings: the runs to which each row of the settings table applies. A row lists `AppliesTo`
// alternatives; a setting that was given for a run that matches none of them is refused, with a message made from the
// same rows. Help, man pages, completion and reports use these rows as well, so they cannot disagree with what a run
// does. Plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program_list.h"
#include "leeway/result.h"
#include "transport/fabric.h"

namespace leeway::cli {

struct Options;
struct Setting;

/// The program, engine, scheduler, fabric and node count of a run, before the graph is opened.
struct Request {
  const ListedProgram* program = nullptr;
  EngineName engine = EngineName::Vertex;
  std::optional<Scheduler> scheduler;  ///< none if the engine has no schedulers
  Fabric fabric = Fabric::Loopback;    ///< never Auto
  std::uint32_t nodes = 1;

  [[nodiscard]] std::string_view name() const { return program->info->name; }
};

/// The input of a condition. `run` is null for commands that only read a graph.
struct Situation {
  const Options& options;
  const Request* run = nullptr;
  std::string_view graph;  ///< name as given by the user; empty: no graph
  bool divides = true;     ///< the command divides the graph into parts
};

/// A requirement on other settings.
struct Condition {
  bool (*holds)(const Situation& situation) = nullptr;  ///< null: always
  std::string_view words = {};                          ///< the flags that satisfy it, for messages
};

/// One alternative of a row: the runs to which a setting applies. An empty member imposes no restriction.
struct AppliesTo {
  std::vector<std::string_view> programs = {};
  bool on_graph = false;  ///< only programs that run on a graph
  std::vector<EngineName> engines = {};
  std::vector<Scheduler> schedulers = {};
  std::vector<Fabric> fabrics = {};
  Condition when = {};
};

[[nodiscard]] bool applies(const Setting& setting, const Situation& situation);
/// True if the setting applies to at least one run of the program.
[[nodiscard]] bool may_apply(const Setting& setting, const ListedProgram& program);
/// The runs to which the setting applies, as flags: "--engine pie and --cut edge"; empty: every run. With `program`:
/// restricted to runs of that program.
[[nodiscard]] std::string where_it_applies(const Setting& setting,
                                           const ListedProgram* program = nullptr);

/// Chooses engine, scheduler and fabric of a run of `program`, which must exist. Returns an Input error for an engine
/// without this program or a scheduler that the engine does not implement. `job`: null if all nodes live in this
/// process.
Result<Request> decide_run(std::string_view program, const Options& options, Job* job);

/// Returns an Input error for a setting that was given for this run (or for the command that reads `graph`) and does
/// not apply. Settings from the part of a configuration file that all commands share are dropped instead.
Result<Options> applicable_options(const Options& given, const Request& run);
Status check_applicable(const Options& given, unsigned groups, std::string_view graph);

using Configuration = std::vector<std::pair<std::string, std::string>>;
/// The configuration that a report records: the settings that apply to the run and that their roles select, with the
/// values that the run has used (`resolved`).
[[nodiscard]] Configuration configuration_of(const Options& resolved, const Options& given,
                                             const Request& run);

inline const std::vector<AppliesTo> kOnGraph = {{.on_graph = true}};
/// Under asytick a node works on one piece at a time, the one of least priority.
inline const std::vector<Scheduler> kNotByPieces = {Scheduler::DoWork, Scheduler::Bsp,
                                                    Scheduler::Ap,     Scheduler::Ssp,
                                                    Scheduler::Aap,    Scheduler::Hsync};
/// Fabrics that run in real time.
inline const std::vector<Fabric> kRealTime = {Fabric::Loopback, Fabric::Mpi, Fabric::Ofi};

// Conditions on the input and its division.
extern const Condition kFile, kDrawnGraph, kDrawnWeights, kMerged;
extern const Condition kDrawnDivision, kBalanced, kByMetis, kDividedBySeed;
// Conditions on runs of the vertex and pie engines.
extern const Condition kValuesOfMany, kLateReads, kBoundedCache, kOwnHomes, kFreeVisits,
    kFittingOrder, kLateCaches, kEdgeCut;
extern const Condition kSnapshots, kDelays, kOpenEnd;
// Conditions on simulations and the tick and piece engines.
extern const Condition kFilm, kGoals, kAhead, kReplicas, kByLoad, kByPriority, kBalancer;

}  // namespace leeway::cli
