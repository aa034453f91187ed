// Situations that random steps would seldom come to, each played by all nodes of a plan that has it (Episodes), in the
// virtual cluster, where "too long" is exact.
#pragma once

#include <cstdint>

#include "test/campaign/observers.h"

namespace leeway::campaign {

/// One thread of a node waits for reads while another one goes on asking for more, so that some are always under
/// way: the wait must end with the answers to what had been asked when it began. Collective.
void wait_while_others_ask(Node& node, const Plan& plan, Observers& observers);

/// All nodes but one call the same collective. Nobody may come out of it as though all had. Last of all.
void call_different_collectives(Node& node, const Plan& plan, Observers& observers);

/// Of the frames that wait at a node for peers that have no room for them: no more may, where requests merge and
/// only homes store.
[[nodiscard]] std::uint64_t most_waiting_frames(const Plan& plan);

}  // namespace leeway::campaign
