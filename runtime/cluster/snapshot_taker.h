// SnapshotTaker: takes the snapshots of one node's run, between the engine and the recorder.
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
struct SnapshotOptions;
class Recorder;
}  // namespace leeway::snapshot

namespace leeway {

/// The nodes agree on each snapshot within the votes or sums that end their rounds, so agreement needs no messages of
/// its own and does not disturb termination detection. An engine adds `numbers` to its sums and passes the result to
/// `agreed`. If a snapshot is then open (open_request), the engine calls `take` when its values may be copied. Used
/// only by the node's main thread.
class SnapshotTaker {
 public:
  /// Number of values that a node adds to the sums.
  static constexpr std::size_t kNumbers = 3;
  /// Gives the part its shape, after filling in the sizes in the header, and copies the state into it.
  using LayOut = std::function<void(snapshot::Part& part, snapshot::PartHeader header)>;

  struct TakerOptions {
    std::shared_ptr<const snapshot::SnapshotOptions> plan;
    bool own_process = false;  ///< the node is a process of a job
    bool background = true;    ///< write on a separate thread; false where nodes are fibers
  };

  /// Collective. Returns an error at the nodes that found the cause: a folder that cannot be written, the folder of
  /// another job, or a different folder in another process. The other nodes get null, and `refused` is set.
  static Result<std::unique_ptr<SnapshotTaker>> open(Node& node, TakerOptions options,
                                                     LayOut lay_out, bool& refused);
  ~SnapshotTaker();

  void begin();
  /// After `rounds` rounds of this run.
  [[nodiscard]] std::array<std::uint64_t, kNumbers> numbers(std::uint64_t rounds);
  void agreed(std::span<const std::uint64_t> sums);
  /// A snapshot was agreed on and has not been taken on this node.
  [[nodiscard]] bool open_request() const { return open_; }
  void take(std::uint64_t rounds);
  /// After the run. Collective.
  void close();
  [[nodiscard]] snapshot::Counts counts() const;

 private:
  SnapshotTaker(Node& node, TakerOptions options, LayOut lay_out);

  Node& node_;
  const TakerOptions options_;
  const LayOut lay_out_;
  std::unique_ptr<snapshot::Recorder> recorder_;
  SteadyClock clock_;
  std::uint64_t run_ = 0;     // drawn at random by node 0
  std::uint64_t number_ = 0;  // of the snapshot agreed on last
  bool open_ = false;
};

}  // namespace leeway
