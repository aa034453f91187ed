// Shared objects many at a time, whatever their type: what an array's worth of fetches and stores costs is close to
// what it costs in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "leeway/dsm/dsm.h"

namespace leeway::python {

/// Many objects at a time, of one size.
class Objects {
 public:
  virtual ~Objects() = default;
  virtual void fetch(std::span<const std::uint32_t> handles, std::byte* out) = 0;
  virtual void store(std::span<const std::uint32_t> handles, const std::byte* values) = 0;
  virtual void set_initial(std::span<const std::uint32_t> handles, const std::byte* values) = 0;
  virtual void replicate(std::span<const Handle> handles) = 0;
  [[nodiscard]] virtual Space& space() = 0;
};

/// Collective, as Dsm::open; an Input error for a size that is not among those it has.
Result<std::unique_ptr<Objects>> open_objects(Node& node, const SpaceOptions& options,
                                              std::size_t bytes);

}  // namespace leeway::python
