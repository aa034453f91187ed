#include "test/campaign/program.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/base/random.h"
#include "leeway/dsm/node.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kPlanStream = 1;
constexpr std::uint64_t kProgramStream = 1000;

template <class T, std::size_t kCount>
const T& choose(Random& random, const std::array<T, kCount>& from) {
  return from[random.below(kCount)];
}

SpacePlan plan_space(Random& random) {
  constexpr std::array<std::string_view, 9> kModes = {
      "scp", "scp+rw", "scp+pb", "stale-1", "stale-3", "rcp", "rcp-2", "rcp+push", "rcp+push"};
  constexpr std::array<std::uint32_t, 8> kSizes = {2, 3, 4, 8, 8, 16, 61, 1000};
  SpacePlan space;
  space.mode = choose(random, kModes);
  space.shape = {choose(random, kSizes), random.chance(0.2)};
  space.objects_per_node = static_cast<std::uint32_t>(1 + random.below(24));
  if (random.chance(0.3)) space.cache_capacity = kLeastCacheCapacity;
  return space;
}

NetworkProfile plan_network(Random& random) {
  constexpr std::array<std::string_view, 6> kProfiles = {
      "ideal",
      "infiniband",
      "gigabit",
      "ec2",
      "custom:latency_us=5,jitter_us=200",
      "custom:latency_us=1,spike_per_million=100000,spike_us=3000,gbit=1"};
  NetworkProfile profile = parse_profile(choose(random, kProfiles)).value();
  if (random.chance(0.2)) profile.window_bytes = 64 + random.below(4000);
  return profile;
}

void plan_faults(Random& random, Plan& plan) {
  const std::uint32_t nodes = plan.sim.nodes;
  if (random.chance(0.3)) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      plan.sim.faults.slowdown_percent.push_back(
          static_cast<std::uint32_t>(100 + random.below(900)));
    }
  }
  while (random.chance(0.3)) {
    plan.sim.faults.pauses.push_back(
        {NodeId(static_cast<std::uint32_t>(random.below(nodes))),
         Instant(Duration(static_cast<Duration::rep>(random.below(2'000'000)))),
         Duration(static_cast<Duration::rep>(random.below(1'000'000)))});
  }
  if (random.chance(0.3)) plan.sim.faults.overtaken_per_million = 200'000;
  plan.crashes = random.chance(0.05) && nodes > 1;
  if (!plan.crashes) return;
  plan.sim.faults.crashes.push_back(
      {NodeId(static_cast<std::uint32_t>(random.below(nodes))),
       Instant(Duration(static_cast<Duration::rep>(random.below(1'000'000))))});
}

}  // namespace

Plan make_plan(std::uint64_t seed) {
  Random random(seed, kPlanStream);
  Plan plan;
  plan.seed = seed;
  plan.sim.seed = seed;
  plan.sim.nodes =
      static_cast<std::uint32_t>(random.chance(0.1) ? 1 + random.below(20) : 2 + random.below(4));
  plan.sim.profile = plan_network(random);
  plan.sim.cost = random.chance(0.5) ? CostModel{} : CostModel::tardis();
  plan.sim.time_limit = std::chrono::minutes(10);
  const std::uint64_t spaces = 1 + random.below(2);
  for (std::uint64_t i = 0; i < spaces; ++i) plan.spaces.push_back(plan_space(random));
  plan.optimizations.aggregation = !random.chance(0.15);
  plan.optimizations.flattening = !random.chance(0.15);
  plan.iterations = static_cast<std::uint32_t>(2 + random.below(6));
  plan.writing_iterations = random.chance(0.5)
                                ? plan.iterations
                                : static_cast<std::uint32_t>(random.below(plan.iterations + 1));
  plan.steps = static_cast<std::uint32_t>(5 + random.below(30));
  plan.threads = static_cast<std::uint32_t>(1 + random.below(3));
  plan.service = random.chance(0.8) ? Service::Background : Service::Inline;
  plan_faults(random, plan);
  return plan;
}

std::string Plan::describe() const {
  std::string text =
      format("seed {}: {} nodes, {} threads, {}, {} iterations of {} steps{}{}{}", seed, sim.nodes,
             threads, sim.profile.name, iterations, steps,
             optimizations.aggregation ? "" : ", no aggregation",
             optimizations.flattening ? "" : ", no flattening", crashes ? ", a node crashes" : "");
  if (sim.faults.overtaken_per_million > 0) text += ", frames overtake each other";
  if (!sim.faults.pauses.empty()) text += ", pauses";
  if (!sim.faults.slowdown_percent.empty()) text += ", stragglers";
  if (sim.profile.window_bytes < 5000)
    text += format(", windows of {} bytes", sim.profile.window_bytes);
  for (const SpacePlan& space : spaces) {
    text += format("; {} objects of {}{} bytes under {}{}", space.objects_per_node,
                   space.shape.variable ? "up to " : "", space.shape.bytes, space.mode,
                   space.cache_capacity > 0 ? ", bounded cache" : "");
  }
  return text;
}

namespace {

/// One run of a plan: the nodes, what they share, and what their activities do.
class Run {
 public:
  Run(const Plan& plan, Observers& observers)
      : plan_(plan), observers_(observers), cluster_(plan.sim) {
    for (std::uint32_t i = 0; i < plan.sim.nodes; ++i) {
      NodeOptions options;
      options.policy = parse_policy(plan.spaces[0].mode).value();
      options.policy.optimizations = plan.optimizations;
      options.service = plan.service;
      options.recorder = &observers;
      options.on_failure = [this](const Error& error) { failures_.push_back(error); };
      nodes_.push_back(std::make_unique<Node>(cluster_.node(NodeId(i)), options));
      counts_.emplace_back(plan.spaces.size());
    }
  }

  SimReport run() {
    return cluster_.run([this](NodeId id) { work(*nodes_[id.index()]); });
  }
  [[nodiscard]] const std::vector<Error>& failures() const { return failures_; }

 private:
  struct Mine {
    std::vector<Space*> spaces;
    std::vector<std::vector<Handle>> handles;  // by space: every object of the cluster
  };

  void work(Node& node) {
    Mine mine = open(node);
    if (plan_.sim.faults.overtaken_per_million > 0) {
      read_everything(node, mine);  // every link is agreed on before frames overtake each other
      node.quiesce();
      cluster_.begin_overtaking();
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
    if (node.self() == NodeId(0)) observers_.cluster_is_quiet();
    node.barrier();
    read_everything(node, mine);
    node.close();
  }

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
      counts_[node.self().index()][i].resize(space.objects_per_node);
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
    std::uint32_t left = plan_.threads - 1;
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
        if (writes) store(node, mine, space, random);
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

  void store(Node& node, Mine& mine, std::size_t space, Random& random) {
    const SpacePlan& plan = plan_.spaces[space];
    const auto object = static_cast<std::uint32_t>(random.below(plan.objects_per_node));
    std::uint32_t& count = counts_[node.self().index()][space][object];
    if (++count > 65'000) return;  // two bytes must tell the writes apart
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
  Observers& observers_;
  SimCluster cluster_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::vector<std::vector<std::uint32_t>>>
      counts_;  // node, space, object: stores so far
  std::vector<Error> failures_;
};

void tell_initial_values(const Plan& plan, Observers& observers) {
  for (std::size_t i = 0; i < plan.spaces.size(); ++i) {
    const SpacePlan& space = plan.spaces[i];
    const std::vector<std::byte> zeros(space.shape.variable ? 0 : space.shape.bytes);
    for (std::uint32_t home = 0; home < plan.sim.nodes; ++home) {
      for (std::uint32_t local = 0; local < space.objects_per_node; ++local) {
        observers.initial_value(SpaceId(static_cast<std::uint16_t>(i)),
                                {NodeId(home), LocalIndex(local)}, hash_value(zeros));
      }
    }
  }
}

}  // namespace

Outcome run_plan(const Plan& plan, bool keep_log) {
  std::vector<Promise> promises;
  for (const SpacePlan& space : plan.spaces) {
    promises.push_back({parse_policy(space.mode).value(), plan.sim.nodes});
    promises.back().policy.optimizations = plan.optimizations;
  }
  Observers observers(promises);
  tell_initial_values(plan, observers);
  Outcome outcome;
  SimReport report;
  {
    Run run(plan, observers);
    report = run.run();
    if (report.outcome == SimOutcome::Finished) observers.finish();
    outcome.violations = observers.violations();
    const bool lost = report.outcome == SimOutcome::NodeLost;
    if (report.outcome != SimOutcome::Finished && !(lost && plan.crashes)) {
      outcome.violations.push_back(format("every run ends: outcome {}, {}",
                                          static_cast<int>(report.outcome), report.detail));
    }
    if (lost && plan.sim.nodes > 1 && run.failures().empty()) {
      outcome.violations.push_back("a lost node is noticed: nobody was told");
    }
    if (!lost && !run.failures().empty()) {
      outcome.violations.push_back("peers understand each other: " + run.failures()[0].to_string());
    }
  }
  outcome.digest = observers.digest() ^ report.digest;
  outcome.events = report.events;
  outcome.records = observers.log().size();
  if (keep_log) {
    for (const Record& record : observers.log()) outcome.log.push_back(to_line(record));
  }
  return outcome;
}

}  // namespace leeway::campaign
