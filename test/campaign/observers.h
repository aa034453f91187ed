// Checks the consistency model from outside. The test program reports each store, and each value
// contains the number of its store (stamp.h). From these the observers decide which guarantee was
// violated. The library is not instrumented, so the shipped code is checked.
//
// Threads: any thread of any node may call all methods. The tables are in memory that the caller
// provides, initially zero, so that processes on one machine can share them.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "test/campaign/plan.h"

namespace leeway::campaign {

/// The reading thread, and the time of the read.
struct Reader {
  NodeId node{0};
  std::uint32_t thread = 0;
  std::uint32_t iteration = 0;
  std::uint32_t epoch = 0;  ///< how often this node has settled
  bool acquired = false;    ///< it last settled by a barrier or by fences
  bool counts = true;       ///< the read belongs to the iteration: false after its vote
  bool refreshed = false;   ///< no stores for long enough that stale copies were refreshed
};

class Observers {
 public:
  /// Required size of `memory`, in words.
  [[nodiscard]] static std::size_t words(const Plan& plan);
  Observers(const Plan& plan, std::span<std::uint64_t> memory);

  // Stores by the only writer of an object. Calls for one object are sequential.

  /// The number of the store that is about to begin; 0 if the values of the object have no more
  /// distinct numbers.
  [[nodiscard]] std::uint32_t begin_store(Key key);
  /// The store has returned.
  void end_store(Key key, std::uint32_t number);
  /// Other nodes will receive the store without any further action of its thread.
  void announce(Key key, std::uint32_t number);
  [[nodiscard]] std::uint32_t announced(Key key) const;

  /// The oldest store that a read which begins now may return.
  [[nodiscard]] std::uint32_t oldest(const Reader& reader, Key key) const;
  /// A read returned `value`; `oldest` was taken before it began.
  std::uint32_t saw(const Reader& reader, Key key, std::uint32_t oldest, ValueView value,
                    const char* how);

  /// `node` is about to settle for the `epoch`th time. Afterwards its stores are visible
  /// everywhere.
  void settle(NodeId node, std::uint32_t epoch);
  /// `node` votes. `busy`: it stored, used a value that was not current, or received an update.
  void vote(NodeId node, std::uint32_t iteration, bool to_continue, bool busy);
  /// The verdict that `node` received.
  void verdict(NodeId node, std::uint32_t iteration, bool converged);
  /// Checks that the computation did not end too late; `iteration` was the last one. One node calls
  /// this after the end.
  void check_not_late(std::uint32_t iteration);
  /// A computation with more iterations counts as one that does not end.
  static constexpr std::uint32_t kMostIterations = 1024;

  void violate(const std::string& rule, const std::string& detail);
  [[nodiscard]] std::vector<std::string> violations() const;

  [[nodiscard]] std::uint64_t observations() const { return observations_.load(); }
  /// Digest of all values read, independent of their order.
  [[nodiscard]] std::uint64_t digest() const { return digest_.load(); }
  /// From now on every store and read is logged.
  void keep_log() { keeps_log_ = true; }
  [[nodiscard]] const std::vector<std::string>& log() const { return log_; }

  /// Identifies the object in its values.
  [[nodiscard]] std::uint64_t mark(Key key) const;

 private:
  using Number = std::atomic<std::uint64_t>;
  /// Numbers of an object's stores.
  struct Written {
    Number begun, ended, announced;
    std::array<Number, 2> settled;  // by epoch, even and odd
  };
  /// An object as one node has seen it.
  struct Seen {
    Number newest;  // read by any thread
    Number used;    // oldest used: iteration + 1 (upper half), store (lower half)
  };
  struct Iteration {
    Number to_continue, busy, ended, continued;  // nodes
  };

  [[nodiscard]] Written& written(Key key) const { return written_[first_[key.space] + key.object]; }
  [[nodiscard]] Seen& seen(NodeId node, Key key) const {
    return seen_[node.index() * objects_ + first_[key.space] + key.object];
  }
  void use(const Reader& reader, Key key, std::uint32_t number);
  void check_used(NodeId node, std::uint32_t iteration);
  [[nodiscard]] std::string name(Key key) const;
  void log(const std::string& line);

  const Plan& plan_;
  std::vector<std::size_t> first_;  // index of each space's first object in the tables
  std::size_t objects_ = 0;
  Written* written_ = nullptr;
  Seen* seen_ = nullptr;
  Iteration* iterations_ = nullptr;
  std::atomic<std::uint64_t> observations_{0};
  std::atomic<std::uint64_t> digest_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> violations_;
  std::vector<std::string> log_;
  bool keeps_log_ = false;
};

}  // namespace leeway::campaign
