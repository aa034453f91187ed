// The names of the piece engine's things: a piece of the simulated space, and a tick.
#pragma once

#include <cstdint>

#include "leeway/base/ids.h"

namespace leeway::piece {

using PieceId =
    Id<struct PieceTag, std::uint32_t>;  ///< dense over the whole space, not one worker's
using TickId =
    Id<struct PieceTickTag, std::uint32_t>;  ///< N(P): the tick a piece is worked on in, from 0

}  // namespace leeway::piece
