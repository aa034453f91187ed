#include "test/campaign/plan.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/format.h"
#include "base/random.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kPlanStream = 1;
constexpr std::uint64_t kEpisodesStream = 2;
constexpr std::uint64_t kSmallWindow = 5000;  // bytes
constexpr std::uint32_t kMostHomeBytes = 512 * 1024;

/// Keeps the memory and the time of a run with large values bounded.
void limit_objects(SpacePlan& space) {
  space.objects_per_node = std::min(space.objects_per_node, kMostHomeBytes / space.value_bytes);
}

template <class T, std::size_t kCount>
const T& choose(Random& random, const std::array<T, kCount>& from) {
  return from[random.below(kCount)];
}

SpacePlan plan_space(Random& random, const Optimizations& optimizations) {
  constexpr std::array<std::string_view, 12> kModes = {
      "scp",   "scp+rw", "scp+pb", "stale-1",  "stale-3",  "stale-0",
      "rcp-1", "rcp-2",  "rcp",    "rcp+push", "rcp+push", "rcp+push"};
  constexpr std::array<std::uint32_t, 11> kSizes = {1, 2, 3, 4, 8, 8, 8, 12, 16, 61, 1000};
  constexpr std::array<std::uint32_t, 3> kLarge = {4096, 10'000, kMaxValueBytes};
  SpacePlan space;
  space.policy = parse_policy(choose(random, kModes)).value();
  space.policy.optimizations = optimizations;
  space.value_bytes = choose(random, kSizes);
  if (random.chance(0.15)) space.value_bytes = choose(random, kLarge);
  // With few objects, threads meet at the same object often; with more than a cache holds, it
  // evicts.
  space.objects_per_node =
      static_cast<std::uint32_t>(1 + random.below(random.chance(0.4) ? 4 : 24));
  if (random.chance(0.25)) {
    space.cache_capacity = kLeastCacheCapacity;
    if (random.chance(0.5))
      space.objects_per_node = kLeastCacheCapacity;  // one home's objects fill it
  }
  limit_objects(space);
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
  Faults& faults = plan.sim.faults;
  if (random.chance(0.3)) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      faults.slowdown_percent.push_back(static_cast<std::uint32_t>(100 + random.below(900)));
    }
  }
  while (random.chance(0.3)) {
    faults.pauses.push_back({NodeId(static_cast<std::uint32_t>(random.below(nodes))),
                             Instant(Duration(static_cast<Duration::rep>(random.below(2'000'000)))),
                             Duration(static_cast<Duration::rep>(random.below(1'000'000)))});
  }
  // Message order (the contract of Transport) matters where a later Write supersedes an earlier
  // one, and where a slot of a bounded cache is reused for another object: messages about the old
  // object must not arrive later.
  const bool order_counts = !plan.optimizations.collocation || plan.bounded();
  if (random.chance(0.3) && !order_counts) faults.overtaken_per_million = 200'000;
  plan.crashes = random.chance(0.08) && nodes > 1;
  if (!plan.crashes) return;
  faults.crashes.push_back(
      {NodeId(static_cast<std::uint32_t>(random.below(nodes))),
       Instant(Duration(static_cast<Duration::rep>(random.below(1'000'000))))});
}

Episodes plan_episodes(const Plan& plan) {
  Random random(plan.seed, kEpisodesStream);
  const bool small_windows = plan.sim.profile.window_bytes < kSmallWindow;
  Episodes episodes;
  episodes.slow_improvements = random.chance(0.1);
  episodes.waits = random.chance(0.06) && plan.nodes() > 1;
  episodes.disagrees = random.chance(0.06) && plan.nodes() > 1 && !plan.crashes;
  episodes.bursts = random.chance(0.5) && small_windows;
  episodes.meets_in_order = random.chance(0.3);
  episodes.sweeps = random.chance(0.1);
  return episodes;
}

/// Enough neighbours for operations on contiguous ranges of them.
void widen(Plan& plan) {
  constexpr std::uint64_t kWideStream = 4;
  Random random(plan.seed, kWideStream);
  plan.episodes.meets_in_order = random.chance(0.8);
  plan.iterations = std::min(plan.iterations, 4u);
  plan.writing_iterations = std::min(plan.writing_iterations, plan.iterations + 1);
  for (SpacePlan& space : plan.spaces) {
    space.objects_per_node = static_cast<std::uint32_t>(32 + random.below(150));
    limit_objects(space);
    // As between supersteps: homes push values of neighbours in batches.
    if (!random.chance(0.4) || space.policy.writes == Writes::Wait) continue;
    space.policy.updates = Updates::Always;
    space.policy.name += ", always pushing";
  }
}

/// The number of reads after which a home pushes values to a sharer.
void plan_earning(Plan& plan) {
  constexpr std::uint64_t kEarningStream = 5;
  Random random(plan.seed, kEarningStream);
  for (SpacePlan& space : plan.spaces)
    space.policy.earned_by = static_cast<std::uint8_t>(random.below(3));
}

/// A random number that is a pure function of `seed` and the other arguments.
std::uint64_t drawn(std::uint64_t seed, std::uint64_t what, std::uint64_t a, std::uint64_t b = 0) {
  return mix64(mix64(mix64(seed ^ (what << 48)) ^ a) ^ b);
}

std::string cache_text(const SpacePlan& space) {
  if (space.cache_capacity == 0) return {};
  std::string text = ", bounded cache";
  if (space.eviction == Eviction::Clock) text += " by clock";
  if (space.invalidate_evicted) text += " that invalidates evicted copies";
  return text;
}

}  // namespace

Plan make_plan(std::uint64_t seed, bool over_threads) {
  Random random(seed, kPlanStream);
  Plan plan;
  plan.seed = seed;
  plan.over_threads = over_threads;
  plan.sim.seed = seed;
  plan.sim.nodes =
      static_cast<std::uint32_t>(random.chance(0.1) ? 1 + random.below(20) : 2 + random.below(4));
  plan.sim.profile = plan_network(random);
  plan.sim.cost = random.chance(0.5) ? CostModel{} : CostModel::tardis();
  plan.sim.time_limit = std::chrono::minutes(10);
  plan.sim.stack_bytes = std::size_t{2} << 20U;  // room for several of the largest values
  plan.optimizations.aggregation = !random.chance(0.15);
  plan.optimizations.flattening = !random.chance(0.15);
  plan.optimizations.collocation = !random.chance(0.2);
  plan.optimizations.replication = random.chance(0.2);
  const std::uint64_t spaces = 1 + random.below(2);
  for (std::uint64_t i = 0; i < spaces; ++i)
    plan.spaces.push_back(plan_space(random, plan.optimizations));
  for (std::uint64_t i = 0; i < spaces;
       ++i) {  // separate draws, so that older seeds keep their meaning
    plan.spaces[i].eviction = drawn(seed, 5, i) % 2 == 0 ? Eviction::Lru : Eviction::Clock;
    plan.spaces[i].invalidate_evicted = drawn(seed, 6, i) % 2 == 0;
    plan.spaces[i].policy.paced =
        plan.spaces[i].policy.writes == Writes::Continue && drawn(seed, 9, i) % 4 == 0;
  }
  plan.iterations = static_cast<std::uint32_t>(2 + random.below(6));
  plan.writing_iterations = random.chance(0.5)
                                ? plan.iterations + 2
                                : static_cast<std::uint32_t>(random.below(plan.iterations + 1));
  plan.steps = static_cast<std::uint32_t>(5 + random.below(30));
  plan.threads = static_cast<std::uint32_t>(1 + random.below(3));
  plan.service = random.chance(0.8) ? Service::Background : Service::Inline;
  // Drawn apart, so that the other draws of a seed remain what they were.
  if (plan.service == Service::Background && drawn(seed, 7, 0) % 4 == 0)
    plan.service = Service::Separate;
  plan_faults(random, plan);
  plan.episodes = plan_episodes(plan);
  if (plan.episodes.sweeps) widen(plan);
  plan_earning(plan);
  if (!over_threads) return plan;
  plan.sim.nodes = static_cast<std::uint32_t>(2 + random.below(3));
  plan.sim.faults = {};
  plan.crashes = false;
  plan.episodes = {.meets_in_order = plan.episodes.meets_in_order, .sweeps = plan.episodes.sweeps};
  plan.steps *= 10;
  if (random.chance(0.6)) plan.sim.profile = parse_profile("ideal").value();
  return plan;
}

NodeId Plan::writer(Key key) const {
  if (optimizations.collocation) return home(key);
  return NodeId(static_cast<std::uint32_t>(drawn(seed, 1, key.space, key.object) % nodes()));
}

bool Plan::bounded() const {
  return std::any_of(spaces.begin(), spaces.end(),
                     [](const SpacePlan& space) { return space.cache_capacity > 0; });
}

bool Plan::settles(std::uint32_t iteration) const { return drawn(seed, 2, iteration) % 3 == 0; }

Settling Plan::settling(std::uint32_t iteration) const {
  return static_cast<Settling>(drawn(seed, 8, iteration) % 3);
}

bool Plan::splits_vote(std::uint32_t iteration) const { return drawn(seed, 3, iteration) % 4 == 0; }

bool Plan::votes_to_continue(NodeId node, std::uint32_t iteration) const {
  if (iteration + 1 < iterations) return true;
  return iteration < iterations + 3 && drawn(seed, 4, iteration, node.value()) % 16 == 0;
}

std::string Plan::repeat_command() const {
  return format("./dev soak {}--first {} --seeds 1 --log events.txt",
                over_threads ? "--threads " : "", seed);
}

std::string Plan::describe() const {
  std::string text = format("seed {}: {} nodes, {} threads, {}, {} iterations of {} steps", seed,
                            sim.nodes, threads, sim.profile.name, iterations, steps);
  if (!optimizations.aggregation) text += ", no aggregation";
  if (!optimizations.flattening) text += ", no flattening";
  if (!optimizations.collocation) text += ", no collocation";
  if (optimizations.replication) text += ", replication";
  if (service == Service::Inline) text += ", no service";
  if (service == Service::Separate) text += ", several service threads";
  if (crashes) text += ", a node crashes";
  if (sim.faults.overtaken_per_million > 0) text += ", frames overtake each other";
  if (episodes.slow_improvements) text += ", slow improvements";
  if (episodes.waits) text += ", a wait while others ask";
  if (episodes.disagrees) text += ", different collectives";
  if (episodes.bursts) text += ", bursts of stores";
  if (episodes.meets_in_order) text += ", objects are met in order";
  if (episodes.sweeps) text += ", sweeps of stores";
  if (!sim.faults.pauses.empty()) text += ", pauses";
  if (!sim.faults.slowdown_percent.empty()) text += ", stragglers";
  if (sim.profile.window_bytes < kSmallWindow)
    text += format(", windows of {} bytes", sim.profile.window_bytes);
  for (const SpacePlan& space : spaces) {
    text += format("; {} objects of {} bytes under {}{}", space.objects_per_node, space.value_bytes,
                   space.policy.name, cache_text(space));
    if (space.policy.paced) text += ", paced";
    if (space.policy.updates == Updates::Adaptive)
      text += format(", pushes earned by {}", space.policy.earned_by);
  }
  return text;
}

}  // namespace leeway::campaign
