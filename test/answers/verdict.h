// What a run has shown of itself, and what the campaign makes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/answers/case.h"

namespace leeway::answers {

/// Everything that a user could see of one run.
struct Observation {
  int code = 0;
  std::string output, errors;       ///< standard output and error
  std::vector<std::string> values;  ///< the lines of --out
  /// Of a case that resumes: the run that took the snapshots.
  std::shared_ptr<const Observation> before;
};

enum class Kind : std::uint8_t { Passed, Skipped, Failed };

struct Verdict {
  Kind kind = Kind::Passed;
  /// Of a failure: what sort it is, in a few words; shrinking keeps to it.
  std::string sort;
  std::string text;
};

/// Holds a run against the oracles. A refusal is accepted where the table of refusals has it.
[[nodiscard]] Verdict judge(const Case& drawn, const Observation& seen);

/// The setting that the command refuses with this message because it does not apply to the run, if that is for
/// the case to leave out: whether it applies, other settings decide.
[[nodiscard]] std::optional<std::string> inapplicable_setting(const Case& drawn,
                                                              const std::string& message);

/// Whether the table says that the command is right to refuse the case with this message.
[[nodiscard]] bool may_refuse(const Case& drawn, const std::string& message);

}  // namespace leeway::answers
