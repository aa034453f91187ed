// What a node is made with, and what it counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/error.h"
#include "leeway/protocol/counts.h"
#include "leeway/protocol/policy.h"
#include "leeway/transport/transport.h"

namespace leeway {

enum class Service {
  Background,  ///< a thread of its own refreshes, announces and answers (the paper's refresher)
  Inline,      ///< compute threads do it whenever they wait, and when they call progress()
};

[[nodiscard]] constexpr std::string_view service_name(Service service) {
  return service == Service::Background ? "thread" : "inline";
}

struct NodeOptions {
  Policy policy;
  Service service = Service::Background;
  /// A peer is gone, sent what no correct peer sends, or is in another collective; or an object was asked for
  /// that there is none of. Default: say so and end the process with the error's exit code. If it returns, no
  /// call on the node or its spaces blocks any more, and what they return means nothing: see Node::failed.
  std::function<void(const Error&)> on_failure;
};

/// When a node did what does not show in its program. Written under the node's lock.
struct NodeTimes {
  using Spans = std::vector<std::pair<Instant, Instant>>;
  Spans blocked;  ///< a thread waited for a fetch
  Spans served;   ///< messages were moved: refreshes, replies, what others stored
};

struct NodeStats {
  TransportStats transport;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t blocked_fetches = 0;
  std::uint64_t collectives = 0;
  std::uint64_t moves = 0;             ///< times that a thread found messages to take or to send
  std::uint64_t moves_by_service = 0;  ///< of these, by the service thread
  std::uint64_t waiting_frames = 0;    ///< now: for peers that have no room for them
  KindCounts sent_by_kind{};
};

}  // namespace leeway
