// One case, run as a user would run it: the command in this process, or as a job of processes.
#pragma once

#include <chrono>
#include <string>

#include "test/answers/verdict.h"

namespace leeway::answers {

struct Surroundings {
  std::string folder;   ///< the case's files, outputs included
  std::string command;  ///< the leeway binary, for jobs of processes
  std::chrono::milliseconds limit{20'000};
};

/// Writes the case's files, runs it and judges it; again without a setting that turns out not to apply to it.
/// Standard output and error of this process go to files of
/// the folder from the first call on. May not return: the command may crash, or hang.
[[nodiscard]] Verdict run_case(const Case& drawn, const Surroundings& around);

/// What a crashed run has left on standard error.
[[nodiscard]] std::string errors_left(const std::string& folder);

/// One line for a shell that does what `run_case` did, with the files of `folder`.
[[nodiscard]] std::string shell_command(const Case& drawn, const std::string& folder,
                                        const std::string& command);

}  // namespace leeway::answers
