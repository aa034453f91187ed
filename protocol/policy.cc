#include "protocol/policy.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "base/format.h"

namespace leeway {

namespace {

constexpr std::array kHelp = {
    PolicyHelp{"scp", "strict: no stale reads; a write waits until every copy is invalidated"},
    PolicyHelp{"scp+rw", "strict reads; writes do not wait"},
    PolicyHelp{"scp+pb", "strict; invalidations carry the new value"},
    PolicyHelp{
        "stale-N",
        "reads may return copies up to N versions old; no refreshes, an older copy is a miss"},
    PolicyHelp{"rcp",
               "reads may return copies up to 100 versions old; a stale read requests a refresh"},
    PolicyHelp{"rcp-T", "as rcp, with a bound of T versions"},
    PolicyHelp{"rcp+push", "as rcp; ranks that read every version are sent each new value"},
};

std::optional<std::uint64_t> number_after(std::string_view mode, std::string_view prefix) {
  if (!mode.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = mode.substr(prefix.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

Policy superstep_policy(Policy policy) {
  policy.threshold = 0;
  policy.refresh = false;
  policy.writes = Writes::Continue;
  return policy;
}

Policy free_running_policy(Policy policy) {
  policy.paced = policy.writes == Writes::Continue;
  if (policy.refresh && !policy.gives_threshold)
    policy.threshold = std::numeric_limits<std::uint32_t>::max();
  return policy;
}

std::span<const PolicyHelp> policy_help() { return kHelp; }

Result<Policy> parse_policy(std::string_view mode) {
  Policy policy;
  policy.name = mode;
  const bool strict = mode == "scp" || mode == "scp+rw" || mode == "scp+pb";
  if (strict) {
    policy.threshold = 0;
    policy.refresh = false;
    policy.writes = mode == "scp+rw" ? Writes::Continue : Writes::Wait;
    policy.updates = mode == "scp+pb" ? Updates::Always : Updates::Never;
    return policy;
  }
  if (const auto bound = number_after(mode, "stale-")) {
    policy.threshold = *bound;
    policy.gives_threshold = true;
    policy.refresh = false;
    return policy;
  }
  if (const auto threshold = number_after(mode, "rcp-")) {
    policy.threshold = *threshold;
    policy.gives_threshold = true;
    return policy;
  }
  if (mode == "rcp") return policy;
  if (mode == "rcp+push") {
    policy.updates = Updates::Adaptive;
    return policy;
  }
  std::vector<std::string_view> modes;
  for (const auto& help : kHelp) modes.push_back(help.mode);
  std::string remedy = did_you_mean(mode, modes);
  if (remedy.ends_with("'stale-N'?") || mode == "stale-N" || mode == "stale")
    remedy = "as in stale-2";
  if (remedy.ends_with("'rcp-T'?") || mode == "rcp-T") remedy = "as in rcp-100";
  return fail(input_error("consistency mode", format("unknown mode '{}'", mode), remedy));
}

}  // namespace leeway
