// Objects of one node that no other node reads. Its threads write them by the operations that send
// no messages, View::store_local and View::improve_local, and read them back by every operation.
// Their ids follow those of the shared objects, so the rest of a seed's program does not change.
//
// In each space, the first ones are stored to by one thread at a time. The others are improved by
// all threads, where the greater number is the better one. A value contains its number (stamp.h),
// so a read shows whether a store or improvement that had returned before was lost.
//
// Threads: `step` may be called by any thread of the node, which outlives this.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "dsm/node.h"
#include "test/campaign/objects.h"
#include "test/campaign/observers.h"

namespace leeway::campaign {

class OwnObjects {
 public:
  static constexpr std::uint32_t kPerSpace = 4;

  OwnObjects(Node& node, const Plan& plan, Observers& observers);

  /// One random store, improvement or read in the space of this session, which belongs to the
  /// calling thread.
  void step(Random& random, Session& session, const Reader& reader, std::uint32_t space);

 private:
  static constexpr std::uint32_t kStored = 2;  // the first objects, which are stored to

  /// Numbers of stores or improvements: the greatest that has begun, and the greatest that has
  /// returned.
  struct Written {
    std::atomic<std::uint32_t> begun{0}, ended{0};
  };

  [[nodiscard]] Written& written(Key key) {
    return written_[std::size_t{key.space} * kPerSpace + key.object];
  }
  [[nodiscard]] std::uint64_t mark(Key key) const;
  [[nodiscard]] Handle handle(Key key) const {
    return Handle(plan_.spaces[key.space].objects_per_node + key.object);
  }
  void store(Session& session, Key key);
  void improve(Random& random, Session& session, Key key);
  void read(Random& random, Session& session, Key key);
  void judge(Key key, std::uint32_t oldest, ValueView value, const char* how);
  /// Gives another thread time to run between an improvement's comparison and its write.
  void hesitate();

  Node& node_;
  const Plan& plan_;
  Observers& observers_;
  std::vector<Written> written_;
};

}  // namespace leeway::campaign
