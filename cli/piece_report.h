// What the piece engine tells of a run, as a report shows it.
#pragma once

#include <cstdint>

#include "leeway/cli/report.h"
#include "leeway/runtime/piece/record.h"

namespace leeway::cli {

/// `objects`: fish, bodies, cells or vertices.
void add_piece_run(const piece::PieceRecord& record, std::uint64_t objects, Report& report);

}  // namespace leeway::cli
