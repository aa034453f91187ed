// The law's choice for one run: the mode to begin with, and the ways that the run may change to when it finds
// that it was wrong. What `leeway advise` says and what `--scheduler auto` does.
#pragma once

#include <array>
#include <memory>

#include "leeway/programs/law/law.h"
#include "leeway/runtime/ways.h"

namespace leeway::law {

/// By mode: whether it may be chosen.
using Allowed = std::array<bool, kModes>;
[[nodiscard]] Allowed all_allowed();

struct Choice {
  Forecast forecast;
  std::size_t best = 0;    ///< of those allowed
  std::size_t second = 0;  ///< of those allowed; the best itself where there is no other
  /// The modes of the vertex engine that are allowed, the one expected to take least first. Null where the best
  /// is a mode of the PIE engine, whose state is in its messages, too, and cannot go on elsewhere.
  std::shared_ptr<const WayPlan> ways;
};

/// Requires several nodes, and that the program has a form for one of those allowed (checked).
[[nodiscard]] Choice choose(std::size_t program, const ProgramFacts& facts,
                            const NetworkFacts& network, const Allowed& allowed);

/// Runs it in the virtual cluster as it was chosen, over what may be another network than it was told of.
Result<RunRecord> simulate(const Setup& setup, const Choice& choice, const NetworkProfile& network);

}  // namespace leeway::law
