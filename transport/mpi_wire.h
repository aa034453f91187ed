// MpiWire: the Wire over MPICH, one rank per node. Initialises and finalises MPI unless a
// communicator is given. Private to the transport folder; other code calls join_job (fabric.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "transport/wire_transport.h"

namespace leeway {

class MpiWire : public Wire {
 public:
  /// Every rank's bytes in rank order; all ranks give the same number of bytes. Collective; blocks,
  /// but message transfers continue.
  virtual Result<std::vector<std::byte>> gather(std::span<const std::byte> mine) = 0;
  /// Copies rank 0's `data` to all ranks; all give the same size. Collective; blocks, but message
  /// transfers continue.
  virtual Status broadcast(std::span<std::byte> data) = 0;
  /// Whether this process initialised MPI and ends it with the process.
  [[nodiscard]] virtual bool owns_mpi() const = 0;
  /// Sets the number of ranks on this machine.
  virtual void set_neighbours(std::uint32_t ranks) = 0;
};

}  // namespace leeway
