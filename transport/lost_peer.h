// Why a node ends for a peer's sake: nobody can go on without one that is gone, or that sends what no correct peer sends,
// for nothing it says can be trusted.
#pragma once

#include <string>
#include <string_view>

#include "leeway/base/error.h"
#include "leeway/base/ids.h"

namespace leeway {

/// Lines for a person, as one that can be the last of a log.
[[nodiscard]] std::string in_one_line(std::string_view text, std::string_view between = "; ");
/// The reason with which node `self` ends.
[[nodiscard]] Error bad_frame(NodeId self, NodeId from);
/// The same of one that has lost a peer. `evidence`: lines that say what it was waiting for.
[[nodiscard]] Error peer_is_gone(NodeId self, NodeId peer, std::string_view evidence);

}  // namespace leeway
