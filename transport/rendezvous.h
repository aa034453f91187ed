// Rendezvous: the server of a job's control network. It listens at a TCP port, admits only
// processes that know the job's secret, sends every member the addresses of all members once all
// have joined, and from then on detects lost members, by the end of their connection or by missing
// heartbeats. Held by `leeway launch`, or by rank 0 under MPI.
//
// Runs on a thread of its own between `open` and the destructor. Unauthenticated connections
// ("strangers") are limited in number, and each may send only a few bytes. While the process is
// stopped, its time stands still, so that no member is removed for heartbeats that it could not
// receive.
//
// If the launcher replaces lost processes, the loss of a member begins a new generation of the job:
// all others are informed and join again, as does the process that replaces the lost one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "transport/membership.h"
#include "transport/wire_transport.h"

namespace leeway {

struct RendezvousOptions {
  std::uint32_t nodes = 1;
  Secret secret;
  Duration verdict = std::chrono::seconds(10);  ///< silence that counts as death
  std::string host;  ///< the address to listen at; empty: all addresses of this machine
  /// Time limit for a connection's proof that it knows the secret.
  Duration stranger_patience = std::chrono::seconds(5);
  /// Lost members are replaced: see above.
  bool replaces = false;
  /// A member is gone. The callbacks are called by the rendezvous' thread and may be empty.
  std::function<void(NodeId, const std::string& why)> on_down;
  /// A member was removed because it is silent or cannot be reached. Its process may still run and
  /// should end.
  std::function<void(NodeId)> on_given_up;
  /// The evidence of all nodes, merged into one text.
  std::function<void(const std::string& merged)> on_evidence;
};

class Rendezvous {
 public:
  static Result<std::unique_ptr<Rendezvous>> open(RendezvousOptions options);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Whether every node has joined; how many have joined so far. Any thread.
  [[nodiscard]] bool complete() const { return complete_.load(); }
  [[nodiscard]] std::size_t members() const { return came_.load(); }
  /// Number of the current generation, from 0. Any thread.
  [[nodiscard]] std::uint32_t generation() const { return generation_.load(); }
  enum class Place : std::uint8_t {
    Taken,  ///< the node has joined the current generation, and its loss has not been noticed
    Free,   ///< it has not joined; if its process has ended, another one may join in its place
    Gone,   ///< the others cannot continue without the node
  };
  [[nodiscard]] Place place_of(NodeId node);  ///< any thread
  /// Requests every node's evidence, which is passed to `on_evidence`. Any thread.
  void ask_for_evidence();
  /// Reports a failure for a process that ended before it could report one: the job ends as if
  /// `node` had reported it. Any thread.
  void report(NodeId node, std::uint32_t code, const std::string& why);
  /// Blocks until at most `left` connections remain, or for at most `most`.
  void linger(Duration most, std::size_t left = 0) const;
  /// Number of connections refused because they did not prove the secret or were too many.
  [[nodiscard]] std::uint64_t strangers() const { return strangers_.load(); }

 private:
  enum class MemberState : std::uint8_t { Expected, Present, Leaving, Gone };
  struct Guest {
    std::unique_ptr<ControlChannel> channel;
    Instant came{};
    Instant heard{};
    NodeId node = NodeId::none();
    bool turned_away = false;  // it proved the secret, but is not, or no longer, a member
    bool over = false;
  };
  struct Member {
    MemberState state = MemberState::Expected;
    std::string address;
    Guest* guest = nullptr;
    bool recoverable = false;  // it can continue after the loss of others
    bool answered = true;      // the request for evidence
    bool reported = false;     // its outcome of the current step of `agree`
    std::uint32_t code = 0;    // the exit code that it reported; 0: success
    std::string failure;       // the reason of a failure
  };

  Rendezvous(RendezvousOptions options, int listener, std::uint16_t port);
  void serve();
  void wait_for_something();
  void admit();
  void on_accept_failure(int reason);
  void move(Guest& guest);
  void handle(Guest& guest, const ControlMessage& message);
  void on_hello(Guest& guest, const ControlMessage& message);
  void on_leave(NodeId node);
  void release_leaving();
  void welcome(NodeId node);
  void lose(NodeId node, const std::string& why);
  [[nodiscard]] bool can_replace(NodeId lost) const;
  void begin_generation(NodeId lost, const std::string& why);
  void expect_again(NodeId node, const std::string& why);
  void dismiss(Guest& guest, NodeId lost, const std::string& why);
  void set_place(NodeId node, Place place);
  void give_up(NodeId node, const std::string& why);
  void broadcast(const ControlMessage& message, NodeId but);
  void on_report(NodeId node, std::uint32_t code, const std::string& why);
  void take_reports();
  void settle_outcome();
  [[nodiscard]] bool all_reported() const;
  void on_suspicion(NodeId by, NodeId whom);
  void on_unreached(NodeId by, const std::vector<std::string>& list);
  void finish_inquiry();
  void start_dump();
  void finish_dump();
  void check_timeouts();

  RendezvousOptions options_;
  int listener_;
  std::uint16_t port_;
  SteadyClock clock_;
  AwakeTime awake_;        // the clock that silence is measured with
  bool accepting_ = true;  // whether the listener is polled
  bool warned_ = false;
  std::optional<Inquiry> inquiry_;
  Instant inquire_until_{};
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Guest>> guests_;
  std::atomic<bool> complete_{false};  // every node has joined
  std::atomic<std::uint32_t> generation_{0};
  std::mutex places_mutex_;
  std::vector<Place> places_;  // by node
  std::atomic<std::size_t> came_{0};
  bool dumping_ = false;
  Instant dump_until_{};
  Instant beat_at_{};
  std::string evidence_;
  std::optional<Instant> failing_since_;   // time of the first reported failure
  std::optional<ControlMessage> failure_;  // the job has failed: the message sent to all members
  std::mutex reports_mutex_;
  std::vector<ControlMessage> reports_;  // from `report`, which other threads call
  Doorbell bell_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> evidence_requested_{false};
  std::atomic<std::uint64_t> strangers_{0};
  std::atomic<std::size_t> connected_{0};
  std::thread thread_;
};

}  // namespace leeway
