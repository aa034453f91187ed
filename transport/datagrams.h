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

#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/transport/transport.h"

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

}  // namespace leeway
