#include "test/campaign/steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/random.h"
#include "test/campaign/episodes.h"
#include "test/campaign/stamp.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kProgramStream = 1000;
constexpr std::uint64_t kOwnStreams = std::uint64_t{1} << 60;  // above all other streams
constexpr std::uint64_t kInsistStreams = std::uint64_t{1} << 61;

/// One thread for one iteration.
class Thread {
 public:
  Thread(Common& common, const Reader& reader)
      : common_(common),
        plan_(common.plan),
        observers_(common.observers),
        reader_(reader),
        random_(plan_.seed, stream()),
        own_random_(plan_.seed, kOwnStreams + stream()),
        insist_random_(plan_.seed, kInsistStreams + stream()) {
    for (const auto& space : common.spaces) sessions_.push_back(space->session());
    gathered_.resize(sessions_.size());
    favourite_ =
        static_cast<std::uint32_t>((plan_.seed + reader_.node.value() + 1) % plan_.nodes());
    // A node that votes to end must not have made a copy stale: the reader gets no notice about a
    // copy that it evicted after use.
    writes_ = reader_.iteration < plan_.writing_iterations &&
              (!plan_.bounded() || plan_.votes_to_continue(reader_.node, reader_.iteration));
  }

  void run() {
    if (plan_.episodes.bursts && reader_.iteration == 1 && reader_.thread == 0) burst();
    for (std::uint32_t step = 0; step < plan_.steps; ++step) {
      take_step();
      use_own_objects();
      if (insist_random_.chance(0.05)) insist();
      if (plan_.episodes.sweeps && own_random_.chance(0.1)) sweep_everything();
    }
    for (std::uint32_t space = 0; space < sessions_.size(); ++space) publish(space);
  }

  /// Between the node's vote and the verdict.
  void read_on() {
    for (int i = 0; i < 3; ++i) read_one(any_key());
  }

 private:
  [[nodiscard]] std::uint64_t stream() const {
    return kProgramStream + (std::uint64_t{reader_.node.value()} << 32) +
           (std::uint64_t{reader_.iteration} << 8) + reader_.thread;
  }

  void take_step() {
    const std::uint64_t dice = random_.below(100);
    if (dice < 40) return read_one(any_key());
    if (dice < 52) return sweep();
    if (dice < 73) return store();
    if (dice < 75) return store_many();
    if (dice < 80) return prefetch();
    if (dice < 81) return await_news();
    if (dice < 84) return publish(any_space());
    if (dice < 88) return static_cast<void>(common_.node.progress());
    common_.node.transport().charge({.fetches = random_.below(100), .vertices = random_.below(20)});
  }

  /// Draws from a separate stream, so that the other steps of a seed stay the same.
  void use_own_objects() {
    if (!own_random_.chance(0.3)) return;
    const auto space = static_cast<std::uint32_t>(own_random_.below(sessions_.size()));
    common_.own_objects.step(own_random_, *sessions_[space], reader_, space);
  }

  /// Reads one object's present value from its home. Draws from a separate stream, as above.
  void insist() {
    const auto space = static_cast<std::uint32_t>(insist_random_.below(sessions_.size()));
    const Key key{space, static_cast<std::uint32_t>(insist_random_.below(plan_.objects(space)))};
    const Handle at = handle(key);
    std::uint32_t oldest = observers_.oldest(reader_, key);
    // A store by another node than the home may not have reached the home yet.
    if (plan_.optimizations.collocation) oldest = std::max(oldest, observers_.announced(key));
    // Other threads must not wait for the stores buffered here while this thread waits.
    for (std::uint32_t each = 0; each < sessions_.size(); ++each) publish(each);
    sessions_[space]->read_current(at, value_);
    (void)saw(key, oldest, value_, "fetch_current");
  }

  std::uint32_t any_space() { return static_cast<std::uint32_t>(random_.below(sessions_.size())); }
  Key any_key() {
    const std::uint32_t space = any_space();
    return {space, static_cast<std::uint32_t>(random_.below(plan_.objects(space)))};
  }
  Handle handle(Key key) { return common_.spaces[key.space]->resolve(plan_.id(key)); }

  /// Values read after the node failed are not checked.
  std::uint32_t saw(Key key, std::uint32_t oldest, ValueView value, const char* how) {
    if (common_.node.failed()) return oldest;
    return observers_.saw(reader_, key, oldest, value, how);
  }

  std::uint32_t read(Key key, ReadBy way) {
    const bool by_id =
        way == ReadBy::Id || way == ReadBy::ViewById;  // the read may add it to the cache
    const Handle at = by_id ? Handle(0) : handle(key);
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
            0.4)) {  // fills a cache with one home's objects; repeats when some are stale
      const std::uint32_t count = std::min(each, kLeastCacheCapacity);
      sweep(space, favourite_ * each, count, false);
      common_.node.transport().charge({.picoseconds = random_.below(300'000'000)});
      return sweep(space, favourite_ * each, count, true);
    }
    const std::uint64_t most = random_.chance(0.2) ? objects : std::min(objects, 20u);
    // One draw per statement, because the evaluation order of arguments is unspecified.
    const auto first = static_cast<std::uint32_t>(random_.below(objects));
    const auto count = static_cast<std::uint32_t>(1 + random_.below(most));
    sweep(space, first, count, random_.chance(0.2));
  }

  /// `and_another`: then one object whose home may answer faster.
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

  /// An object that this thread of this node may store to in this iteration.
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
    // The writer's next read must return the store, whichever operation reads it.
    if (random_.chance(0.2)) read_one(*key);
  }

  /// Makes a whole space stale.
  void store_many() {
    if (!writes_) return;
    const std::uint32_t space = any_space();
    const auto way = static_cast<StoreBy>(random_.below(kStoreWays));
    for (std::uint32_t object = 0; object < plan_.objects(space); ++object) {
      if (is_mine({space, object})) store_one({space, object}, way);
    }
  }

  /// Stores all that this thread may store, and reads all objects of a space: homes push values of
  /// copies that are read repeatedly.
  void sweep_everything() {
    store_many();
    const auto space = static_cast<std::uint32_t>(own_random_.below(sessions_.size()));
    if (own_random_.chance(0.5)) sweep(space, 0, plan_.objects(space), false);
  }

  /// Stores and announces one object repeatedly, faster than the network can send.
  void burst() {
    constexpr int kStores = 200;
    const std::optional<Key> key = any_of_mine();
    if (!writes_ || !key || plan_.spaces[key->space].policy.writes == Writes::Wait) return;
    for (int i = 0; i < kStores; ++i) {
      store_one(*key, StoreBy::View);
      publish(key->space);
    }
    const Optimizations& merges = plan_.optimizations;
    if (!merges.aggregation || !merges.flattening || !merges.collocation) return;
    const std::uint64_t waiting = common_.node.stats().waiting_frames;
    if (waiting <= most_waiting_frames(plan_)) return;
    observers_.violate("what waits for a peer is bounded",
                       format("{} frames wait at node {} after {} stores to one object", waiting,
                              reader_.node, kStores));
  }

  [[nodiscard]] bool is_mine(Key key) const {
    return plan_.writer(key) == reader_.node &&
           (key.object + reader_.iteration) % plan_.threads == reader_.thread;
  }

  void store_one(Key key, StoreBy way) {
    const Handle at = handle(key);
    const std::uint32_t number = observers_.begin_store(key);
    if (number == 0) return;
    common_.stored.store(true, std::memory_order_relaxed);
    sessions_[key.space]->store(
        way, at, stamp(plan_.spaces[key.space].value_bytes, observers_.mark(key), number));
    if (common_.node.failed()) return;  // after a failure a store returns without waiting
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
    if (random_.chance(0.1)) return common_.spaces[space]->replicate(some);
    common_.spaces[space]->prefetch(some);
  }

  /// Reads one object until it is as new as guaranteed: an announced store reaches a node that
  /// keeps reading, at the latest when the copy would exceed the staleness bound.
  void await_news() {
    const Key key = any_key();
    const Policy& policy = plan_.spaces[key.space].policy;
    const std::uint32_t announced = observers_.announced(key);
    const std::uint64_t slack = policy.refresh ? 0 : policy.threshold;
    Transport& transport = common_.node.transport();
    if (!plan_.optimizations.flattening && random_.chance(0.02)) ask_too_often(key);
    const Instant patience = transport.now() + std::chrono::seconds(20);
    const auto way = random_.chance(0.5) ? ReadBy::View : ReadBy::Handle;
    // Other threads must not wait for the stores buffered here while this thread waits.
    for (std::uint32_t space = 0; space < sessions_.size(); ++space) publish(space);
    for (std::uint64_t spin = 1; read(key, way) + slack < announced; ++spin) {
      if (way == ReadBy::View) publish(key.space);
      if (plan_.service == Service::Inline) common_.node.progress();
      transport.charge({.picoseconds = std::min<std::uint64_t>(spin * spin, 1'000'000) * 1000});
      if (common_.node.failed()) return;
      if (transport.now() < patience) continue;
      if (plan_.crashes) return;  // its writer may have crashed
      return observers_.violate(
          "progress", format("node {} reads object {} of space {} in vain, {} times by "
                             "{}: store {} was announced; {}",
                             reader_.node, key.object, key.space, spin, name_of(way), announced,
                             common_.node.evidence()));
    }
  }

  /// Where requests do not merge, each read of a stale copy sends one more request, without any
  /// time passing.
  void ask_too_often(Key key) {
    constexpr int kMoreThanTwoBytesCount = 66'000;
    const Handle at = handle(key);
    for (int i = 0; i < kMoreThanTwoBytesCount; ++i)
      sessions_[key.space]->read(ReadBy::View, at, plan_.id(key), value_);
  }

  Common& common_;
  const Plan& plan_;
  Observers& observers_;
  Reader reader_;
  Random random_;
  Random own_random_;
  Random insist_random_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::vector<std::pair<Key, std::uint32_t>>>
      gathered_;  // by space: stores buffered in the View
  std::vector<std::byte> value_;
  std::uint32_t favourite_ = 0;  // the home whose objects this thread reads most
  bool writes_ = false;
};

}  // namespace

void take_steps(Common& common, const Reader& reader) { Thread(common, reader).run(); }

void read_on(Common& common, const Reader& reader) { Thread(common, reader).read_on(); }

}  // namespace leeway::campaign
