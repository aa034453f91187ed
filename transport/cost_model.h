// What computation costs in a virtual cluster, in picoseconds, so that prices far below a nanosecond
// add up exactly. docs/profiles.md says which measurement each number comes from.
#pragma once

#include <cstdint>

#include "leeway/base/clock.h"
#include "leeway/transport/transport.h"

namespace leeway {

struct CostModel {
  std::uint64_t fetch_ps = 2'500;  ///< a read that hits, of one word
  std::uint64_t store_ps = 9'000;
  std::uint64_t edge_ps = 1'000;
  std::uint64_t vertex_ps = 10'000;
  std::uint64_t byte_ps = 60;  ///< each further byte of a value

  /// Picoseconds.
  [[nodiscard]] std::uint64_t price(const Work& work) const {
    return work.fetches * fetch_ps + work.stores * store_ps + work.edges * edge_ps +
           work.vertices * vertex_ps + work.bytes * byte_ps + work.picoseconds;
  }

  /// Free computation: for tests of logic.
  [[nodiscard]] static constexpr CostModel free() { return {0, 0, 0, 0, 0}; }
  /// The machine and DSM of ASPIRE's cluster: a local fetch there costs 1/2.3 of a remote one.
  [[nodiscard]] static constexpr CostModel tardis() {
    return {5'500'000, 5'500'000, 2'000, 50'000, 300};
  }
};

}  // namespace leeway
