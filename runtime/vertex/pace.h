// Pacing of a node's rounds: PeerProgress exchanges the round reports of peers, Togetherness makes Hsync's choice,
// Pace applies the schedule to one node and detects the end, and run_paced is the loop of every engine that works in
// place (PacedEngine).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dsm/dsm.h"
#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/hsync.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/schedule.h"

namespace leeway {

/// The round reports of the nodes whose values this node reads. Each node has one object, in a separate space, whose
/// new values are pushed to its readers. Messages between two nodes arrive in order, so when the report of a round
/// has arrived, so have all values published before it. Not thread-safe.
class PeerProgress {
 public:
  /// Collective. `peers`: the nodes whose reports this node needs, ascending. `one_clock`: all nodes' clocks agree.
  static Result<PeerProgress> open(Node& node, std::span<const NodeId> peers, bool one_clock);

  /// Publishes the report on this node's last round; values that were stored but not announced are sent first.
  void publish(const RoundNews& news);

  /// Calls `use(news)` for every peer that has published a report since the last call.
  template <class Use>
  void take(Use&& use) {
    dsm_.space().take_changed([&](MetIndex met) { use(news_of(met)); });
  }

 private:
  PeerProgress(Dsm<RoundNews> dsm, std::size_t peers, bool one_clock)
      : dsm_(dsm), one_clock_(one_clock), ahead_by_(peers, Duration::max()) {}

  RoundNews news_of(MetIndex met);

  Dsm<RoundNews> dsm_;
  bool one_clock_;
  /// By met object: the smallest difference seen between a report's arrival and its sending time. Adding it converts
  /// the peer's clock to this node's, apart from the shortest transfer time.
  std::vector<Duration> ahead_by_;
};

// Hsync's mode on all nodes. Node 0 makes the choice (HsyncChoice) from the votes: in the time between two votes every
// node has run a round. Its next vote requests asynchronous rounds for a number of votes, and all nodes follow when that
// vote is decided. So the mode is the same on all nodes, whatever their clocks show. Not thread-safe.
class Togetherness {
 public:
  /// `chooses`: this is node 0. `ratio`: of HsyncChoice.
  Togetherness(bool chooses, double ratio) : chooses_(chooses), choice_(ratio) {}

  [[nodiscard]] Together now() const { return together_; }
  /// The request in this node's next vote: the number of votes to run asynchronously; 0: none.
  [[nodiscard]] std::uint64_t requested() const { return requested_; }

  /// Vote number `votes` has been decided, and node 0 has requested `requested` votes of asynchronous rounds. `since`:
  /// from the previous vote to this one, by this node's clock.
  void decided(std::uint32_t votes, const HsyncPeriod& since, std::uint64_t requested);

 private:
  bool chooses_;
  Together together_ = Together::Sync;
  std::uint32_t apart_until_ = 0;  // the vote after which rounds are in step again
  bool first_vote_ = false;        // the next vote is the first in this mode

  // State of node 0 for its choice.
  HsyncChoice choice_;
  HsyncPeriod apart_;  // the asynchronous period so far
  std::uint64_t requested_ = 0;
};

// Applies the schedule to one node of the vertex runtime, and detects the end (ASPIRE §4.2). It collects the input of
// `decide`: the node's round r_i, the slowest node's round (the number of decided votes), the messages since the last
// round (eta_i), round times and arrivals. Then it waits as the decision demands. Used only by the node's main
// thread.
class Pace {
 public:
  /// `news`: the peers' reports, for a schedule that uses them; must outlive the pace; null: none. `snapshots`: takes
  /// the snapshots that nodes agree on by their votes; must outlive the pace; null: none. `always_rests`: the program
  /// converges under every schedule (vertex.h), so stalled rounds do not end its run.
  Pace(Node& node, const EngineOptions& options, PeerProgress* news = nullptr,
       CheckpointVotes* snapshots = nullptr, bool always_rests = false);

  /// Before a round of a node that has work: waits as long as the schedule decides. `has_work()` returns whether
  /// there is work at all.
  void hold(const std::function<bool()>& has_work);

  /// Ends a round. `vote`: values have changed here or work is left. Returns true when the job is over, on every node
  /// at the same vote. Blocks as the schedule demands.
  [[nodiscard]] bool over(bool vote, const IterationSample& round);
  /// Whether the round is an iteration. A round that has visited nothing has only polled; it is one if rounds are counted: in
  /// step, by the schedule, or up to a given number.
  [[nodiscard]] bool is_iteration(const IterationSample& round) const {
    return round.visited > 0 || rounds_in_step() || looks_at_rounds(schedule_) ||
           options_.iterations.has_value();
  }

  /// For a node without work, between rounds: waits until `arrived()` or until the open vote is decided. Does nothing
  /// if rounds are in step, because then no node is between rounds for long.
  void rest(const std::function<bool()>& arrived);

  /// All nodes have agreed on a snapshot, which must be taken here as soon as values may be copied.
  [[nodiscard]] bool snapshot_requested() const {
    return snapshots_ != nullptr && snapshots_->open_request();
  }
  void take_snapshot() { snapshots_->take(votes_); }

  /// From now on every vote carries a sum over this node's values. All nodes call it before the first vote, or none.
  void gather() { gathers_ = true; }
  /// The sum in this node's next votes. `few`: few of its values change.
  void give_sum(std::uint64_t sum, bool few) {
    sum_ = sum;
    few_change_ = few;
  }
  /// The newest sum over all nodes, once. When all nodes report that few values change, or after many votes, it is the
  /// last one, on all nodes the same.
  [[nodiscard]] std::optional<std::uint64_t> take_sum() {
    return std::exchange(sum_of_all_, std::nullopt);
  }
  [[nodiscard]] bool had_last_sum() const { return had_last_sum_; }
  /// True for a round that should be ended early because it is long: snapshots are agreed on by votes between rounds.
  [[nodiscard]] bool round_is_long() const {
    return snapshots_ != nullptr && node_.transport().now() - round_began_ >= kLongRound;
  }

  /// Under ssp, a node that is ahead of others runs its next round once a value has arrived or the others have caught
  /// up: a round on the same inputs as the last one takes it away from the others without bringing it much nearer.
  [[nodiscard]] bool needs_arrivals() const {
    return schedule_.model == Scheduler::Ssp && round_ > votes_;
  }
  [[nodiscard]] bool rounds_in_step() const { return in_step(schedule_, together_.now()); }
  [[nodiscard]] std::uint32_t iterations() const { return iterations_; }
  /// Whether the next round must measure its residual, which decides whether it is progress.
  [[nodiscard]] bool needs_residual() const { return stall_.needs_residual(); }
  /// True once this node must start no further round: fixed count reached, patience or limit exceeded, or stop
  /// requested.
  [[nodiscard]] bool spent() const { return counted_out() || stopped(options_); }
  /// After the run: true if it converged or ran the requested number of iterations; false if it was stopped or
  /// exceeded its patience or limit.
  [[nodiscard]] bool converged() const {
    if (stopped(options_)) return false;
    return !counted_out() || options_.iterations.has_value();
  }
  /// True if all nodes have run the same number of rounds and end here, whatever work is left. Not for a stop
  /// request: nodes see it at different rounds, and must vote.
  [[nodiscard]] bool all_spent() const {
    return schedule_.model == Scheduler::DoWork && counted_out();
  }

 private:
  static constexpr std::size_t kSums = 2;  // numbers of a vote that take_sums reads
  /// Votes after which no sum is gathered any more: the sums of nodes that are far apart might never settle.
  static constexpr std::uint32_t kVotesWithSums = 200;
  static constexpr Duration kLongRound = std::chrono::milliseconds(20);
  /// Encoding of progress in a vote: a node that changed a value adds kChanged; a node whose round was progress also
  /// adds 1.
  static constexpr std::uint64_t kChanged = std::uint64_t{1} << 32U;
  /// State of the one vote that may be open. A decided vote must be processed by `conclude`.
  enum class Vote : std::uint8_t { None, Open, Continue, Over };

  [[nodiscard]] bool counted_out() const {
    if (options_.iterations) return iterations_ >= *options_.iterations;
    if (options_.most_iterations && iterations_ >= *options_.most_iterations) return true;
    return may_stall_ && stall_.rounds() >= options_.patience;
  }
  /// Nodes in step must count stalled rounds equally, so each reports with its vote whether its round was progress.
  [[nodiscard]] bool reports_progress() const {
    return may_stall_ && schedule_.model == Scheduler::DoWork;
  }
  [[nodiscard]] Decision decide_now(std::uint64_t staleness);
  /// Whether the schedule permits another round, given the others' rounds.
  [[nodiscard]] bool may_start_round() const;
  [[nodiscard]] bool decided() const { return vote_ == Vote::Continue || vote_ == Vote::Over; }
  void take_news();
  /// Casts the vote on all rounds since the last vote.
  void cast(bool to_continue);
  /// Polls the verdict of the open vote; nothing else does. True if it has been decided.
  bool poll_vote();
  /// Processes the verdict of the vote; true if the job is over. Requires a decided vote.
  bool conclude();
  void choose_togetherness();
  void take_sums(std::span<const std::uint64_t> sums);
  void end_round(const IterationSample& round);

  Node& node_;
  const EngineOptions options_;
  const Schedule schedule_;
  PeerProgress* news_;
  CheckpointVotes* snapshots_;
  RoundStatistics statistics_;
  std::uint64_t staleness_ = 0;  // eta_i
  std::uint32_t iterations_ = 0;
  std::uint32_t round_ = 0;  // r_i: like iterations_, but set to votes_ when rounds become in step
  std::uint32_t votes_ = 0;  // number of decided votes; every node has run this number of rounds
  const bool may_stall_;
  StallCounter stall_;
  std::uint64_t updates_ = 0;   // values changed here since the last vote
  bool changed_ = false;        // whether the last round changed a value here
  bool made_progress_ = false;  // whether it was progress
  Vote vote_ = Vote::None;
  bool to_continue_ = false;  // value of the next vote
  Instant round_began_;
  Togetherness together_;  // Hsync's
  Instant vote_decided_;

  bool gathers_ = false;
  std::uint64_t sum_ = 0;
  bool few_change_ = false;
  std::optional<std::uint64_t> sum_of_all_;  // not taken yet
  bool had_last_sum_ = false;
};

/// An engine that works in place, as run_paced uses it.
class PacedEngine {
 public:
  virtual ~PacedEngine() = default;
  /// Processes arrivals, runs a round, publishes.
  virtual IterationSample run_round() = 0;
  /// Whether there is work even if nothing arrives.
  [[nodiscard]] virtual bool has_work() = 0;
  /// Whether something has arrived.
  [[nodiscard]] virtual bool has_arrivals() = 0;
  /// For a snapshot: writes values that are kept elsewhere to the space.
  virtual void settle_values() {}
};

/// The loop of every engine that works in place: wait as the schedule decides, process arrivals, run a round, publish,
/// vote; until all nodes agree that no work is left.
void run_paced(PacedEngine& engine, Node& node, Pace& pace, NodeRecord& record);

}  // namespace leeway
