// A process's tie to the rendezvous of its job: comes in, hears who comes and goes, says it is alive, and
// leaves. After `start` a thread of its own listens and calls the handlers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/transport/backoff.h"
#include "leeway/transport/control_channel.h"

namespace leeway {

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
