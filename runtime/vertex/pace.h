// What the nodes whose values this one reads tell of their rounds: an object a node, in a space of its own,
// whose new value is pushed to whoever reads it. Messages of a pair arrive in order, so when a round's news is
// here, so is all that was published before. One thread's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dsm/node.h"
#include "leeway/dsm.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/schedule.h"
#include "runtime/cluster/snapshot_taker.h"

namespace leeway {

class PeerProgress {
 public:
  /// Collective. `peers`: whose news this node wants, ascending. `one_clock`: all nodes' clocks agree.
  static Result<PeerProgress> open(Node& node, std::span<const NodeId> peers, bool one_clock);

  /// Tells of this node's last round; what was stored but not announced goes first.
  void tell(const RoundNews& news);

  /// Calls `use(news)` for every peer that has told something since the last call.
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
  std::vector<Duration>
      ahead_by_;  // by met object: what its clock lacks to ours, and the least way here
};

// Hsync's choice between running in step and apart. The first node weighs what a vote takes either way, for by each
// vote everybody has run a round; its next vote carries for how many votes all run apart, and all follow it when that
// vote is decided. So the choice is the same everywhere whatever the nodes' own clocks say. One thread's own.
class Togetherness {
 public:
  /// `chooses`: this is the first of so many nodes.
  Togetherness(bool chooses, std::uint32_t nodes) : chooses_(chooses), nodes_(nodes) {}

  [[nodiscard]] Together now() const { return together_; }
  /// What this node's next vote carries: for how many votes all shall run apart; 0: it asks for nothing.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

  /// The vote number `votes` has been decided, so many seconds after the one before. All nodes together have computed
  /// for `computing` seconds of them, and the first has asked to run apart for `asked` votes.
  void decided(std::uint32_t votes, double took, double computing, std::uint64_t asked);

 private:
  void choose(std::uint32_t votes, double took, double computing);

  bool chooses_;
  std::uint32_t nodes_;
  Together together_ = Together::Sync;
  std::uint32_t apart_until_ = 0;  // the vote after which all fall into step again

  // What the first node weighs.
  std::uint64_t asked_ = 0;
  double apart_seconds_ = 0;         // a vote took when they last ran apart; 0: they have not
  std::uint32_t apart_votes_ = 1;    // that they last ran apart for
  std::uint32_t in_step_votes_ = 1;  // until it looks again
  std::uint32_t in_step_since_ = 0;  // the vote
  std::uint32_t look_again_at_ = 0;  // the vote
};

// Keeps one node of the vertex runtime to its schedule, and finds the end (ASPIRE §4.2). It gathers what
// `decide` wants to know: the node's round r_i, the slowest's by the votes that all have cast, what has come
// since the last round (eta_i), round times and arrivals. Then it waits as the decision says. One thread's own.
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

// The one loop of every engine that works in place: wait as the schedule says, take what has come, run what
// is to be run, publish, and tell the others; until all agree that nothing is left to do. An engine says only
// what a round of it is:
//
//   IterationSample run_round();   // takes what has come, runs, publishes
//   bool has_work();               // something is left to do here, whatever may come
//   bool has_arrivals();           // something has come
//   void settle_values();          // where it keeps values aside: puts them where a snapshot finds them
template <class Engine>
void run_paced(Engine& engine, Node& node, Pace& pace, NodeLog& log) {
  const auto now = [&node] { return node.transport().now(); };
  const auto timed = [&](Activity activity, auto&& wait) {
    const Instant from = now();
    wait();
    log.span(activity, from, now());
  };
  bool over = false;
  while (!over) {
    if (pace.wants_snapshot()) {
      if constexpr (requires { engine.settle_values(); }) engine.settle_values();
      pace.take_snapshot();
    }
    if (pace.spent()) {
      // As many rounds as were asked for have run here; what comes now is for the others' sake alone.
      timed(Activity::Barrier, [&] {
        pace.rest([] { return false; });
        over = pace.over(false, {}) || pace.all_spent();
      });
      continue;
    }
    timed(Activity::Barrier,
          [&] { pace.hold([&] { return engine.has_work() || engine.has_arrivals(); }); });
    IterationSample sample;
    timed(Activity::Compute, [&] { sample = engine.run_round(); });
    const bool more = sample.changed > 0 || engine.has_work();
    const bool counts = pace.counts(sample);
    timed(Activity::Barrier, [&] {
      if (!more) pace.rest([&] { return engine.has_arrivals(); });
      over = pace.over(more, sample) || pace.all_spent();
    });
    if (!counts) continue;
    sample.at = now();
    log.ended(sample);
  }
  log.converged = pace.converged();
}

}  // namespace leeway
