// View: a fast path for one thread that reads many objects of a Dsm and stores some, as in the
// innermost loop of a sweep.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "dsm/space.h"

namespace leeway {

/// Caches the addresses that reads and stores need, counts in members, and collects stores into
/// batches for the node. Used by one thread. Stores are visible at this node immediately; other
/// nodes are notified with the batch, at `publish`, or by the destructor. Call `publish` before a
/// collective. Stale objects are queued for a refresh immediately.
template <class T>
class View {
 public:
  explicit View(Dsm<T>& dsm)
      : dsm_(&dsm),
        shift_(dsm.space_->place_behind(Handle(0))),
        values_(dsm.space_->memory_.values.data() + shift_ * dsm.space_->memory_.values.stride()),
        copy_marks_(&dsm.space_->memory_.marks),
        marks_(copy_marks_->data() + shift_),
        plain_limit_(dsm.space_->plain_limit()),
        store_limit_(dsm.space_->plain_stores() ? dsm.space_->local_handles() : 0),
        most_age_(dsm.space_->most_unlocked_age()),
        refresh_(dsm.space_->policy().refresh),
        reads_together_(plain() && dsm.space_->reads_together()) {}
  ~View() { publish(); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  /// Like Dsm::fetch.
  [[nodiscard]] T fetch(Handle object) {
    if (object.value() >= plain_limit_) {
      if (CopyMark(marks_[object.value()]).load() != 0) [[unlikely]]
        return fetch_slow(object);
      ++hits_;
    }
    return load(object);
  }

  /// Like Dsm::fetch by id.
  [[nodiscard]] T fetch(ObjectId id) {
    const Handle handle = dsm_->handle_of(id);
    if (handle == Handle::none()) [[unlikely]]
      return T{};
    return fetch(handle);
  }

  // For readers that check the marks themselves (VertexMemory).

  [[nodiscard]] Handle first_copy() const { return Handle(plain_limit_); }
  /// Whether all copies are current and a group of reads counts as simultaneous: then `load` may be
  /// called for any handle.
  [[nodiscard]] bool all_current() const { return reads_together_ && copy_marks_->all_current(); }
  [[nodiscard]] bool is_current(Handle copy) const {
    return CopyMark(marks_[copy.value()]).load() == 0;
  }
  /// The value in memory. Requires an object of this node or a current copy (not checked).
  [[nodiscard]] T load(Handle object) const { return load_from(values_, object.value()); }
  void count_hit() { ++hits_; }
  /// Fetches a copy whose mark is not 0.
  [[nodiscard]] [[gnu::noinline]] T fetch_slow(Handle object) {
    if (dsm_->space_->bounded()) return fetch_bounded(object);
    const MetIndex met(object.value() - plain_limit_);
    const std::uint8_t age = dsm_->space_->age(met);
    if (age == 0) {  // a pushed value, read for the first time
      copy_marks_->note_read(shift_ + object.index());
      ++hits_;
      return load(object);
    }
    // mutant: view-uses-what-is-too-old
    if (age > most_age_) {
      publish();  // before a wait: other nodes must not wait for the collected stores
      return dsm_->fetch_slow(object);
    }
    note_stale(age);
    // mutant: view-asks-for-no-refresh
    if (refresh_) dsm_->space_->queue_refresh(met);
    if (stale_ >= kBatch) publish();
    return load(object);
  }

  /// Whether there are local objects; they are read directly from memory.
  [[nodiscard]] bool plain() const { return plain_limit_ > 0; }
  /// Like fetch. Requires a local object and plain() (not checked).
  [[nodiscard]] T fetch_local(Handle object) const { return load(object); }

  /// Whether `memory` works: values are words.
  static constexpr bool kInWords = sizeof(T) <= 8;
  using Word = ValueStore::WordFor<sizeof(T)>;
  /// A relaxed atomic load of a floating-point number takes a detour through an integer register, a third of the time of a
  /// sum over many. A volatile one is one load, too, on processors that load aligned words whole; a checker of data races would
  /// not know it.
#if defined(__SANITIZE_THREAD__) || !(defined(__x86_64__) || defined(__aarch64__))
  static constexpr bool kLoadsDirectly = false;
#else
  static constexpr bool kLoadsDirectly = std::is_floating_point_v<T> && kInWords;
#endif
  /// The values by handle, for loops over objects of this node that are plain(). A loop that keeps this in a local
  /// variable does not read members of the view again after each store.
  [[nodiscard]] std::byte* memory() const { return values_; }
  [[nodiscard]] static T load_in(std::byte* memory, std::uint32_t handle) {
    if constexpr (kLoadsDirectly) {
      using Stored [[gnu::may_alias]] = T;
      return reinterpret_cast<const volatile Stored*>(memory)[handle];
    }
    const Word word = ValueStore::word_at<Word>(memory, handle).load(std::memory_order_relaxed);
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof(T));
    return value;
  }
  /// Like store_local.
  static void store_in(std::byte* memory, std::uint32_t handle, const T& value) {
    Word word = 0;
    std::memcpy(&word, &value, sizeof(T));
    ValueStore::word_at<Word>(memory, handle).store(word, std::memory_order_release);
  }
  /// Calls use(value, place) for each handle in [at, last). `ahead` above 0: also loads the values that many places
  /// later into the fastest cache.
  template <class Use>
  static void each_in(std::byte* memory, const std::uint32_t* at, const std::uint32_t* last,
                      Use&& use, std::uint32_t ahead = 0) {
    if (ahead == 0) {
      each_by([memory](const std::uint32_t* place) { return load_in(memory, *place); }, at, last,
              use);
    } else {
      const auto load = [memory, ahead](const std::uint32_t* place) {
        load_ahead(memory, place[ahead]);
        return load_in(memory, *place);
      };
      each_by(load, at, last, use);
    }
  }
  /// Fetches many objects as one group: calls use(value, place) for each handle in [at, last).
  /// Handles before `remote` are local and plain(), the others are not. `ahead`: as in each_in.
  template <class Use>
  void each(const std::uint32_t* at, const std::uint32_t* remote, const std::uint32_t* last,
            Use&& use, std::uint32_t ahead = 0) {
    if (reads_together_ && copy_marks_->all_current()) [[likely]] {
      hits_ += static_cast<std::uint64_t>(last - remote);
      return each_local(at, last, use, ahead);
    }
    each_local(at, remote, use, ahead);
    each_remote(remote, last, use, ahead);
  }
  /// A store that other nodes need not know, because none of them reads the object. Requires a
  /// local object (not checked).
  // mutant: a-local-store-keeps-what-was-there
  void store_local(Handle object, const T& value) {
    dsm_->space_->memory_.values.template store_as<T>(shift_ + object.index(), value);
  }

  /// Like store_local, from any thread, if `better(value, present)`; returns whether it stored.
  template <class Better>
  bool improve_local(Handle object, const T& value, const Better& better) const {
    return dsm_->space_->memory_.values.template improve_as<T>(shift_ + object.index(), value,
                                                               better);
  }

  /// Like Dsm::store.
  void store(Handle object, const T& value) {
    if (object.value() >= store_limit_) return dsm_->store(object, value);
    dsm_->space_->memory_.values.template store_as<T>(object.index(), value);
    stored_.emplace_back(object.value());
    if (stored_.size() == kBatch) publish();
  }

  /// Passes collected statistics, stores and refresh requests to the node.
  void publish() {
    AccessCounters& counters = dsm_->space_->counters();
    if (hits_ > 0) counters.add(Access::CurrentHit, hits_);
    hits_ = 0;
    for (std::uint32_t age = 1; age <= oldest_; ++age) {
      if (stale_by_age_[age] > 0) counters.add_stale(age, std::exchange(stale_by_age_[age], 0));
    }
    oldest_ = 0;
    // mutant: view-keeps-its-stores
    if (stored_.empty() && stale_ == 0) return;
    dsm_->space_->hand_over(stored_);
    stored_.clear();
    stale_ = 0;
  }

 private:
  static constexpr std::size_t kBatch = 1024;
  static constexpr std::ptrdiff_t kStride = 4;  // of the unrolled loops

  /// `load(place)`: the value whose handle is at the place.
  template <class Load, class Use>
  static void each_by(const Load& load, const std::uint32_t* at, const std::uint32_t* last,
                      Use& use) {
    for (; last - at >= kStride; at += kStride) use_all(load, at, use);
    for (; at != last; ++at) use(load(at), at);
  }
  static void load_ahead(std::byte* values, std::uint32_t handle) {
    if constexpr (kInWords) __builtin_prefetch(reinterpret_cast<Word*>(values) + handle);
  }
  /// A local copy of a member keeps it in a register.
  template <class Use>
  void each_local(const std::uint32_t* at, const std::uint32_t* last, Use& use,
                  std::uint32_t ahead) const {
    std::byte* const values = values_;
    if constexpr (kInWords) {
      each_in(values, at, last, use, ahead);
    } else {
      each_by([&](const std::uint32_t* place) { return load_from(values, *place); }, at, last, use);
    }
  }
  template <class Use>
  void each_remote(const std::uint32_t* at, const std::uint32_t* last, Use& use,
                   std::uint32_t ahead) {
    if (ahead == 0) return each_marked<false>(at, last, use, 0);
    each_marked<true>(at, last, use, ahead);
  }
  template <bool kAhead, class Use>
  void each_marked(const std::uint32_t* at, const std::uint32_t* last, Use& use,
                   std::uint32_t ahead) {
    std::byte* const values = values_;
    std::uint8_t* const marks = marks_;
    const auto load = [&](const std::uint32_t* place) {
      if constexpr (kAhead) load_ahead(values, place[ahead]);
      return load_from(values, *place);
    };
    const auto mark = [marks](std::uint32_t handle) { return CopyMark(marks[handle]).load(); };
    std::uint64_t hits = 0;
    const auto use_one = [&] {
      if (mark(*at) != 0) [[unlikely]] {
        use(fetch_slow(Handle(*at)), at);
      } else {
        ++hits;
        use(load(at), at);
      }
    };
    while (last - at >= kStride) {
      if ((mark(at[0]) | mark(at[1]) | mark(at[2]) | mark(at[3])) == 0) [[likely]] {
        hits += kStride;
        use_all(load, at, use);
        at += kStride;
      } else {
        for (const std::uint32_t* const end = at + kStride; at != end; ++at) use_one();
      }
    }
    for (; at != last; ++at) use_one();
    hits_ += hits;
  }
  template <class Load, class Use>
  static void use_all(const Load& load, const std::uint32_t* at, Use& use) {
    use(load(at), at);
    use(load(at + 1), at + 1);
    use(load(at + 2), at + 2);
    use(load(at + 3), at + 3);
  }

  [[nodiscard]] T fetch_bounded(Handle object) {
    T value;
    const std::uint8_t age = dsm_->space_->read_held(object, reinterpret_cast<std::byte*>(&value));
    if (age == Space::kUnusable) {
      publish();
      return dsm_->fetch_slow(object);
    }
    if (age == 0) {
      ++hits_;
      return value;
    }
    note_stale(age);
    return value;
  }

  void note_stale(std::uint8_t age) {
    // mutant: view-counts-no-stale-use
    ++stale_by_age_[age];
    oldest_ = std::max<std::uint32_t>(oldest_, age);
    if (refresh_) ++stale_;
  }

  [[nodiscard]] T load_from(std::byte* values, std::uint32_t place) const {
    if constexpr (kInWords) {
      return load_in(values, place);
    } else {
      return dsm_->space_->memory_.values.template load_as<T>(shift_ + place);
    }
  }

  Dsm<T>* dsm_;
  // From a handle to its index in values and marks; values_ and marks_ are shifted by it.
  std::size_t shift_;
  std::byte* values_;
  CopyMarks* copy_marks_;
  std::uint8_t* marks_;
  std::uint32_t plain_limit_;
  std::uint32_t store_limit_;
  std::uint8_t most_age_;
  bool refresh_;
  bool reads_together_;
  std::uint32_t oldest_ = 0;
  std::uint64_t hits_ = 0;
  std::array<std::uint64_t, AccessCounts::kAges> stale_by_age_{};
  std::vector<LocalIndex> stored_;
  std::size_t stale_ = 0;  // refreshes queued since the last publish
};

}  // namespace leeway
