#include "leeway/transport/lost_peer.h"

#include <algorithm>

#include "leeway/base/format.h"

namespace leeway {

std::string in_one_line(std::string_view text, std::string_view between) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    if (!part.empty()) line.append(line.empty() ? "" : between).append(part);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return line;
}

Error bad_frame(NodeId self, NodeId from) {
  return {ErrorKind::Peer, format("node {}", self),
          format("node {} sent bytes that no correct peer sends", from),
          "run the same build of leeway on every node"};
}

Error peer_is_gone(NodeId self, NodeId peer, std::string_view evidence) {
  return {
      ErrorKind::Peer, format("node {}", self),
      format("node {} is gone; this node was waiting for: {}", peer, in_one_line(evidence, ", ")),
      "look at its log; start the job again"};
}

}  // namespace leeway
