// libfabric's providers: how the wire sets them up, and which of them carry messages on this machine: tried, not looked
// up.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace leeway {

struct ProviderSetting {
  const char* variable;
  const char* value;
};
/// What the providers read from the environment when libfabric is loaded. What a user has set stays.
///
/// A connection's buffers, some hundreds of 16 KiB each by default, are filled with zeros when it is made: as many as a
/// peer may have under way (ofi_wire.cc), and as many again. Eagerly sent messages go from the sender's memory into the
/// receiver's over TCP, whatever the size of those buffers; larger ones cost a round trip first. A chunk (chunk.h) is
/// below that limit.
constexpr std::array<ProviderSetting, 3> kProviderSettings = {{
    {"FI_OFI_RXM_MSG_TX_SIZE", "64"},
    {"FI_OFI_RXM_MSG_RX_SIZE", "64"},
    {"FI_OFI_RXM_EAGER_LIMIT", "131072"},
}};

struct ProviderTrial {
  std::string name;
  bool works = false;
  std::string why_not;  ///< empty if it works
};

/// Sends a frame through each provider that `ofi` could use, in a process of its own, a few seconds at most.
/// Call it while this process has one thread.
[[nodiscard]] std::vector<ProviderTrial> try_providers();

}  // namespace leeway
