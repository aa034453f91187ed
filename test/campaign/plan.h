// A random program on a random cluster, all from one seed: who reads, writes, prefetches and waits when, and by
// which of the interface's ways; how large objects, caches and thresholds are; what the network does and what
// goes wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsm/node.h"
#include "transport/sim.h"

namespace leeway::campaign {

/// One object of a space, numbered home by home.
struct Key {
  std::uint32_t space = 0;
  std::uint32_t object = 0;
};

struct SpacePlan {
  Policy policy;
  std::uint32_t value_bytes = 8;
  std::uint32_t objects_per_node = 1;
  std::uint32_t cache_capacity = 0;
  Eviction eviction = Eviction::Lru;
  bool hear_of_evicted = false;
};

/// Situations that random steps would seldom come to. Drawn by themselves: what else belongs to a seed does not depend
/// on them.
struct Episodes {
  bool slow_improvements = false;  ///< others run between an improvement's look and its write
  bool waits = false;              ///< wait_while_others_ask
  bool disagrees = false;          ///< call_different_collectives: a run that never ends well
  bool bursts = false;             ///< homes store faster than a small window takes
  bool meets_in_order = false;     ///< as an engine does: links are in the order of their objects
  bool sweeps = false;             ///< many objects, all of which are stored again and again
};

struct Plan {
  std::uint64_t seed = 0;
  SimOptions sim;
  std::vector<SpacePlan> spaces;
  Optimizations optimizations;
  std::uint32_t iterations = 0;          ///< at least this many
  std::uint32_t writing_iterations = 0;  ///< nobody writes after these
  std::uint32_t steps = 0;               ///< of each thread in each iteration
  std::uint32_t threads = 1;             ///< per node
  Service service = Service::Background;
  bool crashes = false;
  Episodes episodes;
  bool over_threads = false;  ///< drawn for real threads rather than for the virtual cluster

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::string repeat_command() const;
  [[nodiscard]] std::uint32_t nodes() const { return sim.nodes; }
  /// Of all nodes, in the space.
  [[nodiscard]] std::uint32_t objects(std::uint32_t space) const {
    return spaces[space].objects_per_node * nodes();
  }
  [[nodiscard]] ObjectId id(Key key) const {
    const std::uint32_t each = spaces[key.space].objects_per_node;
    return {NodeId(key.object / each), LocalIndex(key.object % each)};
  }
  [[nodiscard]] NodeId home(Key key) const { return id(key).home(); }
  /// The one node that stores to the object: its home where work is collocated.
  [[nodiscard]] NodeId writer(Key key) const;
  [[nodiscard]] bool bounded() const;

  // What is drawn again for every iteration, alike on all nodes.

  [[nodiscard]] bool settles(std::uint32_t iteration) const;
  [[nodiscard]] bool splits_vote(std::uint32_t iteration) const;
  /// Whether `node` wants another iteration.
  [[nodiscard]] bool goes_on(NodeId node, std::uint32_t iteration) const;
};

/// For the virtual cluster, or for real threads, where there are fewer nodes and more steps, and no faults.
[[nodiscard]] Plan make_plan(std::uint64_t seed, bool over_threads = false);

}  // namespace leeway::campaign
