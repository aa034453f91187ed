// The leeway command: settings from file, environment and flags, one command, one exit code.

#include <csignal>
#include <span>

#include "cli/command.h"
#include "cli/job_agreement.h"

int main(int count, char** values) {
  // A reader that leaves is seen where its bytes are written.
  std::signal(SIGPIPE, SIG_IGN);
  leeway::cli::handle_end_signals();
  const std::span<const char* const> all(values, static_cast<std::size_t>(count));
  return leeway::cli::invoke(all.empty() ? all : all.subspan(1));
}
