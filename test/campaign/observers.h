// Watches a cluster from outside and trusts nobody: from the event log alone it rebuilds what every node
// could know and says which rule of the consistency model was broken, and where.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leeway/dsm/record.h"
#include "leeway/protocol/policy.h"

namespace leeway::campaign {

/// What a run promised: the rules differ by mode.
struct Promise {
  Policy policy;
  std::uint32_t nodes = 0;
};

/// Thread-safe while recording. Values must be distinct for each write of an object.
class Observers final : public Recorder {
 public:
  /// One promise a space, in the order in which the spaces are opened.
  explicit Observers(std::vector<Promise> promises) : promises_(std::move(promises)) {}

  void record(const Record& record) override;
  /// The first value of an object, which nobody writes.
  void initial_value(SpaceId space, ObjectId object, std::uint64_t hash);
  /// From here on every copy must be as new as its mode promises of a quiet cluster.
  void cluster_is_quiet();

  /// Call after the run: the rules that speak of its end.
  void finish();

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] const std::vector<Record>& log() const { return log_; }
  [[nodiscard]] std::uint64_t digest() const;

 private:
  using Key = std::pair<SpaceId, ObjectId>;
  using Place = std::pair<NodeId, Key>;
  struct Iteration {
    bool voted = false;          // somebody wanted to go on
    bool quiet = true;           // nothing but current reads happened in it
    std::vector<Place> used;     // copies read in it
    std::set<NodeId> converged;  // who was told that it was the last
    std::set<NodeId> continued;
  };

  void on_write(const Record& record, Key key);
  void on_read(const Record& record, Key key);
  void on_iterated(const Record& record);
  void check_not_late();
  void violate(const Record& record, const std::string& rule, const std::string& detail);
  [[nodiscard]] const Policy& policy(Key key) const { return promises_[key.first.index()].policy; }
  [[nodiscard]] std::uint64_t version_of(Key key, std::uint64_t hash) const;

  std::vector<Promise> promises_;
  std::mutex mutex_;
  std::vector<Record> log_;
  std::vector<std::string> violations_;
  std::map<Key, std::map<std::uint64_t, std::uint64_t>> version_by_value_;
  std::map<Key, std::uint64_t> newest_;        // at the home
  std::map<Key, std::uint64_t> acknowledged_;  // newest version whose waiting store has returned
  std::map<Place, std::uint64_t> heard_;       // newest version a node was told of
  std::map<Place, std::uint64_t> read_;        // newest version a node has read
  std::map<Place, std::uint64_t> holds_;       // the copy's version; absent: none
  std::map<Key, std::set<NodeId>> sharers_;    // d^o
  std::map<NodeId, std::uint64_t> iteration_of_;
  std::vector<Iteration> iterations_;
  bool quiet_ = false;
};

}  // namespace leeway::campaign
