#include "leeway/transport/share_secret.h"

#include <vector>

namespace leeway {

Result<Secret> share_secret(MpiWire& wire, const Secret& own, const KeyPair& keys,
                            std::span<const KeyPair::PublicHalf> halves) {
  std::vector<KeyPair::Wrapped> wrapped(halves.size());
  if (wire.self() == NodeId(0)) {
    for (std::size_t i = 0; i < halves.size(); ++i) {
      LEEWAY_ASSIGN(wrapped[i], KeyPair::wrap(own, halves[i]));
    }
  }
  LEEWAY_TRY(wire.broadcast(std::as_writable_bytes(std::span(wrapped))));
  return keys.take_out(wrapped[wire.self().index()]);
}

}  // namespace leeway
