// Which runs heed a setting. A row of the table of settings lists them as `Hearer`s; whatever is said to a
// run that none of them describes is refused with the words made from the same rows. Help, man pages and
// completion read them too, so none of these can disagree with what a run does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/cli/program_list.h"
#include "leeway/transport/fabric.h"

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

/// One kind of run that heeds a setting. What is empty leaves it open.
struct Hearer {
  std::vector<std::string_view> programs = {};
  bool on_graph = false;  ///< programs that run on a graph
  std::vector<EngineName> engines = {};
  std::vector<Scheduler> schedulers = {};
  std::vector<Fabric> fabrics = {};
  Condition when = {};
};

[[nodiscard]] bool heeded(const Setting& setting, const Situation& situation);
/// Whether any run of the program could heed it.
[[nodiscard]] bool may_heed(const Setting& setting, const ListedProgram& program);
/// Who heeds it, in words: "--engine pie and --cut edge"; empty: every run. Of a program: its runs alone.
[[nodiscard]] std::string who_heeds(const Setting& setting, const ListedProgram* program = nullptr);

/// Engine, scheduler and fabric of a run of `program`, which must be one; an Input error for one that is not
/// there, or that its engine has not. `job` as run_run joined it, or null.
Result<DecidedRun> decide_run(std::string_view program, const Options& options, Job* job);

/// Refuses what was said to this run, or to the command that reads `graph`, and is not heeded; takes back
/// what only a part of a configuration file for several commands said.
Result<Options> heeded_options(const Options& said, const DecidedRun& run);
Status check_heeded(const Options& said, unsigned groups, std::string_view graph);

using Configuration = std::vector<std::pair<std::string, std::string>>;
/// What a report says a run was told: of `used` what the run heeds, and what else was said and heeded.
[[nodiscard]] Configuration heeded_configuration(Configuration used, const Options& options,
                                                 const DecidedRun& run);

}  // namespace leeway::cli
