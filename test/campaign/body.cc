#include "test/campaign/body.h"

#include <atomic>
#include <optional>

#include "base/format.h"
#include "test/campaign/episodes.h"
#include "test/campaign/steps.h"

namespace leeway::campaign {

namespace {

/// The program of one node, and the state that its threads share.
class NodeBody final : public Body {
 public:
  NodeBody(Node& node, const Plan& plan, Observers& observers)
      : node_(node),
        plan_(plan),
        observers_(observers),
        common_{.node = node,
                .plan = plan,
                .observers = observers,
                .own_objects = OwnObjects(node, plan, observers)} {}

  void run(const std::function<void()>& begin_overtaking) override {
    if (!open()) return;
    if (plan_.episodes.waits) wait_while_others_ask(node_, plan_, observers_);
    if (plan_.sim.faults.overtaken_per_million > 0) {
      read_everything(
          main_reader());  // handshakes of all links end before frames may overtake each other
      node_.quiesce();
      if (begin_overtaking) begin_overtaking();
    }
    node_.barrier();
    bool done = false;
    for (; !done; ++iteration_) {
      iterate();
      if (plan_.settles(iteration_)) settle(plan_.settling(iteration_));
      done = finish_iteration();
    }
    look_at_everything();
    if (plan_.episodes.disagrees) call_different_collectives(node_, plan_, observers_);
    node_.close();
  }

 private:
  [[nodiscard]] bool open() {
    for (std::uint32_t i = 0; i < plan_.spaces.size(); ++i) {
      const SpacePlan& space = plan_.spaces[i];
      SpaceOptions options;
      options.name = format("space {}", i);
      options.local_objects = space.objects_per_node + OwnObjects::kPerSpace;
      options.remote_objects = plan_.objects(i);
      options.cache_capacity = space.cache_capacity;
      options.eviction = space.eviction;
      options.invalidate_evicted = space.invalidate_evicted;
      options.policy = space.policy;
      common_.spaces.push_back(open_objects(node_, options, space.value_bytes));
      if (common_.spaces.back() == nullptr) return false;
      for (std::uint32_t object = 0; plan_.episodes.meets_in_order && object < plan_.objects(i);
           ++object)
        (void)common_.spaces.back()->resolve(plan_.id({i, object}));
    }
    return true;
  }

  [[nodiscard]] Reader main_reader() const {
    return {.node = node_.self(),
            .thread = 0,
            .iteration = iteration_,
            .epoch = epoch_,
            .acquired = acquired_,
            .counts = false};
  }

  [[nodiscard]] Reader thread(std::uint32_t number) const {
    Reader reader = main_reader();
    reader.thread = number;
    reader.counts = true;
    return reader;
  }

  /// A failed node returns without waiting: it would run ahead of the other nodes, so no moment is
  /// quiet.
  void settle(Settling way) {
    if (node_.failed()) return;
    observers_.settle(node_.self(), ++epoch_);
    if (way == Settling::Quiesce) node_.quiesce();
    if (way == Settling::Barrier) node_.barrier();
    for (const auto& space : common_.spaces) {
      if (way == Settling::Fences) space->fence();
    }
    acquired_ = way != Settling::Quiesce;
  }

  /// All threads of the node take the same number of random steps; the last one to end continues
  /// with the vote.
  void iterate();
  bool finish_iteration();
  /// Whether an event since the last call prevents the computation from ending.
  bool was_busy();
  void look_at_everything();
  void read_everything(const Reader& reader);

  Node& node_;
  const Plan& plan_;
  Observers& observers_;
  Common common_;
  std::uint32_t iteration_ = 0;
  std::uint32_t epoch_ = 0;
  bool acquired_ = false;
  std::uint64_t unquiet_ = 0;  // the spaces' event counts at the last call
};

void NodeBody::iterate() {
  std::atomic<std::uint32_t> left{plan_.threads - 1};
  for (std::uint32_t number = 1; number < plan_.threads; ++number) {
    node_.transport().spawn("thread", [&, number] {
      take_steps(common_, thread(number));
      --left;
      node_.transport().wake();
    });
  }
  take_steps(common_, thread(0));
  node_.wait_until([&] { return left == 0; });
}

bool NodeBody::was_busy() {
  std::uint64_t counted = 0;
  for (const auto& space : common_.spaces) {
    const SpaceStats stats = space->stats();
    counted += stats.accesses.stale_hits + stats.accesses.stale_misses +
               stats.accesses.cache_misses + stats.cache.invalidations + stats.cache.replies;
  }
  const bool stored = common_.stored.exchange(false);
  return std::exchange(unquiet_, counted) != counted || stored;
}

bool NodeBody::finish_iteration() {
  const bool to_continue = plan_.votes_to_continue(node_.self(), iteration_);
  observers_.vote(node_.self(), iteration_, to_continue, was_busy());
  bool converged = false;
  if (plan_.splits_vote(iteration_)) {
    node_.vote(to_continue);
    Reader reader = thread(0);
    reader.counts = false;
    read_on(common_, reader);
    std::optional<bool> verdict;
    node_.wait_until([&] {
      verdict = node_.verdict();
      return verdict.has_value();
    });
    converged = *verdict;
  } else {
    converged = node_.converged(to_continue);
  }
  if (node_.failed()) return true;
  observers_.verdict(node_.self(), iteration_, converged);
  if (converged || iteration_ + 1 < Observers::kMostIterations) return converged;
  observers_.violate("no late termination", format("{} iterations", iteration_ + 1));
  return true;
}

void NodeBody::look_at_everything() {
  settle(Settling::Quiesce);
  Reader reader = main_reader();
  read_everything(reader);  // each use of a stale copy requests a refresh
  settle(Settling::Quiesce);
  reader.epoch = epoch_;
  reader.refreshed = true;
  read_everything(reader);
  node_.barrier();
  if (node_.self() == NodeId(0) && !node_.failed()) observers_.check_not_late(iteration_ - 1);
}

void NodeBody::read_everything(const Reader& reader) {
  std::vector<std::byte> value;
  for (std::uint32_t space = 0; space < common_.spaces.size(); ++space) {
    const auto session = common_.spaces[space]->session();
    for (std::uint32_t object = 0; object < plan_.objects(space); ++object) {
      const Key key{space, object};
      const auto way = static_cast<ReadBy>((plan_.seed + object) % kReadWays);
      const Handle handle = common_.spaces[space]->resolve(plan_.id(key));
      const std::uint32_t oldest = observers_.oldest(reader, key);
      session->read(way, handle, plan_.id(key), value);
      if (!node_.failed()) (void)observers_.saw(reader, key, oldest, value, name_of(way));
    }
  }
  node_.progress();
}

}  // namespace

std::unique_ptr<Body> make_body(Node& node, const Plan& plan, Observers& observers) {
  return std::make_unique<NodeBody>(node, plan, observers);
}

}  // namespace leeway::campaign
