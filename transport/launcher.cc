#include "leeway/transport/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <new>

#include "leeway/base/format.h"

namespace leeway {

namespace {

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool has_one_thread() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:"))
      return number(line.substr(line.find_first_of("123456789"))) == 1;
  }
  return false;
}

pid_t guarded = 0;  // for the guardian's signal handler

/// What both see: the launcher has let the child go.
std::atomic<bool>* parted = nullptr;

std::atomic<bool>* shared_flag() {
  void* const memory = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) std::atomic<bool>(false);
}

/// To the child, whose exit code is the guardian's.
void pass_on(int signal) {
  if (guarded > 0) ::kill(guarded, signal);
}

/// The guardian's whole life.
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
  constexpr int kPeerExit =
      4;  // the launcher gives its caller the exit codes of all processes, combined by `or`
  if (WIFSIGNALED(status) && parted != nullptr && !*parted) {
    // MPI has not started: the siblings wait for it, and none but the launcher can end them.
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kPeerExit);
}

}  // namespace

std::string_view variable(const char* const* environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

LaunchInfo read_launch(const char* const* environment) {
  const auto value = [&](std::string_view name) { return variable(environment, name); };
  LaunchInfo launch;
  launch.rendezvous = !value("LEEWAYJOB_RENDEZVOUS").empty();
  launch.pmi = !value("PMI_RANK").empty() || !value("PMI_FD").empty();
  if (launch.pmi) {
    launch.processes = std::max(1u, number(value("PMI_SIZE")));
  } else if (const auto tasks = number(value("OMPI_COMM_WORLD_SIZE")); tasks > 1) {
    launch.foreign = "Open MPI's mpirun";
    launch.processes = tasks;
  } else if (const auto steps = number(value("SLURM_STEP_NUM_TASKS")); steps > 1) {
    launch.foreign = "srun without --mpi=pmi2";
    launch.processes = steps;
  } else if (!value("PMIX_RANK").empty() && number(value("PMIX_RANK")) > 0) {
    launch.foreign = "a PMIx launcher";
    launch.processes = number(value("PMIX_RANK")) + 1;
  }
  return launch;
}

Error stranded(const LaunchInfo& launch) {
  return input_error(
      "launch",
      format("started by {} as one of at least {} processes, but each would believe to be alone",
             launch.foreign, launch.processes),
      "use mpiexec.mpich -n N, srun --mpi=pmi2, or leeway launch -n N; --fabric loopback runs each "
      "process by itself");
}

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
  const char* const wanted = std::getenv("LEEWAYJOB_GUARDIAN");
  if (wanted != nullptr && std::string_view(wanted) == "0") return false;
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

}  // namespace leeway
