// `leeway launch` starts the processes of a job; with --spares, it restarts them on replacement hosts. `leeway supervise`
// restarts a command from its newest snapshot.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/run.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/process.h"
#include "base/result.h"
#include "cli/command.h"
#include "snapshot/folder.h"
#include "snapshot/source.h"
#include "transport/launch.h"

namespace leeway::cli {

/// The exit code of shells for a command that cannot be started.
inline constexpr int kCannotStart = 127;

struct JobEnd {
  int code = 0;       ///< as shells report it
  std::string words;  ///< completes "the job …"
};

/// The value of --snapshot in a command line, which is also the folder for --resume; empty: none.
[[nodiscard]] std::string snapshot_folder_in(const std::vector<std::string>& command);

struct RestartOptions {
  std::string name;  ///< prefix of messages: the command's name
  std::string folder;
  std::uint32_t most = 5;  ///< maximum number of restarts
  double pause = 0.5;      ///< seconds before the first restart
  /// Processes replaced without a restart, which count as restarts; null: none.
  const std::uint32_t* replaced = nullptr;
  std::function<int()> stopped;  ///< the signal that requested the end of this process; 0: none
};

/// Runs a job and restarts it from its newest snapshot when it fails. Blocks until the job has ended for good.
class Restarts {
 public:
  /// Runs the job once. `resumes`: add `--resume FOLDER` to its command.
  using Run = std::function<Result<JobEnd>(bool resumes)>;

  explicit Restarts(RestartOptions options)
      : options_(std::move(options)), pause_(options_.pause) {}

  /// Returns the job's exit code once it succeeds, fails by an error that a restart cannot fix, or has used up its
  /// restarts.
  Result<int> run(const Run& once);

 private:
  Status wait_until_free() const;
  /// Finds the snapshot to resume from, and prints and records the restart.
  void prepare(const std::string& died, double lived, std::uint32_t restart);
  void sleep(double time) const;

  const RestartOptions options_;
  SteadyClock clock_;
  bool resumes_ = false;
  std::uint64_t newest_ = 0;
  std::uint32_t failed_at_once_ = 0;  ///< in a row
  double pause_;
};

namespace {

constexpr int kBadInput = 2;
constexpr int kEnvironment = 3;
/// A job that ends by an error of its environment within this many seconds, twice in a row and without a snapshot, is
/// not started again.
constexpr double kAtOnce = 2;
constexpr std::uint32_t kMostAtOnce = 1;
constexpr double kLongestPause = 60;
/// Seconds within which processes of a failed job must notice that others are gone.
constexpr double kLongestEnd = 60;

/// Not restarted: success, bad input, a run that stopped at its limit, lost snapshots, a missing program, and SIGINT.
bool deserves_restart(int code) {
  return code != 0 && code != kBadInput && code != kGaveUp && code != kSnapshotsLost &&
         code != kCannotStart && code != kEndedBySignal + SIGINT;
}

}  // namespace

namespace {

/// `name`: of the command.
void print_event(const std::string& name, const std::string& text) {
  std::fprintf(stderr, "leeway %s: %s\n", name.c_str(), text.c_str());
}

/// Records in the folder, if it exists, that work of `lost` seconds is repeated because of `died`.
void record_restart(const std::string& name, const std::string& folder, double lost,
                    const std::string& died) {
  if (!std::filesystem::exists(folder)) return;
  if (const Status noted = snapshot::note_restart(folder, lost, died); !noted)
    print_event(name, noted.error().to_string());
}

/// Seconds since the snapshot was taken; at most `lived`.
double age_of(const snapshot::Source& source, double lived) {
  std::error_code error;
  const auto taken = std::filesystem::last_write_time(source.path(), error);
  const auto now = std::filesystem::file_time_type::clock::now();
  return error ? lived : std::clamp(std::chrono::duration<double>(now - taken).count(), 0.0, lived);
}

/// The name of the copy of a graph that the processes of a job may write. Other files that they leave for each other have names
/// that begin with it. Removes all at the end.
class GraphCopies {
 public:
  explicit GraphCopies(std::string folder)
      : folder_(std::move(folder)),
        name_(format("graph-{}-{:x}.lwg", ::getpid(), std::random_device()())) {}
  ~GraphCopies() {
    std::error_code none;
    std::vector<std::filesystem::path> left;
    for (const auto& file : std::filesystem::directory_iterator(folder_, none))
      if (file.path().filename().string().starts_with(name_)) left.push_back(file.path());
    for (const auto& file : left) std::filesystem::remove(file, none);
  }
  GraphCopies(const GraphCopies&) = delete;
  GraphCopies& operator=(const GraphCopies&) = delete;
  [[nodiscard]] std::string name() const { return format("{}/{}", folder_, name_); }

 private:
  const std::string folder_;
  const std::string name_;
};

}  // namespace

std::string snapshot_folder_in(const std::vector<std::string>& command) {
  constexpr std::string_view kFlag = "--snapshot";
  std::string folder;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == kFlag && i + 1 < command.size()) folder = command[i + 1];
    if (command[i].starts_with(std::string(kFlag) + "="))
      folder = command[i].substr(kFlag.size() + 1);
  }
  return folder;
}

Result<int> Restarts::run(const Run& once) {
  for (std::uint32_t restart = 0;; ++restart) {
    const Instant begun = clock_.now();
    LEEWAY_ASSIGN(const JobEnd end, once(resumes_));
    const double lived = seconds(clock_.now() - begun);
    // A requested end overrides the exit code of a launcher that received the signal, too.
    if (options_.stopped() != 0) return kEndedBySignal + options_.stopped();
    if (!deserves_restart(end.code)) return end.code;
    const std::string died = format("the job {} after {:.1f} s", end.words, lived);
    const bool at_once = end.code == kEnvironment && lived < kAtOnce && newest_ == 0;
    failed_at_once_ = at_once ? failed_at_once_ + 1 : 0;
    if (failed_at_once_ > kMostAtOnce) {
      print_event(options_.name, format("{}; stopped: it fails before it takes a snapshot", died));
      return end.code;
    }
    const std::uint32_t used = restart + (options_.replaced != nullptr ? *options_.replaced : 0);
    if (used == options_.most) {
      print_event(options_.name, format("{}; stopped after {} restarts", died, used));
      return end.code;
    }
    LEEWAY_TRY(wait_until_free());
    prepare(died, lived, used + 1);
    sleep(pause_);
    pause_ = std::min(2 * pause_, std::max(kLongestPause, options_.pause));
    if (options_.stopped() != 0) return kEndedBySignal + options_.stopped();
  }
}

/// Waits until no process of the failed job holds the snapshot folder. Such processes end when they notice that
/// others are gone.
Status Restarts::wait_until_free() const {
  const std::string& folder = options_.folder;
  if (!std::filesystem::exists(folder)) return {};
  const Instant begun = clock_.now();
  while (true) {
    const auto free = snapshot::Folder::is_free(folder);
    if (!free || *free) return {};
    if (seconds(clock_.now() - begun) > kLongestEnd) {
      return fail(environment_error(folder, "a process of the failed job is still running",
                                    "end it: " + snapshot::lock_text(folder)));
    }
    if (options_.stopped() != 0) return {};
    sleep(0.02);
  }
}

void Restarts::prepare(const std::string& died, double lived, std::uint32_t restart) {
  double lost = lived;
  std::string from = "from the beginning, because there is no snapshot";
  const auto source = snapshot::Source::open(options_.folder);
  resumes_ = source.has_value();
  if (source) {
    lost = age_of(*source, lived);
    from = format("from snapshot {}", source->manifest().number);
    if (source->manifest().number > newest_) pause_ = options_.pause;
    newest_ = std::max(newest_, source->manifest().number);
  }
  if (resumes_) from += format(", with {:.2f} s of work lost", lost);
  print_event(options_.name, format("{}; restarting {} (restart {} of {}, after {:.2f} s)", died,
                                    from, restart, options_.most, pause_));
  record_restart(options_.name, options_.folder, lost, died);
}

void Restarts::sleep(double time) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(time);
  while (options_.stopped() == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

namespace {

// `leeway launch`: a job of processes over libfabric; lost nodes are replaced while spares are left.

/// The hosts of the nodes, and the standby hosts.
class Hosts {
 public:
  /// `named`: hosts in the file's order; empty: all nodes run on this machine. Node i runs on host i; if there are
  /// fewer hosts than nodes, hosts are reused in turn. Hosts beyond the first `nodes` are standby.
  Hosts(const std::vector<std::string>& named, std::uint32_t nodes) {
    for (std::size_t i = 0; i < nodes && !named.empty(); ++i)
      used_.push_back(named[i % named.size()]);
    if (named.size() > nodes) standing_by_.assign(named.begin() + nodes, named.end());
  }

  [[nodiscard]] const std::vector<std::string>& used() const { return used_; }

  /// Moves the nodes on the host of `lost` to standby hosts, if there are any.
  void replace(NodeId lost) {
    if (standing_by_.empty()) return;
    const std::string failed = used_[lost.index()];
    std::string successor;
    for (std::string& host : used_) {
      if (host != failed) continue;
      if (!standing_by_.empty()) {
        successor = standing_by_.front();
        standing_by_.erase(standing_by_.begin());
      }
      host = successor;
    }
    std::fprintf(stderr, "leeway launch: %s takes over from %s\n", successor.c_str(),
                 failed.c_str());
  }

 private:
  std::vector<std::string> used_, standing_by_;
};

/// Prints and records that a lost process of a job, which has lived for `lived` seconds, is replaced.
void report_replacement(const std::string& folder, NodeId lost, const std::string& why,
                        double lived, std::uint32_t number, std::uint32_t most) {
  const std::string died = format("node {} {} after {:.1f} s", lost, why, lived);
  print_event("launch", format("{}; replacing it alone ({} of {})", died, number, most));
  const auto source = snapshot::Source::open(folder);
  record_restart("launch", folder, source ? age_of(*source, lived) : lived, died);
}

/// Replaces lost processes, or restarts the job without its lost node where the others cannot continue; at most `spares`
/// times in all.
Result<int> launch_with_spares(LaunchOptions launched, Hosts hosts, std::uint32_t spares) {
  const std::string folder = snapshot_folder_in(launched.command);
  if (folder.empty()) {
    return fail(input_error("--spares", "the command takes no snapshots to resume from",
                            "give it --snapshot FOLDER, as leeway run takes it"));
  }
  const std::vector<std::string> command = launched.command;
  std::uint32_t replaced = 0;
  Restarts restarts({.name = "launch",
                     .folder = folder,
                     .most = spares,
                     .pause = 0,
                     .replaced = &replaced,
                     .stopped = launch_end_signal});
  std::optional<NodeId> lost;
  std::uint32_t runs = 0;
  const GraphCopies copy(folder);
  launched.graph_copy = copy.name();
  return restarts.run([&](bool resumes) -> Result<JobEnd> {
    if (lost) hosts.replace(*lost);
    const std::uint32_t restarted = runs++;
    launched.command = command;
    if (resumes) launched.command.insert(launched.command.end(), {"--resume", folder});
    launched.hosts = hosts.used();
    launched.replacements = spares - replaced - restarted;
    const Stopwatch watch;
    launched.replace = [&, restarted, running = hosts.used()](NodeId node,
                                                              const std::string& why) mutable {
      report_replacement(folder, node, why, watch.elapsed_seconds(), ++replaced + restarted,
                         spares);
      if (running.empty()) return std::string();
      // With an earlier lost node, others of its host have been moved too.
      if (running[node.index()] == hosts.used()[node.index()]) hosts.replace(node);
      return running[node.index()] = hosts.used()[node.index()];
    };
    LEEWAY_ASSIGN(const LaunchEnd end, launch(launched));
    if (!end.lost) return JobEnd{end.code, format("ended with exit code {}", end.code)};
    lost = end.lost;
    return JobEnd{end.code, format("lost node {}, which {},", *end.lost, end.why)};
  });
}

/// An Input error if this machine does not have the program. `command`: the command that would start it.
Status check_program(std::string_view command, const std::string& program) {
  if (has_program(program)) return {};
  std::string remedy = did_you_mean(program, command_names());
  if (!remedy.starts_with("did you mean")) remedy = "check its path";
  if (program.starts_with("-")) remedy = format("flags of leeway {} come before --", command);
  return fail(input_error(format("leeway {}", command), format("there is no program '{}'", program),
                          std::move(remedy)));
}

}  // namespace

Result<int> run_launch(const Invocation& invocation) {
  const CommandOptions& options = invocation.options;
  LaunchOptions launch_options;
  launch_options.nodes = options.nodes.value_or(1);
  launch_options.launcher = options.launcher;
  launch_options.provider = options.provider;
  launch_options.address = options.rendezvous;
  launch_options.verdict = Duration(static_cast<Duration::rep>(options.verdict_s * 1e9));
  launch_options.encrypt = options.encrypt;
  launch_options.command = invocation.arguments;
  std::vector<std::string> named;
  if (!options.hosts.empty()) {
    LEEWAY_ASSIGN(named, read_hosts(options.hosts));
  }
  const GivenSetting* const launcher = find_given(options, "launcher");
  if (options.hosts.empty() && launcher != nullptr && !launcher->shared) {
    return fail(input_error("--launcher",
                            "no launcher is needed: all processes start on this machine",
                            "leave it out, or name other machines with --hosts"));
  }
  const Command* const own = find_command(launch_options.command.front());
  if (own != nullptr && (own->groups & (kRun | kReplay)) == 0) {
    return fail(input_error("leeway launch", format("{} runs in one process", own->name),
                            format("leeway {}", fmt::join(launch_options.command, " "))));
  }
  Hosts hosts(named, launch_options.nodes);
  launch_options.hosts = hosts.used();
  name_own_program(launch_options.command);
  if (named.empty()) LEEWAY_TRY(check_program("launch", launch_options.command.front()));
  if (options.spares > 0)
    return launch_with_spares(std::move(launch_options), std::move(hosts), options.spares);
  LEEWAY_ASSIGN(const LaunchEnd end, launch(launch_options));
  return end.code;
}

namespace {

// `leeway supervise`: runs a job and restarts it from its newest snapshot when it fails.
using CommandWords = std::vector<std::string>;

/// Seconds after which an end signal is sent again, and after which the job is killed.
constexpr double kRepeatAfter = 2;
constexpr double kKillAfter = 6;

std::atomic<int> end_signal{0};  // the signal that ends this command
std::atomic<pid_t> running{0};

void take_signal(int which) {
  if (which != SIGUSR1) end_signal = which;  // SIGUSR1 requests a snapshot from the job
  if (const pid_t job = running; job > 0) ::kill(job, which);
}

JobEnd end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {kEndedBySignal + signal, format("was ended by SIG{}", ::sigabbrev_np(signal))};
  }
  return {WEXITSTATUS(status), format("ended with exit code {}", WEXITSTATUS(status))};
}

/// Starts the command. The kernel kills it when this process dies.
Result<pid_t> start(const CommandWords& command) {
  std::vector<char*> pointers;
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    return fail(system_error("leeway supervise", "start a process", errno,
                             "see how many processes may be started: ulimit -u"));
  }
  if (child > 0) return child;
  // SIGKILL, because mpiexec can lose a SIGTERM during its start, and no process would be left to repeat it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != self) ::_exit(kEndedBySignal + SIGKILL);  // the parent died before prctl
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::signal(SIGUSR1, SIG_IGN);  // until the program installs its handler
  ::execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "leeway supervise: cannot run '%s': %s; name a program that can be run\n",
               pointers[0], std::strerror(errno));
  ::_exit(kCannotStart);
}

class Supervisor {
 public:
  Supervisor(CommandWords command, std::string folder)
      : command_(std::move(command)), folder_(std::move(folder)) {}

  Result<int> run(const CommandOptions& options) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
      struct sigaction action {};
      action.sa_handler = take_signal;
      ::sigaction(signal, &action, nullptr);
    }
    Restarts restarts({.name = "supervise",
                       .folder = folder_,
                       .most = options.restarts,
                       .pause = options.pause_s,
                       .stopped = [] { return end_signal.load(); }});
    return restarts.run([this](bool resumes) { return run_once(resumes); });
  }

 private:
  Result<JobEnd> run_once(bool resumes) {
    CommandWords words = command_;
    if (resumes) words.insert(words.end(), {"--resume", folder_});
    LEEWAY_ASSIGN(const pid_t job, start(words));
    running = job;
    int status = 0;
    while (end_signal == 0 && ::waitpid(job, &status, 0) != job) {
    }
    if (end_signal != 0) status = end_job(job);
    running = 0;
    return end_of(status);
  }

  /// Waits for the job, which has received the end signal. Repeats the signal in case the job had no handler yet,
  /// then kills it.
  int end_job(pid_t job) const {
    const Instant begun = clock_.now();
    int status = 0;
    for (double again = kRepeatAfter; ::waitpid(job, &status, WNOHANG) == 0;) {
      const double waited = seconds(clock_.now() - begun);
      if (waited > again) {
        ::kill(job, waited > kKillAfter ? SIGKILL : end_signal.load());
        again += kRepeatAfter;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return status;
  }

  const CommandWords command_;
  const std::string folder_;
  SteadyClock clock_;
};

}  // namespace

Result<int> run_supervise(const Invocation& invocation) {
  CommandWords command = invocation.arguments;
  const std::string folder = snapshot_folder_in(command);
  const Command* const own = find_command(command.front());
  if (own != nullptr && (own->groups & (kRun | kLaunch)) == 0) {
    return fail(input_error("leeway supervise", format("{} takes no snapshots", own->name),
                            format("leeway {}", fmt::join(command, " "))));
  }
  if (folder.empty()) {
    return fail(input_error("leeway supervise", "the command takes no snapshots",
                            "give it --snapshot FOLDER, as leeway run takes it"));
  }
  name_own_program(command);
  LEEWAY_TRY(check_program("supervise", command.front()));
  return Supervisor(std::move(command), folder).run(invocation.options);
}

}  // namespace leeway::cli
