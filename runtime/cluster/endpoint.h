// One node's messages, for engines that speak in messages of their own instead of shared objects: whole
// frames, in order for each pair of nodes, never lost. What a full window refuses is kept and sent later. A
// frame begins with its engine's kind; one that is long travels in parts, and is whole again when it is handed
// over, so that what the transport holds does not grow with the graph.
// A peer that goes down ends the process with a message, as it does for a Node. One thread's own.
//
// Limits: for one peer at most `most_kept` bytes are kept, plus one part, plus what one call of the handler
// sends; beyond that the sender waits. So that two that wait for each other go on, whoever waits takes what
// arrives and sets it aside for its next `receive`: those who send that much have such a limit too.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/cluster.h"
#include "transport/transport.h"

namespace leeway {

/// What a wait is for, as a person is told: "the state of tick 7 from node 1".
struct Awaited {
  std::string_view what;  ///< of memory that is never given back
  std::optional<std::uint64_t> number = std::nullopt;
  NodeId from = NodeId::none();  ///< none: whoever has not sent it
};

class Endpoint final : private FrameSink {
 public:
  /// What a part of a long frame may hold.
  static constexpr std::size_t kPartBytes = std::size_t{64} << 10U;
  /// Kept for one peer, by default, before a sender waits.
  static constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20U;
  /// Kinds from here on are the endpoint's own.
  static constexpr std::uint8_t kKinds = 0xFE;

  using Handler = std::function<void(NodeId from, std::span<const std::byte> frame)>;

  /// A wait looks out for arrivals for `patience` before it sleeps, so that whoever sends meanwhile need
  /// not wake it, which costs the sender more than the message. Zero where a core has something else to do.
  explicit Endpoint(Transport& transport, Duration patience = {},
                    std::size_t most_kept = kMostKeptBytes)
      : transport_(transport),
        patience_(patience),
        most_kept_(most_kept),
        backlog_(transport.node_count()),
        kept_bytes_(transport.node_count(), 0),
        unfinished_(transport.node_count()),
        parted_(transport.node_count(), 0) {}

  [[nodiscard]] NodeId self() const { return transport_.self(); }
  [[nodiscard]] std::uint32_t node_count() const { return transport_.node_count(); }
  [[nodiscard]] Transport& transport() { return transport_; }
  [[nodiscard]] Instant now() const { return transport_.now(); }

  /// Blocks only while too much is kept for that node, and never in a handler. Requires another node than
  /// this one, and a frame that begins with a kind (checked).
  void send(NodeId to, Frame frame);
  /// The same frame to every other node.
  void send_to_all(std::span<const std::byte> frame);
  /// Sends what was kept, then hands what has arrived to `handler`, which may send. Returns how many.
  /// Blocks only while too much of what the handler sent is kept.
  std::size_t receive(const Handler& handler);
  /// Blocks, after its patience without using the processor, until something has arrived since `receive`
  /// last found nothing more, a kept frame may be worth another try, or `deadline` passes.
  void wait(const Awaited& awaited = {"an arrival"},
            std::optional<Instant> deadline = std::nullopt);
  /// Calls `receive`, which takes what has arrived, and waits in between until `done()`.
  template <class Receive, class Done>
  void wait_until(const Awaited& awaited, Receive&& receive, Done&& done) {
    while (!done()) {
      receive();
      if (!done()) wait(awaited);
    }
  }
  /// Blocks until everything sent has left; what arrives meanwhile goes to `handler`.
  void flush(const Handler& handler);

  /// Ends this run of several over one job: says so to all, waits until all have, and leaves what they send for
  /// the run after it to that one. What else arrives is dropped. Collective.
  void part(Job& job);

  /// Ends this node: a frame of that peer's was no correct one.
  [[noreturn]] void refuse(NodeId from);
  /// What this node waits for, for a person. Any thread.
  [[nodiscard]] std::string evidence() const;

  void charge(const Work& work) { transport_.charge(work); }
  void charge(Duration time) {
    transport_.charge({.picoseconds = static_cast<std::uint64_t>(time.count()) * 1000});
  }

  /// Frames kept because their window was full.
  [[nodiscard]] std::size_t kept() const { return kept_; }
  /// Of those for one node, the bytes.
  [[nodiscard]] std::size_t kept_bytes(NodeId to) const { return kept_bytes_[to.index()]; }

 private:
  void on_frame(NodeId from, std::span<const std::byte> frame) override;
  void on_peer_down(NodeId node) override;
  void put(NodeId to, Frame frame);
  void await(const Awaited& awaited, const std::function<void()>& wait);
  [[nodiscard]] bool keeps_too_much() const;
  void make_room();
  void take(NodeId from, std::span<const std::byte> frame);
  std::size_t take_aside();
  void take_part(NodeId from, std::span<const std::byte> frame);
  void ship();

  Transport& transport_;
  Duration patience_;
  std::size_t most_kept_;
  std::vector<std::deque<Frame>> backlog_;  // by node
  std::vector<std::size_t> kept_bytes_;     // by node: in backlog_
  std::vector<Frame> unfinished_;           // by node: the parts of a long frame that have come
  std::vector<std::uint8_t> parted_;        // by node: it has said that this run is over
  std::uint32_t parted_count_ = 0;
  std::vector<std::pair<NodeId, Frame>> early_;  // for the next run
  std::deque<std::pair<NodeId, Frame>> aside_;   // arrived while a sender waited
  bool sets_aside_ = false;
  std::atomic<std::size_t> kept_{0};
  mutable std::mutex awaited_mutex_;
  std::optional<Awaited> awaited_;    // while this node waits
  std::uint64_t seen_ = 0;            // the ticket before the last poll
  const Handler* handler_ = nullptr;  // of the receive under way
};

struct EndpointsOutcome {
  std::vector<TransportStats> nodes;  ///< zeros for nodes of other processes
  NodeProgramsOutcome ran;
};

/// Runs `body` on every node; a body that returns has its kept frames sent before its node goes, which
/// is why all of a job's bodies must have what they need to return without an answer to those.
Result<EndpointsOutcome> run_endpoints(const ClusterOptions& cluster,
                                       const std::function<Status(Endpoint&)>& body);

}  // namespace leeway
