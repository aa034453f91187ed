#include "runtime/vertex/pace.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace leeway {

namespace {

/// Reports are used when they arrive and never waited for: any version will do.
Policy push_policy() {
  Policy policy;
  policy.name = "news";
  policy.threshold = std::numeric_limits<std::uint32_t>::max();
  policy.refresh = false;
  policy.updates = Updates::Always;
  policy.paced = true;
  return policy;
}

}  // namespace

Result<PeerProgress> PeerProgress::open(Node& node, std::span<const NodeId> peers, bool one_clock) {
  SpaceOptions space;
  space.name = "rounds";
  space.local_objects = 1;
  space.remote_objects = static_cast<std::uint32_t>(peers.size());
  space.policy = push_policy();
  space.note_changes = true;
  LEEWAY_ASSIGN(auto dsm, Dsm<RoundNews>::open(node, space));
  dsm.store(Handle(0), {.worker = PartId(node.self().value())});
  std::vector<Handle> handles;
  for (const NodeId peer : peers) {
    LEEWAY_ASSIGN(const Handle handle, dsm.resolve({peer, LocalIndex(0)}));
    handles.push_back(handle);
  }
  node.relaxed_barrier();
  dsm.replicate(std::span<const Handle>(handles));
  dsm.space().take_changed([](MetIndex) {});
  return PeerProgress(dsm, peers.size(), one_clock);
}

void PeerProgress::publish(const RoundNews& news) { dsm_.store(Handle(0), news); }

RoundNews PeerProgress::news_of(MetIndex met) {
  // Read directly from memory: fetching a stale copy would count as a stale use, which prevents termination.
  RoundNews news = dsm_.peek(Handle(dsm_.local_count() + met.value()));
  if (one_clock_) return news;
  Duration& ahead_by = ahead_by_[met.index()];
  ahead_by = std::min(ahead_by, dsm_.node().transport().now() - news.sent);
  news.sent += ahead_by;
  return news;
}

/// A vote counts the updates since the node's previous vote, so the first vote of a mode counts those of the other mode.
void Togetherness::decided(std::uint32_t votes, const HsyncPeriod& since, std::uint64_t requested) {
  const bool first = std::exchange(first_vote_, false);
  if (together_ == Together::Async) {
    if (!first) {
      apart_.updates += since.updates;
      apart_.seconds += since.seconds;
    }
    if (votes < apart_until_) return;
    together_ = Together::Sync;
    first_vote_ = true;
    if (chooses_) (void)choice_.ended(apart_);
  } else if (requested > 0) {
    together_ = Together::Async;
    first_vote_ = true;
    apart_until_ = votes + 1 + static_cast<std::uint32_t>(requested);
    apart_ = {.together = Together::Async};
    requested_ = 0;
  } else if (chooses_ && !first && choice_.ended(since) == Together::Async) {
    requested_ = choice_.apart_length();
  }
}

Pace::Pace(Node& node, const EngineOptions& options, PeerProgress* news, CheckpointVotes* snapshots,
           bool always_rests)
    : node_(node),
      options_(options),
      schedule_(schedule_of(options)),
      news_(news),
      snapshots_(snapshots),
      statistics_(options.aap.rate_window),
      iterations_(options.iterations ? options.rounds_before : 0),
      may_stall_(!always_rests && !options.iterations),
      stall_(options.patience),
      round_began_(node.transport().now()),
      together_(node.self() == NodeId(0), schedule_.hsync_ratio),
      vote_decided_(round_began_) {
  statistics_.begin(round_began_);
}

void Pace::take_news() {
  if (news_ == nullptr) return;
  news_->take([this](const RoundNews& news) {
    ++staleness_;
    statistics_.arrived(node_.transport().now(), news);
  });
}

Decision Pace::decide_now(std::uint64_t staleness) {
  const Instant now = node_.transport().now();
  WorkerProgress progress =
      statistics_.progress(now, staleness, statistics_.predicted_seconds(staleness));
  progress.round = Round(round_);
  progress.slowest = Round(votes_);
  progress.fastest = progress.round;  // as far as this node knows
  progress.together = together_.now();
  if (news_ != nullptr && staleness > 0 && !schedule_.by_equation)
    statistics_.expect(now, schedule_.gather_fraction * progress.round_seconds, progress);
  if (news_ != nullptr && schedule_.by_equation) statistics_.look_for_fellows(now, progress);
  Decision decision = decide(schedule_, progress);
  statistics_.keep_target(decision.target);
  return decision;
}

bool Pace::may_start_round() const {
  WorkerProgress progress;
  progress.round = Round(round_);
  progress.slowest = Round(votes_);
  progress.fastest = progress.round;
  progress.staleness = 1;
  progress.together = together_.now();
  return decide(schedule_, progress).next != NextRound::Suspend;
}

bool Pace::poll_vote() {
  if (vote_ == Vote::Open) {
    if (const auto over = node_.verdict()) vote_ = *over ? Vote::Over : Vote::Continue;
  }
  return decided();
}

void Pace::cast(bool to_continue) {
  vote_ = Vote::Open;
  std::vector<std::uint64_t> extra;
  if (reports_progress()) extra = {(changed_ ? kChanged : 0) + (made_progress_ ? 1 : 0)};
  if (schedule_.model == Scheduler::Hsync) {
    const Duration computing = node_.transport().now() - round_began_;
    extra = {static_cast<std::uint64_t>(computing.count()), std::exchange(updates_, 0),
             together_.requested()};
  }
  if (gathers_) extra.insert(extra.end(), {sum_, few_change_ ? 1U : 0U});
  if (snapshots_ != nullptr) {
    const auto numbers = snapshots_->numbers(votes_);
    extra.insert(extra.end(), numbers.begin(), numbers.end());
  }
  // mutant: a-vote-that-asks-for-a-snapshot-votes-to-go-on
  node_.vote(to_continue, extra);
}

bool Pace::conclude() {
  const bool over = std::exchange(vote_, Vote::None) == Vote::Over;
  ++votes_;
  if (schedule_.model == Scheduler::Hsync) choose_togetherness();
  std::size_t first = schedule_.model == Scheduler::Hsync ? 3 : reports_progress() ? 1 : 0;
  const std::span<const std::uint64_t> sums(node_.extra_sums());
  if (gathers_) {
    take_sums(sums.subspan(first, kSums));
    first += kSums;
  }
  if (snapshots_ != nullptr) snapshots_->agreed(sums.subspan(first, CheckpointVotes::kNumbers));
  // A round in which no node changed a value is not counted: it only waits for stale values or messages in flight.
  if (const std::uint64_t progress = reports_progress() ? node_.extra_sums().front() : 0;
      progress >= kChanged)
    stall_.count(progress % kChanged > 0);
  return over;
}

void Pace::take_sums(std::span<const std::uint64_t> sums) {
  if (had_last_sum_) return;
  sum_of_all_ = sums[0];
  had_last_sum_ = sums[1] == node_.node_count() || votes_ >= kVotesWithSums;
}

void Pace::choose_togetherness() {
  const Instant now = node_.transport().now();
  const auto& sums = node_.extra_sums();
  const HsyncPeriod since{.together = together_.now(),
                          .updates = static_cast<double>(sums[1]),
                          .seconds = seconds(now - std::exchange(vote_decided_, now)),
                          .busy_seconds = static_cast<double>(sums[0]) * 1e-9 / node_.node_count()};
  together_.decided(votes_, since, sums[2]);
  if (since.together == Together::Async && together_.now() == Together::Sync) round_ = votes_;
}

void Pace::end_round(const IterationSample& round) {
  if (is_iteration(round)) ++iterations_;
  ++round_;
  changed_ = round.changed > 0;
  updates_ += round.changed;
  made_progress_ = round.changed > 0 && stall_.nearer(round.changed, round.residual);
  if (may_stall_ && round.changed > 0 && !reports_progress()) stall_.count(made_progress_);
  if (news_ == nullptr) return;
  const Instant now = node_.transport().now();
  take_news();
  statistics_.ran(round_began_, now, std::exchange(staleness_, 0));
  if (round.changed > 0) news_->publish(statistics_.report(PartId(node_.self().value()), now));
}

bool Pace::over(bool vote, const IterationSample& round) {
  end_round(round);
  const bool fixed = schedule_.model == Scheduler::DoWork && options_.iterations.has_value();
  // A fixed number of rounds is run whatever has changed; only a stop request ends it earlier, on all nodes by their
  // votes.
  if (fixed) vote = !spent();
  if (options_.iterations && iterations_ >= *options_.iterations) vote = false;
  to_continue_ = to_continue_ || vote;
  // Once a vote has included this round, this node has done nothing further, and later arrivals are not processed
  // yet. A further vote can therefore only be a vote to continue.
  bool voted_on_round = false;
  while (true) {
    if (vote_ == Vote::None) {
      cast(std::exchange(to_continue_, false) || voted_on_round);
      voted_on_round = true;
    }
    if (!poll_vote()) {
      if (may_start_round()) return false;
      node_.wait_until([this] { return poll_vote(); });
    }
    const bool together = rounds_in_step();
    if (conclude()) return true;
    if (fixed) return counted_out();
    if (together || votes_ >= round_ || !looks_at_rounds(schedule_)) return false;
  }
}

void Pace::hold(const std::function<bool()>& has_work) {
  round_began_ = node_.transport().now();
  if (news_ == nullptr) return;
  while (true) {
    take_news();
    if (poll_vote()) {
      if (vote_ == Vote::Over) break;  // `over` will report it
      (void)conclude();
    }
    const std::uint64_t known = staleness_;
    const Decision decision = decide_now(has_work() && known == 0 ? 1 : known);
    if (decision.next != NextRound::Hold) break;
    statistics_.stretched(decision.hold);
    node_.wait_until(
        [&] {
          take_news();
          return staleness_ > known || poll_vote();
        },
        node_.transport().now() + decision.hold);
  }
  round_began_ = node_.transport().now();
}

void Pace::rest(const std::function<bool()>& arrived) {
  if (vote_ == Vote::None || rounds_in_step()) return;
  node_.wait_until([&] { return arrived() || poll_vote(); });
}

void run_paced(PacedEngine& engine, Node& node, Pace& pace, NodeRecord& record) {
  const auto now = [&node] { return node.transport().now(); };
  const auto timed = [&](Activity activity, auto&& wait) {
    const Instant from = now();
    wait();
    record.span(activity, from, now());
  };
  bool over = false;
  while (!over) {
    if (pace.snapshot_requested()) {
      engine.settle_values();
      pace.take_snapshot();
    }
    if (pace.spent()) {
      // The requested number of rounds has run here; the node only serves the others and votes.
      timed(Activity::Barrier, [&] {
        pace.rest([] { return false; });
        over = pace.over(false, {}) || pace.all_spent();
      });
      continue;
    }
    timed(Activity::Barrier, [&] {
      pace.hold([&] { return engine.has_work() || engine.has_arrivals(); });
      if (pace.needs_arrivals()) pace.rest([&] { return engine.has_arrivals(); });
    });
    IterationSample sample;
    timed(Activity::Compute, [&] { sample = engine.run_round(); });
    const bool more = (sample.changed > 0 && !sample.at_rest) || engine.has_work();
    const bool is_iteration = pace.is_iteration(sample);
    timed(Activity::Barrier, [&] {
      if (!more) pace.rest([&] { return engine.has_arrivals(); });
      over = pace.over(more, sample) || pace.all_spent();
    });
    if (!is_iteration) continue;
    sample.at = now();
    record.ended(sample);
  }
  record.converged = pace.converged();
}

}  // namespace leeway
