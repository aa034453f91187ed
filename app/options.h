// All settings of the command with their defaults (`CommandOptions`), and the table of settings through which configuration
// file, environment and flags write to them. Plain data and pure functions; no global state but the constant table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/applicability.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "leeway/piece.h"
#include "leeway/tick_program.h"
#include "programs/catalog/program.h"
#include "programs/scene/parameters.h"
#include "protocol/policy.h"
#include "transport/cluster_model.h"
#include "transport/fabric.h"

namespace leeway::app {

/// Default consistency. With values that are read again it was faster than rcp on every network; otherwise it costs
/// nothing, because only readers that read every version receive pushes (docs/performance.md).
inline constexpr std::string_view kDefaultMode = "rcp+push";

/// Entry of a report's configuration that is not a setting: what the graph's properties file has defined.
inline constexpr std::string_view kFromProperties = "from_properties";

/// A setting that was given, with its source.
struct GivenSetting {
  const Setting* setting = nullptr;
  std::string value;
  std::string where;    ///< "--hops", "LEEWAY_HOPS" or "c.toml:3"
  bool shared = false;  ///< from the part of a file that all commands share
};

struct Kept;
class HeldGraph;

struct CommandOptions {
  std::vector<GivenSetting> given;  ///< each setting at most once: its last value
  std::vector<std::string>
      warnings;         ///< settings that were removed because they have no effect (decide_run)
  bool strict = false;  ///< refuse settings without effect
  LogLevel log_level = LogLevel::Warning;
  bool quiet = false;
  bool json = false;
  bool force = false;  ///< may replace files that other programs wrote
  bool directed = false;
  bool undirected = false;
  LoadOptions load;
  std::optional<std::string> to;  ///< format of a written graph; default: by its name
  PartitionOptions partition = equal_arcs();
  std::optional<std::uint32_t> nodes;  ///< the default depends on the command
  std::uint64_t value_size = 8;
  std::optional<std::string> graph;  ///< file or spec, if not given as an argument
  const Graph* borrowed = nullptr;   ///< a graph of a caller in this process
  Kept* kept = nullptr;              ///< receives results for that caller
  HeldGraph* held = nullptr;         ///< keeps the graph for further attempts of the run
  bool own_part = false;             ///< each process keeps only its own part of the result
  StopFlag stop = nullptr;           ///< set by that caller to stop the run early
  std::optional<NetworkProfile> network;
  std::optional<std::uint32_t> iterations;  ///< exact number of sweeps, supersteps, passes or ticks
  std::optional<std::string> out;           ///< file or folder
  std::string hosts;                        ///< file; empty: this machine
  std::string launcher = "ssh";
  std::string provider;        ///< libfabric provider; empty: tcp;ofi_rxm
  std::string rendezvous;      ///< address to listen on; empty: chosen by the hosts
  bool encrypt = false;        ///< encrypt messages between launched processes
  double verdict_s = 10.0;     ///< seconds of silence after which a peer is declared dead
  std::uint32_t spares = 0;    ///< lost nodes that a launched job may replace
  std::uint32_t restarts = 5;  ///< maximum restarts of a supervised job
  double pause_s = 0.5;        ///< seconds before the first restart

  // `leeway run`. The options of each engine are stored directly; members without a value are decided when the run
  // starts.
  std::optional<EngineName> engine;  ///< default: the program's first engine
  EngineOptions vertex;              ///< the pie engine uses some of them
  pie::PieOptions pie;
  tick::TickOptions tick;
  piece::PieceOptions piece;
  std::uint32_t pieces = 16;          ///< of a node: piece engine and scheduler asytick
  std::optional<double> alpha, beta;  ///< AsyTick's weights of a priority (settle_weights)
  ProgramParameters program;
  SceneParameters scene;
  Saving saving;  ///< snapshots of the run, and the snapshot that it resumes
  Fabric fabric = Fabric::Auto;
  std::optional<Service> service;  ///< default: by the machine's cores
  Optimizations optimizations;     ///< ASPIRE; replication is an engine option
  Policy policy = parse_policy(kDefaultMode).value();
  std::optional<Scheduler> scheduler;  ///< default: by engine and program
  std::optional<std::string> source;   ///< name of a vertex
  std::string rhs, start, fixed;       ///< files of cell values; empty: none
  std::string changes;                 ///< file of changes of the graph; empty: none
  std::string from;                    ///< answer before the changes
  /// What a run on a borrowed graph continues from, in place of `changes` and `from`.
  std::shared_ptr<const Continuation> continuation;
  [[nodiscard]] bool continues() const { return !changes.empty() || continuation != nullptr; }
  std::string personalization;  ///< file of shares of restarts; empty: none
  std::string from_properties;  ///< settings taken from the graph's properties file
  bool deterministic = false;
  std::optional<bool> verify;  ///< default: by the size of the input
  bool cost = false;
  bool out_parts = false;  ///< each process writes the values of its own vertices
  std::uint32_t top = 0;   ///< number of vertices with the greatest values to print
  std::string report;      ///< file; empty: none
  std::string trace;       ///< file; empty: none

  std::uint32_t schedules = 30;                                     ///< check
  std::optional<std::uint32_t> seeds;                               ///< replay
  std::optional<std::uint32_t> jobs;                                ///< replay
  bool full_scale = false;                                          ///< replay
  std::vector<std::string> replayed_programs, replayed_schedulers;  ///< `replay modes`
  std::string page;                                                 ///< file; empty: none
};

/// Overwrites AsyTick's weights of a priority if --alpha or --beta was given; each defaults to 1 minus the other.
void settle_weights(const CommandOptions& options, double& of_distance, double& of_tick);

/// Groups of settings; a command takes the settings of a sum of groups.
enum SettingGroup : unsigned {
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
  kCheck = 4096,
};

/// The settings of commands that programs inside another process use, too.
inline constexpr unsigned kRunGroups = kCommon | kLoad | kJson | kPartition | kRun | kOutput;
inline constexpr unsigned kInfoGroups = kCommon | kLoad | kJson;
inline constexpr unsigned kConvertGroups = kCommon | kLoad | kJson | kWrite | kOutput;

/// Parses and prints the value of a setting (app/settings.h).
struct SettingType {
  std::vector<std::string_view> choices = {};  ///< all valid values, if they can be listed
  /// Errors have no `where`; the caller knows the file, variable or flag.
  std::function<Status(CommandOptions& options, std::string_view value)> read;
  std::function<std::string(const CommandOptions& options)> show = {};  ///< none: print as given
};

/// The roles of a setting; a row has a set of them. Nothing else in the command decides by a setting's name.
enum class SettingRole : unsigned {
  // The configuration of a report includes the setting, if it applies to the run: exactly one of these.
  kIfGiven = 1,  ///< if it was given
  kAlways = 2,
  kNever = 4,  ///< outputs and other settings without effect on the result

  kDecides = 8,       ///< determines the result: a snapshot can be resumed only with an equal value
  kSummary = 16,      ///< the summary of a run shows it
  kPerProcess = 32,   ///< processes of a job may have different values
  kTerminal = 64,     ///< useful on a command line only: not offered to programs that embed Leeway
  kOwnPie = 128,      ///< applies to PIE programs of the caller
  kOwnTick = 256,     ///< applies to tick programs of the caller
  kOwnCluster = 512,  ///< applies to shared memory that the caller uses without a program
  kOwnVertex = 8192,  ///< applies to vertex programs of the caller
  kOwnPiece = 16384,  ///< applies to piece programs of the caller
  kReads = 1024,      ///< how a graph is read: without effect on a graph in memory
  /// A run to which it does not apply is refused: ignoring it would change what the run computes or writes.
  kMustApply = 2048,
  kUsual = 4096,       ///< `leeway run PROGRAM --help` shows it
  kByContent = 32768,  ///< names a file whose content counts, not its name
};

using enum SettingRole;

/// A set of roles: kAlways | kDecides. Without a default, so that a row without roles does not compile.
class SettingRoles {
 public:
  constexpr SettingRoles(SettingRole role)  // NOLINT: implicit, for rows
      : roles_(static_cast<unsigned>(role)) {}
  [[nodiscard]] constexpr SettingRoles operator|(SettingRoles more) const {
    return SettingRoles(roles_ | more.roles_);
  }
  [[nodiscard]] constexpr bool has(SettingRole role) const {
    return (roles_ & static_cast<unsigned>(role)) != 0;
  }
  /// True if exactly one role decides when reports include the setting.
  [[nodiscard]] constexpr bool valid() const {
    return int{has(kIfGiven)} + int{has(kAlways)} + int{has(kNever)} == 1;
  }

 private:
  explicit constexpr SettingRoles(unsigned roles) : roles_(roles) {}

  unsigned roles_;
};
[[nodiscard]] constexpr SettingRoles operator|(SettingRole a, SettingRole b) {
  return SettingRoles(a) | SettingRoles(b);
}

/// A row of the settings table.
struct Setting {
  std::string_view name;   ///< flag without its dashes; key in configuration files
  std::string_view value;  ///< placeholder of the value in help; empty for a switch
  std::string_view help;
  SettingType type;
  unsigned group;
  SettingRoles roles;
  std::string fallback = {};  ///< the default, in words; empty: as printed from `CommandOptions`
  std::vector<AppliesTo> applies_to = {};  ///< empty: every run
  std::string_view suggestions = {};  ///< values that shells complete, if `type` does not list all
};

[[nodiscard]] std::span<const Setting> settings();
[[nodiscard]] const Setting* find_setting(std::string_view name);
/// The current name of a setting whose former name is `name`; empty: there is none.
[[nodiscard]] std::string_view renamed(std::string_view name);
/// The names of the settings in at least one of `groups`.
[[nodiscard]] std::vector<std::string_view> setting_names(unsigned groups);

/// Sets a setting and records its source; an error has this source as `where`.
Status apply_setting(const Setting& setting, std::string_view value, std::string where,
                     CommandOptions& options, bool shared = false);
/// The options of the settings `given` alone; what a caller in this process has set in `from` stays.
Result<CommandOptions> with_settings(const CommandOptions& from,
                                     std::span<const GivenSetting> given);
/// The last source of the setting; null: it was not given.
[[nodiscard]] const GivenSetting* find_given(const CommandOptions& options, std::string_view name);
/// What must be equal in the processes of a job, and in a snapshot and the run that resumes it.
[[nodiscard]] std::string compared_value(const Setting& setting, std::string_view value);
/// Checks combinations of settings, once all have been applied.
Status settle(CommandOptions& options);
/// True if the vertex engine runs the program for a fixed number of rounds, as LDBC defines it.
[[nodiscard]] bool by_rounds(const Program& program, const CommandOptions& options);

}  // namespace leeway::app
