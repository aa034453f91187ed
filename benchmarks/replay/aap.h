// AAP's evaluation (TODS 2020): Figure 1, and its experiments with PageRank, CC, SSSP and CF under every
// parallel model, in the virtual cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/figure.h"
#include "leeway/transport/network_profile.h"

namespace leeway::replay {

struct AapSettings {
  NetworkProfile network;
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> workers;  ///< the figure's own when absent
  std::optional<std::string> graph;      ///< instead of the figure's own
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

Result<Figure> replay_aap_fig1(const AapSettings& settings);
Result<Figure> replay_aap_exp1(const AapSettings& settings);
Result<Figure> replay_aap_exp2(const AapSettings& settings);
Result<Figure> replay_aap_exp3(const AapSettings& settings);
Result<Figure> replay_aap_exp7(const AapSettings& settings);
Result<Figure> replay_aap_fig6n(const AapSettings& settings);
Result<Figure> replay_aap_fig6o(const AapSettings& settings);
Result<Figure> replay_aap_fig12(const AapSettings& settings);
Result<Figure> replay_aap_tables(const AapSettings& settings);
Result<Figure> replay_aap_fig11(const AapSettings& settings);

struct AapReplay {
  std::string_view name;
  std::string_view summary;
  Result<Figure> (*run)(const AapSettings& settings);
};
[[nodiscard]] std::span<const AapReplay> aap_replays();

}  // namespace leeway::replay
