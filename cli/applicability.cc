#include "cli/applicability.h"

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "cli/options.h"
#include "leeway/graph.h"

namespace leeway::cli {

namespace {

bool graph_is_a_file(std::string_view graph) {
  return std::filesystem::exists(graph) || !is_graph_spec(graph);
}

bool divides_by_seed(const Options& options) {
  const PartitionMethod method = options.partition.method;
  return method == PartitionMethod::Auto || method == PartitionMethod::Metis ||
         method == PartitionMethod::Hash || method == PartitionMethod::Random;
}

const Request& run_of(const Situation& situation) {
  LEEWAY_CHECK(situation.run != nullptr);  // rows with these conditions also name engines
  return *situation.run;
}

bool by_worklist(const Situation& situation) {
  const Options& options = situation.options;
  const Request& run = run_of(situation);
  EngineOptions engine = options.vertex;
  engine.scheduler = run.scheduler.value_or(Scheduler::DoWork);
  engine.iterations = options.iterations;
  return run.program->info->selects && works_by_list(engine);
}

bool visits_are_free(const Situation& situation) {
  const Options& options = situation.options;
  const Request& run = run_of(situation);
  if (options.vertex.visit == Visit::All) return true;
  if (run.scheduler == Scheduler::Bsp && run.name() == "pagerank") return false;
  return !options.iterations || by_rounds(run.name(), options);
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

using At = const Situation&;

}  // namespace

constinit const Condition kFile{[](At at) { return graph_is_a_file(at.graph); },
                                "a graph in a file"};
constinit const Condition kDrawnGraph{
    [](At at) { return !graph_is_a_file(at.graph) && is_drawn_spec(at.graph); },
    "a graph drawn at random, such as kron:14"};
constinit const Condition kDrawnWeights{
    [](At at) { return at.options.load.weights == Weights::Random; }, "--weights random"};
constinit const Condition kMerged{
    [](At at) { return at.options.load.duplicates == Duplicates::Merge; }, "--duplicates merge"};

constinit const Condition kDrawnDivision{division_is_drawn,
                                         "several nodes and --partition metis, hash or random"};
constinit const Condition kBalanced{division_balances, "--partition metis, block, ldg or fennel"};
constinit const Condition kByMetis{[](At at) {
                                     const PartitionMethod method = at.options.partition.method;
                                     return method == PartitionMethod::Metis ||
                                            method == PartitionMethod::Auto;
                                   },
                                   "--partition metis"};
constinit const Condition kDividedBySeed{[](At at) { return divides_by_seed(at.options); },
                                         "--partition metis, hash or random"};

constinit const Condition kValuesOfMany{[](At at) {
                                          const std::optional<std::string>& out = at.options.out;
                                          return run_of(at).nodes > 1 && out && *out != "-";
                                        },
                                        "several processes and --out FILE"};
constinit const Condition kLateReads{
    [](At at) {
      return run_of(at).scheduler != Scheduler::Bsp || at.options.policy.updates != Updates::Never;
    },
    "a scheduler other than bsp, or a mode that pushes: scp+pb or rcp+push"};
constinit const Condition kBoundedCache{[](At at) { return at.options.vertex.cache.any(); },
                                        "--cache"};
constinit const Condition kOwnHomes{[](At at) {
                                      const Options& run = at.options;
                                      const bool kept = run.vertex.cache.any() ||
                                                        !run.snapshots.folder.empty() ||
                                                        !run.resume.empty();
                                      return run.optimizations.collocation || !kept;
                                    },
                                    "no --cache, --snapshot and --resume"};
constinit const Condition kFreeVisits{
    visits_are_free, "no --iterations and, for pagerank, a scheduler other than bsp"};
constinit const Condition kFittingOrder{
    [](At at) { return at.options.vertex.order != WorkOrder::Priority || by_worklist(at); },
    "an order other than priority, which bfs, cc and sssp have, without bsp, "
    "--iterations and --visit all"};
constinit const Condition kLateCaches{[](At at) { return !by_worklist(at); },
                                      "no worklist (which bfs, cc and sssp have without bsp, "
                                      "--iterations, --visit all and --order owner or degree)"};
constinit const Condition kEdgeCut{[](At at) { return at.options.pie.cut == pie::Cut::Edge; },
                                   "--cut edge"};
constinit const Condition kSnapshots{[](At at) { return !at.options.snapshots.folder.empty(); },
                                     "--snapshot"};
constinit const Condition kDelays{[](At at) { return at.options.network.has_value(); }, "--net"};
constinit const Condition kOpenEnd{[](At at) { return !at.options.iterations; }, "no --iterations"};

constinit const Condition kFilm{[](At at) { return !at.options.scene.frames.empty(); }, "--frames"};
constinit const Condition kGoals{[](At at) { return at.options.scene.informed > 0; }, "--informed"};
constinit const Condition kAhead{[](At at) { return syncs_by(at, tick::Sync::Schedule); },
                                 "--sync schedule or combined"};
constinit const Condition kReplicas{[](At at) { return syncs_by(at, tick::Sync::Replicate); },
                                    "--sync replicate or combined"};
constinit const Condition kByLoad{[](At at) { return at.options.scene.quadtree; },
                                  "--split quadtree"};
constinit const Condition kByPriority{[](At at) { return at.options.piece.scheduler; },
                                      "--piece-order priority"};
constinit const Condition kBalancer{
    [](At at) { return piece::has_balancer(at.options.piece.system); },
    "--system comtick or asytick-plb"};

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

bool holds(const Condition& condition, const Situation& situation) {
  return condition.holds == nullptr || condition.holds(situation);
}

/// True if the row names programs, engines, schedulers or fabrics, which commands that only read a graph do not have.
bool restricts_runs(const AppliesTo& row) {
  return !row.programs.empty() || !row.engines.empty() || !row.schedulers.empty() ||
         !row.fabrics.empty();
}

bool suits(const AppliesTo& row, const ListedProgram& program) {
  return open_to(row.programs, program.info->name) && (!row.on_graph || program.graph);
}

bool fits(const AppliesTo& row, const Situation& situation) {
  const Request* const run = situation.run;
  if (run == nullptr) return !restricts_runs(row) && holds(row.when, situation);
  if (!suits(row, *run->program) || !open_to(row.engines, run->engine)) return false;
  const bool paced =
      row.schedulers.empty() || (run->scheduler && contains(row.schedulers, *run->scheduler));
  return paced && open_to(row.fabrics, run->fabric) && holds(row.when, situation);
}

std::string alternatives(const std::vector<std::string_view>& names) {
  if (names.size() < 2) return std::string(names.empty() ? "" : names.front());
  const std::span<const std::string_view> all(names);
  return format("{} or {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
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
  if (row.when.holds != nullptr) flags.emplace_back(row.when.words);
  const std::string rest = format("{}", fmt::join(flags, " and "));
  if (row.programs.empty() && !(row.on_graph && flags.empty())) return rest;
  const std::string scope =
      row.programs.empty() ? "programs on a graph" : alternatives(row.programs);
  return rest.empty() ? scope : format("{} with {}", scope, rest);
}

/// The flags that would make `row` match this run; empty: no flags can.
std::vector<std::string> missing_flags(const AppliesTo& row, const Situation& situation) {
  const Request& run = *situation.run;
  std::vector<std::string> lacking;
  if (!suits(row, *run.program)) return lacking;
  EngineName engine = run.engine;
  std::optional<Scheduler> scheduler = run.scheduler;
  if (!open_to(row.engines, engine)) {
    const auto other = std::find_if(row.engines.begin(), row.engines.end(), [&](EngineName e) {
      return contains(run.program->engines, e);
    });
    if (other == row.engines.end()) return lacking;
    engine = *other;
    const auto& has = engine_info(engine).schedulers;
    scheduler = has.empty() ? std::nullopt : std::optional(has.front());
    lacking.push_back(format("--engine {}", engine_name(engine)));
  }
  if (!row.schedulers.empty() && !(scheduler && contains(row.schedulers, *scheduler))) {
    const auto& has = engine_info(engine).schedulers;
    const auto other = std::find_if(row.schedulers.begin(), row.schedulers.end(),
                                    [&](Scheduler s) { return contains(has, s); });
    if (other == row.schedulers.end()) return {};
    lacking.push_back(format("--scheduler {}", scheduler_name(*other)));
  }
  if (!open_to(row.fabrics, run.fabric))
    lacking.push_back(format("--fabric {}", fabric_name(row.fabrics.front())));
  if (!holds(row.when, situation)) lacking.emplace_back(row.when.words);
  return lacking;
}

/// True if the row can match on one of the program's engines under some settings.
bool may_suit(const AppliesTo& row, const ListedProgram& program) {
  const auto has_scheduler = [&](EngineName engine) {
    const auto& has = engine_info(engine).schedulers;
    return row.schedulers.empty() || std::any_of(has.begin(), has.end(), [&](Scheduler s) {
             return contains(row.schedulers, s);
           });
  };
  return suits(row, program) &&
         std::any_of(program.engines.begin(), program.engines.end(), [&](EngineName engine) {
           return open_to(row.engines, engine) && has_scheduler(engine);
         });
}

std::string run_words(const Request& run) {
  std::string text = format("this is {} on the {} engine", run.name(), engine_name(run.engine));
  if (run.scheduler) text += format(" under {}", scheduler_name(*run.scheduler));
  return text + format(" over {}", fabric_name(run.fabric));
}

Error inapplicable(const GivenSetting& given, const Situation& situation) {
  std::string remedy = "leave it out";
  std::string what = format("applies to {} only", where_it_applies(*given.setting));
  if (situation.run == nullptr) return input_error(given.where, what, remedy);
  what += ", and " + run_words(*situation.run);
  for (const AppliesTo& row : given.setting->applies_to) {
    const auto lacking = missing_flags(row, situation);
    if (lacking.empty()) continue;
    remedy += format(", or give {}", fmt::join(lacking, " and "));
    break;
  }
  const auto scheduler = situation.options.scheduler;
  if (given.setting->name == "scheduler" && scheduler == Scheduler::AsyTick &&
      contains(situation.run->program->engines, EngineName::Piece)) {
    remedy += ", or give --engine piece";  // AsyTick also has its own engine
  }
  return input_error(given.where, what, remedy);
}

Situation situation_of(const Options& options, const Request& run) {
  return {options, &run, options.graph ? std::string_view(*options.graph) : std::string_view(),
          true};
}

/// The options without the shared settings that do not apply to this run; none: all shared settings apply.
Result<std::optional<Options>> without_shared(const Options& options, const Request& run) {
  Options kept;
  bool less = false;
  for (const GivenSetting& given : options.given) {
    if (given.shared && !applies(*given.setting, situation_of(options, run))) {
      less = true;
    } else {
      LEEWAY_TRY(apply_setting(*given.setting, given.value, given.where, kept, given.shared));
    }
  }
  if (!less) return std::optional<Options>();
  LEEWAY_TRY(settle(kept));
  return std::optional(std::move(kept));
}

std::vector<std::string_view> names_of(const std::vector<Scheduler>& schedulers) {
  std::vector<std::string_view> names;
  for (const Scheduler each : schedulers) names.push_back(scheduler_name(each));
  return names;
}

Result<EngineName> decide_engine(const ListedProgram& program, const Options& options) {
  const auto& has = program.engines;
  if (options.engine) {
    if (contains(has, *options.engine)) return *options.engine;
    return fail(input_error(
        "--engine",
        format("the {} engine has no program called '{}'", engine_name(*options.engine),
               program.info->name),
        format("leave --engine out, or give {}", flag_words("--engine", has, engine_name))));
  }
  if (!options.scheduler) return has.front();
  const auto paced = std::find_if(has.begin(), has.end(), [&](EngineName engine) {
    return contains(engine_info(engine).schedulers, *options.scheduler);
  });
  return paced == has.end() ? has.front() : *paced;
}

/// The default is bsp if LDBC defines the program by supersteps (CDLP and PageRank).
Result<std::optional<Scheduler>> decide_scheduler(EngineName engine, std::string_view program,
                                                  const Options& options) {
  const auto& has = engine_info(engine).schedulers;
  if (has.empty()) return std::optional<Scheduler>();
  if (!options.scheduler) {
    const bool rounds = engine == EngineName::Vertex && by_rounds(program, options);
    return std::optional(rounds ? Scheduler::Bsp : has.front());
  }
  if (contains(has, *options.scheduler)) return options.scheduler;
  return fail(input_error("--scheduler",
                          format("the {} engine does not run {}", engine_name(engine),
                                 scheduler_name(*options.scheduler)),
                          format("give {}", alternatives(names_of(has)))));
}

}  // namespace

bool by_rounds(std::string_view program, const Options& options) {
  return options.program.ldbc && find_program(program)->info->ldbc == Ldbc::Rounds;
}

bool applies(const Setting& setting, const Situation& situation) {
  const auto& by = setting.applies_to;
  if (by.empty()) return true;
  if (situation.run == nullptr && std::all_of(by.begin(), by.end(), restricts_runs)) return true;
  return std::any_of(by.begin(), by.end(),
                     [&](const AppliesTo& row) { return fits(row, situation); });
}

bool may_apply(const Setting& setting, const ListedProgram& program) {
  const auto& by = setting.applies_to;
  return by.empty() || std::any_of(by.begin(), by.end(),
                                   [&](const AppliesTo& row) { return may_suit(row, program); });
}

std::string where_it_applies(const Setting& setting, const ListedProgram* program) {
  std::vector<std::string> scope;
  for (const AppliesTo& row : setting.applies_to) {
    if (program == nullptr || may_suit(row, *program)) scope.push_back(words_of(row));
  }
  return format("{}", fmt::join(scope, ", or by "));
}

Result<Request> decide_run(std::string_view program, const Options& options, Job* job) {
  Request run;
  run.program = find_program(program);
  LEEWAY_CHECK(run.program != nullptr, program);
  LEEWAY_ASSIGN(run.engine, decide_engine(*run.program, options));
  LEEWAY_ASSIGN(run.scheduler, decide_scheduler(run.engine, program, options));
  run.fabric = options.fabric == Fabric::Sim ? Fabric::Sim : Fabric::Loopback;
  run.nodes = options.nodes.value_or(1);
  if (job != nullptr) {
    run.fabric = job->fabric();
    run.nodes = job->node_count();
  }
  return run;
}

Result<Options> applicable_options(const Options& given, const Request& run) {
  Options options = given;
  // Dropping a setting can invalidate one that depended on it, so repeat until nothing changes.
  for (;;) {
    LEEWAY_ASSIGN(std::optional<Options> fewer, without_shared(options, run));
    if (!fewer) break;
    options = std::move(*fewer);
  }
  const Situation situation = situation_of(options, run);
  for (const GivenSetting& each : options.given) {
    if (!applies(*each.setting, situation)) return fail(inapplicable(each, situation));
  }
  options.quiet = given.quiet;
  return options;
}

Status check_applicable(const Options& given, unsigned groups, std::string_view graph) {
  const Situation situation{given, nullptr, graph, (groups & kPartition) != 0};
  for (const GivenSetting& each : given.given) {
    if (each.shared || (each.setting->group & groups) == 0) continue;
    if (!applies(*each.setting, situation)) return fail(inapplicable(each, situation));
  }
  return {};
}

Configuration configuration_of(const Options& resolved, const Options& given, const Request& run) {
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

}  // namespace leeway::cli
