// ProcessJob: a Job whose nodes are processes, whatever wire carries their frames. Joins wire,
// control network and signals. Private to the transport folder; other code calls join_job
// (fabric.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "transport/fabric.h"
#include "transport/membership.h"
#include "transport/rendezvous.h"
#include "transport/wire_transport.h"

namespace leeway {

Result<std::unique_ptr<Job>> join_mpi_job(const JobOptions& options);
Result<std::unique_ptr<Job>> join_ofi_job(const JobOptions& options);

/// What join_mpi_job and join_ofi_job pass to a ProcessJob.
struct JobSetup {
  Fabric fabric = Fabric::Mpi;
  std::unique_ptr<Wire> wire;
  std::unique_ptr<Membership> membership;  ///< has joined already
  std::unique_ptr<Rendezvous> rendezvous;  ///< only in the process that holds it
  std::uint32_t neighbours = 1;
  bool guarded = false;  ///< if the guardian dies, this process receives SIGTERM
  bool owned = true;     ///< Leeway owns the process: its signal handlers and its exit
  /// Joins a later generation of the job; empty: its launcher replaces no processes.
  std::function<Result<JobSetup>(std::uint32_t generation)> join_again;
  std::uint32_t generation = 0;  ///< in which this process has joined
};

/// Owns the wire transport and the membership. The membership's thread handles lost peers, the hang
/// signal, SIGINT and SIGTERM, and ends the process if the node above does not.
class ProcessJob final : public Job {
 public:
  ProcessJob(JobSetup setup, const JobOptions& options);
  ~ProcessJob() override;

  Transport& transport() override { return *transport_; }
  void put_back(std::vector<std::pair<NodeId, Frame>> frames) override {
    transport_->put_back(std::move(frames));
  }
  Fabric fabric() const override { return setup_.fabric; }
  std::uint32_t nodes_on_this_host() const override { return setup_.neighbours; }
  void set_evidence(std::function<std::string()> evidence) override;
  [[nodiscard]] Status agree(Status status) override;
  bool is_replacement() const override { return replacement_; }
  bool replaces_lost() const override { return static_cast<bool>(setup_.join_again); }
  void set_recoverable(bool recoverable) override;
  bool recoverable() const override { return recoverable_.load(); }
  bool lost_a_node() override;
  Status rejoin() override;
  void note_rejoined() override { replacement_ = false; }
  std::uint32_t generation() const override { return setup_.generation; }
  Status leave() override;

 private:
  struct Loss {
    NodeId node{0};
    std::string why;
    Instant at{};
    std::uint64_t polls = 0;  // number of polls of this node at that time
  };
  void listen();
  void tell_recoverable();
  void on_down(NodeId node, const std::string& why);
  void on_outcome(NodeId node, std::uint32_t code, const std::string& why);
  [[nodiscard]] std::optional<Status> outcome_for(const Status& own);
  [[nodiscard]] Error loss_error(const Loss& loss);
  void on_beat();
  void watch_links(Instant now);
  void on_inquiry(Duration most);
  void end_if_due(Instant now);
  void on_end_signal(int signal, Instant now);
  [[nodiscard]] std::string evidence();
  [[noreturn]] void end(const std::string& what, int code);
  [[noreturn]] void end_by_signal(int code);

  JobSetup setup_;
  const Duration verdict_;
  const std::uint64_t window_bytes_;
  std::unique_ptr<WireTransport> transport_;
  std::atomic<bool> recoverable_{false};
  bool replacement_;
  struct Evidence {
    std::mutex mutex;
    std::function<std::string()> ask;
  };
  /// Shared with the detached threads that call `ask`, which may block forever on a lock of the
  /// program.
  std::shared_ptr<Evidence> evidence_ = std::make_shared<Evidence>();
  std::mutex mutex_;  // guards the members up to outcome_
  std::optional<Loss> loss_;
  bool agreeing_ = false;           // a thread waits in `agree`
  bool agreed_ = false;             // the last step succeeded on all nodes
  std::optional<Error> returned_;   // the error that `agree` has returned
  std::optional<Error> failure_;    // failure of the job
  NodeId failed_ = NodeId::none();  // the node that failed
  std::condition_variable outcome_;
  // Used only by the membership's thread.
  std::optional<Instant> terminated_at_;
  std::optional<Instant> wire_failed_at_;
  std::uint64_t polls_seen_ = 0;
  Instant polled_at_;  // when on_beat last saw a new poll
  AwakeTime awake_;
  Duration unreported_{};             // awake time not yet passed to the wire
  std::optional<Instant> answer_by_;  // deadline of the answer to an inquiry
  std::atomic<bool> leaving_{false};
  std::atomic<bool> over_{false};  // the job has failed, and all living nodes are notified
};

/// The message that reports the outcome of a step of `node` to the rendezvous.
[[nodiscard]] ControlMessage report_of(NodeId node, const Status& status);

/// Writes the merged evidence to a temporary file, renames it, and logs the final name.
void keep_evidence(const std::string& merged);

}  // namespace leeway
