// What the wire over libfabric asks of libfabric: reliable datagrams in order, sent and received without blocking,
// between numbered names. Private to the transport folder; one thread at a time.
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
#include "leeway/result.h"
#include "transport/transport.h"

namespace leeway {

/// A buffer that the library works on, from `send` or `receive` until it is done.
struct Datagram {
  /// A receive has `head` bytes for the header and `more` for the payload; the payload of a send lies elsewhere.
  explicit Datagram(std::size_t head, std::size_t more = 0) : bytes(head), room(more) {}
  alignas(
      16) std::array<std::byte, 64> context{};  // the library's; first, so that it leads back here
  std::vector<std::byte> bytes;
  Frame room;  // of a receive: what follows `bytes`
  // Of a send:
  bool is_send = false;
  NodeId peer{0};                      // who gets it
  std::span<const std::byte> payload;  // behind `bytes`
  std::shared_ptr<const Frame> frame;  // holds the payload
};

class Datagrams {
 public:
  using Name = std::uint64_t;
  struct Done {
    Datagram* datagram = nullptr;
    std::size_t bytes = 0;
    bool failed = false;  // a send that is lost for good, or a receive to be posted again
  };

  virtual ~Datagrams() = default;
  /// Where others send to: an opaque name of the provider's.
  [[nodiscard]] virtual const std::string& address() const = 0;
  /// Readable when something is done; -1 where the provider has none such. Any thread.
  [[nodiscard]] virtual int wait_descriptor() const = 0;
  /// Before a wait on the descriptor: false if something may be done already.
  [[nodiscard]] virtual bool may_wait() = 0;
  /// None if the address cannot be used.
  [[nodiscard]] virtual std::optional<Name> add(const std::string& address) = 0;
  virtual void remove(Name name) = 0;
  /// The datagram's bytes and its payload; false if it is not taken now.
  [[nodiscard]] virtual bool send(Datagram& datagram, Name to) = 0;
  [[nodiscard]] virtual bool receive(Datagram& datagram) = 0;
  /// Moves everything on; how many of `done` were filled. Less than all: hardly anything more now. Before a wait,
  /// `may_wait` says for sure.
  [[nodiscard]] virtual std::size_t finished(std::span<Done> done) = 0;
};

/// `host`: this machine's address towards the others; empty: libfabric's choice. Datagrams with another `tag` do
/// not meet these.
Result<std::unique_ptr<Datagrams>> open_datagrams(const std::string& provider,
                                                  const std::string& host, std::uint64_t tag);

// libfabric's provider for InfiniBand looks through the kernel's table of symbols, twice a process, a KiB a read, to see
// whether an adapter can reach the memory of a graphics card. The kernel makes that table up as it is read: 0.15 s of a
// start, with or without an adapter, and no setting turns it off. Leeway sends from plain memory alone.

/// For so long as it lives, this thread finds no such table. Where the process does not look up `fopen` here first, as in
/// a Python that has loaded Leeway, it changes nothing.
class NoKernelSymbols {
 public:
  NoKernelSymbols();
  ~NoKernelSymbols();
  NoKernelSymbols(const NoKernelSymbols&) = delete;
  NoKernelSymbols& operator=(const NoKernelSymbols&) = delete;

 private:
  bool before_;
};

// libfabric's providers: how the wire sets them up, and which of them carry messages on this machine: tried, not looked
// up.
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
