#include "test/campaign/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <ctime>

#include "base/format.h"

namespace leeway::campaign {

namespace {

// Checked again later if the run got less than half of a processor, because the machine is busy.
unsigned patience = 60;  // seconds
constexpr int kLooks = 10;

// Message of the signal handler, formatted before the run, because a handler must not format.
std::array<char, 2048> last_words{};
volatile std::sig_atomic_t looks = 0;
timespec begun{};  // on the clock of the process's processor time

double own_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec - begun.tv_sec) +
         static_cast<double>(now.tv_nsec - begun.tv_nsec) * 1e-9;
}

void say_and_end(int signal) {
  if (signal == SIGALRM) {
    looks = looks + 1;
    const bool starved = own_seconds() < 0.5 * patience * looks;
    if (starved && looks < kLooks) {
      alarm(patience);
      return;
    }
  }
  const ssize_t written = write(STDOUT_FILENO, last_words.data(), std::strlen(last_words.data()));
  if (signal == SIGALRM || written < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

constexpr std::array kSignals = {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};

}  // namespace

Watchdog::Watchdog(unsigned patience_seconds) {
  patience = patience_seconds;
  for (const int signal : kSignals) std::signal(signal, say_and_end);
}

Watchdog::~Watchdog() {
  alarm(0);
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

void Watchdog::begin(const std::string& described, const std::string& repeat_command) {
  const std::string words = format(
      "FAILED {}\n  every run ends: it was aborted, or still ran after {} s or, on a busy machine, "
      "ten "
      "times as long\nrepeat it with: {}\n",
      described, patience, repeat_command);
  const std::size_t size = std::min(words.size(), last_words.size() - 1);
  std::copy_n(words.begin(), size, last_words.begin());
  last_words[size] = '\0';
  looks = 0;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
  alarm(patience);
}

}  // namespace leeway::campaign
