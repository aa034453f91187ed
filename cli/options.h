// What `leeway run` can be told about programs that go by ticks, and who runs them: the tick engine or the
// piece engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/parallel.h"
#include "cli/applicability.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/options.h"
#include "leeway/piece.h"
#include "leeway/result.h"
#include "leeway/tick_program.h"
#include "programs/vertex/catalog.h"
#include "protocol/policy.h"
#include "transport/fabric.h"
#include "transport/network_profile.h"

namespace leeway::cli {

struct Invocation;

/// What is simulated, by whichever engine.
struct SceneChoices {
  std::uint32_t fish = 1000;
  std::uint32_t informed = 0;
  std::uint32_t goals = 1;
  double width = 100, height = 100;  ///< of the basin
  double visibility = 6, reach = 0.2;
  bool quadtree = false;                      ///< how the tick engine divides the basin
  std::uint32_t columns = 1000, rows = 1000;  ///< of the plate
  std::uint32_t bodies = 1000;
  std::uint32_t groups = 4;
  double box_width = 200, box_height = 200;
  double cutoff = 8;
  std::string frames;  ///< a file; empty: none
  std::uint32_t frame_every = 1;
};

struct DecidedRun;

/// `leeway run PROGRAM --engine tick`. Where nodes are processes, only the first one speaks.
Result<int> run_tick(const Invocation& invocation, const DecidedRun& run,
                     const ClusterOptions& cluster);

/// `leeway run PROGRAM --engine piece`. Where nodes are processes, only the first one speaks.
Result<int> run_piece(const Invocation& invocation, const DecidedRun& run,
                      const ClusterOptions& cluster);

// Everything a command can be told, with the defaults, and the one table of settings through which a
// configuration file, the environment and flags all write to it. Pure; no global state.

/// Of snapshots and the restart from one.
struct SnapshotChoices {
  std::string folder;  ///< empty: none are taken
  double every_seconds = 10;
  std::uint64_t every_rounds = 0;
  std::uint32_t kept = 2;
  std::string resume;  ///< a folder of snapshots, or one; empty: from the beginning
};

/// The consistency of a run that is told none. Where values that changed are read again it was ahead of rcp on every
/// network; where they are not it costs nothing, for pushes have to be earned (docs/performance.md).
inline constexpr std::string_view kDefaultMode = "rcp+push";

/// AsyTick's shares of a piece's priority and its pieces, under the piece engine and under the schedule.
struct AsyTickChoices {
  std::uint32_t pieces = 16;
  std::optional<double> alpha, beta;  ///< each what the other leaves of 1

  /// Sets what was said of both.
  void settle(double& of_distance, double& of_tick) const {
    if (!alpha && !beta) return;
    of_distance = alpha.value_or(1 - beta.value_or(0));
    of_tick = beta.value_or(1 - of_distance);
  }
};

/// What `leeway run` can be told beyond the rest. Each engine's options are set as they are; what they lack is decided
/// where the run begins.
struct RunChoices {
  std::optional<EngineName> engine;  ///< the program's own when absent
  EngineOptions vertex;              ///< of the vertex engine, and of the pie engine what it shares
  pie::FragmentOptions fragments;
  pie::PredictorOptions prediction;
  tick::TickOptions tick;
  piece::PieceOptions piece;
  AsyTickChoices asytick;
  ProgramSettings program;
  SceneChoices scene;
  SnapshotChoices snapshots;
  std::string round_log;  ///< a file; empty: none
  Fabric fabric = Fabric::Auto;
  std::optional<Service> service;  ///< by the machine's cores when absent
  Optimizations optimizations;     ///< ASPIRE's; replication is the engine's
  Policy policy = parse_policy(kDefaultMode).value();
  std::optional<Scheduler> scheduler;      ///< the program's own when absent
  std::optional<std::uint32_t> staleness;  ///< 3 when absent, and no bound of aap
  std::optional<std::string> source;       ///< a vertex's name
  std::string rhs, start, fixed;           ///< files of values of cells; empty: none
  std::string from_properties;             ///< which of these the graph's own file says
  bool deterministic = false;
  std::optional<bool> verify;  ///< by the size of the input when absent
  bool cost = false;
  bool out_parts = false;  ///< each process writes the values of its own vertices
  std::uint32_t top = 0;   ///< so many vertices with the greatest values are shown
  std::string report;      ///< a file; empty: none
  std::string trace;       ///< a file; empty: none
};

/// One thing that was said, by whom.
struct Said {
  const Setting* setting = nullptr;
  std::string value;
  std::string where;    ///< "--hops", "LEEWAY_HOPS" or "c.toml:3"
  bool shared = false;  ///< by the part of a file that speaks to every command
};

struct Kept;

struct Options {
  Options() { partition.balance = BalanceBy::Arcs; }  // for arcs are what takes time

  std::vector<Said> said;  ///< a setting once: who spoke last
  LogLevel log_level = LogLevel::Warning;
  bool quiet = false;
  bool json = false;
  bool force = false;  ///< files that somebody else wrote may be replaced
  bool directed = false;
  bool undirected = false;
  LoadOptions load;
  std::optional<std::string> to;  ///< format of a written graph; its name decides when absent
  PartitionOptions partition;
  std::optional<std::uint32_t> nodes;  ///< each command has its own default
  std::uint64_t value_size = 8;
  std::optional<std::string> graph;  ///< a file or a spec, where it is no argument
  const Graph* lent = nullptr;       ///< the graph itself, from a caller inside the process
  Kept* kept = nullptr;              ///< where that caller finds what a run gives
  bool own_part = false;             ///< each process of a job keeps what is its own, and no more
  StopFlag stop = nullptr;           ///< set by that caller when the run is to be given up
  std::optional<NetworkProfile> network;
  std::optional<std::uint32_t> iterations;  ///< exactly so many sweeps, supersteps, passes or ticks
  std::optional<std::string> out;           ///< a folder
  std::string hosts;                        ///< a file; empty: this machine
  std::string launcher = "ssh";
  std::string provider;        ///< of libfabric; empty: tcp;ofi_rxm
  std::string rendezvous;      ///< an address to listen at; empty: chosen by the hosts
  bool encrypt = false;        ///< what the processes of a launch send each other
  double verdict_s = 10.0;     ///< silence after which a peer counts as dead
  std::uint32_t spares = 0;    ///< how often a launched job goes on without a node that it has lost
  std::uint32_t restarts = 5;  ///< of a supervised job
  double pause_s = 0.5;        ///< before the first of them
  RunChoices run;
  bool full_scale = false;                                          ///< of a replay
  std::vector<std::string> replayed_programs, replayed_schedulers;  ///< of a replay of all modes
  std::string page;                                                 ///< a file; empty: none
};

/// Which settings a command takes: a sum of these.
enum Group : unsigned {
  kCommon = 1,
  kLoad = 2,
  kJson = 4,
  kWrite = 8,
  kPartition = 16,
  kPlan = 32,
  kReplay = 64,
  kCompare = 128,
  kLaunch = 1024,
  kRun = 256,
  kOutput = 512,  ///< writes files
  kSupervise = 2048,
};

/// How a value is read from text, and told again (setting_type.h).
struct SettingType {
  std::vector<std::string_view> choices = {};  ///< every valid value, where they can be listed
  /// An error lacks its `where`: the caller knows which file, variable or flag spoke.
  std::function<Status(Options& options, std::string_view value)> read;
  std::function<std::string(const Options& options)> show = {};  ///< none: as it was said
};

/// Whether a report's configuration tells it, where it applies.
enum class Told {
  IfSaid,
  Always,
  Never,  ///< outputs
};

/// A row of the one table: with the member that its type sets, all there is to a flag.
struct Setting {
  std::string_view name;   ///< as a flag without its dashes and as a key of a configuration file
  std::string_view value;  ///< what its value is called in help; empty for a switch
  std::string_view help;
  SettingType type;
  unsigned group;
  std::string fallback = {};               ///< the default in words; empty: the one of `Options`
  std::vector<AppliesTo> applies_to = {};  ///< empty: every run
  Told told = Told::IfSaid;
};

[[nodiscard]] std::span<const Setting> settings();
[[nodiscard]] const Setting* find_setting(std::string_view name);
/// What a setting that went by `name` is called now; empty if none did.
[[nodiscard]] std::string_view renamed(std::string_view name);
/// The names of the settings in any of `groups`.
[[nodiscard]] std::vector<std::string_view> setting_names(unsigned groups);

/// Sets one thing and notes who said it; an error says `where`.
Status apply_setting(const Setting& setting, std::string_view value, std::string where,
                     Options& options, bool shared = false);
/// Who said it last; null if nobody did.
[[nodiscard]] const Said* find_said(const Options& options, std::string_view name);
/// What only shows when everything has been said: settings that contradict each other.
Status settle(Options& options);
/// Whether the vertex engine is to run the program by a number of rounds, as LDBC defines it.
[[nodiscard]] bool by_rounds(std::string_view program, const Options& options);

}  // namespace leeway::cli
