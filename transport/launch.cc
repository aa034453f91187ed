#include "transport/launch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/process.h"
#include "transport/process_job.h"
#include "transport/rendezvous.h"

namespace leeway {

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

std::string own_addresses(std::uint16_t port, std::size_t most) {
  std::vector<std::string> names;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
      if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
      sockaddr_in address{};
      std::memcpy(&address, each->ifa_addr, sizeof(address));
      char text[INET_ADDRSTRLEN] = {};
      ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
      const bool local = (each->ifa_flags & IFF_LOOPBACK) != 0;
      names.insert(local ? names.end() : names.begin(), format("{}:{}", text, port));
    }
    ::freeifaddrs(list);
  }
  std::string all;
  for (const std::string& name : names) {
    if (all.size() + name.size() + 2 < most) all += (all.empty() ? "" : ",") + name;
  }
  return all;
}

namespace {

bool has_one_thread() { return number_after("/proc/self/status", "Threads:") == 1; }

pid_t guarded = 0;  // for the guardian's signal handler

/// Shared memory of guardian and child: set once the launcher has released the child.
std::atomic<bool>* parted = nullptr;

std::atomic<bool>* shared_flag() {
  void* const memory = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) std::atomic<bool>(false);
}

/// The child receives the signal, and the guardian exits with the child's exit code.
void pass_on(int signal) {
  if (guarded > 0) ::kill(guarded, signal);
}

/// Body of the guardian process.
[[noreturn]] void guard(pid_t child) {
  guarded = child;
  for (const int passed : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    struct sigaction action {};
    action.sa_handler = pass_on;
    sigaction(passed, &action, nullptr);
  }
  // The guardian keeps its pipes to the launcher open until it exits. Hydra sometimes loses the exit code of a process
  // whose pipes close before the process exits.
  int status = 0;
  while (::waitpid(child, &status, 0) != child) {
  }
  // The launcher combines the exit codes of all processes by bitwise or.
  constexpr int kPeerExit = 4;
  if (WIFSIGNALED(status) && parted != nullptr && !*parted) {
    // MPI has not started: the siblings wait for this process, and only the launcher can end them.
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kPeerExit);
}

}  // namespace

bool part_from_launcher() {
  const char* const text = std::getenv("PMI_FD");
  if (text == nullptr) return false;
  const int launcher = std::atoi(text);
  constexpr std::string_view kDone = "cmd=finalize\n";
  if (::write(launcher, kDone.data(), kDone.size()) != static_cast<ssize_t>(kDone.size())) {
    return false;
  }
  pollfd answer{.fd = launcher, .events = POLLIN, .revents = 0};
  constexpr int kPatienceMs = 2000;
  if (::poll(&answer, 1, kPatienceMs) != 1) return false;
  char words[256];
  if (::read(launcher, words, sizeof(words)) <= 0) return false;
  if (parted != nullptr) *parted = true;
  return true;
}

bool stand_under_guardian() {
  const char* const enabled = std::getenv("LEEWAYJOB_GUARDIAN");
  if (enabled != nullptr && std::string_view(enabled) == "0") return false;
  if (!has_one_thread()) return false;
  const pid_t guardian = ::getpid();
  parted = shared_flag();
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child > 0) guard(child);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != guardian) ::_exit(1);
  return true;
}

namespace {

// Measured by test/jobs/footprint.py (see docs/running.md), rounded up: private memory of a waiting
// process with a minimal run, and its additional memory and descriptors per other process of the
// job.
constexpr std::uint64_t kBytesPerProcess = std::uint64_t{96} << 20U;
constexpr std::uint64_t kBytesPerPeer = std::uint64_t{64} << 10U;
constexpr std::uint64_t kThreadsPerProcess = 3;
constexpr std::uint64_t kDescriptorsPerPeer = 2;
constexpr std::uint64_t kLauncherDescriptors = 48;

struct Fit {
  std::uint64_t processes = Room::kNoLimit;
  std::string by;
};

void narrow(Fit& fit, std::uint64_t processes, const std::string& by) {
  if (processes < fit.processes) fit = {processes, by};
}

}  // namespace

LaunchRoom launch_room() { return {memory_room(), process_room(), descriptor_room()}; }

Status admit_processes(std::uint32_t nodes, std::uint32_t here, const LaunchRoom& room) {
  Fit on_this_machine;
  if (room.memory.left != Room::kNoLimit) {
    narrow(on_this_machine, most_that_fit(room.memory.left, kBytesPerProcess, kBytesPerPeer),
           room.memory.by);
  }
  if (room.processes.left != Room::kNoLimit)
    narrow(on_this_machine, room.processes.left / kThreadsPerProcess, room.processes.by);
  Fit in_a_job;  // on any machine, each process has a connection to every other
  if (room.descriptors.left != Room::kNoLimit) {
    const std::uint64_t left =
        room.descriptors.left - std::min(room.descriptors.left, kLauncherDescriptors);
    narrow(in_a_job, left / kDescriptorsPerPeer, room.descriptors.by);
  }
  const bool too_many_here = here > on_this_machine.processes;
  if (!too_many_here && nodes <= in_a_job.processes) return {};
  // If both limits are exceeded, report the lower one.
  const bool one_machine = too_many_here && (nodes <= in_a_job.processes ||
                                             on_this_machine.processes <= in_a_job.processes);
  const Fit& fit = one_machine ? on_this_machine : in_a_job;
  return fail(input_error(
      "-n",
      format("{} processes are more than {}: {} fit, by {}", one_machine ? here : nodes,
             one_machine ? "this machine has room for" : "a job can have", fit.processes, fit.by),
      one_machine ? format("give -n {} or fewer, or more machines with --hosts", fit.processes)
      : fit.processes == 0 ? std::string("raise the limit")
                           : format("give -n {} or fewer, or raise the limit", fit.processes)));
}

namespace {

constexpr int kNotStarted = 127;
constexpr Duration kEndGrace =
    std::chrono::milliseconds(700);                         // for processes that end by themselves
constexpr Duration kStep = std::chrono::milliseconds(300);  // between two reminders

std::atomic<int> sent_signal{0};              // the last SIGINT or SIGTERM
std::atomic<int> end_signal_count{0};         // number of these signals
std::atomic<bool> evidence_requested{false};  // SIGUSR2 arrived
std::atomic<bool> snapshot_requested{false};  // SIGUSR1 arrived

struct Child {
  pid_t process = 0;
  bool ended = false;
  bool named = false;  // listed in the message about processes that the launcher ends by SIGTERM
  std::optional<Instant> removed_at;  // by the rendezvous; the process may be stopped and never end
  bool removed = false;
  std::optional<int> lost;  // it was lost with this status, and is to be replaced
  Instant lost_at{};
};

bool is_here(const std::string& host) { return host.empty() || host == "localhost"; }

/// libfabric's shm provider leaves its region behind when a process does not close it.
void sweep_shared_memory(pid_t process) {
  const std::string prefix = format("{}:", process);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      std::filesystem::remove(entry.path(), error);
    }
  }
}

int code_of(int status) {
  return WIFSIGNALED(status) ? kEndedBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string words_of(int status) {
  return WIFSIGNALED(status) ? format("was ended by SIG{}", ::sigabbrev_np(WTERMSIG(status)))
                             : format("ended with code {}", WEXITSTATUS(status));
}

class Launch {
 public:
  explicit Launch(const LaunchOptions& options) : options_(options), secret_(Secret::random()) {}

  Result<LaunchEnd> run();

 private:
  using Settings = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] std::string host_of(std::uint32_t node) const {
    return options_.hosts.empty() ? "" : options_.hosts[node % options_.hosts.size()];
  }
  [[nodiscard]] Settings settings_of(std::uint32_t node) const;
  Status start(std::uint32_t node);
  [[noreturn]] void become_local(const Settings& settings) const;
  [[noreturn]] void become_remote(const std::string& host, const Settings& settings,
                                  int words) const;
  void reap();
  [[nodiscard]] bool may_replace(const Child& child, int status) const;
  void replace_lost();
  Status replace(std::uint32_t node);
  void note_end(std::uint32_t node, int status);
  void lose(std::uint32_t node, std::string why);
  void handle_end_signals();
  void end_remaining();
  void report_remaining();
  void kill_removed();
  void signal_all(int signal) const;
  [[nodiscard]] bool any_running() const;

  LaunchOptions options_;
  Secret secret_;
  SteadyClock clock_;
  std::mutex removed_mutex_;
  std::vector<NodeId> removed_;             // pushed by the rendezvous' thread
  std::unique_ptr<Rendezvous> rendezvous_;  // its thread uses the members above
  std::string addresses_;
  std::vector<Child> children_;
  LaunchEnd end_;
  std::optional<Instant> failed_at_;
  Duration patience_{};
  int reminders_ = 0;
  int handled_signals_ = 0;
  bool lost_for_certain_ = false;  // end_.lost was killed or removed, so it is the cause
  bool judged_ = false;            // the rendezvous removed a node after the verdict time
};

Launch::Settings Launch::settings_of(std::uint32_t node) const {
  const auto verdict = std::chrono::duration_cast<std::chrono::milliseconds>(options_.verdict);
  return {{"LEEWAYJOB_RENDEZVOUS", addresses_},
          {"LEEWAYJOB_NODE", std::to_string(node)},
          {"LEEWAYJOB_NODES", std::to_string(options_.nodes)},
          {"LEEWAYJOB_VERDICT_MS", std::to_string(verdict.count())},
          {"LEEWAYJOB_ENCRYPT", options_.encrypt ? "1" : "0"},
          {"LEEWAYJOB_REPLACES", options_.replacements > 0 ? "1" : "0"},
          {"LEEWAYJOB_GENERATION", std::to_string(rendezvous_->generation())},
          {"LEEWAYJOB_GRAPH", options_.graph_copy},
          {"LEEWAYJOB_PROVIDER", options_.provider}};
}

void Launch::become_local(const Settings& settings) const {
  for (const auto& [name, value] : settings) ::setenv(name.c_str(), value.c_str(), 1);
  ::setenv("LEEWAYJOB_SECRET", secret_.to_text().c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : options_.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  std::fprintf(stderr, "leeway launch: cannot start %s: %s\n", words[0], std::strerror(errno));
  ::_exit(kNotStarted);
}

/// Passes the secret over standard input, because all users of both machines can read command lines.
void Launch::become_remote(const std::string& host, const Settings& settings, int words) const {
  char folder[4096] = "/";
  (void)!::getcwd(folder, sizeof(folder));
  std::string script =
      format("cd {} && IFS= read -r LEEWAYJOB_SECRET && export LEEWAYJOB_SECRET && exec env",
             shell_quoted(folder));
  for (const auto& [name, value] : settings)
    script += " " + shell_quoted(format("{}={}", name, value));
  for (const std::string& word : options_.command) script += " " + shell_quoted(word);
  std::vector<std::string> command;
  std::istringstream launcher(options_.launcher);
  for (std::string word; launcher >> word;) command.push_back(word);
  command.push_back(host);
  command.push_back(script);
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::dup2(words, STDIN_FILENO);
  ::execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "leeway launch: cannot start %s: %s\n", pointers[0], std::strerror(errno));
  ::_exit(kNotStarted);
}

Status Launch::start(std::uint32_t node) {
  const std::string host = host_of(node);
  const Settings settings = settings_of(node);
  int words[2] = {-1, -1};
  if (!is_here(host) && ::pipe2(words, O_CLOEXEC) != 0) {
    return fail(system_error("leeway launch", "open a pipe", errno, "see ulimit -n"));
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    return fail(system_error("leeway launch", "start a process", errno, "see ulimit -u"));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kNotStarted);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR2, SIGPIPE}) ::signal(signal, SIG_DFL);
    ::signal(SIGUSR1, SIG_IGN);  // until the program installs a handler
    if (is_here(host)) become_local(settings);
    become_remote(host, settings, words[0]);
  }
  children_[node].process = child;
  if (words[1] >= 0) {
    const std::string line = secret_.to_text() + "\n";
    (void)!::write(words[1], line.data(), line.size());
    ::close(words[0]);
    ::close(words[1]);
  }
  return {};
}

bool Launch::any_running() const {
  return std::any_of(children_.begin(), children_.end(), [](const Child& child) {
    return child.process > 0 && (!child.ended || child.lost);
  });
}

void Launch::signal_all(int signal) const {
  for (const Child& child : children_) {
    if (child.process > 0 && !child.ended) ::kill(child.process, signal);
  }
}

void Launch::note_end(std::uint32_t node, int status) {
  const bool killed = WIFSIGNALED(status);
  const int code = code_of(status);
  const bool alone = rendezvous_ && !rendezvous_->complete();
  // Without any member the program may be one that never joins a job.
  const bool awaited = alone && rendezvous_->members() > 0;
  if (killed && sent_signal == 0 && !children_[node].named) {
    std::fprintf(stderr, "leeway launch: node %u was ended by signal %d (%s)\n", node,
                 WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  } else if (awaited && sent_signal == 0 && !failed_at_) {
    std::fprintf(stderr, "leeway launch: node %u ended with code %d before all nodes had joined\n",
                 node, code);
  }
  if (code == 0 && !awaited) return;
  if (alone) {
    rendezvous_->report(NodeId(node), static_cast<std::uint32_t>(code == 0 ? 1 : code),
                        format("it ended with code {} before all nodes had joined", code));
  }
  if (end_.code == 0) end_.code = code == 0 ? 1 : code;
  if (killed && reminders_ == 0 && !lost_for_certain_) {
    lose(node, words_of(status));
    lost_for_certain_ = true;
    // Processes that lost this one may have been reaped before it.
    if (sent_signal == 0) end_.code = code;
  } else if (!end_.lost) {
    lose(node, words_of(status));
  }
  if (failed_at_) return;
  failed_at_ = clock_.now();
  // The rendezvous stays open, so that processes that connect later receive the reason.
  patience_ = awaited || judged_ ? kEndGrace : options_.verdict + kEndGrace;
}

void Launch::lose(std::uint32_t node, std::string why) {
  end_.lost = NodeId(node);
  end_.why = std::move(why);
}

void Launch::reap() {
  int status = 0;
  for (pid_t ended = ::waitpid(-1, &status, WNOHANG); ended > 0;
       ended = ::waitpid(-1, &status, WNOHANG)) {
    for (std::uint32_t node = 0; node < children_.size(); ++node) {
      if (children_[node].process != ended) continue;
      children_[node].ended = true;
      if (options_.provider.find("shm") != std::string::npos) sweep_shared_memory(ended);
      if (may_replace(children_[node], status)) {
        children_[node].lost = status;
        children_[node].lost_at = clock_.now();
      } else {
        note_end(node, status);
      }
    }
  }
}

/// A process that ends by itself, with an error, would fail again. The launcher of another host reports a killed
/// process by a high exit code.
bool Launch::may_replace(const Child& child, int status) const {
  const bool begun = rendezvous_ && (rendezvous_->complete() || rendezvous_->generation() > 0);
  return end_.replaced < options_.replacements && begun && sent_signal == 0 && !failed_at_ &&
         (child.removed || code_of(status) > kEndedBySignal);
}

/// The rendezvous notices the loss at about the same time as this process.
void Launch::replace_lost() {
  constexpr Duration kMostDelay = std::chrono::seconds(2);
  for (std::uint32_t node = 0; node < children_.size(); ++node) {
    Child& child = children_[node];
    if (!child.lost) continue;
    const bool over = failed_at_ || sent_signal != 0 || end_.replaced == options_.replacements;
    using Place = Rendezvous::Place;
    const Place place = over ? Place::Gone : rendezvous_->place_of(NodeId(node));
    if (place == Place::Free && replace(node)) continue;
    if (place == Place::Taken && clock_.now() - child.lost_at < kMostDelay) continue;
    note_end(node, *std::exchange(child.lost, std::nullopt));
  }
}

Status Launch::replace(std::uint32_t node) {
  Child& child = children_[node];
  const std::string host = options_.replace(NodeId(node), words_of(*child.lost));
  if (!options_.hosts.empty()) options_.hosts[node % options_.hosts.size()] = host;
  const Child before = std::exchange(child, Child());
  if (Status started = start(node); !started) {
    std::fprintf(stderr, "%s\n", started.error().to_string().c_str());
    child = before;
    return started;
  }
  ++end_.replaced;
  return {};
}

/// After a failure the other processes end by themselves. For those that do not, this closes the
/// rendezvous, then sends SIGTERM, then SIGKILL, one step after another.
void Launch::end_remaining() {
  if (!failed_at_ || clock_.now() - *failed_at_ < patience_) return;
  failed_at_ = clock_.now();
  patience_ = kStep;
  ++reminders_;
  if (reminders_ == 1) {
    rendezvous_.reset();
  } else {
    if (reminders_ == 2) report_remaining();
    signal_all(reminders_ == 2 ? SIGTERM : SIGKILL);
  }
}

/// Prints which processes are about to be ended by SIGTERM; they print nothing themselves.
void Launch::report_remaining() {
  std::string nodes;
  for (std::uint32_t node = 0; node < children_.size(); ++node) {
    Child& child = children_[node];
    child.named = child.process > 0 && !child.ended;
    if (child.named) nodes += format("{}{}", nodes.empty() ? "" : ", ", node);
  }
  if (nodes.empty()) return;
  std::fprintf(stderr,
               "leeway launch: the job has failed, and these have not ended by themselves and are "
               "now ended by SIGTERM: nodes %s\n",
               nodes.c_str());
}

/// Handles SIGINT and SIGTERM: the first is forwarded to all processes, which have kEndGrace to end; a second kills them.
void Launch::handle_end_signals() {
  if (end_signal_count.load() == handled_signals_) return;
  const bool again = handled_signals_ > 0;
  handled_signals_ = end_signal_count.load();
  signal_all(again ? SIGKILL : sent_signal.load());
  if (!again) {
    std::fprintf(stderr, "leeway launch: ended by SIG%s before the job was done\n",
                 ::sigabbrev_np(sent_signal.load()));
  }
  if (end_.code == 0) end_.code = kEndedBySignal + sent_signal.load();
  failed_at_ = clock_.now();
  patience_ = kEndGrace;
  reminders_ = 2;
}

/// A process that the rendezvous has removed is notified and ends by itself; one that is stopped cannot, and is killed.
void Launch::kill_removed() {
  {
    const std::lock_guard locked(removed_mutex_);
    for (const NodeId node : removed_) {
      Child& child = children_[node.index()];
      child.removed_at = clock_.now();
      child.removed = true;
      if (end_.replaced < options_.replacements) continue;
      if (!lost_for_certain_) lose(node.value(), "was removed from the job");
      lost_for_certain_ = judged_ = true;
    }
    removed_.clear();
  }
  for (Child& child : children_) {
    if (child.ended || !child.removed_at || clock_.now() - *child.removed_at < kEndGrace) continue;
    ::kill(child.process, SIGKILL);
    child.removed_at.reset();
  }
}

Result<LaunchEnd> Launch::run() {
  std::uint32_t local = 0;
  for (std::uint32_t node = 0; node < options_.nodes; ++node)
    local += is_here(host_of(node)) ? 1 : 0;
  raise_descriptor_limit();  // the processes inherit it
  LEEWAY_TRY(admit_processes(options_.nodes, local, launch_room()));
  bool here = true;
  for (const std::string& host : options_.hosts) here = here && is_here(host);
  const std::string bind = !options_.address.empty() ? options_.address : here ? "127.0.0.1" : "";
  RendezvousOptions rendezvous;
  rendezvous.nodes = options_.nodes;
  rendezvous.secret = secret_;
  rendezvous.verdict = options_.verdict;
  rendezvous.host = bind;
  rendezvous.replaces = options_.replacements > 0;
  rendezvous.on_evidence = keep_evidence;
  rendezvous.on_given_up = [this](NodeId node) {
    const std::lock_guard locked(removed_mutex_);
    removed_.push_back(node);
  };
  LEEWAY_ASSIGN(rendezvous_, Rendezvous::open(std::move(rendezvous)));
  addresses_ = bind.empty() ? own_addresses(rendezvous_->port(), 4096)
                            : format("{}:{}", bind, rendezvous_->port());
  for (const int signal : {SIGINT, SIGTERM}) {
    ::signal(signal, [](int which) {
      sent_signal = which;
      ++end_signal_count;
    });
  }
  ::signal(SIGUSR2, [](int) { evidence_requested = true; });
  ::signal(SIGUSR1, [](int) { snapshot_requested = true; });
  ::signal(SIGPIPE, SIG_IGN);
  children_.resize(options_.nodes);
  for (std::uint32_t node = 0; node < options_.nodes; ++node) {
    if (Status started = start(node); !started) {
      signal_all(SIGKILL);
      return fail(std::move(started).error());
    }
  }
  while (any_running()) {
    kill_removed();
    reap();
    replace_lost();
    handle_end_signals();
    if (evidence_requested.exchange(false) && rendezvous_) rendezvous_->ask_for_evidence();
    if (snapshot_requested.exchange(false)) signal_all(SIGUSR1);
    end_remaining();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::move(end_);
}

}  // namespace

Result<std::vector<std::string>> read_hosts(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(system_error(path, "read", errno, "name a file with one host a line"));
  std::vector<std::string> hosts;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    if (!(words >> host)) continue;
    std::uint32_t times = 1;
    std::string rest;
    if (!(words >> times)) times = words.eof() ? 1 : 0;
    if (times == 0 || times > 4096 || words >> rest || host.starts_with("-")) {
      return fail(input_error(format("{}:{}", path, number), format("'{}' is not a host", line),
                              "write HOST, or HOST and how many nodes it takes"));
    }
    hosts.insert(hosts.end(), times, host);
  }
  if (hosts.empty()) return fail(input_error(path, "contains no host", "write one host a line"));
  return hosts;
}

Result<LaunchEnd> launch(const LaunchOptions& options) { return Launch(options).run(); }

int launch_end_signal() { return sent_signal; }

}  // namespace leeway
