// Carries frames of bytes between the nodes of one job, and time. One Transport object a node. Frames
// from one node to another arrive in the order they were sent, whole, once. Everything the node above
// needs of the outside world goes through here, so the same node runs as threads, as processes, or in a
// virtual cluster.
//
// Threads: send, wake, ticket, wait, now and charge may be called by any thread; poll by one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/process.h"
#include "leeway/result.h"

namespace leeway {

using Frame = std::vector<std::byte>;

/// Receives what `poll` finds. Called by the polling thread.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void on_frame(NodeId from, std::span<const std::byte> frame) = 0;
  /// `node` will send nothing more.
  virtual void on_peer_down(NodeId node) = 0;
};

enum class SendOutcome {
  Sent,
  Full,  ///< the way to that node is full: keep the frame, try again after the next poll
};

struct TransportStats {
  std::uint64_t frames_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_received = 0;
};

/// What a stretch of computation costs, in the units that a cost model prices. Real transports ignore
/// it, for there the work itself takes the time.
struct Work {
  std::uint64_t fetches = 0;  ///< objects read, hits all
  std::uint64_t stores = 0;
  std::uint64_t edges = 0;
  std::uint64_t vertices = 0;
  std::uint64_t bytes = 0;        ///< touched beyond one word an object
  std::uint64_t picoseconds = 0;  ///< of what has a price of its own
};

class Transport {
 public:
  virtual ~Transport() = default;

  [[nodiscard]] virtual NodeId self() const = 0;
  [[nodiscard]] virtual std::uint32_t node_count() const = 0;

  /// Takes the frame unless Full. Never blocks.
  [[nodiscard]] virtual SendOutcome send(NodeId to, Frame& frame) = 0;
  /// Hands at most `most` arrived frames to `sink`; returns how many. Never blocks.
  virtual std::size_t poll(FrameSink& sink, std::size_t most) = 0;

  /// A number that changes whenever something arrives or `wake` is called.
  [[nodiscard]] virtual std::uint64_t ticket() const = 0;
  /// Blocks, without using the processor, until the ticket is no longer `seen` or `deadline` passes.
  /// Of several activities that wait at one node an arrival need end only one's wait, so whoever comes
  /// back polls until a poll finds less than it asked for, or wakes the others.
  virtual void wait(std::uint64_t seen, std::optional<Instant> deadline) = 0;
  /// Ends every wait at this node.
  virtual void wake() = 0;

  [[nodiscard]] virtual Instant now() const = 0;
  /// Accounts for computation done by the calling thread; lets virtual time pass, may switch to other
  /// activities there. Never call it with a lock held.
  virtual void charge(const Work& work) = 0;

  /// Runs `body` beside the caller until it returns: a thread, or a fiber of the virtual cluster.
  virtual void spawn(std::string name, std::function<void()> body) = 0;
  /// Waits until all spawned bodies have returned.
  virtual void join() = 0;

  [[nodiscard]] virtual TransportStats stats() const = 0;

  /// This node cannot go on. Ends the process with the error; in the virtual cluster, where a lost node is not the end
  /// of the others' process, only what runs of this node. Never with a lock that an ended node must not keep.
  [[noreturn]] virtual void end_node(const Error& error) { end_process(error); }
};

// A transport that hands everything on to another one: for who steps in at some calls.

/// As the transport it wraps, which outlives it.
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
  Instant now() const override { return inner_.now(); }
  void charge(const Work& work) override { inner_.charge(work); }
  void spawn(std::string name, std::function<void()> body) override {
    inner_.spawn(std::move(name), std::move(body));
  }
  void join() override { inner_.join(); }
  TransportStats stats() const override { return inner_.stats(); }
  [[noreturn]] void end_node(const Error& error) override {
    inner_.end_node(error);
    std::abort();  // GCC does not take a virtual function's word that it never returns
  }

 private:
  Transport& inner_;
};

}  // namespace leeway
