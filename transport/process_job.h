// The kinds of Job, each in a file of its own. Private to the transport folder; say join_job (fabric.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "leeway/result.h"
#include "transport/fabric.h"
#include "transport/membership.h"
#include "transport/rendezvous.h"
#include "transport/wire_transport.h"

namespace leeway {

Result<std::unique_ptr<Job>> join_mpi_job(const JobOptions& options);
Result<std::unique_ptr<Job>> join_ofi_job(const JobOptions& options);

// A job whose nodes are processes, whatever wire carries their frames: the tie to the rendezvous, what the
// death of a peer and the hang signal bring, and the way out. Private to the transport folder.
struct JobParts {
  Fabric fabric = Fabric::Mpi;
  std::unique_ptr<Wire> wire;
  std::unique_ptr<Membership> membership;  ///< entered already
  std::unique_ptr<Rendezvous> rendezvous;  ///< where this process holds it
  std::uint32_t neighbours = 1;
  bool guarded = false;  ///< a guardian turns its own death into SIGTERM
  bool owned = true;     ///< the process is ours: signals and its end too
};

class ProcessJob final : public Job {
 public:
  ProcessJob(JobParts parts, const JobOptions& options);
  ~ProcessJob() override;

  Transport& transport() override { return transport_; }
  void put_back(std::vector<std::pair<NodeId, Frame>> frames) override {
    transport_.put_back(std::move(frames));
  }
  Fabric fabric() const override { return parts_.fabric; }
  std::uint32_t nodes_on_this_host() const override { return parts_.neighbours; }
  void set_evidence(std::function<std::string()> evidence) override;
  [[nodiscard]] Status agree(Status status) override;
  Status leave() override;

 private:
  struct Loss {
    NodeId node{0};
    std::string why;
    Instant at{};
    std::uint64_t polls = 0;  // of this node until then
  };
  void listen();
  void on_down(NodeId node, const std::string& why);
  void on_outcome(NodeId node, std::uint32_t code, const std::string& why);
  [[nodiscard]] std::optional<Status> heard(const Status& own);
  void on_beat();
  void watch_links(Instant now);
  void on_inquiry(Duration most);
  void end_if_due(Instant now);
  void on_end_signal(int signal, Instant now);
  [[nodiscard]] std::string evidence();
  [[noreturn]] void end(const std::string& what, int code);
  [[noreturn]] void end_by_signal(int code);

  JobParts parts_;
  const Duration verdict_;
  WireTransport transport_;
  struct Evidence {
    std::mutex mutex;
    std::function<std::string()> ask;
  };
  /// Shared with threads that ask: whoever holds what they need may never let it go.
  std::shared_ptr<Evidence> evidence_ = std::make_shared<Evidence>();
  std::mutex mutex_;  // the loss, and what was agreed on
  std::optional<Loss> loss_;
  bool agreeing_ = false;           // a thread waits for the outcome
  bool agreed_ = false;             // the last step went well everywhere
  std::optional<Error> told_;       // what this node was told of a failure
  std::optional<Error> failure_;    // of the job
  NodeId failed_ = NodeId::none();  // whose
  std::condition_variable outcome_;
  // The membership's thread alone.
  std::optional<Instant> terminated_at_;
  std::optional<Instant> wire_failed_at_;
  std::uint64_t polls_seen_ = 0;
  Instant polled_at_;  // when a beat saw new ones
  AwakeTime awake_;
  Duration not_told_{};               // awake time of which the wire has not heard
  std::optional<Instant> answer_by_;  // to the inquiry
  std::atomic<bool> leaving_{false};
  std::atomic<bool> over_{false};  // the job has failed, and all who live know it
};

/// How a step went for `node`, as the rendezvous is told.
[[nodiscard]] ControlMessage report_of(NodeId node, const Status& status);

/// Writes what all nodes wait for aside and renames it to its final name, which it returns.
Result<std::string> write_evidence(const std::string& merged);
/// Does so, and says where.
void keep_evidence(const std::string& merged);

}  // namespace leeway
