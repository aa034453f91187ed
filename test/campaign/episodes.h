// Situations that random steps seldom produce. All nodes of a plan with such an episode play it, in
// the virtual cluster, where time limits are exact.
#pragma once

#include <cstdint>

#include "test/campaign/observers.h"

namespace leeway::campaign {

/// One thread of a node waits for its reads while another thread keeps requesting objects, so that
/// some requests are always in flight. The wait must end with the answers to the requests sent
/// before it began. Collective.
void wait_while_others_ask(Node& node, const Plan& plan, Observers& observers);

/// All nodes but one call the same collective. It must return on no node. Must be the last episode.
void call_different_collectives(Node& node, const Plan& plan, Observers& observers);

/// Upper bound for the frames queued at a node for peers without credit, provided that requests
/// merge and only homes store.
[[nodiscard]] std::uint64_t most_waiting_frames(const Plan& plan);

}  // namespace leeway::campaign
