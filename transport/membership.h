// The control network of a job, as seen by a member: ControlChannel (one encrypted TCP connection
// to the rendezvous, used by both ends), Inquiry (decides which node must go when two cannot reach
// each other) and Membership (this process's registration at the rendezvous, with a thread that
// listens to it).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "transport/secret.h"
#include "transport/wire_transport.h"

namespace leeway {

/// Kinds of control messages, with the side that sends them.
enum class ControlKind : std::uint8_t {
  Hello = 1,  ///< member: `node` is here, in generation `code`; its data address is `text`
  Welcome,  ///< server: `node` is admitted; `list`: each node's address, empty if it is gone already
  Refused,  ///< server: not admitted; reason in `text`
  Heartbeat,
  Down,      ///< server: `node` is gone, reason in `text`
  Suspect,   ///< member: `node` has not answered for the verdict time
  Dying,     ///< member: about to end; reason in `text`
  Leave,     ///< member: ready to leave the job
  Goodbye,   ///< server: all members are ready to leave
  Dump,      ///< either side: report what each node waits for
  Evidence,  ///< member: what this node waits for, in `text`
  Report,  ///< member: outcome of a step of `node`; exit code in `code` (0: success), reason in `text`
  Inquire,    ///< server: try to reach every peer, and answer within `milliseconds`
  Unreached,  ///< member: the peers that it could not reach, in `list` (4 bytes each)
  /// server: the step succeeded everywhere (`code` 0), or the job ends with `code` because of
  /// `node`; reason in `text`.
  Outcome,
  Recoverable,  ///< member: from now on it can (`code` 1) or cannot (0) continue after the loss of others
};

struct ControlMessage {
  ControlKind kind = ControlKind::Heartbeat;
  std::uint32_t node = 0;
  std::uint32_t code = 0;
  std::uint32_t milliseconds = 0;
  std::string text;
  std::vector<std::string> list;
};

/// One end of a TCP connection of the control network. Both ends first prove that they know the
/// job's secret; until then, only a proof of fixed length is read. After that every message is
/// encrypted and authenticated with a key of this connection and the message's number, so that no
/// message can be read, changed, inserted, replayed or taken from another job.
///
/// Output that the other end does not read, because it is stopped or cut off, is kept in memory up
/// to kMostUnwritten bytes; beyond that, the connection ends. Not thread-safe. Only `flush` blocks.
class ControlChannel {
 public:
  enum class Side { Server, Client };
  /// Limit of the output that is not yet written.
  static constexpr std::size_t kMostUnwritten = std::size_t{8} << 20U;
  /// Longer texts of messages are truncated.
  static constexpr std::size_t kLongestText = std::size_t{1} << 20U;
  /// Takes ownership of the connected socket.
  ControlChannel(int socket, Side side, const Secret& secret);
  ~ControlChannel();
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  /// True if the other end has rejected this end's proof, or has sent an invalid proof itself. A
  /// connection that ends without either may have met a rendezvous that had no time to read the
  /// proof.
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] bool wants_to_write() const { return !out_.empty(); }
  [[nodiscard]] bool trusted() const { return trusted_; }
  /// Reads and writes what it can. False once the connection is over or the other end is not trusted.
  [[nodiscard]] bool move();
  [[nodiscard]] std::optional<ControlMessage> next();
  void send(const ControlMessage& message);
  /// Sends a heartbeat unless earlier output is still unwritten; that output also shows that this
  /// end is alive.
  void beat();
  /// Writes all pending output; blocks at most `most`.
  void flush(Duration most);
  /// Whether the other machine has acknowledged any TCP segment within this time. This shows that
  /// the machine is up, even if its process is stopped. Needs occasional output.
  [[nodiscard]] bool machine_answers(Duration within) const;

 private:
  bool read();
  bool write();
  bool prove();
  bool take_messages();
  void trust();

  int socket_;
  const Side side_;
  const Secret& secret_;
  bool trusted_ = false;
  bool over_ = false;
  bool refused_ = false;
  Digest own_nonce_;
  Digest other_nonce_{};
  Aead sending_;
  Aead receiving_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::string in_;
  std::string out_;
  std::vector<ControlMessage> early_;
  std::deque<ControlMessage> messages_;
};

/// What to do after the loss of a process. Names the launchers that replace a process or restart the job where MPI ends it.
[[nodiscard]] std::string remedy_after_loss();

/// Joins the lines of `text` into one, separated by `between`.
[[nodiscard]] std::string in_one_line(std::string_view text, std::string_view between = "; ");
/// Error of node `self` after peer `from` sent a malformed frame.
[[nodiscard]] Error bad_frame(NodeId self, NodeId from);
/// Error of node `self` after it lost `peer`. `evidence`: lines that describe what this node was
/// waiting for.
[[nodiscard]] Error peer_is_gone(NodeId self, NodeId peer, std::string_view evidence);

/// Decides which node must go after a node has reported that it can no longer reach another. One
/// report proves nothing, since the reporting node may itself be cut off. So the rendezvous asks
/// all nodes which peers they cannot reach. Of a pair that cannot reach each other, the node with
/// more unreachable peers goes; if equal, the one with the higher number. Pure.
class Inquiry {
 public:
  explicit Inquiry(std::size_t nodes) : answered_(nodes, false) {}

  /// Node `by` reports that it cannot reach `whom`. Suspected pairs are the subject of the inquiry.
  void suspect(NodeId by, NodeId whom);
  /// Answer of node `by` to the inquiry: the peers that it cannot reach.
  void answer(NodeId by, const std::vector<NodeId>& unreached);
  [[nodiscard]] bool answered(NodeId node) const { return answered_[node.index()]; }

  struct LossVerdict {
    NodeId node{0};
    std::string why;
  };
  /// The nodes that must go so that all suspected pairs that remain can reach each other.
  [[nodiscard]] std::vector<LossVerdict> verdicts() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // lower number first
  static Pair pair(NodeId a, NodeId b);

  std::vector<bool> answered_;
  std::set<Pair> suspected_;
  std::set<Pair> cut_;
};

/// Callbacks of Membership, called by its listening thread.
struct MembershipHandlers {
  /// `node` is gone; may be this node
  std::function<void(NodeId, const std::string& why)> on_down;
  std::function<void()> on_lost;  ///< the connection to the rendezvous is lost
  /// All nodes have reported success (`code` 0), or the job ends with `code` because of `node`.
  std::function<void(NodeId node, std::uint32_t code, const std::string& why)> on_outcome;
  /// Find out which peers this node cannot reach, and send them as ControlKind::Unreached within
  /// `most`.
  std::function<void(Duration most)> on_inquiry;
  std::function<std::string()> evidence;  ///< what this node waits for
  /// Called several times per verdict time, and when the bell is rung.
  std::function<void()> on_beat;
  /// Whether a silent rendezvous counts as alive while its machine answers. True where the
  /// launcher, which is not a node, holds it: a user may have stopped it and may continue it later.
  bool rendezvous_may_pause = false;
};

/// The error with which the whole job fails after `node` has failed with this exit code.
[[nodiscard]] Error failure_of(NodeId node, std::uint32_t code, const std::string& why);

/// This process's registration at the rendezvous of its job: joins, learns which nodes join and
/// leave, sends heartbeats, and leaves. `start` creates a thread that listens and calls the
/// handlers.
class Membership {
 public:
  /// Connects to the first address of `rendezvous` ("host:port,…") that answers, and proves
  /// knowledge of the secret at once, because the rendezvous limits the time for the proof; `enter`
  /// may follow later. An Input error if the rendezvous belongs to another job. Retries for
  /// `patience` if the rendezvous hangs up without having read the proof.
  static Result<std::unique_ptr<Membership>> connect(const std::string& rendezvous,
                                                     const Secret& secret, Duration verdict,
                                                     Duration patience = std::chrono::seconds(20));
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// This machine's address on the network of the rendezvous.
  [[nodiscard]] const std::string& local_address() const { return local_address_; }
  /// Registers this node with its data address; blocks until all nodes have joined. `generation`: as
  /// in Job.
  Status enter(NodeId node, const std::string& address, std::uint32_t generation = 0);
  /// Every node's address; empty if the node is gone.
  [[nodiscard]] const std::vector<std::string>& peers() const { return peers_; }

  void start(MembershipHandlers handlers);
  /// Collective: calls `meanwhile` until all nodes have left. False if the connection to the
  /// rendezvous was lost first.
  bool leave(const std::function<void()>& meanwhile);
  void send(const ControlMessage& message);
  /// Sends and flushes at once; for the last message before the process ends.
  void send_now(const ControlMessage& message);
  /// From now on `on_beat` is called every few milliseconds. Any thread.
  void beat_often(bool often = true) { beats_often_ = often; }
  [[nodiscard]] const Doorbell& bell() const { return bell_; }

 private:
  enum class Proof : std::uint8_t { Given, TooSlow, HungUp, Refused };

  Membership(int socket, const Secret& secret, Duration verdict, std::string local_address);
  Proof prove();
  Status wait_for(ControlKind kind, Duration most, ControlMessage& message);
  void listen();
  [[nodiscard]] bool lost(Duration silence) const;
  void handle(const ControlMessage& message);

  Secret secret_;
  const Duration verdict_;
  const std::string local_address_;
  SteadyClock clock_;
  std::mutex mutex_;  // the channel
  ControlChannel channel_;
  std::vector<std::string> peers_;
  MembershipHandlers handlers_;
  Doorbell bell_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> goodbye_{false};
  std::atomic<bool> lost_{false};
  std::atomic<bool> beats_often_{false};
  std::thread thread_;
};

}  // namespace leeway
