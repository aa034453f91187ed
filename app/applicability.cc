#include "app/applicability.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/graph_argument.h"
#include "app/options.h"
#include "app/output.h"
#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "datasets/graph.h"

namespace leeway::app {

namespace {

constexpr unsigned kEveryGroup = ~0U;

bool graph_is_a_file(std::string_view graph) {
  return std::filesystem::exists(graph) || !is_graph_spec(graph);
}

bool divides_by_seed(const CommandOptions& options) {
  const PartitionMethod method = options.partition.method;
  return method == PartitionMethod::Auto || method == PartitionMethod::Metis ||
         method == PartitionMethod::Hash || method == PartitionMethod::Random;
}

const Request& run_of(const Situation& situation) {
  LEEWAY_CHECK(situation.run != nullptr);  // rows with these conditions also name engines
  return *situation.run;
}

bool by_worklist(const Situation& situation) {
  const CommandOptions& options = situation.options;
  const Request& run = run_of(situation);
  EngineOptions engine = options.vertex;
  engine.scheduler = run.scheduler.value_or(Scheduler::DoWork);
  engine.iterations = options.iterations;
  return run.on().selects && !options.continues() && works_by_list(engine);
}

bool visits_are_free(const Situation& situation) {
  const CommandOptions& options = situation.options;
  const Request& run = run_of(situation);
  if (options.vertex.visit == Visit::All) return true;
  if (run.scheduler == Scheduler::Bsp && run.on().rounds_visit_all) return false;
  return !options.iterations || by_rounds(*run.program, options);
}

bool division_is_drawn(const Situation& situation) {
  const bool several =
      situation.run == nullptr || situation.run->nodes > 1 || situation.options.pie.workers > 1;
  return situation.divides && several && divides_by_seed(situation.options);
}

bool division_balances(const Situation& situation) {
  const PartitionMethod method = situation.options.partition.method;
  return method != PartitionMethod::Hash && method != PartitionMethod::Random &&
         method != PartitionMethod::File;
}

bool syncs_by(const Situation& situation, tick::Sync sync) {
  return situation.options.tick.sync == sync || situation.options.tick.sync == tick::Sync::Combined;
}

bool has_worklist(const Program&, const EngineRun& run) { return run.selects; }

using At = const Situation&;

}  // namespace

constinit const Condition kFile{.holds = [](At at) { return graph_is_a_file(at.graph); },
                                .words = "a graph in a file",
                                .reason = "the graph is generated, not read from a file"};
constinit const Condition kDrawnGraph{
    .holds = [](At at) { return !graph_is_a_file(at.graph) && is_drawn_spec(at.graph); },
    .words = "a graph drawn at random, such as kron:14"};
constinit const Condition kDrawnWeights{
    .holds = [](At at) { return at.options.load.weights == Weights::Random; },
    .words = "--weights random",
    .reason = "weights are not drawn",
    .remedy = "give --weights random"};
constinit const Condition kMerged{
    .holds = [](At at) { return at.options.load.duplicates == Duplicates::Merge; },
    .words = "--duplicates merge",
    .reason = "parallel edges are not merged",
    .remedy = "give --duplicates merge"};

constinit const Condition kDrawnDivision{
    .holds = division_is_drawn, .words = "several nodes and --partition metis, hash or random"};
constinit const Condition kBalanced{.holds = division_balances,
                                    .words = "--partition metis, block, ldg or fennel",
                                    .reason = "this method of --partition does not balance",
                                    .remedy = "give --partition metis, block, ldg or fennel"};
constinit const Condition kByMetis{.holds =
                                       [](At at) {
                                         const PartitionMethod method = at.options.partition.method;
                                         return method == PartitionMethod::Metis ||
                                                method == PartitionMethod::Auto;
                                       },
                                   .words = "--partition metis",
                                   .reason = "METIS does not divide this graph",
                                   .remedy = "give --partition metis"};
constinit const Condition kDividedBySeed{
    .holds = [](At at) { return divides_by_seed(at.options); },
    .words = "--partition metis, hash or random",
    .reason = "this method of --partition always gives the same division",
    .remedy = "give --partition metis, hash or random"};

constinit const Condition kValuesOfMany{.holds =
                                            [](At at) {
                                              const std::optional<std::string>& out =
                                                  at.options.out;
                                              return run_of(at).nodes > 1 && out && *out != "-";
                                            },
                                        .words = "several processes and --out FILE",
                                        .reason = "needs several processes and --out FILE",
                                        .remedy = "give --out FILE, or drop it",
                                        .contradicts = true};
constinit const Condition kBoundedCache{
    .holds = [](At at) { return at.options.vertex.cache.any(); },
    .words = "--cache",
    .reason = "the cache is not bounded",
    .remedy = "give --cache"};
constinit const Condition kOwnHomes{
    .holds =
        [](At at) {
          const CommandOptions& run = at.options;
          const bool kept = run.vertex.cache.any() || run.saving.any();
          return run.optimizations.collocation || !kept;
        },
    .words = "no --cache, --snapshot and --resume",
    .reason = "false cannot be combined with --cache, --snapshot or --resume",
    .remedy = "drop one of them",
    .contradicts = true};
constinit const Condition kFreeVisits{
    .holds = visits_are_free,
    .words = "no --iterations and, for {}, a scheduler other than bsp",
    .reason = "this run visits all vertices in each iteration (--iterations, or {} under bsp)",
    .remedy = "drop one of them",
    .contradicts = true,
    .named = [](const Program&, const EngineRun& run) { return run.rounds_visit_all; }};
constinit const Condition kFittingOrder{
    .holds =
        [](At at) {
          return run_of(at).own || at.options.vertex.order != WorkOrder::Priority ||
                 by_worklist(at);
        },
    .words =
        "an order other than priority, which {} have, without bsp, "
        "--iterations and --visit all",
    .reason =
        "priority needs a worklist, which only {} have, and not together with "
        "bsp, --iterations or --visit all",
    .remedy = "give another order",
    .contradicts = true,
    .named = has_worklist};
constinit const Condition kLateCaches{
    .holds = [](At at) { return run_of(at).own || !by_worklist(at); },
    .words =
        "no worklist (which {} have without bsp, "
        "--iterations, --visit all and --order owner or degree)",
    .reason = "this run takes vertices from a worklist and does not fill caches in advance",
    .remedy = "give --visit all to sweep instead",
    .named = has_worklist};
constinit const Condition kEdgeCut{
    .holds = [](At at) { return at.options.pie.cut == pie::Cut::Edge; },
    .words = "--cut edge",
    .reason = "fragments of a vertex cut copy no adjacency lists",
    .remedy = "give --cut edge"};
constinit const Condition kChangesAddUp{
    .holds = [](At at) { return run_of(at).own || run_of(at).on().adds_up; },
    .words = "a program whose changes add up, which those of {} do",
    .reason = "changes of this program do not add up, and are not paced; those of {} are",
    .named = [](const Program&, const EngineRun& run) { return run.adds_up; }};
constinit const Condition kMovableWorkers{
    .holds =
        [](At at) {
          const std::uint32_t workers = at.options.pie.workers;
          return run_of(at).nodes > 1 && (workers == 0 || workers > run_of(at).nodes);
        },
    .words = "two or more nodes and more workers than nodes",
    .reason = "no worker can move: each node keeps at least one",
    .remedy = "give --nodes N, and a larger number or none in --workers"};
constinit const Condition kSnapshots{
    .holds = [](At at) { return !at.options.saving.folder.empty(); },
    .words = "--snapshot",
    .reason = "no snapshots are requested",
    .remedy = "give --snapshot FOLDER"};
constinit const Condition kDelays{.holds = [](At at) { return at.options.network.has_value(); },
                                  .words = "--net"};
constinit const Condition kOpenEnd{.holds = [](At at) { return !at.options.iterations; },
                                   .words = "no --iterations",
                                   .reason = "--iterations fixes the number of iterations",
                                   .remedy = "drop one of them"};

constinit const Condition kFilm{.holds = [](At at) { return !at.options.scene.frames.empty(); },
                                .words = "--frames",
                                .reason = "no frames are requested",
                                .remedy = "give --frames FILE"};
constinit const Condition kGeneratedScene{
    .holds = [](At at) { return at.options.scene.file.empty(); },
    .words = "no --scene",
    .reason = "--scene FILE gives each fish its goal, in the column goal",
    .remedy = "drop one of them",
    .contradicts = true};
constinit const Condition kDrawnScene{
    .holds = [](At at) { return at.options.scene.file.empty(); },
    .words = "no --scene",
    .reason = "nothing in this run is random: --scene FILE gives the bodies"};
constinit const Condition kGoals{.holds = [](At at) { return at.options.scene.informed > 0; },
                                 .words = "--informed",
                                 .reason = "no fish knows a goal",
                                 .remedy = "give --informed N"};
constinit const Condition kAhead{.holds = [](At at) { return syncs_by(at, tick::Sync::Schedule); },
                                 .words = "--sync schedule or combined",
                                 .reason = "this mode of --sync does not step ahead",
                                 .remedy = "give --sync schedule or combined"};
constinit const Condition kReplicas{
    .holds = [](At at) { return syncs_by(at, tick::Sync::Replicate); },
    .words = "--sync replicate or combined",
    .reason = "this mode of --sync has no replicas",
    .remedy = "give --sync replicate or combined"};
constinit const Condition kByLoad{.holds = [](At at) { return at.options.scene.quadtree; },
                                  .words = "--split quadtree",
                                  .reason = "a grid is not divided by load",
                                  .remedy = "give --split quadtree"};
constinit const Condition kByPriority{.holds = [](At at) { return at.options.piece.scheduler; },
                                      .words = "--piece-order priority",
                                      .reason = "pieces run in the order of arrival",
                                      .remedy = "give --piece-order priority"};
constinit const Condition kInPieces{
    .holds = [](At at) { return !run_of(at).on().contracts || at.options.iterations; },
    .words = "a program other than {}",
    .reason = "{} joins a node's part of the graph as a whole",
    .remedy = "leave it out",
    .named = [](const Program&, const EngineRun& run) { return run.contracts; }};
constinit const Condition kBalancer{
    .holds = [](At at) { return piece::has_balancer(at.options.piece.system); },
    .words = "--system comtick or asytick-plb",
    .reason = "this system does not balance load",
    .remedy = "give --system comtick or asytick-plb"};

namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
/// An empty list matches everything.
template <class T>
bool open_to(const std::vector<T>& all, const T& one) {
  return all.empty() || contains(all, one);
}

/// Words or reason of the condition, with the names of programs.
std::string filled(std::string_view text, const Condition& condition) {
  std::string all(text);
  if (condition.named == nullptr) return all;
  const auto names = programs_with(condition.named);
  const std::string list = alternatives(names, "and");
  for (std::size_t at = all.find("{}"); at != all.npos; at = all.find("{}", at + list.size()))
    all.replace(at, 2, list);
  return all;
}

bool holds(const Condition& condition, const Situation& situation) {
  return condition.holds == nullptr || condition.holds(situation);
}

/// True if the row names programs, engines, schedulers, fabrics or nodes, which commands that only read a graph do not have.
bool restricts_runs(const AppliesTo& row) {
  return row.programs != nullptr || !row.engines.empty() || !row.schedulers.empty() ||
         !row.fabrics.empty() || row.several;
}

/// True if the program has the row's fact on this engine, or the row names none.
bool has_fact(const AppliesTo& row, const Program& program, const EngineRun& run) {
  return row.programs == nullptr || row.programs(program, run);
}

/// True if the program has the row's fact on some engine.
bool suits(const AppliesTo& row, const Program& program) {
  const auto has = [&](const EngineRun& run) { return has_fact(row, program, run); };
  return std::any_of(program.engines.begin(), program.engines.end(), has) &&
         (!row.on_graph || program.on_graph());
}

/// The first member of a row that a run does not match.
enum class RowMismatch { Program, Engine, Scheduler, Fabric, Nodes, Condition, None };

RowMismatch mismatch_of(const AppliesTo& row, const Situation& situation) {
  const Request* const run = situation.run;
  if (run == nullptr && restricts_runs(row)) return RowMismatch::Program;
  if (run != nullptr) {
    if (!run->own && !suits(row, *run->program)) return RowMismatch::Program;
    if (!open_to(row.engines, run->engine)) return RowMismatch::Engine;
    if (!run->own && !has_fact(row, *run->program, run->on())) return RowMismatch::Engine;
    const bool paced =
        row.schedulers.empty() || (run->scheduler && contains(row.schedulers, *run->scheduler));
    if (!paced) return RowMismatch::Scheduler;
    if (!open_to(row.fabrics, run->fabric)) return RowMismatch::Fabric;
    if (row.several && run->nodes == 1) return RowMismatch::Nodes;
  }
  return holds(row.when, situation) ? RowMismatch::None : RowMismatch::Condition;
}

template <class T, class Name>
std::string flag_words(std::string_view flag, const std::vector<T>& values, Name&& name_of) {
  std::vector<std::string_view> names;
  for (const T value : values) names.push_back(name_of(value));
  return format("{} {}", flag, alternatives(names));
}
std::string_view engine_name(EngineName engine) { return engine_info(engine).name; }

std::string words_of(const AppliesTo& row) {
  std::vector<std::string> flags;
  if (!row.engines.empty()) flags.push_back(flag_words("--engine", row.engines, engine_name));
  if (!row.schedulers.empty())
    flags.push_back(flag_words("--scheduler", row.schedulers, scheduler_name));
  if (!row.fabrics.empty()) flags.push_back(flag_words("--fabric", row.fabrics, fabric_name));
  if (row.several) flags.emplace_back("several nodes");
  if (row.when.holds != nullptr) flags.push_back(filled(row.when.words, row.when));
  const std::string rest = format("{}", fmt::join(flags, " and "));
  if (row.programs == nullptr && !(row.on_graph && flags.empty())) return rest;
  const std::string scope = row.programs == nullptr
                                ? "programs on a graph"
                                : alternatives(programs_with(row.programs, row.engines));
  return rest.empty() ? scope : format("{} with {}", scope, rest);
}

/// True if the row can match a run of the program on this engine under some settings.
bool may_suit(const AppliesTo& row, const Program& program, const EngineRun& run) {
  const auto& has = engine_info(run.engine).schedulers;
  const bool has_scheduler =
      row.schedulers.empty() || std::any_of(has.begin(), has.end(), [&](Scheduler each) {
        return contains(row.schedulers, each);
      });
  return has_scheduler && open_to(row.engines, run.engine) && has_fact(row, program, run) &&
         (!row.on_graph || program.on_graph());
}

/// The same on any of its engines.
bool may_suit(const AppliesTo& row, const Program& program) {
  return std::any_of(program.engines.begin(), program.engines.end(),
                     [&](const EngineRun& run) { return may_suit(row, program, run); });
}

/// Why a setting does not apply, and one remedy.
struct Idleness {
  RowMismatch mismatch = RowMismatch::None;
  std::string why;
  std::string remedy = "drop it";
  bool refused = false;
};

/// The programs of all rows; empty: all programs on a graph.
std::vector<std::string_view> programs_of(const Setting& setting) {
  std::vector<std::string_view> names;
  for (const AppliesTo& row : setting.applies_to) {
    if (row.programs == nullptr) return {};
    for (const std::string_view name : programs_with(row.programs, row.engines))
      if (!contains(names, name)) names.push_back(name);
  }
  return names;
}

Idleness by_program(const Setting& setting, const Situation& situation) {
  const std::vector<std::string_view> names = programs_of(setting);
  if (situation.run == nullptr) return {.why = "no program runs"};
  const std::string_view name = situation.run->name();
  if (names.empty()) return {.why = format("{} takes no graph", name)};
  return {.why = format("{} is a setting of {}", setting.name, alternatives(names))};
}

Idleness by_engine(const AppliesTo& row, const Request& run) {
  Idleness idle{.why = format("{} runs on the {} engine", run.name(), engine_name(run.engine))};
  for (const EngineRun& other : run.program->engines) {
    if (!open_to(row.engines, other.engine) || !has_fact(row, *run.program, other)) continue;
    idle.remedy = format("give --engine {}", engine_name(other.engine));
    break;
  }
  return idle;
}

Idleness by_scheduler(const AppliesTo& row, const Request& run) {
  Idleness idle{.why = format("the scheduler is {}", scheduler_name(*run.scheduler))};
  for (const Scheduler scheduler : engine_info(run.engine).schedulers) {
    if (!contains(row.schedulers, scheduler)) continue;
    idle.remedy = format("give --scheduler {}", scheduler_name(scheduler));
    break;
  }
  return idle;
}

/// Explains the row that comes closest to the run.
Idleness idleness_of(const Setting& setting, const Situation& situation) {
  const AppliesTo* nearest = nullptr;
  RowMismatch mismatch = RowMismatch::Program;
  for (const AppliesTo& row : setting.applies_to) {
    const RowMismatch found = mismatch_of(row, situation);
    if (nearest != nullptr && found <= mismatch) continue;
    nearest = &row;
    mismatch = found;
  }
  Idleness idle;
  switch (mismatch) {
    case RowMismatch::Program:
      idle = by_program(setting, situation);
      break;
    case RowMismatch::Engine:
      idle = by_engine(*nearest, *situation.run);
      // AsyTick is a scheduler of vertex programs, and an engine.
      if (setting.name == "scheduler" && situation.options.scheduler == Scheduler::AsyTick &&
          situation.run->program->on(EngineName::Piece) != nullptr)
        idle.remedy = "give --engine piece";
      break;
    case RowMismatch::Scheduler:
      idle = by_scheduler(*nearest, *situation.run);
      break;
    case RowMismatch::Fabric:
      idle.why = format("the fabric is {}", fabric_name(situation.run->fabric));
      idle.remedy = format("give --fabric {}", fabric_name(nearest->fabrics.front()));
      break;
    case RowMismatch::Nodes:
      idle.why = "the run has one node, which sends no messages";
      idle.remedy = "give --nodes 2 or more";
      break;
    case RowMismatch::Condition:
      idle.why = filled(nearest->when.reason, nearest->when);
      idle.remedy = nearest->when.remedy;
      break;
    case RowMismatch::None:
      break;
  }
  const bool lone = mismatch == RowMismatch::Nodes;
  if (!nearest->otherwise.empty() && !lone) idle = {.why = std::string(nearest->otherwise)};
  idle.mismatch = mismatch;
  idle.refused = mismatch == RowMismatch::Condition ? nearest->when.contradicts
                                                    : setting.roles.has(kMustApply) && !lone;
  return idle;
}

/// A problem of a given setting. A place in a file does not name the setting, so the text does.
Error problem_of(const GivenSetting& given, std::string what, std::string remedy) {
  if (given.where.find(':') != given.where.npos) what = format("{} {}", given.setting->name, what);
  return input_error(given.where, std::move(what), std::move(remedy));
}

Status refuse_idle(const GivenSetting& given, const Idleness& idle, bool strict) {
  if (idle.mismatch == RowMismatch::Condition && idle.refused)
    return fail(problem_of(given, idle.why, idle.remedy));
  if (idle.refused)
    return fail(problem_of(given, format("does not apply here: {}", idle.why), idle.remedy));
  if (strict)
    return fail(problem_of(given, format("has no effect here: {}", idle.why), idle.remedy));
  return {};
}

std::string warning_of(const GivenSetting& given, const Idleness& idle) {
  const bool named = given.where.find(':') == given.where.npos;
  const std::string subject =
      named ? given.where : format("{}: {}", given.where, given.setting->name);
  return format("{} has no effect here: {}; {}", subject, idle.why, idle.remedy);
}

Situation situation_of(const CommandOptions& options, const Request& run) {
  return {options, &run, options.graph ? std::string_view(*options.graph) : std::string_view(),
          true};
}

/// Removes the settings that do not apply. Returns an error for one that must not be ignored, else whether it has
/// removed any.
Result<bool> remove_idle(const Situation& situation, unsigned groups, CommandOptions& options) {
  std::vector<GivenSetting> kept;
  for (const GivenSetting& given : options.given) {
    const Setting& setting = *given.setting;
    if ((setting.group & groups) == 0 || applies(setting, situation)) {
      kept.push_back(given);
    } else if (!given.shared) {
      const Idleness idle = idleness_of(setting, situation);
      LEEWAY_TRY(refuse_idle(given, idle, options.strict));
      options.warnings.push_back(warning_of(given, idle));
    }
  }
  if (kept.size() == options.given.size()) return false;
  LEEWAY_ASSIGN(options, with_settings(options, kept));
  return true;
}

std::vector<std::string_view> names_of(const std::vector<Scheduler>& schedulers) {
  std::vector<std::string_view> names;
  for (const Scheduler each : schedulers) names.push_back(scheduler_name(each));
  return names;
}

Result<EngineName> decide_engine(const Program& program, const CommandOptions& options) {
  std::vector<EngineName> has;
  for (const EngineRun& run : program.engines) has.push_back(run.engine);
  if (options.engine) {
    if (contains(has, *options.engine)) return *options.engine;
    return fail(input_error(
        "--engine",
        format("the {} engine has no program called '{}'", engine_name(*options.engine),
               program.name),
        format("leave --engine out, or give {}", flag_words("--engine", has, engine_name))));
  }
  if (!options.scheduler) return has.front();
  const auto paced = std::find_if(has.begin(), has.end(), [&](EngineName engine) {
    return contains(engine_info(engine).schedulers, *options.scheduler);
  });
  return paced == has.end() ? has.front() : *paced;
}

/// The default is bsp if LDBC defines the program by supersteps (CDLP and PageRank), or if they are its fastest form.
Result<std::optional<Scheduler>> decide_scheduler(EngineName engine, const Program& program,
                                                  const CommandOptions& options) {
  const auto& has = engine_info(engine).schedulers;
  if (has.empty()) return std::optional<Scheduler>();
  if (program.on(engine)->needs_supersteps) {
    if (!options.scheduler || options.scheduler == Scheduler::Bsp)
      return std::optional(Scheduler::Bsp);
    return fail(input_error("--scheduler",
                            format("{} is a power iteration: it needs all values of one iteration, "
                                   "which {} mixes with older ones",
                                   program.name, scheduler_name(*options.scheduler)),
                            "give --scheduler bsp, or leave it out"));
  }
  if (!options.scheduler) {
    const bool rounds = engine == EngineName::Vertex &&
                        (by_rounds(program, options) || program.on(engine)->by_levels);
    return std::optional(rounds ? Scheduler::Bsp : has.front());
  }
  if (contains(has, *options.scheduler)) return options.scheduler;
  return fail(input_error("--scheduler",
                          format("the {} engine does not run {}", engine_name(engine),
                                 scheduler_name(*options.scheduler)),
                          format("give {}", alternatives(names_of(has)))));
}

}  // namespace

bool by_rounds(const Program& program, const CommandOptions& options) {
  return options.program.ldbc && program.ldbc == Ldbc::Rounds;
}

bool applies(const Setting& setting, const Situation& situation) {
  const auto& by = setting.applies_to;
  if (by.empty()) return true;
  if (situation.run == nullptr && std::all_of(by.begin(), by.end(), restricts_runs)) return true;
  return std::any_of(by.begin(), by.end(), [&](const AppliesTo& row) {
    return mismatch_of(row, situation) == RowMismatch::None;
  });
}

bool may_apply(const Setting& setting, const Program& program, const EngineRun& run) {
  const auto& by = setting.applies_to;
  return by.empty() || std::any_of(by.begin(), by.end(), [&](const AppliesTo& row) {
           return may_suit(row, program, run);
         });
}

bool may_apply(const Setting& setting, const Program& program) {
  return std::any_of(program.engines.begin(), program.engines.end(),
                     [&](const EngineRun& run) { return may_apply(setting, program, run); });
}

bool names_program(const Setting& setting, const Program& program) {
  return std::any_of(
      setting.applies_to.begin(), setting.applies_to.end(), [&](const AppliesTo& row) {
        return row.programs != nullptr &&
               std::any_of(program.engines.begin(), program.engines.end(),
                           [&](const EngineRun& run) { return row.programs(program, run); });
      });
}

std::string where_it_applies(const Setting& setting, const Program* program) {
  std::vector<std::string> scope;
  for (const AppliesTo& row : setting.applies_to) {
    if (program == nullptr || may_suit(row, *program)) scope.push_back(words_of(row));
  }
  return format("{}", fmt::join(scope, ", or by "));
}

namespace {

/// Chooses engine, scheduler, fabric and nodes, without regard to settings that do not apply.
Result<Request> choose(const Program& program, const CommandOptions& options, Job* job, bool own) {
  Request run{.own = own};
  run.program = &program;
  LEEWAY_ASSIGN(run.engine, decide_engine(program, options));
  LEEWAY_ASSIGN(run.scheduler, decide_scheduler(run.engine, program, options));
  run.fabric = options.fabric == Fabric::Sim ? Fabric::Sim : Fabric::Loopback;
  run.nodes = options.nodes.value_or(1);
  if (job != nullptr) {
    run.fabric = job->fabric();
    run.nodes = job->node_count();
  }
  return run;
}

}  // namespace

Result<Request> decide_run(const Program& program, CommandOptions& options, Job* job, bool own) {
  // Removing a setting can invalidate one that depended on it, so repeat until nothing changes.
  for (;;) {
    CommandOptions all = options;
    LEEWAY_ASSIGN(Request run, choose(program, all, job, own));
    if (run.engine == EngineName::Vertex || run.engine == EngineName::Pie) {
      LEEWAY_TRY(take_ldbc_defaults(program, run.engine, all));
      LEEWAY_ASSIGN(run, choose(program, all, job, own));
    }
    LEEWAY_ASSIGN(const bool fewer, remove_idle(situation_of(all, run), kEveryGroup, options));
    if (fewer) continue;
    options = std::move(all);
    return run;
  }
}

Status decide_reading(unsigned groups, std::string_view graph, CommandOptions& options) {
  for (bool fewer = true; fewer;) {
    const CommandOptions all = options;
    const Situation situation{all, nullptr, graph, (groups & kPartition) != 0};
    LEEWAY_ASSIGN(fewer, remove_idle(situation, groups, options));
  }
  return {};
}

void report_warnings(CommandOptions& options) {
  std::vector<std::string> warnings = std::exchange(options.warnings, {});
  if (options.kept != nullptr) {
    options.kept->warnings = std::move(warnings);
    return;
  }
  for (const std::string& warning : warnings) log_warning("{}", warning);
}

Configuration configuration_of(const CommandOptions& resolved, const CommandOptions& given,
                               const Request& run) {
  const Situation situation = situation_of(given, run);
  Configuration pairs;
  for (const Setting& setting : settings()) {
    if ((setting.group & (kRun | kLoad | kPartition)) == 0 || setting.roles.has(kNever)) continue;
    if (!applies(setting, situation)) continue;
    std::string value;
    if (setting.roles.has(kAlways)) {
      value = setting.type.show(resolved);
    } else if (const GivenSetting* const found = find_given(given, setting.name)) {
      value = found->value;
    }
    if (!value.empty()) pairs.emplace_back(setting.name, std::move(value));
  }
  return pairs;
}

}  // namespace leeway::app
