#include "test/campaign/body.h"

#include <atomic>

#include "leeway/base/format.h"
#include "leeway/base/random.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kProgramStream = 1000;

class Body {
 public:
  Body(const Plan& plan, const BodyHooks& hooks)
      : plan_(plan), hooks_(hooks), counts_(plan.spaces.size()) {}

  void run(Node& node) {
    Mine mine = open(node);
    if (plan_.sim.faults.overtaken_per_million > 0) {
      read_everything(node, mine);  // every link is agreed on before frames overtake each other
      node.quiesce();
      if (hooks_.begin_overtaking) hooks_.begin_overtaking();
    }
    node.barrier();
    bool done = false;
    for (std::uint32_t iteration = 0; !done; ++iteration) {
      const bool writes = iteration < plan_.writing_iterations;
      iterate(node, mine, iteration, writes);
      done = node.converged(writes || iteration + 1 < plan_.iterations);
    }
    node.quiesce();
    read_everything(node, mine);  // stale copies are used once more, and ask for refreshes
    node.quiesce();
    if (node.self() == NodeId(0)) hooks_.cluster_is_quiet();
    node.barrier();
    read_everything(node, mine);
    node.close();
  }

 private:
  struct Mine {
    std::vector<Space*> spaces;
    std::vector<std::vector<Handle>> handles;  // by space: every object of the cluster
  };

  Mine open(Node& node) {
    Mine mine;
    for (std::size_t i = 0; i < plan_.spaces.size(); ++i) {
      const SpacePlan& space = plan_.spaces[i];
      SpaceOptions options;
      options.name = format("space {}", i);
      options.local_objects = space.objects_per_node;
      options.remote_objects = space.objects_per_node * plan_.sim.nodes;
      options.cache_capacity = space.cache_capacity;
      options.policy = parse_policy(space.mode).value();
      options.policy->optimizations = plan_.optimizations;
      mine.spaces.push_back(node.open_space(options, space.shape).value());
      counts_[i].resize(space.objects_per_node);
      std::vector<Handle> handles;
      for (std::uint32_t home = 0; home < plan_.sim.nodes; ++home) {
        for (std::uint32_t local = 0; local < space.objects_per_node; ++local) {
          handles.push_back(mine.spaces.back()->resolve({NodeId(home), LocalIndex(local)}).value());
        }
      }
      mine.handles.push_back(std::move(handles));
    }
    return mine;
  }

  /// All activities of the node take the same number of random steps; the last to end goes on.
  void iterate(Node& node, Mine& mine, std::uint32_t iteration, bool writes) {
    std::atomic<std::uint32_t> left{plan_.threads - 1};
    for (std::uint32_t thread = 1; thread < plan_.threads; ++thread) {
      node.transport().spawn("thread", [&, thread] {
        steps(node, mine, iteration, thread, writes);
        --left;
        node.transport().wake();
      });
    }
    steps(node, mine, iteration, 0, writes);
    node.wait_until([&] { return left == 0; });
  }

  void steps(Node& node, Mine& mine, std::uint32_t iteration, std::uint32_t thread, bool writes) {
    Random random(plan_.seed, kProgramStream + (std::uint64_t{node.self().value()} << 32) +
                                  (std::uint64_t{iteration} << 8) + thread);
    for (std::uint32_t step = 0; step < plan_.steps; ++step) {
      const auto space = static_cast<std::size_t>(random.below(mine.spaces.size()));
      const std::uint64_t dice = random.below(100);
      if (dice < 55) {
        fetch(mine, space, random);
      } else if (dice < 75) {
        if (writes) store(mine, space, random);
      } else if (dice < 82) {
        prefetch(mine, space, random);
      } else if (dice < 87) {
        node.progress();
      } else {
        node.transport().charge({.fetches = random.below(100), .vertices = random.below(20)});
      }
    }
  }

  void fetch(Mine& mine, std::size_t space, Random& random) {
    const auto& handles = mine.handles[space];
    (void)fetch_one(*mine.spaces[space], handles[random.below(handles.size())]);
  }

  static std::size_t fetch_one(Space& space, Handle handle) {
    std::vector<std::byte> value(space.shape().bytes);
    return space.fetch(handle, value.data());
  }

  void store(Mine& mine, std::size_t space, Random& random) {
    const SpacePlan& plan = plan_.spaces[space];
    const auto object = static_cast<std::uint32_t>(random.below(plan.objects_per_node));
    const std::uint32_t count = ++std::atomic_ref(counts_[space][object]);
    if (count > 65'000) return;  // two bytes must tell the writes apart
    mine.spaces[space]->store(Handle(object), value_of(plan.shape, count));
  }

  /// The value of an object's n-th write: n in the first bytes, and a length that depends on it.
  static std::vector<std::byte> value_of(ValueShape shape, std::uint32_t count) {
    std::uint32_t size = shape.bytes;
    if (shape.variable && size > 2) size = 2 + count % (size - 1);
    std::vector<std::byte> value(size, std::byte{0x5A});
    value[0] = static_cast<std::byte>(count);
    value[1] = static_cast<std::byte>(count >> 8);
    return value;
  }

  void prefetch(Mine& mine, std::size_t space, Random& random) {
    std::vector<Handle> some;
    for (std::uint64_t i = random.below(10); i > 0; --i) {
      some.push_back(mine.handles[space][random.below(mine.handles[space].size())]);
    }
    mine.spaces[space]->prefetch(some);
  }

  void read_everything(Node& node, Mine& mine) {
    for (std::size_t space = 0; space < mine.spaces.size(); ++space) {
      for (const Handle handle : mine.handles[space]) (void)fetch_one(*mine.spaces[space], handle);
    }
    node.progress();
  }

  const Plan& plan_;
  const BodyHooks& hooks_;
  std::vector<std::vector<std::uint32_t>> counts_;  // space, object: this node's stores so far
};

}  // namespace

void run_body(Node& node, const Plan& plan, const BodyHooks& hooks) { Body(plan, hooks).run(node); }

}  // namespace leeway::campaign
