// A failing case made as small as it gets while it still fails in the same way: fewer nodes, settings, vertices
// and edges, plainer weights and names.
#pragma once

#include "test/answers/supervise.h"

namespace leeway::answers {

struct Shrunk {
  Case smallest;
  Verdict verdict;
  bool repeats = false;  ///< the case failed again when it was run again
};

/// Runs candidates with `runner` until none is smaller or the time is over.
[[nodiscard]] Shrunk shrink(const Case& failing, const Verdict& verdict, Runner& runner,
                            std::chrono::seconds time);

}  // namespace leeway::answers
