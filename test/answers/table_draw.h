// Settings that a case draws from the command's own table, so that a new setting is drawn with each engine to which it
// applies, or has to state why not. The table decides where a setting applies; it does not decide what is right.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "test/answers/case.h"

namespace leeway::answers {

/// Gives the case up to five settings that apply to it and that do not change the right answer.
void draw_from_table(Case& drawn, Random& random);

/// A setting and an engine.
using Pair = std::pair<std::string, std::string>;
/// The pairs of which the setting applies to a run of some program on the engine, without the settings that no case gives.
[[nodiscard]] std::set<Pair> applicable_pairs();
/// The pairs of one case: each setting of its runs, with its engine. Writes the case's files into `folder`.
[[nodiscard]] std::set<Pair> pairs_of(const Case& drawn, const std::string& folder);

}  // namespace leeway::answers
