#include "leeway/base/child_process.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "leeway/base/format.h"

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
    return fail(system_error(where, "start a process of its own", errno,
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
    // Its parent may have asked not to be told of children's ends.
    if (errno != EINTR) return fail(system_error(where, "wait for its process", errno, ""));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFSIGNALED(status)
                              ? format("was ended by SIG{}", ::sigabbrev_np(WTERMSIG(status)))
                              : format("ended with code {}", WEXITSTATUS(status));
  return fail(
      environment_error(where, "its process " + how, "the machine may have run out of memory"));
}

}  // namespace leeway::child_process_detail
