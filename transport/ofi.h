// Access to libfabric: Datagrams (one endpoint for reliable, ordered datagrams), NoKernelSymbols (a
// workaround for slow initialisation) and the check which providers work on this machine. Private
// to the transport folder; one thread at a time unless stated otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "transport/transport.h"

namespace leeway {

/// A buffer that libfabric owns from `send` or `receive` until `finished` reports it.
struct Datagram {
  /// A receive has `head` bytes for the header and `more` for the payload; the payload of a send is
  /// elsewhere.
  explicit Datagram(std::size_t head, std::size_t more = 0) : bytes(head), room(more) {}
  /// libfabric's context. The first member, so that its address is that of the datagram.
  alignas(16) std::array<std::byte, 64> context{};
  std::vector<std::byte> bytes;
  Frame room;  // receives the payload
  // For sends only:
  bool is_send = false;
  NodeId peer{0};                      // the receiver
  std::span<const std::byte> payload;  // sent after `bytes`
  std::shared_ptr<const Frame> frame;  // keeps the payload's memory alive
};

/// A non-blocking endpoint that sends and receives datagrams reliably and in order.
class Datagrams {
 public:
  using Name = std::uint64_t;
  struct Done {
    Datagram* datagram = nullptr;
    std::size_t bytes = 0;
    bool failed = false;  // the sent datagram is lost, or the receive must be posted again
  };

  virtual ~Datagrams() = default;
  /// The address to which others send: an opaque string of the provider.
  [[nodiscard]] virtual const std::string& address() const = 0;
  /// Descriptor that is readable when an operation has finished; -1 if the provider has none. Any
  /// thread.
  [[nodiscard]] virtual int wait_descriptor() const = 0;
  /// Call before a wait on the descriptor: false if an operation may have finished already.
  [[nodiscard]] virtual bool may_wait() = 0;
  /// Registers a peer's address; none if it cannot be used.
  [[nodiscard]] virtual std::optional<Name> add(const std::string& address) = 0;
  virtual void remove(Name name) = 0;
  /// Sends `bytes` and `payload`; false if libfabric does not accept the datagram now.
  [[nodiscard]] virtual bool send(Datagram& datagram, Name to) = 0;
  [[nodiscard]] virtual bool receive(Datagram& datagram) = 0;
  /// Progresses all operations and stores finished ones in `done`; returns their number. If it is
  /// below the size of `done`, few or none remain; only `may_wait` is certain.
  [[nodiscard]] virtual std::size_t finished(std::span<Done> done) = 0;
};

/// `host`: this machine's address on the network; empty: libfabric's choice. Datagrams are received
/// only by endpoints with the same `tag`.
Result<std::unique_ptr<Datagrams>> open_datagrams(const std::string& provider,
                                                  const std::string& host, std::uint64_t tag);

/// While an object exists, fopen("/proc/kallsyms") fails in this thread. libfabric's provider for
/// InfiniBand reads that table twice per process, a KiB at a time, to see whether an adapter can
/// access GPU memory. The kernel generates the table on each read, which takes 0.15 s of the start,
/// with or without an adapter, and no setting disables it. Leeway sends only from ordinary memory.
/// Has no effect in a process that resolves `fopen` elsewhere first, such as a Python that has
/// loaded Leeway.
class NoKernelSymbols {
 public:
  NoKernelSymbols();
  ~NoKernelSymbols();
  NoKernelSymbols(const NoKernelSymbols&) = delete;
  NoKernelSymbols& operator=(const NoKernelSymbols&) = delete;

 private:
  bool before_;
};

/// An environment variable that libfabric's providers read, and its value.
struct ProviderSetting {
  const char* variable;
  const char* value;
};
/// Settings that are applied when libfabric is loaded, unless the user has set the variable.
///
/// rxm allocates and zeroes a connection's buffers when it connects; by default there are several
/// hundred of 16 KiB. Here there are as many as a peer may have in flight (ofi_wire.cc), and as
/// many again. Over TCP, eager messages are copied from the sender's memory into the receiver's,
/// whatever the size of these buffers; larger messages first cost a round trip. A chunk
/// (ofi_wire.h) is below that limit.
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

/// Sends a frame through each provider that fabric `ofi` could use, each in a child process, for at
/// most a few seconds. Call it while this process has one thread.
[[nodiscard]] std::vector<ProviderTrial> try_providers();

}  // namespace leeway
