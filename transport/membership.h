// One TCP connection of the control network, either end of it. Both ends prove first that they know the
// job's secret; until then nothing that arrives is looked at but a proof of fixed length. After that every
// message is encrypted and marked with a key of this connection and the message's number, so nothing can be
// read, changed, inserted, repeated or taken from another job.
//
// What the other end does not take, because it is stopped or cut off, waits in memory: at most kMostUnwritten bytes,
// then the connection is over.
//
// Not thread-safe. Never blocks but in `flush`.
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
#include "leeway/result.h"
#include "transport/secret.h"
#include "transport/wire_transport.h"

namespace leeway {

enum class ControlKind : std::uint8_t {
  Hello = 1,  ///< member: `node` is here, its data address is `text`
  Welcome,  ///< server: you are `node`; `list`: each node's address, empty where one is gone already
  Refused,  ///< server: why in `text`
  Heartbeat,
  Down,      ///< server: `node` is gone, why in `text`
  Suspect,   ///< member: `node` has answered nothing for the verdict time
  Dying,     ///< member: about to end, why in `text`
  Leave,     ///< member: done
  Goodbye,   ///< server: everybody is done
  Dump,      ///< either: say what you wait for
  Evidence,  ///< member: what it waits for, in `text`
  Report,  ///< member: `node` is through with a step; `code` is what it exits with, 0 if all is well, why in `text`
  Inquire,    ///< server: try to reach everybody, and say within `milliseconds` whom not
  Unreached,  ///< member: these, in `list` (4 bytes each)
  Outcome,  ///< server: all are through, `code` 0; or the job ends with `code` because of `node`, why in `text`
};

struct ControlMessage {
  ControlKind kind = ControlKind::Heartbeat;
  std::uint32_t node = 0;
  std::uint32_t code = 0;
  std::uint32_t milliseconds = 0;
  std::string text;
  std::vector<std::string> list;
};

class ControlChannel {
 public:
  enum class Side { Server, Client };
  /// Of what was said and not yet written.
  static constexpr std::size_t kMostUnwritten = std::size_t{8} << 20U;
  /// A message's text is cut here.
  static constexpr std::size_t kLongestText = std::size_t{1} << 20U;
  /// Takes the connected socket over.
  ControlChannel(int socket, Side side, const Secret& secret);
  ~ControlChannel();
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  /// Whether the other end has said that it does not believe this one, or is not what it should be itself. A
  /// connection that merely ends may have met a rendezvous that had no time to look.
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] bool wants_to_write() const { return !out_.empty(); }
  [[nodiscard]] bool trusted() const { return trusted_; }
  /// Reads and writes what it can. False once the connection is over or the other end is not trusted.
  [[nodiscard]] bool move();
  [[nodiscard]] std::optional<ControlMessage> next();
  void send(const ControlMessage& message);
  /// Says that this end lives, unless something that was said before still waits to be written: then the other end has
  /// enough to read.
  void beat();
  /// Writes until all is out; at most so long.
  void flush(Duration most);
  /// Whether the machine at the other end has acknowledged anything within this time: it lives, whatever the
  /// process there does. Needs something to be sent now and then.
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

// Why a node ends for a peer's sake: nobody can go on without one that is gone, or that sends what no correct peer sends,
// for nothing it says can be trusted.

/// Lines for a person, as one that can be the last of a log.
[[nodiscard]] std::string in_one_line(std::string_view text, std::string_view between = "; ");
/// The reason with which node `self` ends.
[[nodiscard]] Error bad_frame(NodeId self, NodeId from);
/// The same of one that has lost a peer. `evidence`: lines that say what it was waiting for.
[[nodiscard]] Error peer_is_gone(NodeId self, NodeId peer, std::string_view evidence);

// Who must go when a node says that it can no longer reach another. The word of one proves nothing: its own network
// may be what is cut. So all are asked whom they cannot reach, and of a pair that cannot reach each other the one
// goes that fewer reach; both being reached by all others, the one with the higher number. Pure.
class Inquiry {
 public:
  explicit Inquiry(std::size_t nodes) : answered_(nodes, false) {}

  /// `by` says it cannot reach `whom`: what the inquiry is about.
  void suspect(NodeId by, NodeId whom);
  /// Whom `by` does not reach, now that all were asked.
  void answer(NodeId by, const std::vector<NodeId>& unreached);
  [[nodiscard]] bool answered(NodeId node) const { return answered_[node.index()]; }

  struct Verdict {
    NodeId node{0};
    std::string why;
  };
  /// Those of whom a suspicion proved right that must go, so that all who stay reach each other.
  [[nodiscard]] std::vector<Verdict> verdicts() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // lower number first
  static Pair pair(NodeId a, NodeId b);

  std::vector<bool> answered_;
  std::set<Pair> suspected_;
  std::set<Pair> cut_;
};

// A process's tie to the rendezvous of its job: comes in, hears who comes and goes, says it is alive, and
// leaves. After `start` a thread of its own listens and calls the handlers.
struct MembershipHandlers {
  std::function<void(NodeId, const std::string& why)> on_down;  ///< also of this node itself
  std::function<void()> on_lost;                                ///< the rendezvous itself is gone
  /// All have reported, `code` 0; or the job ends with `code` because of `node`.
  std::function<void(NodeId node, std::uint32_t code, const std::string& why)> on_outcome;
  /// Whom this node cannot reach shall be said within so long, by `ControlKind::Unreached`.
  std::function<void(Duration most)> on_inquiry;
  std::function<std::string()> evidence;  ///< what this node waits for
  std::function<void()> on_beat;          ///< several times within the verdict time, and when rung
  /// Whether the rendezvous, being no node itself, may stand still as long as its machine answers: somebody has
  /// stopped the launcher, and will let it go on.
  bool rendezvous_may_pause = false;
};

/// What the whole job fails with once `node` has failed with this exit code.
[[nodiscard]] Error failure_of(NodeId node, std::uint32_t code, const std::string& why);

class Membership {
 public:
  /// Connects to the first of `rendezvous` ("host:port,…") that answers, and proves itself: at once, for the
  /// rendezvous does not wait long for a proof, and whatever comes before `enter` may take its time. An
  /// Input error if it is of another job; tries again for `patience` if it hangs up without having looked.
  static Result<std::unique_ptr<Membership>> connect(const std::string& rendezvous,
                                                     const Secret& secret, Duration verdict,
                                                     Duration patience = std::chrono::seconds(20));
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// This machine's address towards the rendezvous.
  [[nodiscard]] const std::string& local_address() const { return local_address_; }
  /// Says who is here and where its data arrives; returns when all nodes have come.
  Status enter(NodeId node, const std::string& address);
  /// Every node's address; empty: it is not there any more.
  [[nodiscard]] const std::vector<std::string>& peers() const { return peers_; }

  void start(MembershipHandlers handlers);
  /// Collective; calls `meanwhile` until everybody has left. False if the rendezvous went away first.
  bool leave(const std::function<void()>& meanwhile);
  void say(const ControlMessage& message);
  /// Writes at once; for last words.
  void say_now(const ControlMessage& message);
  /// From now on `on_beat` comes every few milliseconds. Any thread.
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
