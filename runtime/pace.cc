#include "leeway/runtime/pace.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace leeway {

namespace {

constexpr std::uint32_t kApartVotes = 4;  // that Hsync runs apart before it looks again, at first
constexpr std::uint32_t kMostVotes =
    64;  // and at the most, when it found apart, or in step, better before
/// What all do in step from one vote to the next, in what they do apart: nodes that do not wait have heard of
/// each other more than once by then.
constexpr double kStepInApart = 2.0 / 3;
/// Rounds run apart that do the work of one in step, before any have been run.
constexpr double kRedundant = 2;

}  // namespace

Pace::Pace(Node& node, const EngineOptions& options, PeerNews* news, SnapshotTaker* snapshots,
           WayWatch* watch)
    : node_(node),
      options_(options),
      schedule_(schedule_of(options)),
      news_(news),
      snapshots_(snapshots),
      watch_(watch),
      iterations_(options.iterations ? options.rounds_before : 0),
      round_began_(node.transport().now()),
      together_(Together::Sync),
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

Decision Pace::ask(std::uint64_t staleness) {
  const Instant now = node_.transport().now();
  WorkerProgress progress =
      statistics_.progress(now, staleness, statistics_.predicted_seconds(staleness));
  progress.round = Round(round_);
  progress.slowest = Round(votes_);
  progress.fastest = progress.round;  // for all that is known here
  progress.together = together_;
  if (news_ != nullptr && staleness > 0)
    statistics_.expect(now, schedule_.gather_fraction * progress.round_seconds, progress);
  Decision decision = decide(schedule_, progress);
  statistics_.keep_target(decision.target);
  return decision;
}

bool Pace::may_go_on() const {
  WorkerProgress progress;
  progress.round = Round(round_);
  progress.slowest = Round(votes_);
  progress.fastest = progress.round;
  progress.staleness = 1;
  progress.together = together_;
  return decide(schedule_, progress).turn != Turn::Suspend;
}

bool Pace::went_on() {
  if (*verdict_) return false;
  (void)conclude();
  return true;
}

bool Pace::look() {
  if (!verdict_) verdict_ = node_.verdict();
  return verdict_.has_value();
}

void Pace::cast(bool to_continue) {
  voted_ = true;
  std::vector<std::uint64_t> besides;
  if (schedule_.model == Scheduler::Hsync) {
    const Duration computing = node_.transport().now() - round_began_;
    besides = {static_cast<std::uint64_t>(computing.count()), first_node_chose_ ? 1u : 0u};
  }
  if (snapshots_ != nullptr) {
    const auto numbers = snapshots_->numbers(votes_);
    besides.insert(besides.end(), numbers.begin(), numbers.end());
  }
  if (watch_ != nullptr)
    besides.push_back(
        watch_->number(iterations_, node_.transport().now(), node_.stats().messages_sent));
  node_.vote(to_continue, besides);
}

bool Pace::conclude() {
  voted_ = false;
  ++votes_;
  const bool over = *std::exchange(verdict_, std::nullopt);
  if (schedule_.model == Scheduler::Hsync) choose_togetherness();
  if (snapshots_ != nullptr) {
    const std::size_t first = schedule_.model == Scheduler::Hsync ? 2 : 0;
    snapshots_->agreed(std::span(node_.besides()).subspan(first, SnapshotTaker::kNumbers));
  }
  if (watch_ != nullptr) watch_->agreed(node_.besides().back());
  return over;
}

/// The first node weighs what a vote takes in step and apart, for by each vote everybody has run a round. Its
/// choice goes with its next vote, and all follow it when that vote is decided.
void Pace::choose_togetherness() {
  const Instant now = node_.transport().now();
  const double took = seconds(now - std::exchange(vote_decided_, now));
  const auto& sums = node_.besides();
  if (together_ == Together::Async) {
    apart_seconds_ += took / apart_votes_;
    if (votes_ < apart_until_) return;
    together_ = Together::Sync;
    round_ = votes_;
    in_step_since_ = votes_;
  } else if (sums[1] > 0) {
    constexpr std::uint32_t kToChoose = 2;  // votes: one to measure, one that carries the choice
    const bool again = apart_seconds_ > 0 && votes_ <= in_step_since_ + kToChoose;
    apart_votes_ = again ? std::min(2 * apart_votes_, kMostVotes) : kApartVotes;
    together_ = Together::Async;
    apart_until_ = votes_ + apart_votes_;
    apart_seconds_ = 0;
    first_node_chose_ = false;
  } else if (node_.self() == NodeId(0) && votes_ >= look_again_at_) {
    const double computing = static_cast<double>(sums[0]) * 1e-9 / node_.node_count();
    const bool tried = apart_seconds_ > 0;
    const HsyncSample sample{.useful = 1,
                             .slowest_seconds = took,
                             .mean_seconds = tried ? apart_seconds_ : computing,
                             .redundant = tried ? kStepInApart : kRedundant};
    first_node_chose_ = hsync_choice(sample) == Together::Async;
    if (tried) in_step_votes_ = first_node_chose_ ? 1 : std::min(2 * in_step_votes_, kMostVotes);
    if (!first_node_chose_) {
      look_again_at_ = votes_ + in_step_votes_;
      apart_seconds_ = 0;  // what it takes may have changed by then
    }
  }
}

void Pace::end_round(std::uint64_t changed) {
  ++iterations_;
  ++round_;
  if (news_ == nullptr) return;
  const Instant now = node_.transport().now();
  take_news();
  statistics_.ran(round_began_, now, std::exchange(staleness_, 0));
  if (changed > 0) news_->tell(statistics_.told(PartId(node_.self().value()), now));
}

bool Pace::over(bool vote, std::uint64_t changed) {
  end_round(changed);
  const bool fixed = schedule_.model == Scheduler::DoWork && options_.iterations.has_value();
  // So many rounds are run whatever has changed; only nodes that are stopped all agree on fewer.
  if (fixed) vote = !spent();
  if (options_.iterations && iterations_ >= *options_.iterations) vote = false;
  to_continue_ = to_continue_ || vote;
  // Once a vote has told of this round nothing more has been done, and what has come since is still to be
  // looked at: a further vote may only say so.
  bool told = false;
  while (true) {
    if (!voted_) {
      cast(std::exchange(to_continue_, false) || told);
      told = true;
    }
    if (!look()) {
      if (may_go_on()) return false;
      node_.wait_until([this] { return look(); });
    }
    const bool together = rounds_in_step();
    if (conclude()) return true;
    if (fixed) return counted_out();
    if (together || votes_ >= round_ || !looks_at_rounds(schedule_)) return false;
  }
}

}  // namespace leeway
