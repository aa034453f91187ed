// Where the processes of a job find each other: a TCP port that admits only those who know the job's
// secret, tells everybody of everybody once all have come, and stays as the control network: it hears the
// end of a process at once by the end of its connection, and misses its heartbeats else.
//
// Runs on a thread of its own between `open` and the destructor. Strangers cost at most a fixed number of
// connections and a few bytes each.
//
// Its time stands still while its process is stopped: nobody is given up for what it could not hear.
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
#include "leeway/result.h"
#include "transport/membership.h"
#include "transport/wire_transport.h"

namespace leeway {

struct RendezvousOptions {
  std::uint32_t nodes = 1;
  Secret secret;
  Duration verdict = std::chrono::seconds(10);  ///< silence that counts as death
  std::string host;  ///< the address to listen at; empty: every one of this machine
  /// How long a connection may take to prove that it knows the secret.
  Duration stranger_patience = std::chrono::seconds(5);
  /// Called by the rendezvous' thread. May be empty.
  std::function<void(NodeId, const std::string& why)> on_down;
  /// A member that may well live, but is silent or cannot be reached, was given up: it should end.
  std::function<void(NodeId)> on_given_up;
  /// What every node says it waits for, as one text.
  std::function<void(const std::string& merged)> on_evidence;
};

class Rendezvous {
 public:
  static Result<std::unique_ptr<Rendezvous>> open(RendezvousOptions options);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Whether every node has come once; how many have said who they are so far. Any thread.
  [[nodiscard]] bool complete() const { return complete_.load(); }
  [[nodiscard]] std::size_t members() const { return came_.load(); }
  /// Asks every node what it waits for. Any thread; `on_evidence` gets the answers.
  void ask_for_evidence();
  /// For a process that ended before it could say so itself: the job ends as if it had. Any thread.
  void report(NodeId node, std::uint32_t code, const std::string& why);
  /// Waits until at most so many are still connected, at most so long.
  void linger(Duration most, std::size_t left = 0) const;
  /// How many connections were turned away for not knowing the secret, or for being too many.
  [[nodiscard]] std::uint64_t strangers() const { return strangers_.load(); }

 private:
  enum class MemberState : std::uint8_t { Expected, Present, Leaving, Gone };
  struct Guest {
    std::unique_ptr<ControlChannel> channel;
    Instant came{};
    Instant heard{};
    NodeId node = NodeId::none();
    bool turned_away = false;  // it knows the secret, but has no place here, or no longer
    bool over = false;
  };
  struct Member {
    MemberState state = MemberState::Expected;
    std::string address;
    Guest* guest = nullptr;
    bool answered = true;    // the question for evidence
    bool reported = false;   // on the step that the job is to agree on
    std::uint32_t code = 0;  // the exit code it reported; 0: all is well
    std::string failure;     // why, where it is not
  };

  Rendezvous(RendezvousOptions options, int listener, std::uint16_t port);
  void serve();
  void wait_for_something();
  void admit();
  void note_refusal(int reason);
  void move(Guest& guest);
  void handle(Guest& guest, const ControlMessage& message);
  void on_hello(Guest& guest, const ControlMessage& message);
  void on_leave(NodeId node);
  void dismiss_the_leaving();
  void welcome(NodeId node);
  void lose(NodeId node, const std::string& why);
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
  void sweep();

  RendezvousOptions options_;
  int listener_;
  std::uint16_t port_;
  SteadyClock clock_;
  AwakeTime awake_;        // what silence is measured in
  bool accepting_ = true;  // new connections, this round
  bool warned_ = false;
  std::optional<Inquiry> inquiry_;
  Instant inquire_until_{};
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Guest>> guests_;
  std::atomic<bool> complete_{false};  // everybody has come once
  std::atomic<std::size_t> came_{0};
  bool dumping_ = false;
  Instant dump_until_{};
  Instant beat_at_{};
  std::string evidence_;
  std::optional<Instant> failing_since_;   // the first report of a failure
  std::optional<ControlMessage> the_end_;  // the job has failed: what everybody is told
  std::mutex reports_mutex_;
  std::vector<ControlMessage> reports_;  // handed in by other threads
  Doorbell bell_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> asked_{false};
  std::atomic<std::uint64_t> strangers_{0};
  std::atomic<std::size_t> connected_{0};
  std::thread thread_;
};

}  // namespace leeway
