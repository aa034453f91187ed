#include "leeway/runtime/togetherness.h"

#include <algorithm>

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

void Togetherness::decided(std::uint32_t votes, double took, double computing,
                           std::uint64_t asked) {
  if (together_ == Together::Async) {
    apart_seconds_ += took / apart_votes_;
    if (votes < apart_until_) return;
    together_ = Together::Sync;
    in_step_since_ = votes;
  } else if (asked > 0) {
    together_ = Together::Async;
    apart_votes_ = static_cast<std::uint32_t>(asked);
    apart_until_ = votes + apart_votes_;
    apart_seconds_ = 0;
    asked_ = 0;
  } else if (chooses_ && votes >= look_again_at_) {
    choose(votes, took, computing);
  }
}

void Togetherness::choose(std::uint32_t votes, double took, double computing) {
  const bool tried = apart_seconds_ > 0;
  const HsyncSample sample{.useful = 1,
                           .slowest_seconds = took,
                           .mean_seconds = tried ? apart_seconds_ : computing / nodes_,
                           .redundant = tried ? kStepInApart : kRedundant};
  const bool apart = hsync_choice(sample) == Together::Async;
  if (tried) in_step_votes_ = apart ? 1 : std::min(2 * in_step_votes_, kMostVotes);
  if (!apart) {
    look_again_at_ = votes + in_step_votes_;
    apart_seconds_ = 0;  // what it takes may have changed by then
    return;
  }
  const bool again =
      tried && votes <= in_step_since_ + 1;  // as soon as it had been measured in step
  asked_ = again ? std::min(2 * apart_votes_, kMostVotes) : kApartVotes;
}

}  // namespace leeway
