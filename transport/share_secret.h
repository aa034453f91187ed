// How the ranks of an MPI job come to share a secret: rank 0's, wrapped for each of them, for MPI's networks can be
// listened to. Private to the transport folder.
#pragma once

#include <span>

#include "leeway/base/result.h"
#include "leeway/transport/mpi_wire.h"
#include "leeway/transport/secret.h"

namespace leeway {

/// Collective. `own`: of rank 0 it becomes everybody's; `keys`: this rank's; `halves`: all ranks' public halves.
Result<Secret> share_secret(MpiWire& wire, const Secret& own, const KeyPair& keys,
                            std::span<const KeyPair::PublicHalf> halves);

}  // namespace leeway
