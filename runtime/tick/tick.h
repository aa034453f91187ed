// The words of the tick engine (Zou et al., SOCC'11): ticks, and the levels of one process's work. Level 0 is
// the partition query Q; level l > 0 is (W_D ∘ R_D)^l (Q), what must be stepped here to do without l rounds of
// messages; level l < 0 is (R_X ∘ W_X)^-l (Q), what can be stepped -l ticks ahead of messages. Levels are
// nested: a lower one selects no tuple that a higher one does not.
#pragma once

#include <cstdint>

#include "leeway/base/id.h"

namespace leeway::tick {

using Tick = Id<struct TickTag, std::uint32_t>;  ///< a version of the global state: S^0, S^1, …

using Level = std::int32_t;

}  // namespace leeway::tick
