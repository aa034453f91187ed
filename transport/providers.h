// Which of libfabric's providers carry messages on this machine: tried, not looked up.
#pragma once

#include <string>
#include <vector>

namespace leeway {

struct ProviderTrial {
  std::string name;
  bool works = false;
  std::string why_not;  ///< empty if it works
};

/// Sends a frame through each provider that `ofi` could use, in a process of its own, a few seconds at most.
/// Call it while this process has one thread.
[[nodiscard]] std::vector<ProviderTrial> try_providers();

}  // namespace leeway
