// A job that is started again from its last snapshot when it dies: what `leeway supervise` does with a command, and
// `leeway launch --spares` with processes of its own.
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
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "cli/command.h"
#include "leeway/result.h"
#include "snapshot/folder.h"
#include "snapshot/source.h"
#include "transport/launch.h"

namespace leeway::cli {

/// What a command of the shell's adds to 128 for a signal that ended it.
inline constexpr int kKilled = 128;
/// A shell's code for a command that cannot be started.
inline constexpr int kCannotStart = 127;

/// How a job ended.
struct JobEnd {
  int code = 0;       ///< as a shell tells it
  std::string words;  ///< "the job …"
};

/// What `--snapshot` says in a command, which is also where --resume is to look; empty: nothing.
[[nodiscard]] std::string snapshot_folder_in(const std::vector<std::string>& command);

struct RestartOptions {
  std::string who;  ///< says what happens: a command's name
  std::string folder;
  std::uint32_t most = 5;        ///< restarts
  double pause = 0.5;            ///< in seconds, before the first
  std::function<int()> stopped;  ///< the signal that has told this process to end; 0: none
};

class Restarts {
 public:
  /// Runs the job once, with `--resume` and the folder added to what it is started with if told so.
  using Run = std::function<Result<JobEnd>(bool resumes)>;

  explicit Restarts(RestartOptions options)
      : options_(std::move(options)), pause_(options_.pause) {}

  /// Until the job ends well, or by a mistake of its own, or too often. Its exit code.
  Result<int> run(const Run& once);

 private:
  Status wait_until_free() const;
  void prepare(const std::string& died, double lived, std::uint32_t restart);
  void say(const std::string& text) const;
  void sleep(double time) const;

  const RestartOptions options_;
  SteadyClock clock_;
  bool resumes_ = false;
  std::uint64_t newest_ = 0;
  double pause_;
};

namespace {

constexpr int kBadInput = 2;
constexpr double kLongestPause = 60;
/// That processes of a job that died may take to see it.
constexpr double kLongestEnd = 60;

/// A mistake in the command stays one; what was stopped on purpose, or given up, is over.
bool deserves_restart(int code) {
  return code != 0 && code != kBadInput && code != kGaveUp && code != kSnapshotsLost &&
         code != kCannotStart && code != kKilled + SIGINT;
}

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
    // Whatever a launcher that was told, too, makes of it.
    if (options_.stopped() != 0) return kKilled + options_.stopped();
    if (!deserves_restart(end.code)) return end.code;
    const std::string died = format("the job {} after {:.1f} s", end.words, lived);
    if (restart == options_.most) {
      say(format("{}; it is given up after {} restarts", died, restart));
      return end.code;
    }
    LEEWAY_TRY(wait_until_free());
    prepare(died, lived, restart + 1);
    sleep(pause_);
    pause_ = std::min(2 * pause_, std::max(kLongestPause, options_.pause));
    if (options_.stopped() != 0) return kKilled + options_.stopped();
  }
}

/// Processes of the job that died may still hold the folder: they end when they see that others are gone.
Status Restarts::wait_until_free() const {
  const std::string& folder = options_.folder;
  if (!std::filesystem::exists(folder)) return {};
  const Instant begun = clock_.now();
  while (true) {
    const auto free = snapshot::Folder::is_free(folder);
    if (!free || *free) return {};
    if (seconds(clock_.now() - begun) > kLongestEnd) {
      return fail(environment_error(folder, "the job that died has left a process that lives on",
                                    "end it: " + snapshot::lock_text(folder)));
    }
    if (options_.stopped() != 0) return {};
    sleep(0.02);
  }
}

void Restarts::prepare(const std::string& died, double lived, std::uint32_t restart) {
  const auto now = std::filesystem::file_time_type::clock::now();
  double lost = lived;
  std::string from = "from the beginning, for there is no snapshot";
  const auto source = snapshot::Source::open(options_.folder);
  const auto salvaged = snapshot::Salvage::all_in(options_.folder);
  resumes_ = source.has_value() || !salvaged.empty();
  if (source) {
    std::error_code error;
    const auto taken = std::filesystem::last_write_time(source->path(), error);
    const double old = std::chrono::duration<double>(now - taken).count();
    if (!error) lost = std::clamp(old, 0.0, lived);
    from = format("from snapshot {}", source->manifest().number);
    if (source->manifest().number > newest_) pause_ = options_.pause;
    newest_ = std::max(newest_, source->manifest().number);
  }
  if (!salvaged.empty() &&
      (!source || salvaged.back().manifest().taken >= source->manifest().taken)) {
    const snapshot::Salvage& held = salvaged.back();
    const std::size_t nodes = std::max<std::size_t>(held.manifest().nodes, held.nodes().size());
    // What is lost is what only the nodes knew that are gone.
    lost *= static_cast<double>(nodes - held.nodes().size()) / static_cast<double>(nodes);
    from = format("from what {} of {} nodes held{}", held.nodes().size(), nodes,
                  source ? format(", else {}", from.substr(from.find(' ') + 1)) : "");
  }
  if (resumes_) from += format(", with {:.2f} s of work lost", lost);
  say(format("{}; starting it again {} (restart {} of {}, after {:.2f} s)", died, from, restart,
             options_.most, pause_));
  if (std::filesystem::exists(options_.folder)) {
    if (const Status noted = snapshot::note_restart(options_.folder, lost, died); !noted)
      say(noted.error().to_string());
  }
}

void Restarts::say(const std::string& text) const {
  std::fprintf(stderr, "leeway %s: %s\n", options_.who.c_str(), text.c_str());
}

void Restarts::sleep(double time) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(time);
  while (options_.stopped() == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

namespace {

// `leeway launch`: a job of processes over libfabric, whose lost nodes are replaced if there are spares.

/// Which hosts nodes are started on, and which stand by.
class Hosts {
 public:
  /// `named`: in the file's order; empty: all nodes are on this machine. The first `nodes` of them take one each, and if
  /// they are fewer they are dealt round.
  Hosts(const std::vector<std::string>& named, std::uint32_t nodes) {
    for (std::size_t i = 0; i < nodes && !named.empty(); ++i)
      used_.push_back(named[i % named.size()]);
    if (named.size() > nodes) standing_by_.assign(named.begin() + nodes, named.end());
  }

  [[nodiscard]] const std::vector<std::string>& used() const { return used_; }

  /// Moves what is on the host of `lost` to those that stand by, if any do.
  void replace(NodeId lost) {
    if (standing_by_.empty()) return;
    const std::string gone = used_[lost.index()];
    std::string by;
    for (std::string& host : used_) {
      if (host != gone) continue;
      if (!standing_by_.empty()) {
        by = standing_by_.front();
        standing_by_.erase(standing_by_.begin());
      }
      host = by;
    }
    std::fprintf(stderr, "leeway launch: %s takes over from %s\n", by.c_str(), gone.c_str());
  }

 private:
  std::vector<std::string> used_, standing_by_;
};

/// Goes on without what it loses, so often as there are spares.
Result<int> launch_with_spares(LaunchOptions launched, Hosts hosts, std::uint32_t spares) {
  const std::string folder = snapshot_folder_in(launched.command);
  if (folder.empty()) {
    return fail(input_error("--spares",
                            "the command takes no snapshots, so there is nothing to go on from",
                            "give it --snapshot FOLDER, as leeway run takes it"));
  }
  const std::vector<std::string> command = launched.command;
  Restarts restarts(
      {.who = "launch", .folder = folder, .most = spares, .pause = 0, .stopped = launch_told});
  std::optional<NodeId> lost;
  return restarts.run([&](bool resumes) -> Result<JobEnd> {
    if (lost) hosts.replace(*lost);
    launched.command = command;
    if (resumes) launched.command.insert(launched.command.end(), {"--resume", folder});
    launched.hosts = hosts.used();
    LEEWAY_ASSIGN(const LaunchEnd end, launch(launched));
    if (!end.lost) return JobEnd{end.code, format("ended with exit code {}", end.code)};
    lost = end.lost;
    return JobEnd{end.code, format("lost node {}, which {},", *end.lost, end.why)};
  });
}

}  // namespace

Result<int> run_launch(const Invocation& invocation) {
  const Options& options = invocation.options;
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
  const Said* const launcher = find_said(options, "launcher");
  if (options.hosts.empty() && launcher != nullptr && !launcher->shared) {
    return fail(input_error("--launcher", "all processes are started on this machine, without one",
                            "name other machines by --hosts"));
  }
  Hosts hosts(named, launch_options.nodes);
  launch_options.hosts = hosts.used();
  name_own_program(launch_options.command);
  if (options.spares > 0)
    return launch_with_spares(std::move(launch_options), std::move(hosts), options.spares);
  LEEWAY_ASSIGN(const LaunchEnd end, launch(launch_options));
  return end.code;
}

namespace {

// `leeway supervise`: runs a job and starts it again from its last snapshot when it dies.
using Words = std::vector<std::string>;

/// A job that was told to end is told again after so many seconds, and killed after more.
constexpr double kTellAgain = 2;
constexpr double kKillAfter = 6;

std::atomic<int> told{0};  // a signal that ends this command
std::atomic<pid_t> running{0};

void take_signal(int which) {
  if (which != SIGUSR1) told = which;  // which asks the job for a snapshot
  if (const pid_t job = running; job > 0) ::kill(job, which);
}

JobEnd end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {kKilled + signal, format("was ended by SIG{}", ::sigabbrev_np(signal))};
  }
  return {WEXITSTATUS(status), format("ended with exit code {}", WEXITSTATUS(status))};
}

/// Dies with this process, however that dies.
Result<pid_t> start(const Words& command) {
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
  // mpiexec may lose a SIGTERM that comes while it starts, and nobody is left to send another.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != self) ::_exit(kKilled + SIGKILL);  // died before that was said
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::signal(SIGUSR1, SIG_IGN);  // until the program says what it means
  ::execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "leeway supervise: cannot run '%s': %s; name a program that can be run\n",
               pointers[0], std::strerror(errno));
  ::_exit(kCannotStart);
}

class Supervisor {
 public:
  Supervisor(Words command, std::string folder)
      : command_(std::move(command)), folder_(std::move(folder)) {}

  Result<int> run(const Options& options) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
      struct sigaction action {};
      action.sa_handler = take_signal;
      ::sigaction(signal, &action, nullptr);
    }
    Restarts restarts({.who = "supervise",
                       .folder = folder_,
                       .most = options.restarts,
                       .pause = options.pause_s,
                       .stopped = [] { return told.load(); }});
    return restarts.run([this](bool resumes) { return run_once(resumes); });
  }

 private:
  Result<JobEnd> run_once(bool resumes) {
    Words words = command_;
    if (resumes) words.insert(words.end(), {"--resume", folder_});
    LEEWAY_ASSIGN(const pid_t job, start(words));
    running = job;
    int status = 0;
    while (told == 0 && ::waitpid(job, &status, 0) != job) {
    }
    if (told != 0) status = end_job(job);
    running = 0;
    return end_of(status);
  }

  /// It was told to end, and is told again in case it was not listening yet; then it is killed.
  int end_job(pid_t job) const {
    const Instant begun = clock_.now();
    int status = 0;
    for (double again = kTellAgain; ::waitpid(job, &status, WNOHANG) == 0;) {
      const double waited = seconds(clock_.now() - begun);
      if (waited > again) {
        ::kill(job, waited > kKillAfter ? SIGKILL : told.load());
        again += kTellAgain;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return status;
  }

  const Words command_;
  const std::string folder_;
  SteadyClock clock_;
};

}  // namespace

Result<int> run_supervise(const Invocation& invocation) {
  Words command = invocation.arguments;
  const std::string folder = snapshot_folder_in(command);
  if (folder.empty()) {
    return fail(input_error("leeway supervise", "the command takes no snapshots",
                            "give it --snapshot FOLDER, as leeway run takes it"));
  }
  name_own_program(command);
  return Supervisor(std::move(command), folder).run(invocation.options);
}

}  // namespace leeway::cli
