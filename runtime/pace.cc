#include "leeway/runtime/pace.h"

#include <utility>

namespace leeway {

bool Pace::look() {
  if (!verdict_) verdict_ = node_.verdict();
  return verdict_.has_value();
}

bool Pace::conclude() {
  voted_ = false;
  ++votes_;
  return *std::exchange(verdict_, std::nullopt);
}

bool Pace::over(bool vote) {
  ++iterations_;
  if (options_.iterations && iterations_ >= *options_.iterations) vote = false;
  if (waits_each_iteration()) {
    const bool converged = node_.converged(vote);
    return options_.iterations ? iterations_ >= *options_.iterations : converged;
  }
  to_continue_ = to_continue_ || vote;
  // Once a vote has told of this iteration nothing more has been done, and what has come since is still
  // to be looked at: a further vote may only say so.
  bool told = false;
  while (true) {
    if (!voted_) {
      node_.vote(std::exchange(to_continue_, false) || told);
      voted_ = told = true;
    }
    if (!look()) {
      if (!too_far_ahead()) return false;
      node_.wait_until([this] { return look(); });
    }
    if (conclude()) return true;
    if (votes_ >= iterations_ || options_.scheduler == Scheduler::Ap) return false;
  }
}

}  // namespace leeway
