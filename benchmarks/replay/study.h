// A figure that needs no graph of the command's: what it is told, and the list the command chooses from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/benchmarks/replay/figure.h"
#include "leeway/transport/network_profile.h"

namespace leeway::replay {

struct StudySettings {
  std::optional<NetworkProfile> network;    ///< the study's own when absent
  std::optional<std::uint32_t> nodes;       ///< likewise
  std::optional<std::uint32_t> iterations;  ///< ticks; likewise
  std::uint64_t seed = 1;
  std::function<void(const std::string&)> say;  ///< hears of each run before it begins
};

struct Study {
  std::string_view name;
  std::string_view summary;
  Result<Figure> (*run)(const StudySettings& settings);
};

/// The figures of Tick (Zou et al., SOCC'11).
[[nodiscard]] std::span<const Study> tick_studies();
/// On threads of this process, in real time: measured, not simulated.
[[nodiscard]] std::span<const Study> loopback_studies();

}  // namespace leeway::replay
