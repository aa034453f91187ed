// Runs work in a child process, so that a crash does not end the caller.
#pragma once

#include <functional>
#include <string>

namespace leeway::campaign {

struct ChildOutcome {
  std::string output;  ///< its standard output
  int status = 0;      ///< as returned by waitpid
};

/// Calls `work` in a child process and waits for its end.
[[nodiscard]] ChildOutcome in_child(const std::function<void()>& work);

}  // namespace leeway::campaign
