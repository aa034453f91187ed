#include "test/campaign/body.h"

#include <atomic>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/base/random.h"
#include "test/campaign/objects.h"
#include "test/campaign/stamp.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kProgramStream = 1000;

/// One node's program, and what its threads share.
class NodeBody final : public Body {
 public:
  NodeBody(Node& node, const Plan& plan, Observers& observers)
      : node_(node), plan_(plan), observers_(observers) {}

  void run(const std::function<void()>& begin_overtaking) override {
    if (!open()) return;
    if (plan_.sim.faults.overtaken_per_million > 0) {
      read_everything(main_reader());  // every link is agreed on before frames overtake each other
      node_.quiesce();
      if (begin_overtaking) begin_overtaking();
    }
    node_.barrier();
    bool done = false;
    for (; !done; ++iteration_) {
      iterate();
      if (plan_.settles(iteration_)) settle();
      done = finish_iteration();
    }
    look_at_everything();
    node_.close();
  }

 private:
  [[nodiscard]] bool open() {
    for (std::uint32_t i = 0; i < plan_.spaces.size(); ++i) {
      const SpacePlan& space = plan_.spaces[i];
      SpaceOptions options;
      options.name = format("space {}", i);
      options.local_objects = space.objects_per_node;
      options.remote_objects = plan_.objects(i);
      options.cache_capacity = space.cache_capacity;
      options.policy = space.policy;
      spaces_.push_back(open_objects(node_, options, space.shape));
      if (spaces_.back() == nullptr) return false;
    }
    return true;
  }

  [[nodiscard]] Reader main_reader() const {
    return {.node = node_.self(),
            .thread = 0,
            .iteration = iteration_,
            .epoch = epoch_,
            .counts = false};
  }

  /// A node that has failed waits for nobody: it would run ahead of the others, and nothing is quiet.
  void settle() {
    if (node_.failed()) return;
    observers_.settle(node_.self(), ++epoch_);
    node_.quiesce();
  }

  /// All threads of the node take the same number of random steps; the last to end goes on.
  void iterate();
  bool finish_iteration();
  /// Whether anything happened here since the last call that keeps a computation from its end.
  bool was_busy();
  void look_at_everything();
  void read_everything(const Reader& reader);

  friend class Thread;
  Node& node_;
  const Plan& plan_;
  Observers& observers_;
  std::vector<std::unique_ptr<Objects>> spaces_;
  std::uint32_t iteration_ = 0;
  std::uint32_t epoch_ = 0;
  std::atomic<bool> stored_{false};  // in this iteration
  std::uint64_t unquiet_ = 0;        // what the spaces' statistics have counted before
};

/// One thread for one iteration.
class Thread {
 public:
  Thread(NodeBody& body, std::uint32_t number)
      : body_(body),
        plan_(body.plan_),
        observers_(body.observers_),
        reader_(body.main_reader()),
        random_(plan_.seed, kProgramStream + (std::uint64_t{reader_.node.value()} << 32) +
                                (std::uint64_t{reader_.iteration} << 8) + number) {
    reader_.thread = number;
    reader_.counts = true;
    for (const auto& space : body.spaces_) sessions_.push_back(space->session());
    gathered_.resize(sessions_.size());
    favourite_ =
        static_cast<std::uint32_t>((plan_.seed + reader_.node.value() + 1) % plan_.nodes());
    // Whoever would end has made no copy stale: a copy that was evicted after its use is not told.
    writes_ = reader_.iteration < plan_.writing_iterations &&
              (!plan_.bounded() || plan_.goes_on(reader_.node, reader_.iteration));
  }

  void run() {
    for (std::uint32_t step = 0; step < plan_.steps; ++step) take_step();
    for (std::uint32_t space = 0; space < sessions_.size(); ++space) publish(space);
  }

  /// Between the node's vote and the verdict.
  void read_on() {
    reader_.counts = false;
    for (int i = 0; i < 3; ++i) read_one(any_key());
  }

 private:
  void take_step() {
    const std::uint64_t dice = random_.below(100);
    if (dice < 40) return read_one(any_key());
    if (dice < 52) return sweep();
    if (dice < 73) return store();
    if (dice < 75) return store_many();
    if (dice < 80) return prefetch();
    if (dice < 81) return await_news();
    if (dice < 84) return publish(any_space());
    if (dice < 88) return static_cast<void>(body_.node_.progress());
    body_.node_.transport().charge({.fetches = random_.below(100), .vertices = random_.below(20)});
  }

  std::uint32_t any_space() { return static_cast<std::uint32_t>(random_.below(sessions_.size())); }
  Key any_key() {
    const std::uint32_t space = any_space();
    return {space, static_cast<std::uint32_t>(random_.below(plan_.objects(space)))};
  }
  Handle handle(Key key) { return body_.spaces_[key.space]->resolve(plan_.id(key)); }

  [[nodiscard]] bool is_variable(Key key) const { return plan_.spaces[key.space].shape.variable; }

  /// What a node reads that has failed means nothing.
  std::uint32_t saw(Key key, std::uint32_t oldest, ValueView value, const char* how) {
    if (body_.node_.failed()) return oldest;
    return observers_.saw(reader_, key, oldest, value, how);
  }

  std::uint32_t read(Key key, ReadBy way) {
    const bool by_id = way == ReadBy::Id || way == ReadBy::ViewById;  // met, perhaps, by reading it
    const Handle at = by_id && !is_variable(key) ? Handle(0) : handle(key);
    const std::uint32_t oldest = observers_.oldest(reader_, key);
    sessions_[key.space]->read(way, at, plan_.id(key), value_);
    return saw(key, oldest, value_, name_of(way));
  }
  void read_one(Key key) { (void)read(key, static_cast<ReadBy>(random_.below(kReadWays))); }

  void sweep() {
    const std::uint32_t space = any_space();
    const std::uint32_t objects = plan_.objects(space);
    const std::uint32_t each = plan_.spaces[space].objects_per_node;
    if (random_.chance(
            0.4)) {  // what fills a cache, of one home; and again when some of it is stale
      const std::uint32_t count = std::min(each, kLeastCacheCapacity);
      sweep(space, favourite_ * each, count, false);
      body_.node_.transport().charge({.picoseconds = random_.below(300'000'000)});
      return sweep(space, favourite_ * each, count, true);
    }
    const std::uint64_t most = random_.chance(0.2) ? objects : std::min(objects, 20u);
    // One draw a statement: the order of a call's arguments is the compiler's.
    const auto first = static_cast<std::uint32_t>(random_.below(objects));
    const auto count = static_cast<std::uint32_t>(1 + random_.below(most));
    sweep(space, first, count, random_.chance(0.2));
  }

  /// `and_another`: then one that another home may be quicker to answer.
  void sweep(std::uint32_t space, std::uint32_t first, std::uint32_t count, bool and_another) {
    const std::uint32_t objects = plan_.objects(space);
    std::vector<Key> keys;
    std::vector<std::uint32_t> handles, oldest;
    for (std::uint32_t i = 0; i < count; ++i) keys.push_back({space, (first + i) % objects});
    if (and_another) keys.push_back({space, static_cast<std::uint32_t>(random_.below(objects))});
    for (const Key key : keys) {
      handles.push_back(handle(key).value());
      oldest.push_back(observers_.oldest(reader_, key));
    }
    sessions_[space]->sweep(handles, [&](std::size_t i, ValueView value) {
      (void)saw(keys[i], oldest[i], value, "a sweep");
    });
  }

  /// An object that this node writes, and this thread in this iteration.
  std::optional<Key> any_of_mine() {
    for (int attempt = 0; attempt < 4; ++attempt) {
      Key key = any_key();
      if (plan_.optimizations.collocation) {
        const std::uint32_t each = plan_.spaces[key.space].objects_per_node;
        key.object = reader_.node.value() * each + key.object % each;
      }
      if (is_mine(key)) return key;
    }
    return std::nullopt;
  }

  void store() {
    if (!writes_) return;
    const std::optional<Key> key = any_of_mine();
    if (!key) return;
    store_one(*key, static_cast<StoreBy>(random_.below(kStoreWays)));
    // The writer's own next read sees it, by whatever way.
    if (random_.chance(0.2)) read_one(*key);
  }

  /// A whole space grows stale at once.
  void store_many() {
    if (!writes_) return;
    const std::uint32_t space = any_space();
    const auto way = static_cast<StoreBy>(random_.below(kStoreWays));
    for (std::uint32_t object = 0; object < plan_.objects(space); ++object) {
      if (is_mine({space, object})) store_one({space, object}, way);
    }
  }

  [[nodiscard]] bool is_mine(Key key) const {
    return plan_.writer(key) == reader_.node &&
           (key.object + reader_.iteration) % plan_.threads == reader_.thread;
  }

  void store_one(Key key, StoreBy way) {
    const Handle at = handle(key);
    const std::uint32_t number = observers_.begin_store(key);
    if (number == 0) return;
    body_.stored_.store(true, std::memory_order_relaxed);
    sessions_[key.space]->store(way, at,
                                stamp(plan_.spaces[key.space].shape, observers_.mark(key), number));
    if (body_.node_.failed()) return;  // a store that waits for others has waited no longer
    observers_.end_store(key, number);
    if (way == StoreBy::View) {
      gathered_[key.space].push_back({key, number});
    } else {
      observers_.announce(key, number);
    }
  }

  void publish(std::uint32_t space) {
    sessions_[space]->publish();
    for (const auto& [key, number] : gathered_[space]) observers_.announce(key, number);
    gathered_[space].clear();
  }

  void prefetch() {
    const std::uint32_t space = any_space();
    std::vector<Handle> some;
    for (std::uint64_t i = random_.below(10); i > 0; --i) {
      some.push_back(
          handle({space, static_cast<std::uint32_t>(random_.below(plan_.objects(space)))}));
    }
    if (random_.chance(0.1)) return body_.spaces_[space]->replicate(some);
    body_.spaces_[space]->prefetch(some);
  }

  /// Reads one object until it is as new as it can be expected to become: what was announced reaches whoever
  /// goes on reading, at the latest when it would be too stale otherwise.
  void await_news() {
    const Key key = any_key();
    const Policy& policy = plan_.spaces[key.space].policy;
    const std::uint32_t announced = observers_.announced(key);
    const std::uint64_t slack = policy.refresh ? 0 : policy.threshold;
    Transport& transport = body_.node_.transport();
    if (!plan_.optimizations.flattening && random_.chance(0.02)) ask_too_often(key);
    const Instant patience = transport.now() + std::chrono::seconds(20);
    const auto way = random_.chance(0.5) ? ReadBy::View : ReadBy::Handle;
    // Others must not wait for what this thread has gathered while it waits itself.
    for (std::uint32_t space = 0; space < sessions_.size(); ++space) publish(space);
    for (std::uint64_t spin = 1; read(key, way) + slack < announced; ++spin) {
      if (way == ReadBy::View) publish(key.space);
      if (plan_.service == Service::Inline) body_.node_.progress();
      transport.charge({.picoseconds = std::min<std::uint64_t>(spin * spin, 1'000'000) * 1000});
      if (body_.node_.failed()) return;
      if (transport.now() < patience) continue;
      if (plan_.crashes) return;  // its writer may be gone
      return observers_.violate("progress",
                                format("node {} reads object {} of space {} in vain: store {} "
                                       "was announced",
                                       reader_.node, key.object, key.space, announced));
    }
  }

  /// Where requests do not merge, each read of a stale copy asks for it once more, and no time passes.
  void ask_too_often(Key key) {
    constexpr int kMoreThanTwoBytesCount = 66'000;
    const Handle at = handle(key);
    for (int i = 0; i < kMoreThanTwoBytesCount; ++i)
      sessions_[key.space]->read(ReadBy::View, at, plan_.id(key), value_);
  }

  NodeBody& body_;
  const Plan& plan_;
  Observers& observers_;
  Reader reader_;
  Random random_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::vector<std::pair<Key, std::uint32_t>>> gathered_;  // by space: in the View
  std::vector<std::byte> value_;
  std::uint32_t favourite_ = 0;  // the home whose objects are read again and again
  bool writes_ = false;
};

void NodeBody::iterate() {
  std::atomic<std::uint32_t> left{plan_.threads - 1};
  for (std::uint32_t number = 1; number < plan_.threads; ++number) {
    node_.transport().spawn("thread", [&, number] {
      Thread(*this, number).run();
      --left;
      node_.transport().wake();
    });
  }
  Thread(*this, 0).run();
  node_.wait_until([&] { return left == 0; });
}

bool NodeBody::was_busy() {
  std::uint64_t counted = 0;
  for (const auto& space : spaces_) {
    const SpaceStats stats = space->stats();
    counted += stats.accesses.stale_hits + stats.accesses.stale_misses +
               stats.accesses.cache_misses + stats.cache.invalidations + stats.cache.replies;
  }
  const bool stored = stored_.exchange(false);
  return std::exchange(unquiet_, counted) != counted || stored;
}

bool NodeBody::finish_iteration() {
  const bool to_continue = plan_.goes_on(node_.self(), iteration_);
  observers_.vote(node_.self(), iteration_, to_continue, was_busy());
  bool converged = false;
  if (plan_.splits_vote(iteration_)) {
    node_.vote(to_continue);
    Thread(*this, 0).read_on();
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
  settle();
  Reader reader = main_reader();
  read_everything(reader);  // stale copies are used once more, and ask for refreshes
  settle();
  reader.epoch = epoch_;
  reader.refreshed = true;
  read_everything(reader);
  node_.barrier();
  if (node_.self() == NodeId(0) && !node_.failed()) observers_.check_not_late(iteration_ - 1);
}

void NodeBody::read_everything(const Reader& reader) {
  std::vector<std::byte> value;
  for (std::uint32_t space = 0; space < spaces_.size(); ++space) {
    const auto session = spaces_[space]->session();
    for (std::uint32_t object = 0; object < plan_.objects(space); ++object) {
      const Key key{space, object};
      const auto way = static_cast<ReadBy>((plan_.seed + object) % kReadWays);
      const Handle handle = spaces_[space]->resolve(plan_.id(key));
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
