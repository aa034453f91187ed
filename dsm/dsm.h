// The shared memory as a program uses it: fetch and store of typed objects. ASPIRE's DSM-FETCH and
// DSM-STORE are Dsm::fetch and Dsm::store.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/dsm/node.h"

namespace leeway {

template <class T>
class View;

/// Objects with one home and one writer each; a read may return a copy up to the configured threshold of
/// versions old. Orders one object's writes, never two objects' against each other. Thread-safe. A light
/// handle: the node owns the objects and outlives it.
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
class Dsm {
 public:
  /// Collective: every node opens the same spaces in the same order.
  static Result<Dsm> open(Node& node, const SpaceOptions& options) {
    LEEWAY_ASSIGN(Space * space, node.open_space(options, {sizeof(T), false}));
    return Dsm(node, *space);
  }

  /// The handle by which this node reads the object from now on; cheap to keep, free to use.
  [[nodiscard]] Result<Handle> resolve(ObjectId id) { return space_->resolve(id); }
  [[nodiscard]] ObjectId object(Handle handle) const { return space_->object(handle); }

  /// Blocks only on a cache miss or a stale miss. Never older than this thread has seen before.
  [[nodiscard]] T fetch(Handle object) {
    if (object.value() < space_->plain_limit())
      return space_->values().template load_as<T>(object.index());
    if (space_->marks()[object.value()].load(std::memory_order_acquire) != 0)
      return fetch_slow(object);
    space_->counters().add(Access::CurrentHit);
    return space_->values().template load_as<T>(object.index());
  }
  /// By id, for code outside the sweep. Requires an object of this cluster (checked).
  [[nodiscard]] T fetch(ObjectId id) { return fetch(handle_of(id)); }

  /// Returns at once, whatever the sharers do, unless the mode is strict; this node's next fetch sees
  /// `value`. Requires: this node is the object's home, unless work collocation is off (checked).
  void store(Handle object, const T& value) {
    if (object.value() < space_->local_count() && space_->plain_stores()) {
      space_->values().template store_as<T>(object.index(), value);
      space_->note_store(LocalIndex(object.value()));
      return;
    }
    space_->store(object, std::as_bytes(std::span(&value, 1)));
  }

  /// Asks for all that is missing among these in as few messages as possible; does not wait.
  void prefetch(std::span<const Handle> objects) { space_->prefetch(objects); }
  /// By id, for code outside the sweep. Requires objects of this cluster (checked).
  void prefetch(std::span<const ObjectId> ids) {
    std::vector<Handle> handles;
    for (const ObjectId id : ids) handles.push_back(handle_of(id));
    space_->prefetch(handles);
  }
  /// Prefetch and wait: fills the cache before the first iteration (ASPIRE §4.3, replication).
  void replicate(std::span<const Handle> objects) {
    space_->prefetch(objects);
    space_->wait_for_reads();
  }

  /// One thread's fast way to read many objects; see View.
  [[nodiscard]] View<T> view() { return View<T>(*this); }

  [[nodiscard]] std::uint32_t local_count() const { return space_->local_count(); }
  [[nodiscard]] SpaceStats stats() const { return space_->stats(); }
  [[nodiscard]] Node& node() { return *node_; }
  [[nodiscard]] Space& space() { return *space_; }

 private:
  friend class View<T>;
  Dsm(Node& node, Space& space) : node_(&node), space_(&space) {}

  [[nodiscard]] Handle handle_of(ObjectId id) {
    if (const auto known = space_->find(id)) [[likely]]
      return *known;
    return meet(id);
  }
  [[nodiscard]] [[gnu::noinline]] Handle meet(ObjectId id) {
    const Result<Handle> handle = space_->resolve(id);
    LEEWAY_CHECK(handle.has_value(), "object", id.value());
    return *handle;
  }

  [[nodiscard]] [[gnu::noinline]] T fetch_slow(Handle object) {
    T value;
    space_->fetch(object, reinterpret_cast<std::byte*>(&value));
    return value;
  }

  Node* node_;
  Space* space_;
};

/// What the innermost loop of a sweep holds: the addresses that reads and stores need, counts in
/// registers, and what it has found stale or stored, which goes to the node a batch at a time. One
/// thread's own. Its stores are at once visible at this node; the others hear of them with the batch, at
/// `publish`, or when it goes. Publish before a collective.
template <class T>
class View {
 public:
  explicit View(Dsm<T>& dsm)
      : dsm_(&dsm),
        values_(dsm.space_->values().data()),
        marks_(dsm.space_->marks()),
        plain_limit_(dsm.space_->plain_limit()),
        store_limit_(dsm.space_->plain_stores() ? dsm.space_->local_count() : 0),
        most_age_(dsm.space_->most_unlocked_age()),
        refresh_(dsm.space_->policy().refresh) {}
  ~View() { publish(); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  /// As Dsm::fetch.
  [[nodiscard]] T fetch(Handle object) {
    if (object.value() >= plain_limit_) {
      if (marks_[object.value()].load(std::memory_order_acquire) != 0) [[unlikely]]
        return fetch_slow(object);
      ++hits_;
    }
    return load(object);
  }

  [[nodiscard]] T fetch(ObjectId id) { return fetch(dsm_->handle_of(id)); }

  /// Whether reads and stores of objects that live here need nothing but their memory: nobody watches,
  /// and no store waits.
  [[nodiscard]] bool plain() const { return plain_limit_ > 0; }
  /// As fetch. Requires an object of this node, and plain() (not checked).
  [[nodiscard]] T fetch_local(Handle object) const { return load(object); }
  /// fetch_local of many: calls use(value, place) for each handle in [at, last). What the loop needs stays in
  /// registers.
  template <class Use>
  void each_local(const std::uint32_t* at, const std::uint32_t* last, Use&& use) const {
    const std::byte* const values = values_;
    for (; last - at >= kStride; at += kStride) use_all(values, at, use);
    for (; at != last; ++at) use(load_from(values, *at), at);
  }
  /// fetch of many, none of which is both local and plain().
  template <class Use>
  void each_afar(const std::uint32_t* at, const std::uint32_t* last, Use&& use) {
    const std::byte* const values = values_;
    const std::atomic<std::uint8_t>* const marks = marks_;
    const auto mark = [marks](std::uint32_t handle) {
      return marks[handle].load(std::memory_order_acquire);
    };
    std::uint64_t hits = 0;
    const auto use_one = [&] {
      if (mark(*at) != 0) [[unlikely]] {
        use(fetch_slow(Handle(*at)), at);
      } else {
        ++hits;
        use(load_from(values, *at), at);
      }
    };
    while (last - at >= kStride) {
      if ((mark(at[0]) | mark(at[1]) | mark(at[2]) | mark(at[3])) == 0) [[likely]] {
        hits += kStride;
        use_all(values, at, use);
        at += kStride;
      } else {
        for (const std::uint32_t* const end = at + kStride; at != end; ++at) use_one();
      }
    }
    for (; at != last; ++at) use_one();
    hits_ += hits;
  }
  /// A store that no other node need hear of, because none reads the object. Requires as fetch_local.
  void store_local(Handle object, const T& value) {
    dsm_->space_->values().template store_as<T>(object.index(), value);
  }

  /// As Dsm::store.
  void store(Handle object, const T& value) {
    if (object.value() >= store_limit_) return dsm_->store(object, value);
    dsm_->space_->values().template store_as<T>(object.index(), value);
    stored_.emplace_back(object.value());
    if (stored_.size() == kBatch) publish();
  }

  /// Hands over what has gathered: statistics, refreshes to ask for, stores to announce.
  void publish() {
    AccessCounters& counters = dsm_->space_->counters();
    if (hits_ > 0) counters.add(Access::CurrentHit, hits_);
    hits_ = 0;
    for (std::uint32_t age = 1; age <= oldest_; ++age) {
      if (stale_by_age_[age] > 0) counters.add_stale(age, std::exchange(stale_by_age_[age], 0));
    }
    oldest_ = 0;
    if (stored_.empty() && stale_.empty()) return;
    dsm_->space_->hand_over(stored_, stale_);
    stored_.clear();
    stale_.clear();
  }

 private:
  static constexpr std::size_t kBatch = 1024;
  static constexpr std::ptrdiff_t kStride = 4;  // of the unrolled loops

  template <class Use>
  void use_all(const std::byte* values, const std::uint32_t* at, Use& use) const {
    use(load_from(values, at[0]), at);
    use(load_from(values, at[1]), at + 1);
    use(load_from(values, at[2]), at + 2);
    use(load_from(values, at[3]), at + 3);
  }

  [[nodiscard]] [[gnu::noinline]] T fetch_slow(Handle object) {
    const SlotIndex slot(object.value() - dsm_->local_count());
    const std::uint8_t age = most_age_ == 0 ? Space::kUnusable : dsm_->space_->age(slot);
    if (age == 0) return dsm_->fetch_slow(object);  // a pushed value, read for the first time
    if (age > most_age_) {
      publish();  // it may block, and the others must not wait for what we hold
      return dsm_->fetch_slow(object);
    }
    ++stale_by_age_[age];
    oldest_ = std::max<std::uint32_t>(oldest_, age);
    if (refresh_) {
      stale_.push_back(slot);
      if (stale_.size() == kBatch) publish();
    }
    return load(object);
  }

  [[nodiscard]] T load(Handle object) const { return load_from(values_, object.value()); }
  [[nodiscard]] T load_from(const std::byte* values, std::uint32_t place) const {
    if constexpr (sizeof(T) <= 8) {
      using Word = ValueStore::WordFor<sizeof(T)>;
      const Word word =
          reinterpret_cast<const std::atomic<Word>*>(values)[place].load(std::memory_order_relaxed);
      T value;
      std::memcpy(static_cast<void*>(&value), &word, sizeof(T));
      return value;
    } else {
      return dsm_->space_->values().template load_as<T>(place);
    }
  }

  Dsm<T>* dsm_;
  const std::byte* values_;
  const std::atomic<std::uint8_t>* marks_;
  std::uint32_t plain_limit_;
  std::uint32_t store_limit_;
  std::uint8_t most_age_;
  bool refresh_;
  std::uint32_t oldest_ = 0;
  std::uint64_t hits_ = 0;
  std::array<std::uint64_t, AccessCounts::kAges> stale_by_age_{};
  std::vector<LocalIndex> stored_;
  std::vector<SlotIndex> stale_;
};

/// Objects that are byte strings of any length up to a limit. Otherwise as Dsm.
class ByteDsm {
 public:
  /// Collective. `limit` is the longest string.
  static Result<ByteDsm> open(Node& node, const SpaceOptions& options, std::uint32_t limit) {
    LEEWAY_ASSIGN(Space * space, node.open_space(options, {limit, true}));
    return ByteDsm(*space);
  }
  [[nodiscard]] Result<Handle> resolve(ObjectId id) { return space_->resolve(id); }
  [[nodiscard]] std::vector<std::byte> fetch(Handle object) {
    std::vector<std::byte> value(space_->shape().bytes);
    value.resize(space_->fetch(object, value.data()));
    return value;
  }
  /// Requires at most the limit's bytes (checked).
  void store(Handle object, ValueView value) { space_->store(object, value); }
  void prefetch(std::span<const Handle> objects) { space_->prefetch(objects); }
  [[nodiscard]] SpaceStats stats() const { return space_->stats(); }

 private:
  explicit ByteDsm(Space& space) : space_(&space) {}
  Space* space_;
};

}  // namespace leeway

// ASPIRE's own names, for whoever reads the paper beside the code.
#define DSM_FETCH(dsm, object) ((dsm).fetch(object))
#define DSM_STORE(dsm, object, value) ((dsm).store(object, value))
