// Observations of a run, and the verdict of the campaign.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/answers/case.h"

namespace leeway::answers {

/// All visible results of one run.
struct Observation {
  int code = 0;
  std::string output, errors;       ///< standard output and error
  std::vector<std::string> values;  ///< the lines of --out
  /// For a case that resumes: the run that took the snapshots.
  std::shared_ptr<const Observation> before;
};

enum class Kind : std::uint8_t { Passed, Skipped, Failed };

struct Verdict {
  Kind kind = Kind::Passed;
  /// The kind of a failure in a few words; shrinking preserves it.
  std::string sort;
  std::string text;
};

/// Compares a run with the oracles. Accepts a refusal that is in the table of refusals.
[[nodiscard]] Verdict judge(const Case& drawn, const Observation& seen);

/// The setting that the command refuses with this message as not applicable, if the case may omit
/// it because its applicability depends on other settings.
[[nodiscard]] std::optional<std::string> inapplicable_setting(const Case& drawn,
                                                              const std::string& message);

/// Whether the table permits the command to refuse the case with this message.
[[nodiscard]] bool may_refuse(const Case& drawn, const std::string& message);

}  // namespace leeway::answers
