// `leeway supervise`: runs a job and starts it again from its last snapshot when it dies.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/restarts.h"

namespace leeway::cli {

namespace {

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
