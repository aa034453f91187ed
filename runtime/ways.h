// Several ways of running one job, each with the time that it is expected to take. The job begins the first,
// compares after a few rounds what it measures with what was expected, and goes on in another way from the
// values that it has, if that is expected to end sooner. The first node measures and chooses; the others hear of
// a change with the votes, and leave the way together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/dsm/node_options.h"
#include "leeway/runtime/schedule/schedule.h"

namespace leeway {

struct Way {
  std::string name;
  Scheduler scheduler = Scheduler::DoWork;
  Policy policy;
  double seconds = 0;  ///< that the whole run is expected to take
  double rounds = 1;   ///< in how many rounds
  bool even = true;    ///< of about the same length; else the first take longest
};

/// What a job tries, the way that is expected to take least first.
struct WayPlan {
  std::vector<Way> ways;
  std::uint32_t rounds = 5;  ///< after which a way is judged
  double surprise = 1.3;     ///< so many times what was expected is worth a look at others
  double worth = 0.8;        ///< another must be expected to take so little of it
  std::uint32_t most_tried = 3;
};

/// What a way has taken until it was left, judged, or ended the job.
struct WayTrial {
  std::size_t way = 0;
  std::uint64_t rounds = 0;
  double seconds = 0;
  std::uint64_t messages = 0;  ///< that the first node sent

  /// What the whole run would take, by this.
  [[nodiscard]] double foreseen(const WayPlan& plan) const;
};

/// The way to go on in, the last trial's own among them. Pure.
[[nodiscard]] std::size_t next_way(const WayPlan& plan, const std::vector<WayTrial>& trials);

/// Watches a job while it runs in one way after the other. One thread's own.
class WayWatch {
 public:
  /// `first`: the node that chooses.
  WayWatch(const WayPlan& plan, bool first) : plan_(plan), first_(first) {}

  void begin(std::size_t way, Instant now, std::uint64_t messages);
  /// After so many rounds in this way: what this node says to all, with its vote.
  [[nodiscard]] std::uint64_t number(std::uint64_t rounds, Instant now, std::uint64_t messages);
  /// What all have said together.
  void agreed(std::uint64_t sum) { leaving_ = leaving_ || sum > 0; }
  /// The way is to be left.
  [[nodiscard]] bool leaving() const { return leaving_; }
  /// Of the first node: where to go on.
  [[nodiscard]] std::size_t next() const { return next_; }
  /// Of the first node. The last one is as it was when it was judged.
  [[nodiscard]] const std::vector<WayTrial>& trials() const { return trials_; }
  /// The way has been left, or the job is over.
  void end(std::uint64_t rounds, Instant now, std::uint64_t messages);

 private:
  void measure(std::uint64_t rounds, Instant now, std::uint64_t messages);

  const WayPlan& plan_;
  const bool first_;
  std::vector<WayTrial> trials_;
  Instant began_;
  std::uint64_t messages_before_ = 0;
  bool judged_ = false;
  bool leaving_ = false;
  std::size_t next_ = 0;
};

}  // namespace leeway
