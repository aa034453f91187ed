#include "leeway/cli/end_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "leeway/base/unfinished_file.h"

namespace leeway::cli {

namespace {

constexpr int kKilled = 128;
constexpr int kEndSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Found out before a handler may run.
bool first = true;  // rank 0 under mpiexec, or no mpiexec: only this process prints the reason
::pid_t launcher =
    0;  // `leeway launch` here or what it started on this host; 0: another launcher, or none
bool terminal = false;
std::atomic<bool> ending{false};

std::string_view line_of(int signal) {
  if (signal == SIGINT) return "leeway: ended by SIGINT before it was done\n";
  if (signal == SIGTERM) return "leeway: ended by SIGTERM before it was done\n";
  return "leeway: ended by SIGHUP before it was done\n";
}

/// Whether the launcher has ended, or is about to: the kernel's signal on its death comes from its first thread, when
/// others of it may still count as this process's parent.
bool launcher_is_gone() {
  char text[1024] = "/proc/";
  std::to_chars(text + sizeof("/proc/") - 1, text + 32, launcher);
  std::strcat(text, "/stat");
  const int file = ::open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const ssize_t bytes = ::read(file, text, sizeof(text));
  ::close(file);
  std::string_view stat(text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  stat.remove_prefix(std::min(stat.rfind(')') + 1, stat.size()));  // a name may hold anything
  constexpr int kBeforeFlags = 7;
  for (int field = 0; field < kBeforeFlags; ++field)
    stat.remove_prefix(std::min(stat.find(' ') + 1, stat.size()));
  unsigned flags = 0;
  std::from_chars(stat.data(), stat.data() + stat.size(), flags);
  constexpr unsigned kExiting = 4;  // PF_EXITING; no header gives it to programs
  return (flags & kExiting) != 0;
}

void say(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

/// Only calls that POSIX allows in a handler: the thread that was interrupted may hold any lock.
void end(int signal) {
  if (ending.exchange(true)) return;  // another thread is on the way out
  remove_unfinished_files();
  if (launcher != 0) {
    // Nobody else is left to say it.
    if (launcher_is_gone()) say("leeway: ended, for the launcher is gone\n");
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when this returns
    return;
  }
  if (terminal) say("\r\x1b[K");  // over the line of progress
  if (first) say(line_of(signal));
  ::_exit(kKilled + signal);
}

}  // namespace

void handle_end_signals() {
  if (std::getenv("LEEWAYJOB_NODE") != nullptr) launcher = ::getppid();
  const char* const rank = std::getenv("PMI_RANK");
  first = rank == nullptr || std::string_view(rank) == "0";
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

}  // namespace leeway::cli
