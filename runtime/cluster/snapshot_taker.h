// Snapshots of one node's run, between the engine and the recorder: nodes agree on each with the votes or sums that
// end their rounds, so that agreeing sends nothing and the search for the end sees nothing of it. An engine adds
// `numbers` to what it sums, hands the sums to `agreed`, and where that left one open calls `take` when its values
// may be copied. One thread's own: the node's main activity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/clock.h"
#include "dsm/node.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {
class Part;
struct PartHeader;
struct SnapshotPlan;
class Recorder;
}  // namespace leeway::snapshot

namespace leeway {

class SnapshotTaker {
 public:
  /// That a node adds to what all sum.
  static constexpr std::size_t kNumbers = 3;
  /// Shapes the part after the header, whose sizes it fills in, and copies the state there.
  using LayOut = std::function<void(snapshot::Part& part, snapshot::PartHeader header)>;

  struct TakerOptions {
    std::shared_ptr<const snapshot::SnapshotPlan> plan;
    bool own_process = false;  ///< this node is one of a job of processes
    bool background = true;    ///< a thread of its own writes; not where nodes are fibers
  };

  /// Collective. An error at the nodes that found what is wrong: a folder that cannot be written to, another job's
  /// folder, or, in another process, another folder; the other nodes get null, and `refused` is set.
  static Result<std::unique_ptr<SnapshotTaker>> open(Node& node, TakerOptions options,
                                                     LayOut lay_out, bool& refused);
  ~SnapshotTaker();

  void begin();
  /// After so many rounds of this run.
  [[nodiscard]] std::array<std::uint64_t, kNumbers> numbers(std::uint64_t rounds);
  void agreed(std::span<const std::uint64_t> sums);
  /// One was agreed on and has not been taken here.
  [[nodiscard]] bool open_request() const { return open_; }
  void take(std::uint64_t rounds);
  /// After the run. Collective.
  void close();
  /// The number that node 0 has drawn for this run.
  [[nodiscard]] std::uint64_t run() const { return run_; }
  [[nodiscard]] snapshot::Counts counts() const;

 private:
  SnapshotTaker(Node& node, TakerOptions options, LayOut lay_out);

  Node& node_;
  const TakerOptions options_;
  const LayOut lay_out_;
  std::unique_ptr<snapshot::Recorder> recorder_;
  SteadyClock clock_;
  std::uint64_t run_ = 0;
  std::uint64_t number_ = 0;  // of the one agreed on last
  bool open_ = false;
};

}  // namespace leeway
