// Reduces a failing case while it still fails in the same way: fewer nodes, settings, vertices and
// edges, simpler weights and names.
#pragma once

#include "test/answers/supervise.h"

namespace leeway::answers {

struct Shrunk {
  Case smallest;
  Verdict verdict;
  bool repeats = false;  ///< the case failed again when repeated
};

/// Runs smaller candidates with `runner` until none of them fails or the time is over.
[[nodiscard]] Shrunk shrink(const Case& failing, const Verdict& verdict, Runner& runner,
                            std::chrono::seconds time);

}  // namespace leeway::answers
