// Keeps one node of the vertex runtime to its schedule, and finds the end (ASPIRE §4.2). It gathers what
// `decide` wants to know: the node's round r_i, the slowest's by the votes that all have cast, what has come
// since the last round (eta_i), round times and arrivals. Then it waits as the decision says. One thread's own.
#pragma once

#include <chrono>
#include <cstdint>

#include "leeway/dsm/node.h"
#include "leeway/runtime/engine_options.h"
#include "leeway/runtime/node_log.h"
#include "leeway/runtime/peer_progress.h"
#include "leeway/runtime/residual.h"
#include "leeway/runtime/schedule/round_statistics.h"
#include "leeway/runtime/snapshot_taker.h"
#include "leeway/runtime/togetherness.h"

namespace leeway {

class Pace {
 public:
  /// `news`: the peers', for a schedule that weighs them; outlives the pace. Without it none is weighed.
  /// `snapshots`: that nodes agree on by their votes; outlives the pace, and is null where none are taken.
  /// `always_rests`: of the program (vertex_program.h); such a run is not given up.
  Pace(Node& node, const EngineOptions& options, PeerProgress* news = nullptr,
       SnapshotTaker* snapshots = nullptr, bool always_rests = false);

  /// Before a round, for a node with something to do: waits for as much more as the schedule finds worth
  /// waiting for. `has_work()` tells if there is anything to do at all.
  template <class HasWork>
  void hold(HasWork&& has_work);

  /// Ends a round; `vote` if anything changed here or is left to do. True when the job is over, on every node
  /// alike. Blocks as the schedule demands.
  [[nodiscard]] bool over(bool vote, const IterationSample& round);
  /// Whether it was an iteration. Where no rounds are counted, nodes have some in which they but look around.
  [[nodiscard]] bool counts(const IterationSample& round) const {
    return round.visited > 0 || rounds_in_step() || looks_at_rounds(schedule_) ||
           options_.iterations.has_value();
  }

  /// For a node without work, between rounds: waits until `arrived()` or everybody has voted. Does nothing
  /// where rounds are in step: there nobody is between rounds for long.
  template <class Arrived>
  void rest(Arrived&& arrived) {
    if (vote_ == Vote::None || rounds_in_step()) return;
    node_.wait_until([&] { return arrived() || look(); });
  }

  /// All have agreed on a snapshot, which is to be taken here as soon as values may be copied.
  [[nodiscard]] bool wants_snapshot() const {
    return snapshots_ != nullptr && snapshots_->open_request();
  }
  void take_snapshot() { snapshots_->take(votes_); }
  /// A round that is as long as this is better ended early: the votes that snapshots need come between rounds.
  [[nodiscard]] bool round_is_long() const {
    return snapshots_ != nullptr && node_.transport().now() - round_began_ >= kLongRound;
  }

  [[nodiscard]] bool rounds_in_step() const { return in_step(schedule_, together_.now()); }
  [[nodiscard]] std::uint32_t iterations() const { return iterations_; }
  /// The next round must measure its residual, by which it is judged as progress or not.
  [[nodiscard]] bool wants_residual() const { return stall_.wants_residual(); }
  /// True once this node must start no further round: fixed count reached, run given up, or stop requested.
  [[nodiscard]] bool spent() const { return counted_out() || stopped(options_); }
  /// After the run: whether it ended as it should, at rest or after as many iterations as were asked for; not because
  /// it was stopped or given up.
  [[nodiscard]] bool converged() const {
    if (stopped(options_)) return false;
    return !counted_out() || options_.iterations.has_value();
  }
  /// And everybody has run as many, so that all stop here whatever is left to do. Not so of a run that is stopped,
  /// which nodes see at different rounds: there all vote.
  [[nodiscard]] bool all_spent() const {
    return schedule_.model == Scheduler::DoWork && counted_out();
  }

 private:
  static constexpr Duration kLongRound = std::chrono::milliseconds(20);
  /// Encoding of progress in a vote: a node that changed a value adds kChanged; one that also came nearer to rest adds 1.
  static constexpr std::uint64_t kChanged = std::uint64_t{1} << 32U;
  /// The one vote that may be under way; once decided it is to be taken note of (`conclude`).
  enum class Vote : std::uint8_t { None, Open, GoOn, Over };

  [[nodiscard]] bool counted_out() const {
    if (options_.iterations) return iterations_ >= *options_.iterations;
    if (options_.most_iterations && iterations_ >= *options_.most_iterations) return true;
    return may_stall_ && stall_.rounds() >= options_.patience;
  }
  /// Nodes in step that stop by a count must count alike, so each tells with its vote whether it came nearer to rest.
  [[nodiscard]] bool tells_progress() const {
    return may_stall_ && schedule_.model == Scheduler::DoWork;
  }
  [[nodiscard]] Decision ask(std::uint64_t staleness);
  /// Whether the others' rounds let this node begin another one.
  [[nodiscard]] bool may_go_on() const;
  [[nodiscard]] bool decided() const { return vote_ == Vote::GoOn || vote_ == Vote::Over; }
  void take_news();
  /// Casts the vote on all rounds since the last.
  void cast(bool to_continue);
  /// The only place that asks for a verdict. True if the vote has been decided.
  bool look();
  /// Takes note of the decision; true if all is over. Requires that it has been decided.
  bool conclude();
  void choose_togetherness();
  void end_round(const IterationSample& round);

  Node& node_;
  const EngineOptions options_;
  const Schedule schedule_;
  PeerProgress* news_;
  SnapshotTaker* snapshots_;
  RoundStatistics statistics_;
  std::uint64_t staleness_ = 0;  // eta_i
  std::uint32_t iterations_ = 0;
  std::uint32_t round_ = 0;  // r_i: as iterations, but counted anew where all fall into step
  std::uint32_t votes_ = 0;  // decided: everybody has run as many rounds
  const bool may_stall_;
  StallCounter stall_;
  bool changed_ = false;      // anything here, in the last round
  bool came_nearer_ = false;  // by it
  Vote vote_ = Vote::None;
  bool to_continue_ = false;  // the next vote is to say so
  Instant round_began_;
  Togetherness together_;  // Hsync's
  Instant vote_decided_;
};

template <class HasWork>
void Pace::hold(HasWork&& has_work) {
  round_began_ = node_.transport().now();
  if (news_ == nullptr) return;
  while (true) {
    take_news();
    if (look()) {
      if (vote_ == Vote::Over) break;  // which `over` will say
      (void)conclude();
    }
    const std::uint64_t known = staleness_;
    const Decision decision = ask(has_work() && known == 0 ? 1 : known);
    if (decision.next != NextRound::Hold) break;
    statistics_.stretched(decision.hold);
    node_.wait_until(
        [&] {
          take_news();
          return staleness_ > known || look();
        },
        node_.transport().now() + decision.hold);
  }
  round_began_ = node_.transport().now();
}

}  // namespace leeway
