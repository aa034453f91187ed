// A random program on a random cluster, all from one seed: which threads read, write, prefetch and
// wait when, and by which operations; sizes of objects, caches and thresholds; the behaviour of the
// network and its faults.
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
  bool invalidate_evicted = false;
};

/// Ways to make all stores known at all nodes.
enum class Settling {
  Quiesce,  ///< reads may still return copies as old as the mode allows
  Barrier,  ///< reads return the newest stores
  Fences,   ///< as Barrier, one space after the other
};

/// Situations that random steps seldom produce. Drawn separately, so that the rest of a seed's plan
/// does not depend on them.
struct Episodes {
  bool slow_improvements = false;  ///< other threads run before an improvement's write
  bool waits = false;              ///< wait_while_others_ask
  bool disagrees = false;          ///< call_different_collectives: a run that never ends well
  bool bursts = false;             ///< homes store faster than a small window can send
  bool meets_in_order = false;     ///< like an engine: links are in the order of their objects
  bool sweeps = false;             ///< many objects, all stored repeatedly
};

struct Plan {
  std::uint64_t seed = 0;
  SimOptions sim;
  std::vector<SpacePlan> spaces;
  Optimizations optimizations;
  std::uint32_t iterations = 0;          ///< at least this many
  std::uint32_t writing_iterations = 0;  ///< no node stores after these
  std::uint32_t steps = 0;               ///< per thread and iteration
  std::uint32_t threads = 1;             ///< per node
  Service service = Service::Background;
  bool crashes = false;
  Episodes episodes;
  bool over_threads = false;  ///< drawn for real threads rather than for the virtual cluster

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::string repeat_command() const;
  [[nodiscard]] std::uint32_t nodes() const { return sim.nodes; }
  /// Number of objects of all nodes in the space.
  [[nodiscard]] std::uint32_t objects(std::uint32_t space) const {
    return spaces[space].objects_per_node * nodes();
  }
  [[nodiscard]] ObjectId id(Key key) const {
    const std::uint32_t each = spaces[key.space].objects_per_node;
    return {NodeId(key.object / each), LocalIndex(key.object % each)};
  }
  [[nodiscard]] NodeId home(Key key) const { return id(key).home(); }
  /// The only node that stores to the object; its home if work is collocated.
  [[nodiscard]] NodeId writer(Key key) const;
  [[nodiscard]] bool bounded() const;

  // Drawn per iteration, identically on all nodes.

  [[nodiscard]] bool settles(std::uint32_t iteration) const;
  /// How the nodes settle after an iteration.
  [[nodiscard]] Settling settling(std::uint32_t iteration) const;
  [[nodiscard]] bool splits_vote(std::uint32_t iteration) const;
  /// The vote of `node` at the end of an iteration.
  [[nodiscard]] bool votes_to_continue(NodeId node, std::uint32_t iteration) const;
};

/// A plan for the virtual cluster, or for real threads, with fewer nodes, more steps and no faults.
[[nodiscard]] Plan make_plan(std::uint64_t seed, bool over_threads = false);

}  // namespace leeway::campaign
