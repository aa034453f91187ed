#include "base/process.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/unfinished_file.h"

namespace leeway::child_process_detail {

std::shared_ptr<void> share_memory(std::size_t bytes) {
  const std::size_t mapped = bytes > 0 ? bytes : 1;
  void* const memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {memory, [mapped](void* of) { ::munmap(of, mapped); }};
}

Result<void> run_in_child(const std::string& where, const std::function<void()>& work) {
  const ::pid_t parent = ::getpid();
  const ::pid_t child = ::fork();
  if (child < 0) {
    return fail(system_error(where, "start a child process", errno,
                             "give the machine more memory or processes"));
  }
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) work();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    // ECHILD if SIGCHLD is ignored in this process: the exit status is then lost.
    if (errno != EINTR) return fail(system_error(where, "wait for its child process", errno, ""));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFSIGNALED(status)
                              ? format("was ended by SIG{}", ::sigabbrev_np(WTERMSIG(status)))
                              : format("ended with code {}", WEXITSTATUS(status));
  return fail(
      environment_error(where, "its process " + how, "the machine may have run out of memory"));
}

}  // namespace leeway::child_process_detail

namespace leeway {

void end_process(const Error& error) {
  std::fprintf(stderr, "leeway: %s\n", error.to_string().c_str());
  std::fflush(stderr);
  remove_unfinished_files();
  std::_Exit(error.exit_code());
}

KeptSignalHandlers::KeptSignalHandlers() {
  for (int signal = 1; signal < kSignals; ++signal)
    ::sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]);
}

KeptSignalHandlers::~KeptSignalHandlers() {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    ::sigaction(signal, &actions_[static_cast<std::size_t>(signal)], nullptr);
  }
}

std::optional<std::uint64_t> number_after(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream words(line.substr(key.size()));
    std::uint64_t value = 0;
    if (words >> value) return value;
  }
  return std::nullopt;
}

namespace {

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // no such file, or "max"
}

void narrow(Room& room, std::uint64_t limit, std::uint64_t used, std::string by) {
  const std::uint64_t left = limit > used ? limit - used : 0;
  if (left < room.left) room = {left, std::move(by)};
}

struct Controller {
  const char* name;  // in version 1 of control groups
  const char *limit_1, *used_1;
  const char *limit_2, *used_2;
};

/// Applies the limits of all control groups of this process, from its group up to the root.
void narrow_by_groups(Room& room, const Controller& controller) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = names == ",,";
    if (!unified && names.find("," + std::string(controller.name) + ",") == std::string::npos)
      continue;
    const std::filesystem::path root =
        std::filesystem::path("/sys/fs/cgroup") / (unified ? "" : controller.name);
    std::filesystem::path group = line.substr(second + 1);
    while (true) {
      const std::filesystem::path folder = root / group.relative_path();
      const auto limit = number_in(folder / (unified ? controller.limit_2 : controller.limit_1));
      const auto used = number_in(folder / (unified ? controller.used_2 : controller.used_1));
      if (limit && used)
        narrow(room, *limit, *used, std::string("the control group's limit of ") + controller.name);
      if (!group.has_relative_path()) break;
      group = group.parent_path();
    }
  }
}

/// Number of threads of all processes of this user.
std::uint64_t threads_of(uid_t user) {
  std::uint64_t threads = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    struct stat about {};
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (::stat(entry.path().c_str(), &about) != 0 || about.st_uid != user) continue;
    threads += number_after(entry.path() / "status", "Threads:").value_or(1);
  }
  return threads;
}

std::uint64_t all_threads() {
  std::ifstream file("/proc/loadavg");  // "0.1 0.2 0.3 running/all last"
  std::string word;
  for (int i = 0; i < 4; ++i) file >> word;
  const std::size_t slash = word.find('/');
  return slash == std::string::npos ? 0 : std::stoull("0" + word.substr(slash + 1));
}

}  // namespace

Room memory_room() {
  Room room;
  if (const auto free = number_after("/proc/meminfo", "MemAvailable:"))
    narrow(room, *free * 1024, 0, "the memory that is free");
  narrow_by_groups(room, {.name = "memory",
                          .limit_1 = "memory.limit_in_bytes",
                          .used_1 = "memory.usage_in_bytes",
                          .limit_2 = "memory.max",
                          .used_2 = "memory.current"});
  return room;
}

Room process_room() {
  Room room;
  const std::uint64_t running = all_threads();
  if (const auto most = number_in("/proc/sys/kernel/pid_max"))
    narrow(room, *most, running, "kernel.pid_max");
  if (const auto most = number_in("/proc/sys/kernel/threads-max"))
    narrow(room, *most, running, "kernel.threads-max");
  rlimit limit{};
  // The limit does not apply to the superuser.
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    narrow(room, limit.rlim_cur, threads_of(::geteuid()), "ulimit -u");
  narrow_by_groups(room, {.name = "pids",
                          .limit_1 = "pids.max",
                          .used_1 = "pids.current",
                          .limit_2 = "pids.max",
                          .used_2 = "pids.current"});
  return room;
}

std::uint64_t most_that_fit(std::uint64_t bytes, std::uint64_t each, std::uint64_t per_pair) {
  std::uint64_t fits = 0;
  std::uint64_t too_many = std::min<std::uint64_t>(bytes / each, std::uint64_t{1} << 24U) + 1;
  while (fits + 1 < too_many) {
    const std::uint64_t middle = fits + (too_many - fits) / 2;
    (middle * (each + middle * per_pair) <= bytes ? fits : too_many) = middle;
  }
  return fits;
}

Room descriptor_room() {
  Room room;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    narrow(room, limit.rlim_cur, 0,
           limit.rlim_cur == limit.rlim_max ? "the hard limit of ulimit -n" : "ulimit -n");
  return room;
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return Room::kNoLimit;
  if (limit.rlim_cur != limit.rlim_max) {
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur == RLIM_INFINITY ? Room::kNoLimit : limit.rlim_cur;
}

bool has_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    const std::string file = folder.empty() ? name : format("{}/{}", folder, name);
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

namespace {

std::uint32_t whole_number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
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
    launch.processes = std::max(1u, whole_number(value("PMI_SIZE")));
  } else if (const auto tasks = whole_number(value("OMPI_COMM_WORLD_SIZE")); tasks > 1) {
    launch.foreign = "Open MPI's mpirun";
    launch.processes = tasks;
  } else if (const auto steps = whole_number(value("SLURM_STEP_NUM_TASKS")); steps > 1) {
    launch.foreign = "srun without --mpi=pmi2";
    launch.processes = steps;
  } else if (!value("PMIX_RANK").empty() && whole_number(value("PMIX_RANK")) > 0) {
    launch.foreign = "a PMIx launcher";
    launch.processes = whole_number(value("PMIX_RANK")) + 1;
  }
  return launch;
}

Error stranded(const LaunchInfo& launch) {
  return input_error(
      "launch",
      format(
          "started by {} as one of at least {} processes, but each would run a job of one process",
          launch.foreign, launch.processes),
      "use mpiexec.mpich -n N, srun --mpi=pmi2, or leeway launch -n N; --fabric loopback runs each "
      "process by itself");
}

}  // namespace leeway
