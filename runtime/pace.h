// Keeps one node in step with the others, and finds the end (ASPIRE §4.2): after each iteration it says
// whether all is over, may go on, or must first wait. Do-work waits for everybody; ap for nobody, voting
// behind the computation's back; ssp lets nobody get further ahead than its bound. One thread's own.
#pragma once

#include <cstdint>
#include <optional>

#include "leeway/dsm/node.h"
#include "leeway/runtime/engine_options.h"

namespace leeway {

class Pace {
 public:
  Pace(Node& node, const EngineOptions& options) : node_(node), options_(options) {}

  /// Ends an iteration; `vote` if anything changed here or is left to do. True when the job is over, on
  /// every node alike. Blocks as the scheduler demands.
  [[nodiscard]] bool over(bool vote);

  /// For a node without work, between iterations: waits until `arrived()` or everybody has voted.
  /// Requires do-work not to be the scheduler: there nobody is between iterations for long.
  template <class Arrived>
  void rest(Arrived&& arrived) {
    if (!voted_) return;
    node_.wait_until([&] { return arrived() || look(); });
  }

  [[nodiscard]] bool waits_each_iteration() const {
    return options_.scheduler == Scheduler::DoWork;
  }
  [[nodiscard]] std::uint32_t iterations() const { return iterations_; }

 private:
  /// True if the open vote has been decided.
  bool look();
  /// Takes the decision, if there is one, and votes again if there is anything to vote on.
  bool conclude();
  [[nodiscard]] bool too_far_ahead() const {
    return options_.scheduler == Scheduler::Ssp && iterations_ - votes_ > options_.staleness;
  }

  Node& node_;
  const EngineOptions options_;
  std::uint32_t iterations_ = 0;
  std::uint32_t votes_ = 0;  // decided
  bool voted_ = false;       // a vote is open
  bool to_continue_ = false;
  std::optional<bool> verdict_;
};

}  // namespace leeway
