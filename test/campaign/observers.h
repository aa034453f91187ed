// Watches a cluster from outside: it knows what was stored when, because the program says so, and which store a
// value comes from, because the value does. From that alone it says which promise of the consistency model was
// broken. The library knows nothing of it, so what is watched is what ships.
//
// Threads: everything may be called by any thread of any node. The tables lie in memory that the caller lends,
// zeros at first, so that the processes of one machine can share them.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "test/campaign/plan.h"

namespace leeway::campaign {

/// Who reads, and when.
struct Reader {
  NodeId node{0};
  std::uint32_t thread = 0;
  std::uint32_t iteration = 0;
  std::uint32_t epoch = 0;  ///< how often this node has returned from `quiesce`
  bool counts = true;       ///< for the iteration: false after its vote
  bool refreshed = false;   ///< stale copies have had their time to be refreshed, and nobody writes
};

class Observers {
 public:
  /// How many words `memory` needs.
  [[nodiscard]] static std::size_t words(const Plan& plan);
  Observers(const Plan& plan, std::span<std::uint64_t> memory);

  // Stores, by the one writer of an object. Those of one object are called one after another.

  /// The number of the store that is about to begin; 0 if the object's values can tell no more apart.
  [[nodiscard]] std::uint32_t begin_store(Key key);
  /// It has returned.
  void end_store(Key key, std::uint32_t number);
  /// The others will hear of it without anything else that its thread does.
  void announce(Key key, std::uint32_t number);
  [[nodiscard]] std::uint32_t announced(Key key) const;

  // Reads.

  /// The oldest store that a read which begins now may return.
  [[nodiscard]] std::uint32_t oldest(const Reader& reader, Key key) const;
  /// A read returned `value`; `oldest` was taken before it began.
  std::uint32_t saw(const Reader& reader, Key key, std::uint32_t oldest, ValueView value,
                    const char* how);

  // Iterations and quiet moments.

  /// `node` is about to quiesce, for the `epoch`th time: what it stored is known everywhere afterwards.
  void settle(NodeId node, std::uint32_t epoch);
  /// `node` votes; `busy` if it stored, or met anything but current values, or heard any news.
  void vote(NodeId node, std::uint32_t iteration, bool to_continue, bool busy);
  /// What `node` was told.
  void verdict(NodeId node, std::uint32_t iteration, bool converged);
  /// Of all iterations, the last of which was `iteration`. By one node, after the end.
  void check_not_late(std::uint32_t iteration);
  /// A computation that goes on for so long does not end.
  static constexpr std::uint32_t kMostIterations = 1024;

  void violate(const std::string& rule, const std::string& detail);
  [[nodiscard]] std::vector<std::string> violations() const;

  [[nodiscard]] std::uint64_t observations() const { return observations_.load(); }
  /// Of everything that was read, in whatever order.
  [[nodiscard]] std::uint64_t digest() const { return digest_.load(); }
  /// From now on every store and read becomes a line.
  void keep_log() { keeps_log_ = true; }
  [[nodiscard]] const std::vector<std::string>& log() const { return log_; }

  /// What names the object in its values.
  [[nodiscard]] std::uint64_t mark(Key key) const;

 private:
  using Number = std::atomic<std::uint64_t>;
  /// Of an object: numbers of stores.
  struct Written {
    Number begun, ended, announced;
    std::array<Number, 2> settled;  // by epoch, even and odd
  };
  /// Of an object at a node.
  struct Seen {
    Number newest;  // that any thread has read
    Number
        used;  // the oldest that was used in an iteration: its number plus one above, the store below
  };
  struct Iteration {
    Number to_continue, busy, ended, went_on;  // nodes
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
  std::vector<std::size_t> first_;  // of each space's objects, in the tables
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
