// Runs one case as a user would: the command in this process, or as a job of processes.
#pragma once

#include <chrono>
#include <string>

#include "test/answers/verdict.h"

namespace leeway::answers {

struct Surroundings {
  std::string folder;   ///< the case's files, including outputs
  std::string command;  ///< the leeway binary, for jobs of processes
  std::chrono::milliseconds limit{20'000};
};

/// Writes the case's files, runs it and judges it; repeats without a setting that does not apply.
/// From the first call on, standard output and error of this process are redirected to files in the
/// folder. May not return, because the command may crash or hang.
[[nodiscard]] Verdict run_case(const Case& drawn, const Surroundings& around);

/// The standard error output of a crashed run.
[[nodiscard]] std::string errors_left(const std::string& folder);

/// A shell command line equivalent to `run_case`, for the files in `folder`.
[[nodiscard]] std::string shell_command(const Case& drawn, const std::string& folder,
                                        const std::string& command);

}  // namespace leeway::answers
