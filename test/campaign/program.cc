#include "test/campaign/program.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/base/random.h"
#include "leeway/dsm/node.h"
#include "test/campaign/body.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kPlanStream = 1;

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
    }
  }

  SimReport run() {
    return cluster_.run([this](NodeId id) { work(*nodes_[id.index()]); });
  }
  [[nodiscard]] const std::vector<Error>& failures() const { return failures_; }

 private:
  void work(Node& node) {
    BodyHooks hooks;
    hooks.begin_overtaking = [this] { cluster_.begin_overtaking(); };
    hooks.cluster_is_quiet = [this] { observers_.cluster_is_quiet(); };
    run_body(node, plan_, hooks);
  }

  const Plan& plan_;
  Observers& observers_;
  SimCluster cluster_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Error> failures_;
};

}  // namespace

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

std::vector<Promise> promises_of(const Plan& plan) {
  std::vector<Promise> promises;
  for (const SpacePlan& space : plan.spaces) {
    promises.push_back({parse_policy(space.mode).value(), plan.sim.nodes});
    promises.back().policy.optimizations = plan.optimizations;
  }
  return promises;
}

Outcome run_plan(const Plan& plan, bool keep_log) {
  Observers observers(promises_of(plan));
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
