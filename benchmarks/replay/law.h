// When which mode is worth having: every mode on a few programs and graphs over a range of networks, and
// the law that was fitted to that, held against graphs and networks it has not seen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/figure.h"

namespace leeway::replay {

struct LawSettings {
  std::optional<std::uint32_t> nodes;  ///< the study's own when absent
  std::uint64_t seed = 1;
  bool full_scale = false;  ///< graphs four times as large, and all conditions together, too
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

Result<Figure> replay_law(const LawSettings& settings);
Result<Figure> replay_law_wide(const LawSettings& settings);
Result<Figure> replay_law_check(const LawSettings& settings);
/// Runs that choose by the law and change their way when it was wrong.
Result<Figure> replay_auto(const LawSettings& settings);
/// Time over the size of the caches.
Result<Figure> replay_cache(const LawSettings& settings);

struct LawReplay {
  std::string_view name;
  std::string_view summary;
  Result<Figure> (*run)(const LawSettings& settings);
};
[[nodiscard]] std::span<const LawReplay> law_replays();

}  // namespace leeway::replay
