// The wire over libfabric: reliable datagrams, two-sided and tagged, in chunks small enough to be eager.
// Every chunk carries a mark over all of it, made with the job's secret, and says from which node to which it
// goes and what number it has: what does not fit is dropped unread. Private to the transport folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/transport/secret.h"
#include "leeway/transport/wire.h"

namespace leeway {

struct OfiOptions {
  std::string provider;  ///< libfabric's name, e.g. "tcp;ofi_rxm"
  std::string host;      ///< this machine's address towards the others; empty: libfabric's choice
  NodeId self{0};
  std::uint32_t nodes = 1;
  Secret secret;
  bool encrypt = false;  ///< what frames hold can be read by the job's nodes alone
};

class OfiWire : public Wire {
 public:
  /// Where others send to: an opaque name of the provider's.
  [[nodiscard]] virtual const std::string& address() const = 0;
  /// Before anything is sent: every node's address; empty: it is not there.
  virtual Status meet(const std::vector<std::string>& peers) = 0;
  virtual void set_neighbours(std::uint32_t nodes) = 0;
  /// Chunks that were dropped: forged, or replayed.
  [[nodiscard]] virtual std::uint64_t dropped() const = 0;
};

Result<std::unique_ptr<OfiWire>> open_ofi(const OfiOptions& options);

}  // namespace leeway
