// PageRank by ticks, on the tick and the piece engine, for its row.
#pragma once

#include <memory>

#include "programs/catalog/ticked_run.h"

namespace leeway {

[[nodiscard]] std::unique_ptr<TickedRun> ranks_in_ticks(const TickedSettings& settings);
[[nodiscard]] std::unique_ptr<TickedRun> ranks_in_pieces(const TickedSettings& settings);

}  // namespace leeway
