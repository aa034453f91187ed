// The executable `leeway`.

#include <csignal>
#include <span>

#include "app/job_agreement.h"
#include "cli/command.h"

int main(int count, char** values) {
  // A closed pipe is detected by `write`.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that exceeds the limit of its size (ulimit -f).
  std::signal(SIGXFSZ, SIG_IGN);
  leeway::cli::handle_end_signals();
  const std::span<const char* const> all(values, static_cast<std::size_t>(count));
  return leeway::cli::invoke(all.empty() ? all : all.subspan(1));
}
