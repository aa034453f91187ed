// One MPI rank a node: the wire over MPICH. Starts and ends MPI unless a communicator is given. Private to
// the transport folder; everybody else says join_job (fabric.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leeway/result.h"
#include "transport/wire_transport.h"

namespace leeway {

class MpiWire : public Wire {
 public:
  /// Every rank's bytes, equally many, in rank order. Collective; blocks, while messages move on.
  virtual Result<std::vector<std::byte>> gather(std::span<const std::byte> mine) = 0;
  /// Rank 0's bytes, as many as all ranks give room for. Collective; blocks, while messages move on.
  virtual Status broadcast(std::span<std::byte> data) = 0;
  /// Whether MPI was started here and ends with the process.
  [[nodiscard]] virtual bool owns_mpi() const = 0;
  /// How many ranks run on this machine; set once known.
  virtual void set_neighbours(std::uint32_t ranks) = 0;
};

/// `communicator`: a Fortran handle. Blocks until all ranks have come.
Result<std::unique_ptr<MpiWire>> open_mpi(std::optional<int> communicator);

}  // namespace leeway
