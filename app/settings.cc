// The rows of the settings table, except the common ones in options.cc: engines, programs, reading, partitioning,
// snapshots, simulations.

#include "app/settings.h"

#include <array>

#include "app/applicability.h"
#include "app/engine_reports.h"
#include "datasets/graph.h"

namespace leeway::app {

namespace {

using Text = std::string_view;
using O = CommandOptions;
using E = EngineOptions;
using P = ProgramParameters;

template <Parameter P>
const std::vector<AppliesTo> kTakes = {{.programs = takes<P>}};

bool takes_changes(const Program&, const EngineRun& run) { return run.continues; }
bool is_ldbc(const Program& program, const EngineRun&) { return program.ldbc != Ldbc::Nothing; }
bool has_baseline(const Program& program, const EngineRun&) {
  return program.baseline.time != nullptr;
}
bool runs_on_parts(const Program&, const EngineRun& run) { return run.run_part != nullptr; }

constexpr Choices<Fabric, 5> kFabrics = {{{"auto", Fabric::Auto},
                                          {"loopback", Fabric::Loopback},
                                          {"sim", Fabric::Sim},
                                          {"mpi", Fabric::Mpi},
                                          {"ofi", Fabric::Ofi}}};
constexpr Choices<pie::Cut, 2> kCuts = {{{"edge", pie::Cut::Edge}, {"vertex", pie::Cut::Vertex}}};
constexpr Choices<Visit, 3> kVisits = {
    {{"auto", Visit::Auto}, {"all", Visit::All}, {"active", Visit::Active}}};
constexpr Choices<Eviction, 3> kEvictions = {
    {{"known", Eviction::Known}, {"lru", Eviction::Lru}, {"clock", Eviction::Clock}}};
constexpr Choices<RankChange, 4> kRankChanges = {{{"auto", RankChange::Auto},
                                                  {"sum", RankChange::Sum},
                                                  {"each", RankChange::Each},
                                                  {"mean", RankChange::Mean}}};
constexpr Choices<Precision, 2> kPrecisions = {
    {{"double", Precision::Double}, {"single", Precision::Single}}};
constexpr Choices<WorkOrder, 4> kOrders = {{{"auto", WorkOrder::Auto},
                                            {"owner", WorkOrder::Owner},
                                            {"degree", WorkOrder::Degree},
                                            {"priority", WorkOrder::Priority}}};

constexpr Choices<std::optional<Service>, 4> kServices = {{{"auto", std::nullopt},
                                                           {"thread", Service::Background},
                                                           {"inline", Service::Inline},
                                                           {"separate", Service::Separate}}};

std::vector<Text> engine_names() {
  std::vector<Text> names;
  for (const EngineInfo& info : engines()) names.push_back(info.name);
  return names;
}

Status read_engine(CommandOptions& o, Text v) {
  for (const EngineInfo& info : engines()) {
    if (info.name != v) continue;
    o.engine = info.engine;
    return {};
  }
  return fail(unknown_value(v, engine_names()));
}

std::string show_engine(const CommandOptions& o) {
  return o.engine ? std::string(engine_info(*o.engine).name) : "";
}

std::string show_scheduler(const CommandOptions& o) {
  return o.scheduler ? std::string(scheduler_name(*o.scheduler)) : "";
}

std::string show_consistency(const CommandOptions& o) { return o.policy.name; }

std::string show_cache(const CommandOptions& o) {
  const CacheBound& cache = o.vertex.cache;
  if (cache.percent > 0) return format("{}%", cache.percent);
  return cache.objects > 0 ? format("{}", cache.objects) : "";
}

/// The schedulers of all engines.
std::vector<Text> scheduler_names() {
  std::vector<Text> names;
  for (const SchedulerInfo& info : schedulers()) names.push_back(info.name);
  return names;
}

Status read_scheduler(CommandOptions& o, Text v) {
  for (const SchedulerInfo& info : schedulers()) {
    if (info.name != v) continue;
    o.scheduler = info.scheduler;
    return {};
  }
  if (v == "tick") {
    return fail(
        input_error("", "unknown scheduler 'tick'; ticks are an engine", "give --engine tick"));
  }
  if (parse_policy(v)) {
    return fail(input_error("", format("{} is a mode of consistency, not a scheduler", v),
                            format("--consistency {}", v)));
  }
  return fail(unknown_value(v, scheduler_names()));
}

/// "500" objects, or "10%" of the objects that a node reads from others.
Status read_cache(CommandOptions& o, Text v) {
  CacheBound& cache = o.vertex.cache;
  cache.objects = 0;
  cache.percent = 0;
  if (!v.ends_with('%')) return number(v, 1U, 1'000'000'000U, cache.objects);
  if (number(v.substr(0, v.size() - 1), 0.001, 100.0, cache.percent)) return {};
  return fail(input_error("", format("must be a number from 0.001% to 100%, not '{}'", v), ""));
}

Status read_consistency(CommandOptions& o, Text v) {
  Result<Policy> policy = parse_policy(v);
  const auto names = scheduler_names();
  if (!policy && std::find(names.begin(), names.end(), v) != names.end()) {
    return fail(input_error("", format("{} is a scheduler, not a mode of consistency", v),
                            format("--scheduler {}", v)));
  }
  LEEWAY_ASSIGN(o.policy, std::move(policy));
  return {};
}

/// Milliseconds.
Status read_rate_window(CommandOptions& o, Text v) {
  double milliseconds = 0;
  LEEWAY_TRY(number(v, 0.001, 1e6, milliseconds));
  o.vertex.aap.rate_window = Duration(static_cast<Duration::rep>(milliseconds * 1e6));
  return {};
}

std::string show_rate_window(const CommandOptions& o) {
  const Duration window = o.vertex.aap.rate_window;
  return window > Duration::zero() ? format("{}", seconds(window) * 1e3) : "";
}

const std::vector<AppliesTo> kAap = {
    {.engines = {EngineName::Vertex, EngineName::Pie}, .schedulers = {Scheduler::Aap}}};
const std::vector<AppliesTo> kHsync = {
    {.engines = {EngineName::Vertex, EngineName::Pie}, .schedulers = {Scheduler::Hsync}}};
const std::vector<AppliesTo> kVertex = {{.engines = {EngineName::Vertex}}};
const std::vector<AppliesTo> kPie = {{.engines = {EngineName::Pie}}};
const std::vector<AppliesTo> kPacedRuns = {
    {.engines = {EngineName::Pie},
     .schedulers = {Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync},
     .when = kChangesAddUp}};
const std::vector<AppliesTo> kVertexAndPie = {{.engines = {EngineName::Vertex, EngineName::Pie}}};

std::vector<Setting> engine_settings() {
  return {
      Setting("engine", "NAME", "engine that runs the program",
              {.choices = engine_names(), .read = read_engine, .show = show_engine}, kRun,
              kAlways | kUsual | kSummary, "the program's first engine (leeway programs)"),
      Setting(
          "fabric", "NAME", "transport of messages; auto: the launcher's, else loopback",
          chosen_from<&O::fabric>(kFabrics), kRun,
          kAlways | kOwnCluster | kOwnVertex | kOwnPie | kOwnTick | kOwnPiece | kUsual | kSummary),
      Setting(
          "nodes", "N", "number of nodes; launch: number of processes",
          within<&O::nodes>(1, kMaxParts), kPlan | kReplay | kLaunch | kRun,
          kAlways | kOwnCluster | kOwnVertex | kOwnPiece | kUsual | kSummary | kOwnPie | kOwnTick,
          "1; replay: 16"),
      Setting(
          "consistency", "MODE",
          "which values a read may return: scp, scp+rw, scp+pb, stale-N, rcp, rcp-T or rcp+push",
          {.read = read_consistency, .show = show_consistency}, kRun,
          kAlways | kOwnVertex | kUsual | kSummary | kOwnCluster, std::string(kDefaultMode),
          {{.engines = {EngineName::Vertex}, .several = true}},
          "scp scp+rw scp+pb stale-1 stale-2 stale-3 rcp rcp+push"),
      Setting("scheduler", "NAME", "how nodes wait for each other",
              {.choices = scheduler_names(), .read = read_scheduler, .show = show_scheduler}, kRun,
              kAlways | kOwnVertex | kUsual | kSummary | kOwnPie,
              "do-work; bsp if LDBC defines rounds; pie: aap", kVertexAndPie),
      Setting(
          "staleness", "C",
          "ssp: iterations that a node may be ahead of the slowest; aap: rounds, default: no bound",
          within<&O::vertex, &E::staleness>(0, 1'000'000), kRun, kAlways | kOwnVertex | kOwnPie,
          "3; cf 0",
          {{.engines = {EngineName::Vertex, EngineName::Pie},
            .schedulers = {Scheduler::Ssp, Scheduler::Aap}}}),
      Setting("deterministic", "",
              "the same result, bit for bit, in every run; refused if that is impossible",
              on_off<&O::deterministic>(), kRun, kAlways | kMustApply, {}, kVertexAndPie),
  };
}

std::vector<Setting> vertex_settings() {
  return {
      Setting("visit", "WHICH",
              "vertices that an iteration visits: all, or those with changed inputs",
              chosen_from<&O::vertex, &E::visit>(kVisits), kRun, kAlways | kOwnVertex, {},
              {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .when = kFreeVisits}}),
      Setting(
          "order", "HOW", "order in which a node processes its vertices",
          chosen_from<&O::vertex, &E::order>(kOrders), kRun, kAlways | kOwnVertex, {},
          {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .when = kFittingOrder}}),
      Setting("service", "WHO",
              "which thread handles a node's messages during computation: a service thread and the "
              "compute threads, (inline) the compute threads alone, between batches, or (separate) "
              "five service threads alone, as in ASPIRE",
              chosen_from<&O::service>(kServices), kRun, kAlways | kOwnVertex,
              "auto: thread if a core is free for it", kVertex),
      Setting("replicate", "", "fill the caches before the first iteration",
              on_off<&O::vertex, &E::replicate>(), kRun, kAlways | kOwnVertex, {},
              {{.engines = {EngineName::Vertex}, .when = kLateCaches}}),
      Setting("collocate", "",
              "the node that computes a vertex is its home; false: another node is",
              on_off<&O::optimizations, &Optimizations::collocation>(), kRun, kIfGiven | kOwnVertex,
              {}, {{.engines = {EngineName::Vertex}, .when = kOwnHomes}}),
      Setting("aggregate", "", "combine messages to one node into a frame",
              on_off<&O::optimizations, &Optimizations::aggregation>(), kRun, kIfGiven | kOwnVertex,
              {}, kVertex),
      Setting("flatten", "", "merge equal requests and repeated invalidations",
              on_off<&O::optimizations, &Optimizations::flattening>(), kRun, kIfGiven | kOwnVertex,
              {}, kVertex),
      Setting("cache", "N",
              "bound on a node's copies of other nodes' values: a number, or 10% of the values it "
              "reads from them",
              {.read = read_cache, .show = show_cache}, kRun | kReplay, kAlways | kOwnVertex,
              "all values it reads", kVertex),
      Setting(
          "eviction", "WHICH",
          "copy that a full cache evicts: known, the one read last from now in the order of the "
          "sweep; lru, the least recently read; clock, one not read recently",
          chosen_from<&O::vertex, &E::cache, &CacheBound::eviction>(kEvictions), kRun | kReplay,
          kIfGiven | kOwnVertex, "known; by worklist and asytick lru",
          {{.engines = {EngineName::Vertex}, .when = kBoundedCache}}),
  };
}

std::vector<Setting> pie_settings() {
  return {
      Setting("workers", "M", "pie: fragments, each a virtual worker",
              within<&O::pie, &pie::PieOptions::workers>(1, kMaxParts), kRun | kCheck,
              kAlways | kOwnPie, "one per thread", kPie),
      Setting("cut", "WHICH", "pie: assign vertices (edge cut) or arcs (vertex cut) to fragments",
              chosen_from<&O::pie, &pie::PieOptions::cut>(kCuts), kRun | kCheck, kAlways | kOwnPie,
              {}, kPie),
      Setting("aap-floor", "L",
              "aap: messages that a worker gathers at least before a round (L_bottom)",
              within<&O::vertex, &E::aap, &AapParameters::least_target>(0.0, 1e9), kRun,
              kAlways | kOwnVertex | kOwnPie, "the number of senders twice as fast", kAap),
      Setting("gather-fraction", "F",
              "aap: a worker gathers messages for at most this fraction of its round time (Delta)",
              within<&O::vertex, &E::aap, &AapParameters::gather_fraction>(0.0, 100.0), kRun,
              kAlways | kOwnVertex | kOwnPie, {}, kAap),
      Setting("aap-equation", "",
              "aap: a worker waits by equation (1) of the paper, and not by our estimates of what "
              "a wait gains",
              on_off<&O::vertex, &E::aap, &AapParameters::by_equation>(), kRun,
              kAlways | kOwnVertex | kOwnPie, {}, kAap),
      Setting("aap-senders", "",
              "aap: count the workers whose messages have arrived, and not the messages",
              on_off<&O::vertex, &E::aap, &AapParameters::counts_senders>(), kRun,
              kAlways | kOwnVertex | kOwnPie, {}, kAap),
      Setting("paced", "",
              "pie: a worker sends a peer nothing before the peer has answered its last message; "
              "false: all messages are sent immediately",
              on_off<&O::pie, &pie::PieOptions::paced>(), kRun, kIfGiven | kOwnPie, {}, kPacedRuns),
      Setting("rate-window", "MS",
              "aap: milliseconds in which arrivals count for the arrival rate (tau)",
              {.read = read_rate_window, .show = show_rate_window}, kRun,
              kAlways | kOwnVertex | kOwnPie, "the last two rounds", kAap),
      Setting("hsync-ratio", "R",
              "hsync: asynchronous updates that count as one in step when it compares their rates",
              within<&O::vertex, &E::hsync_ratio>(0.01, 1000.0), kRun,
              kAlways | kOwnVertex | kOwnPie, {}, kHsync),
      Setting("hops", "D",
              "pie: number of hops beyond an edge cut whose adjacency lists a fragment copies",
              within<&O::pie, &pie::PieOptions::hops>(0, 1000), kRun | kCheck, kAlways | kOwnPie,
              {}, {{.engines = {EngineName::Pie}, .when = kEdgeCut}}),
  };
}

std::vector<Setting> centrality_settings() {
  return {
      Setting("changes", "FILE",
              "arcs added (+), removed (-) or with another weight (=) since the answer of --from",
              text<&O::changes>(), kRun, kIfGiven | kMustApply | kDecides | kByContent, "none",
              {{.programs = takes_changes}}),
      Setting("from", "ANSWER", "values before --changes: by --out FILE.txt, or snapshots",
              text<&O::from>(), kRun, kIfGiven | kMustApply | kDecides | kByContent, "none",
              {{.programs = takes_changes}}),
      Setting("samples", "K", "number of random vertices from which paths begin",
              within<&O::program, &P::samples>(1, 4'294'967'295), kRun,
              kIfGiven | kMustApply | kDecides, "all vertices", kTakes<Parameter::Samples>),
      Setting("by-weight", "", "weights count, as lengths of paths or strengths of arcs",
              on_off<&O::program, &P::by_weight>(), kRun, kIfGiven | kMustApply | kDecides, {},
              kTakes<Parameter::ByWeight>),
      Setting("personalization", "FILE",
              "pagerank: the vertices at which the surfer restarts and their shares, as `vertex "
              "weight` lines (0 elsewhere)",
              text<&O::personalization>(), kRun, kIfGiven | kMustApply | kDecides | kByContent,
              "all vertices alike", kTakes<Parameter::Personalization>),
      Setting("resolution", "R", "louvain: communities are smaller above 1, larger below",
              within<&O::program, &P::resolution>(0, 1e9), kRun, kAlways | kMustApply | kDecides,
              {}, kTakes<Parameter::Resolution>),
      Setting("attenuation", "A", "katz: factor of a walk for each of its arcs",
              within<&O::program, &P::attenuation>(0, 1e9), kRun, kIfGiven | kMustApply | kDecides,
              "1 / (1 + the most arcs of a vertex)", kTakes<Parameter::Attenuation>),
  };
}

std::vector<Setting> program_settings() {
  return {
      Setting("source", "VERTEX", "source of the paths, by its name in the input",
              text<&O::source>(), kRun | kCheck, kAlways | kMustApply | kDecides,
              "the first vertex with an arc to another; betweenness all vertices",
              kTakes<Parameter::Source>),
      Setting("damping", "D", "pagerank: damping factor, the share of rank that follows arcs",
              within<&O::program, &P::damping>(0, 0.9999), kRun | kCheck,
              kAlways | kMustApply | kDecides, {}, kTakes<Parameter::Damping>),
      Setting("rate", "R", "cf: learning rate", within<&O::program, &P::rate>(1e-6, 1),
              kRun | kCheck, kAlways | kMustApply | kDecides, {}, kTakes<Parameter::Rate>),
      Setting("regulariser", "LAMBDA", "cf: weight of the L2 penalty on factors",
              within<&O::program, &P::regulariser>(0, 10), kRun | kCheck,
              kAlways | kMustApply | kDecides, {}, kTakes<Parameter::Rate>),
      Setting("rhs", "FILE",
              "heat, linear-system and wave: the right-hand side, as `vertex value` lines (0 "
              "elsewhere), one value per line, or a Matrix Market column",
              text<&O::rhs>(), kRun, kIfGiven | kMustApply | kDecides | kByContent,
              "1 for a matrix; one heated cell in 16 for a grid", kTakes<Parameter::RightSide>),
      Setting("start", "FILE",
              "heat, linear-system and wave: initial values, in the formats of --rhs",
              text<&O::start>(), kRun, kIfGiven | kMustApply | kByContent, "0",
              kTakes<Parameter::RightSide>),
      Setting("fixed", "FILE", "heat and wave: cells that keep a value, as `vertex value` lines",
              text<&O::fixed>(), kRun, kIfGiven | kMustApply | kDecides | kByContent, "none",
              kTakes<Parameter::Fixed>),
      Setting("tolerance", "T",
              "the run ends when no value changes by more than this share of the values' size",
              within<&O::program, &P::tolerance>(0, 1), kRun | kCheck, kIfGiven | kDecides,
              "1e-8; single 1e-6; heat, linear-system, wave 1e-9; piece 1e-13; jacobi none",
              {{.programs = takes<Parameter::Tolerance>,
                .engines = {EngineName::Vertex},
                .when = kOpenEnd},
               {.programs = takes<Parameter::Tolerance>, .engines = {EngineName::Pie}},
               {.programs = takes<Parameter::Tolerance>,
                .engines = {EngineName::Piece},
                .when = kOpenEnd}}),
      Setting("tolerance-of", "WHAT", "pagerank: what --tolerance bounds",
              chosen_from<&O::program, &P::tolerance_of>(kRankChanges), kRun,
              kIfGiven | kOwnVertex | kDecides, {},
              {{.programs = takes<Parameter::ToleranceOf>,
                .engines = {EngineName::Vertex},
                .when = kOpenEnd},
               {.programs = takes<Parameter::ToleranceOf>, .engines = {EngineName::Pie}}}),
      Setting("precision", "WHICH", "pagerank: of the shared values",
              chosen_from<&O::program, &P::precision>(kPrecisions), kRun,
              kIfGiven | kOwnVertex | kDecides | kMustApply, {},
              {{.programs = takes<Parameter::Precision>, .engines = {EngineName::Vertex}}}),
      Setting("rescale", "", "pagerank: keep the sum of all ranks in sweeps in place",
              on_off<&O::program, &P::rescale>(), kRun, kIfGiven | kOwnVertex | kDecides, {},
              {{.programs = takes<Parameter::Precision>,
                .engines = {EngineName::Vertex},
                .schedulers = kInPlace}}),
      Setting("patience", "N",
              "iterations in a row without progress after which a run stops with exit code 5",
              within<&O::vertex, &E::patience>(1, 1'000'000'000), kRun, kIfGiven | kOwnVertex,
              "100000; cdlp 1000",
              {{.programs = takes<Parameter::Patience>,
                .engines = {EngineName::Vertex},
                .when = kOpenEnd},
               {.programs = takes<Parameter::Patience>, .engines = {EngineName::Pie}}}),
      Setting("ldbc", "", "LDBC Graphalytics' semantics and output",
              on_off<&O::program, &P::ldbc>(), kRun, kAlways | kMustApply | kDecides, {},
              {{.programs = is_ldbc, .engines = {EngineName::Vertex, EngineName::Pie}}}),
  };
}

std::vector<Setting> result_settings() {
  return {
      Setting("verify", "", "compare the result with a sequential oracle", on_off<&O::verify>(),
              kRun, kIfGiven, "on up to a million arcs"),
      Setting("cost", "", "also time a tuned single-thread program", on_off<&O::cost>(), kRun,
              kIfGiven | kMustApply, {},
              {{.programs = has_baseline, .engines = {EngineName::Vertex, EngineName::Pie}}}),
      Setting(
          "top", "K",
          "print the K vertices with the greatest values (components, communities, colours: the K "
          "largest groups; fish, nbody: the K fastest; fish-food: by bites)",
          within<&O::top>(0, 1'000'000), kRun, kNever | kUsual | kTerminal),
      Setting("out-parts", "",
              "each process writes the values of its vertices; with --out FILE.txt, to "
              "FILE-00000-of-00004.txt and so on",
              on_off<&O::out_parts>(), kRun, kNever | kMustApply | kTerminal, {},
              {{.programs = runs_on_parts,
                .engines = {EngineName::Vertex, EngineName::Pie},
                .fabrics = {Fabric::Ofi, Fabric::Mpi},
                .when = kValuesOfMany}}),
      Setting("report", "FILE", "write a report of the run, as JSON", text<&O::report>(), kRun,
              kNever | kUsual),
      Setting("trace", "FILE",
              "write the activity of every node over time, for chrome://tracing or Perfetto",
              text<&O::trace>(), kRun, kNever),
  };
}

}  // namespace

std::vector<Setting> run_settings() {
  std::vector<Setting> all = engine_settings();
  for (auto more : {vertex_settings(), pie_settings(), program_settings(), centrality_settings(),
                    snapshot_settings(), result_settings(), simulation_settings()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

namespace {

// Settings of reading and generating graphs.
constexpr Choices<Duplicates, 2> kDuplicates = {
    {{"keep", Duplicates::Keep}, {"merge", Duplicates::Merge}}};
constexpr Choices<MergeWeights, 5> kMergeWeights = {{{"sum", MergeWeights::Sum},
                                                     {"min", MergeWeights::Min},
                                                     {"max", MergeWeights::Max},
                                                     {"first", MergeWeights::First},
                                                     {"last", MergeWeights::Last}}};
constexpr Choices<SelfLoops, 2> kSelfLoops = {
    {{"keep", SelfLoops::Keep}, {"drop", SelfLoops::Drop}}};
constexpr Choices<Weights, 3> kWeights = {
    {{"file", Weights::File}, {"none", Weights::None}, {"random", Weights::Random}}};

constexpr double kLargestWeight = 9007199254740992.0;  // 2^53: integers are exact up to here

Status read_delimiter(CommandOptions& o, std::string_view value) {
  if (value == "tab" || value == "\\t") value = "\t";
  if (value == "space") value = " ";
  const bool fits = value.size() == 1 && value != "\"" && value != "\n" && value != "\r" &&
                    static_cast<unsigned char>(value[0]) < 0x80;
  if (!fits) {
    return fail(
        input_error("", format("'{}' is not a single character that can separate columns", value),
                    "give one such as ',' or ';', or tab or space"));
  }
  o.load.delimiter = value[0];
  return {};
}

using L = LoadOptions;
const std::vector<AppliesTo> kFromFile = {{.on_graph = true, .when = kFile}};
const std::vector<AppliesTo> kWithRandomWeights = {{.on_graph = true, .when = kDrawnWeights}};

}  // namespace

std::vector<Setting> load_settings() {
  return {
      Setting("format", "NAME", "the input's format",
              format_of<&O::load, &L::format>(readable_formats()), kLoad, kIfGiven | kReads,
              "detected", kFromFile),
      Setting("directed", "", "each edge is one arc", on_off<&O::directed>(), kLoad,
              kIfGiven | kReads, "as the file declares, else directed", kOnGraph),
      Setting("undirected", "", "each edge is two arcs, one in each direction",
              on_off<&O::undirected>(), kLoad, kIfGiven | kReads,
              "as the file declares, else directed", kOnGraph),
      Setting("symmetrize", "", "add every arc's reverse; the graph becomes undirected",
              on_off<&O::load, &L::symmetrize>(), kLoad, kIfGiven | kReads, {}, kOnGraph),
      Setting("duplicates", "WHAT", "parallel edges: keep or merge them",
              chosen_from<&O::load, &L::duplicates>(kDuplicates), kLoad, kIfGiven | kReads,
              "keep; an error in Matrix Market", kOnGraph),
      Setting("merge-weights", "HOW", "weight of a merged edge",
              chosen_from<&O::load, &L::merge_weights>(kMergeWeights), kLoad, kIfGiven | kReads, {},
              {{.on_graph = true, .when = kMerged}}),
      Setting("self-loops", "WHAT", "edges from a vertex to itself: keep or drop them",
              chosen_from<&O::load, &L::self_loops>(kSelfLoops), kLoad, kIfGiven | kReads, {},
              kOnGraph),
      Setting("weights", "WHICH", "weights of the file, none, or random integers",
              chosen_from<&O::load, &L::weights>(kWeights), kLoad, kIfGiven | kReads, {}, kOnGraph),
      Setting("weight-low", "W", "smallest random weight",
              within<&O::load, &L::weight_low>(-kLargestWeight, kLargestWeight), kLoad,
              kIfGiven | kReads, {}, kWithRandomWeights),
      Setting("weight-high", "W", "greatest random weight",
              within<&O::load, &L::weight_high>(-kLargestWeight, kLargestWeight), kLoad,
              kIfGiven | kReads, {}, kWithRandomWeights),
      Setting("columns", "A,B[,W]",
              "CSV: columns of an edge's endpoints and weight, by title or by number from 1",
              text<&O::load, &L::columns>(), kLoad, kIfGiven | kReads,
              "by their titles, else the first columns", kFromFile),
      Setting("delimiter", "CHAR", "CSV: separator of columns: one character, tab or space",
              {.read = read_delimiter}, kLoad, kIfGiven | kReads, "detected", kFromFile),
      Setting("header", "", "CSV: the first row contains titles", on_off<&O::load, &L::header>(),
              kLoad, kIfGiven | kReads, "detected", kFromFile),
  };
}

namespace {

// Settings of partitioning.
constexpr Choices<BalanceBy, 2> kBalance = {
    {{"vertices", BalanceBy::Vertices}, {"arcs", BalanceBy::Arcs}}};

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const PartitionMethodInfo& info : partition_methods()) names.push_back(info.name);
  return names;
}

Status read_method(CommandOptions& o, std::string_view value) {
  return parse_partition_method(value, o.partition);
}

std::string show_method(const CommandOptions& o) { return partition_text(o.partition); }

using D = PartitionOptions;

}  // namespace

std::vector<Setting> partition_settings() {
  return {
      Setting("partition", "HOW",
              "method that assigns vertices to parts, or a file with one owner per line "
              "(file:PATH, or a path)",
              {.choices = method_names(), .read = read_method, .show = show_method}, kPartition,
              kAlways | kOwnVertex | kUsual | kOwnPie | kSummary, "auto", kOnGraph),
      Setting("balance", "WHAT", "quantity that is balanced over parts",
              chosen_from<&O::partition, &D::balance>(kBalance), kPartition,
              kAlways | kOwnVertex | kOwnPie, {}, {{.on_graph = true, .when = kBalanced}}),
      Setting("edge-weights", "",
              "METIS: minimize the cut weight instead of the number of cut edges",
              on_off<&O::partition, &D::edge_weights>(), kPartition,
              kIfGiven | kOwnVertex | kOwnPie, {}, {{.on_graph = true, .when = kByMetis}}),
      Setting("tries", "N", "METIS: number of runs; the best is kept",
              within<&O::partition, &D::tries>(1, 1000), kPartition,
              kIfGiven | kOwnVertex | kOwnPie, "by the graph's size",
              {{.on_graph = true, .when = kByMetis}}),
      Setting("skew", "R", "make the first part R times the median part",
              within<&O::partition, &D::skew>(1, 1e6), kPartition, kIfGiven, "none", kOnGraph),
  };
}

namespace {

// Settings of snapshots and restarts.
constexpr double kLongest = 1e6;  // seconds
constexpr std::uint64_t kMostRounds = 1'000'000'000;

/// "10s" and "0.5s" are seconds, "5" is a number of iterations.
Status read_every(CommandOptions& o, std::string_view v) {
  const bool by_time = v.ends_with('s');
  double time = 0;
  std::uint64_t rounds = 0;
  const Status read = by_time ? number(v.substr(0, v.size() - 1), 1e-3, kLongest, time)
                              : number(v, std::uint64_t{1}, kMostRounds, rounds);
  if (!read) {
    return fail(input_error("", format("'{}' is neither a time nor a number of iterations", v),
                            "give seconds, as in 10s, or iterations, as in 5"));
  }
  o.saving.every_seconds = time;
  o.saving.every_rounds = rounds;
  return {};
}

const SettingRoles kOwnSaving = kOwnVertex | kOwnPie | kOwnTick | kOwnPiece;

}  // namespace

std::vector<Setting> snapshot_settings() {
  return {
      Setting("snapshot", "FOLDER",
              "folder for snapshots, from which --resume continues; SIGUSR1 requests one",
              text<&O::saving, &Saving::folder>(), kRun, kNever | kUsual | kOwnSaving),
      Setting("snapshot-every", "WHEN",
              "interval between snapshots: seconds, as 10s, or iterations, as 5; runs by ticks: "
              "ticks, default: a tenth of them",
              {.read = read_every}, kRun, kOwnSaving | kIfGiven, "10s", {{.when = kSnapshots}}),
      Setting("snapshots-kept", "N", "number of snapshots that are kept, the newest",
              within<&O::saving, &Saving::kept>(1, 1'000'000), kRun, kOwnSaving | kNever, {},
              {{.when = kSnapshots}}),
      Setting("resume", "FOLDER",
              "resume from the newest snapshot in the folder, or from this snapshot; the number of "
              "nodes may differ",
              text<&O::saving, &Saving::resume>(), kRun, kOwnSaving | kNever),
  };
}

namespace {

// Settings of simulations and of the tick and piece engines.
using piece::System;

constexpr Choices<tick::Sync, 5> kSyncs = {{{"barrier", tick::Sync::Barrier},
                                            {"local", tick::Sync::Local},
                                            {"schedule", tick::Sync::Schedule},
                                            {"replicate", tick::Sync::Replicate},
                                            {"combined", tick::Sync::Combined}}};
constexpr Choices<bool, 2> kSplits = {{{"grid", false}, {"quadtree", true}}};
constexpr Choices<System, 4> kSystems = {{{"oritick", System::OriTick},
                                          {"comtick", System::ComTick},
                                          {"asytick", System::AsyTick},
                                          {"asytick-plb", System::AsyTickPlb}}};
constexpr Choices<bool, 2> kPieceOrders = {{{"priority", true}, {"arrival", false}}};
constexpr std::uint32_t kMostTicks = 1'000'000'000;

Status read_rebalance(CommandOptions& o, Text v) {
  LEEWAY_TRY(number(v, 0U, kMostTicks, o.tick.rebalance));
  o.pie.rebalance = o.tick.rebalance;
  return {};
}

std::string show_rebalance(const CommandOptions& o) { return format("{}", o.tick.rebalance); }
constexpr std::uint32_t kMostThings = 100'000'000;

template <auto Field>
SettingType count(std::uint32_t low, std::uint32_t high) {
  return within<&O::scene, Field>(low, high);
}
template <auto Field>
SettingType length() {
  return within<&O::scene, Field>(1e-6, 1e9);
}

const std::vector<AppliesTo>& kFish = kTakes<Parameter::Fish>;
const std::vector<AppliesTo>& kNBody = kTakes<Parameter::Bodies>;
const std::vector<AppliesTo> kTick = {{.engines = {EngineName::Tick}}};
const std::vector<AppliesTo> kPiece = {{.engines = {EngineName::Piece}}};
const std::vector<AppliesTo> kTickReplicas = {{.engines = {EngineName::Tick}, .when = kReplicas}};
const std::vector<AppliesTo> kAsyTick = {
    {.engines = {EngineName::Piece}, .when = kByPriority},
    {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}, .when = kInPieces}};

std::vector<Setting> scene_settings() {
  return {
      Setting("fish", "N", "number of fish", count<&SceneParameters::fish>(0, kMostThings), kRun,
              kIfGiven | kMustApply, std::to_string(SceneParameters::kFish), kFish),
      Setting("food", "N", "number of pieces of food",
              count<&SceneParameters::food>(0, kMostThings), kRun, kIfGiven | kMustApply,
              std::to_string(SceneParameters::kFood), kTakes<Parameter::Food>),
      Setting("scene", "FILE",
              "initial state from a CSV file with the columns x, y, vx and vy, and optionally id, "
              "goal (fish, fish-food), table and bites (fish-food), trap (nbody)",
              text<&O::scene, &SceneParameters::file>(), kRun,
              kIfGiven | kMustApply | kUsual | kByContent, "generated",
              kTakes<Parameter::SceneFile>),
      Setting("informed", "N", "number of fish that swim towards each goal",
              count<&SceneParameters::informed>(0, kMostThings), kRun, kIfGiven | kMustApply, {},
              {{.programs = takes<Parameter::Fish>, .when = kGeneratedScene}}),
      Setting("goals", "N", "number of goals", count<&SceneParameters::goals>(1, 2), kRun,
              kIfGiven | kMustApply, {}, {{.programs = takes<Parameter::Fish>, .when = kGoals}}),
      Setting(
          "basin", "WxH", "size of the basin, in body lengths",
          width_and_height<&SceneParameters::width, &SceneParameters::height, &O::scene>(1e-3, 1e9),
          kRun, kIfGiven | kMustApply, {}, kFish),
      Setting("visibility", "V", "distance at which fish see each other",
              length<&SceneParameters::visibility>(), kRun, kIfGiven | kMustApply, {}, kFish),
      Setting("reach", "R", "distance that a fish swims in a tick",
              length<&SceneParameters::reach>(), kRun, kIfGiven | kMustApply, {}, kFish),
      Setting("plate", "WxH", "columns and rows of cells",
              width_and_height<&SceneParameters::columns, &SceneParameters::rows, &O::scene>(
                  1, 1'000'000),
              kRun, kIfGiven | kMustApply, {}, kTakes<Parameter::Plate>),
      Setting("bodies", "N", "number of bodies", count<&SceneParameters::bodies>(0, kMostThings),
              kRun, kIfGiven | kMustApply, std::to_string(SceneParameters::kBodies), kNBody),
      Setting("groups", "N", "number of groups that gather and disperse",
              count<&SceneParameters::groups>(0, 100'000), kRun, kIfGiven | kMustApply, {}, kNBody),
      Setting(
          "box", "WxH", "size of the box",
          width_and_height<&SceneParameters::box_width, &SceneParameters::box_height, &O::scene>(
              1e-3, 1e9),
          kRun, kIfGiven | kMustApply, {}, kNBody),
      Setting("cutoff", "R", "distance beyond which bodies do not attract each other",
              length<&SceneParameters::cutoff>(), kRun, kIfGiven | kMustApply, {}, kNBody),
      Setting("frames", "FILE",
              "write positions at some ticks, or cell values after some iterations, for the player "
              "of leeway compare",
              text<&O::scene, &SceneParameters::frames>(), kRun, kNever | kMustApply, {},
              kTakes<Parameter::Frames>),
      Setting("frame-every", "T", "ticks or iterations between frames",
              count<&SceneParameters::frame_every>(1, kMostTicks), kRun, kIfGiven, {},
              {{.programs = takes<Parameter::Frames>, .when = kFilm}}),
  };
}

std::vector<Setting> tick_settings() {
  return {
      Setting("sync", "MODE", "synchronization of the nodes' ticks",
              chosen_from<&O::tick, &tick::TickOptions::sync>(kSyncs), kRun,
              kAlways | kSummary | kOwnTick, {}, kTick),
      Setting("depth", "D", "ticks stepped ahead of messages",
              within<&O::tick, &tick::TickOptions::depth>(0, 1000), kRun, kAlways | kOwnTick,
              "1; combined 10", {{.engines = {EngineName::Tick}, .when = kAhead}}),
      Setting("every", "K", "ticks between messages",
              within<&O::tick, &tick::TickOptions::every>(0, 1000), kRun, kAlways | kOwnTick, "2",
              kTickReplicas),
      Setting("replicas", "M", "layers of other nodes' tuples that are computed redundantly",
              within<&O::tick, &tick::TickOptions::replicas>(0, 1000), kRun, kAlways | kOwnTick,
              "K + 1", kTickReplicas),
      Setting("split", "HOW", "division of the basin",
              chosen_from<&O::scene, &SceneParameters::quadtree>(kSplits), kRun, kIfGiven, {},
              {{.programs = takes<Parameter::Fish>, .engines = {EngineName::Tick}}}),
      Setting("rebalance", "T",
              "ticks between divisions by load; pie: a worker's rounds between moves of workers by "
              "load; 0: never",
              {.read = read_rebalance, .show = show_rebalance}, kRun, kIfGiven, {},
              {{.engines = {EngineName::Pie}, .when = kMovableWorkers},
               {.programs = takes<Parameter::Fish>, .engines = {EngineName::Tick}, .when = kByLoad},
               {.on_graph = true, .engines = {EngineName::Tick}, .when = kDividedBySeed}}),
      Setting("check", "",
              "repeat every step to detect a program that reads outside R_D, moves things from "
              "outside W_D or into W_X, or steps replicas differently; DISJOINT is not checked",
              on_off<&O::tick, &tick::TickOptions::check>(), kRun, kIfGiven | kMustApply | kOwnTick,
              {}, kTick),
  };
}

std::vector<Setting> piece_settings() {
  return {
      Setting("system", "NAME", "system of the AsyTick paper",
              chosen_from<&O::piece, &piece::PieceOptions::system>(kSystems), kRun,
              kAlways | kOwnPiece | kSummary, {}, kPiece),
      Setting("pieces", "N", "number of pieces of a worker's partition",
              within<&O::pieces>(0, 0xFFFFFFFF), kRun, kAlways | kOwnVertex | kSummary, {},
              {{.engines = {EngineName::Piece}},
               {.engines = {EngineName::Vertex},
                .schedulers = {Scheduler::AsyTick},
                .when = kInPieces}}),
      Setting("alpha", "A", "weight of the distance to the boundary in a piece's priority",
              within<&O::alpha>(0, 1), kRun, kAlways | kOwnVertex | kOwnPiece, "0.45", kAsyTick),
      Setting("beta", "B", "weight of the tick; alpha and beta sum to 1", within<&O::beta>(0, 1),
              kRun, kAlways | kOwnVertex | kOwnPiece, "0.55", kAsyTick),
      Setting("piece-order", "HOW", "order of pieces: by priority, or as they become ready",
              chosen_from<&O::piece, &piece::PieceOptions::scheduler>(kPieceOrders), kRun,
              kAlways | kOwnPiece, {}, kPiece),
      Setting("compress", "",
              "compress messages between ranks (zstd); pays on networks of 100 Mbit/s and less",
              on_off<&O::piece, &piece::PieceOptions::compress>(), kRun, kIfGiven | kOwnPiece, {},
              kPiece),
      Setting("balance-every", "T", "ticks between redistributions of load",
              within<&O::piece, &piece::PieceOptions::balance_every>(2, 1'000'000), kRun,
              kAlways | kOwnPiece, {}, {{.engines = {EngineName::Piece}, .when = kBalancer}}),
  };
}

}  // namespace

std::vector<Setting> simulation_settings() {
  std::vector<Setting> all = scene_settings();
  for (auto more : {tick_settings(), piece_settings()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace leeway::app
