// Which runs a setting applies to. A row of the table of settings lists them as `AppliesTo`s; whatever is said to
// a run that none of them describes is refused with the words made from the same rows. Help, man pages and
// completion read them too, so none of these can disagree with what a run does.
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

/// A run, as soon as it is decided what runs it where.
struct DecidedRun {
  const ListedProgram* program = nullptr;
  EngineName engine = EngineName::Vertex;
  std::optional<Scheduler> scheduler;  ///< none under an engine that has none
  Fabric fabric = Fabric::Loopback;    ///< never Auto
  std::uint32_t nodes = 1;

  [[nodiscard]] std::string_view name() const { return program->info->name; }
};

/// What a condition may look at. `run` is null for the commands that only read a graph.
struct Situation {
  const Options& options;
  const DecidedRun* run = nullptr;
  std::string_view graph;  ///< as it was named; empty: there is none
  bool divides = true;     ///< the graph is dealt out
};

/// What other settings must say.
struct Condition {
  bool (*holds)(const Situation& situation) = nullptr;  ///< null: always
  std::string_view words = {};                          ///< what to give so that it does
};

/// One kind of run that a setting applies to. What is empty leaves it open.
struct AppliesTo {
  std::vector<std::string_view> programs = {};
  bool on_graph = false;  ///< programs that run on a graph
  std::vector<EngineName> engines = {};
  std::vector<Scheduler> schedulers = {};
  std::vector<Fabric> fabrics = {};
  Condition when = {};
};

[[nodiscard]] bool applies(const Setting& setting, const Situation& situation);
/// Whether it applies to any run of the program.
[[nodiscard]] bool may_apply(const Setting& setting, const ListedProgram& program);
/// Whom it applies to, in words: "--engine pie and --cut edge"; empty: every run. Of a program: its runs alone.
[[nodiscard]] std::string whom_it_applies_to(const Setting& setting,
                                             const ListedProgram* program = nullptr);

/// Engine, scheduler and fabric of a run of `program`, which must be one; an Input error for one that is not
/// there, or that its engine has not. `job` as run_run joined it, or null.
Result<DecidedRun> decide_run(std::string_view program, const Options& options, Job* job);

/// Refuses what was said to this run, or to the command that reads `graph`, and does not apply to it; takes back
/// what only a part of a configuration file for several commands said.
Result<Options> applicable_options(const Options& said, const DecidedRun& run);
Status check_applicable(const Options& said, unsigned groups, std::string_view graph);

using Configuration = std::vector<std::pair<std::string, std::string>>;
/// What a report says a run was told: of `used` what applies to it, then what the table tells of it besides.
[[nodiscard]] Configuration applicable_configuration(Configuration used, const Options& options,
                                                     const DecidedRun& run);

// The conditions under which rows of the table of settings apply (applicability.h): what other settings must say
// for one to have any effect, and the words that say so.
inline const std::vector<AppliesTo> kOnGraph = {{.on_graph = true}};
/// Under asytick a node works on one piece at a time, the one of least priority.
inline const std::vector<Scheduler> kNotByPieces = {Scheduler::DoWork, Scheduler::Bsp,
                                                    Scheduler::Ap,     Scheduler::Ssp,
                                                    Scheduler::Aap,    Scheduler::Hsync};
/// Fabrics whose time is the machine's.
inline const std::vector<Fabric> kRealTime = {Fabric::Loopback, Fabric::Mpi, Fabric::Ofi};

// How a graph comes to be, and how it is divided.
extern const Condition kFile, kDrawnGraph, kDrawnWeights, kMerged;
extern const Condition kDrawnDivision, kBalanced, kByMetis, kDealtBySeed;
// How a run of the engines on vertices goes.
extern const Condition kValuesOfMany, kLateReads, kBoundedCache, kOwnHomes, kFreeVisits,
    kFittingOrder, kLateCaches, kEdgeCut;
extern const Condition kSnapshots, kDelays, kOpenEnd;
// Ticks.
extern const Condition kFilm, kGoals, kAhead, kReplicas, kByLoad, kByPriority, kBalancer;

}  // namespace leeway::cli
