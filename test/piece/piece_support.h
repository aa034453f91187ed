// Shared by the tests of the piece engine: small clusters, and all four systems.
#pragma once

#include <array>

#include "leeway/piece.h"

namespace leeway::testing {

inline constexpr std::array kSystems = {piece::System::OriTick, piece::System::ComTick,
                                        piece::System::AsyTick, piece::System::AsyTickPlb};

inline ClusterOptions piece_cluster(Fabric fabric, std::uint32_t nodes, std::string_view network,
                                    std::uint64_t seed = 1) {
  ClusterOptions cluster;
  cluster.fabric = fabric;
  cluster.nodes = nodes;
  cluster.seed = seed;
  cluster.network = parse_profile(network).value();
  return cluster;
}

}  // namespace leeway::testing
