// Work in a process of its own, which it may end.
#pragma once

#include <functional>
#include <string>

namespace leeway::campaign {

struct ChildOutcome {
  std::string said;  ///< all that it wrote to standard output
  int status = 0;    ///< as waitpid gives it
};

/// Calls `work` in a child process and waits for its end.
[[nodiscard]] ChildOutcome in_child(const std::function<void()>& work);

}  // namespace leeway::campaign
