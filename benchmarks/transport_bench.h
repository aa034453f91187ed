// The bare libraries under our transports, written by hand as a user would: blocking MPI between two ranks, tagged
// messages of libfabric's "tcp;ofi_rxm" and one TCP connection between two processes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace leeway::bench {

/// One of two ends that send and receive bytes in order.
class Rival {
 public:
  virtual ~Rival() = default;
  [[nodiscard]] virtual bool first() const = 0;
  /// Memory for the next message, to be written before `send`.
  [[nodiscard]] virtual std::span<std::byte> message(std::size_t bytes) = 0;
  virtual void send() = 0;
  /// Blocks until so many bytes have come. What is received is what was sent at once.
  virtual void receive(std::size_t bytes) = 0;
  virtual void finish() {}
};

/// "raw-mpi": this process is a rank of two. "raw-tcp", "raw-ofi": forks the other end. Null if that is impossible.
std::unique_ptr<Rival> make_rival(const std::string& kind);

}  // namespace leeway::bench
