// Transport: the interface through which a node exchanges frames (byte strings) with the other
// nodes of its job, reads the clock and starts threads. One Transport object per node. Frames from
// one node to another arrive whole, once, and in the order in which they were sent. A node uses the
// outside world only through this interface, so the same code runs on threads, on processes and in
// the virtual cluster.
//
// Threads: send, wake, ticket, wait, now and charge may be called by any thread; poll by one thread
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/process.h"
#include "base/result.h"
#include "transport/cluster_model.h"

namespace leeway {

using Frame = std::vector<std::byte>;

/// Receives the frames and notices that `poll` delivers. Called by the polling thread.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void on_frame(NodeId from, std::span<const std::byte> frame) = 0;
  /// No further frame will arrive from `node`.
  virtual void on_peer_down(NodeId node) = 0;
};

enum class SendOutcome {
  Sent,
  Full,  ///< no room towards that node: keep the frame and retry after the next poll
};

struct TransportStats {
  std::uint64_t frames_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_received = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.frames_sent, self.bytes_sent, self.frames_received, self.bytes_received);
  }
};

class Transport {
 public:
  virtual ~Transport() = default;

  [[nodiscard]] virtual NodeId self() const = 0;
  [[nodiscard]] virtual std::uint32_t node_count() const = 0;

  /// Takes the frame unless it returns Full. Never blocks.
  [[nodiscard]] virtual SendOutcome send(NodeId to, Frame& frame) = 0;
  /// Passes at most `most` arrived frames to `sink` and returns their number. Never blocks.
  virtual std::size_t poll(FrameSink& sink, std::size_t most) = 0;

  /// A counter that changes whenever a frame arrives or `wake` is called.
  [[nodiscard]] virtual std::uint64_t ticket() const = 0;
  /// Blocks without using the processor until the ticket differs from `seen` or `deadline` passes.
  /// If several threads wait at one node, an arrival may end the wait of only one of them. That
  /// thread must poll until a poll returns fewer frames than requested, or wake the others.
  virtual void wait(std::uint64_t seen, std::optional<Instant> deadline) = 0;
  /// Ends all waits at this node.
  virtual void wake() = 0;
  /// Ends all waits but those of the threads of `spawn_service`, if the transport distinguishes them.
  virtual void wake_users() { wake(); }
  /// Called by a thread that has waited and will not poll any more: ends waits if arrivals would otherwise be left.
  virtual void hand_over() { wake(); }

  [[nodiscard]] virtual Instant now() const = 0;
  /// Accounts for computation by the calling thread. In the virtual cluster this advances virtual
  /// time and may switch to another fiber, so it must not be called with a lock held.
  virtual void charge(const Work& work) = 0;

  /// Starts `body` on a new thread, or on a new fiber of the virtual cluster.
  virtual void spawn(std::string name, std::function<void()> body) = 0;
  /// The same for a thread that only handles messages. In the virtual cluster an arrival ends its wait before others.
  virtual void spawn_service(std::function<void()> body) { spawn("service", std::move(body)); }
  /// Waits until all spawned bodies have returned.
  virtual void join() = 0;

  [[nodiscard]] virtual TransportStats stats() const = 0;

  /// Called when this node cannot continue. Ends the process with the error. In the virtual
  /// cluster, where all nodes share one process, a node that ends because of a planned crash only
  /// stops its own fibers. Must not be called with a lock held that other nodes or threads need.
  [[noreturn]] virtual void end_node(const Error& error) { end_process(error); }
};

/// Forwards every call to `inner`, which must outlive it. Base class of transports that intercept
/// some calls.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(Transport& inner) : inner_(inner) {}

  NodeId self() const override { return inner_.self(); }
  std::uint32_t node_count() const override { return inner_.node_count(); }
  SendOutcome send(NodeId to, Frame& frame) override { return inner_.send(to, frame); }
  std::size_t poll(FrameSink& sink, std::size_t most) override { return inner_.poll(sink, most); }
  std::uint64_t ticket() const override { return inner_.ticket(); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override {
    inner_.wait(seen, deadline);
  }
  void wake() override { inner_.wake(); }
  void wake_users() override { inner_.wake_users(); }
  void hand_over() override { inner_.hand_over(); }
  Instant now() const override { return inner_.now(); }
  void charge(const Work& work) override { inner_.charge(work); }
  void spawn(std::string name, std::function<void()> body) override {
    inner_.spawn(std::move(name), std::move(body));
  }
  void spawn_service(std::function<void()> body) override { inner_.spawn_service(std::move(body)); }
  void join() override { inner_.join(); }
  TransportStats stats() const override { return inner_.stats(); }
  [[noreturn]] void end_node(const Error& error) override {
    inner_.end_node(error);
    std::abort();  // GCC does not assume that a virtual [[noreturn]] function never returns
  }

 private:
  Transport& inner_;
};

}  // namespace leeway
