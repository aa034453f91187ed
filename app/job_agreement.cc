#include "app/job_agreement.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "base/unfinished_file.h"
#include "runtime/cluster/group.h"

extern char** environ;

namespace leeway::app {

Started started_by_launcher() {
  const LaunchInfo launch = read_launch(::environ);
  const auto number = [](std::string_view name) {
    return std::strtoul(std::string(variable(::environ, name)).c_str(), nullptr, 10);
  };
  return {launch.rendezvous ? number("LEEWAYJOB_NODES") : launch.processes,
          number(launch.rendezvous ? "LEEWAYJOB_NODE" : "PMI_RANK")};
}

void warn_of_others(std::string_view what) {
  const Started started = started_by_launcher();
  if (started.processes <= 1 || started.self > 0) return;
  log_warning("{}: each of the {} processes of this job does all the work by itself", what,
              started.processes);
}

namespace {

constexpr int kEndSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Set before the handlers are installed; the handlers only read them.
// True on rank 0 under mpiexec, and without mpiexec: this process prints the reason of the end.
bool prints_reason = true;
// The process of `leeway launch` that started this one on this host; 0: another launcher, or none.
::pid_t launcher = 0;
bool terminal = false;
std::atomic<bool> ending{false};

std::string_view line_of(int signal) {
  if (signal == SIGINT) return "leeway: ended by SIGINT before it was done\n";
  if (signal == SIGTERM) return "leeway: ended by SIGTERM before it was done\n";
  if (signal == SIGQUIT) return "leeway: ended by SIGQUIT before it was done\n";
  return "leeway: ended by SIGHUP before it was done\n";
}

/// True if the launcher has ended or is ending. The kernel signals its death when its first thread ends, while its
/// other threads may still count as this process's parent.
bool launcher_is_gone() {
  char text[1024] = "/proc/";
  std::to_chars(text + sizeof("/proc/") - 1, text + 32, launcher);
  std::strcat(text, "/stat");
  const int file = ::open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const ssize_t bytes = ::read(file, text, sizeof(text));
  ::close(file);
  if (bytes <= 0) return true;  // it was reaped after the open
  std::string_view stat(text, static_cast<std::size_t>(bytes));
  stat.remove_prefix(
      std::min(stat.rfind(')') + 1, stat.size()));  // the name may contain parentheses
  constexpr int kBeforeFlags = 7;
  for (int field = 0; field < kBeforeFlags; ++field)
    stat.remove_prefix(std::min(stat.find(' ') + 1, stat.size()));
  unsigned flags = 0;
  std::from_chars(stat.data(), stat.data() + stat.size(), flags);
  constexpr unsigned kExiting = 4;  // PF_EXITING, which user-space headers do not define
  return (flags & kExiting) != 0;
}

void write_error(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

/// Signal handler. Uses only async-signal-safe functions, because the interrupted thread may hold any lock.
void end(int signal) {
  if (ending.exchange(true)) return;  // another thread is ending the process
  remove_unfinished_files();
  if (launcher != 0) {
    // The launcher cannot report the reason any more.
    if (launcher_is_gone()) write_error("leeway: ended because the launcher is gone\n");
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when the handler returns
    return;
  }
  if (terminal) write_error("\r\x1b[K");  // overwrite the progress line
  if (prints_reason) write_error(line_of(signal));
  ::_exit(kEndedBySignal + signal);
}

}  // namespace

void answer_job_signals(bool takes_snapshots) {
  if (!takes_snapshots) {
    ::signal(SIGUSR1, [](int) {
      write_error("leeway: SIGUSR1 requests a snapshot, and this run has no --snapshot FOLDER\n");
    });
  }
  ::signal(SIGUSR2, [](int) {
    write_error(
        "leeway: SIGUSR2 shows what a process of a job waits for; this process is not part of "
        "one\n");
  });
}

void handle_end_signals() {
  if (std::getenv("LEEWAYJOB_NODE") != nullptr) launcher = ::getppid();
  prints_reason = started_by_launcher().self == 0;
  terminal = ::isatty(STDERR_FILENO) == 1;
  struct sigaction action {};
  action.sa_handler = end;
  action.sa_flags = SA_RESTART;
  for (const int signal : kEndSignals) ::sigaddset(&action.sa_mask, signal);
  for (const int signal : kEndSignals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

namespace {

using ComparedSettings = std::map<std::string, std::string>;

/// The settings that must be equal in all processes, by name.
ComparedSettings compared_settings(std::string_view program, const CommandOptions& options) {
  ComparedSettings words;
  words["the program"] = program;
  for (const GivenSetting& given : options.given) {
    if (given.setting->roles.has(kPerProcess)) continue;
    words[format("--{}", given.setting->name)] = compared_value(*given.setting, given.value);
  }
  if (options.borrowed != nullptr) {
    words["the graph"] = format("{} vertices and {} arcs", options.borrowed->vertex_count(),
                                options.borrowed->arc_count());
  }
  return words;
}

Status compared(const ComparedSettings& mine, const ComparedSettings& first, NodeId self) {
  if (mine == first) return {};
  const auto differs = [](const ComparedSettings& one, const ComparedSettings& other) {
    return std::find_if(one.begin(), one.end(), [&](const auto& each) {
      const auto found = other.find(each.first);
      return found == other.end() || found->second != each.second;
    });
  };
  const auto here = differs(mine, first);
  const std::string name = here != mine.end() ? here->first : differs(first, mine)->first;
  const auto value_in = [&](const ComparedSettings& words) {
    const auto found = words.find(name);
    return found == words.end() ? std::string("nothing") : format("'{}'", found->second);
  };
  return fail(input_error(
      name, format("node {} was given {}, and node 0 {}", self, value_in(mine), value_in(first)),
      "give all processes of a job the same settings: compare command lines, LEEWAY_ variables and "
      "files of all machines"));
}

}  // namespace

Status agree_on_settings(std::string_view program, const CommandOptions& options, Job& job) {
  if (job.is_replacement()) return {};  // the others have begun their first run
  return with_group(job, [&](Group& group) {
    const ComparedSettings mine = compared_settings(program, options);
    ComparedSettings first;
    group.require(load_archived(group.broadcast_bytes(archived(mine), NodeId(0)), first),
                  NodeId(0));
    return group.agree(compared(mine, first, group.self()));
  });
}

Status agree_in_job(Job* job, Status mine) {
  if (job == nullptr || job->node_count() == 1) return mine;
  return with_group(*job, [&](Group& group) { return group.agree(std::move(mine)); });
}

}  // namespace leeway::app
