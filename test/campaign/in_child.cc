#include "test/campaign/in_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace leeway::campaign {

ChildOutcome in_child(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    std::perror("a pipe to a child");
    std::exit(2);
  }
  std::fflush(stdout);
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    work();
    std::fflush(stdout);
    std::_Exit(0);
  }
  ::close(ends[1]);
  ChildOutcome outcome;
  std::array<char, 1024> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;)
    outcome.output.append(part.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, &outcome.status, 0);
  return outcome;
}

}  // namespace leeway::campaign
