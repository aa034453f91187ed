// Data structures that compute threads use without the node's lock: marks of copies (CopyMark,
// CopyMarks), sets of indices for the service thread (IndexQueue, PendingFlag), and the places of
// copies in a bounded cache (HeldPlaces). Tests in test/dsm run this code through all
// interleavings; the template parameter `Ref` is their seam for std::atomic_ref.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/array.h"
#include "base/result.h"
#include "dsm/id_index.h"

namespace leeway {

/// The state of a remote object's copy in one byte that readers load without a lock: 0 if the value
/// can be loaded directly, otherwise the copy's age or the reason for the slow path.
///
/// Written under the node's lock, after the value is written. The only write by readers is to clear
/// kLookFirst; a compare-and-swap makes sure that it does not overwrite a mark published meanwhile,
/// which would lose an invalidation. Tested by test/dsm/copy_mark_test.cc.
template <template <class> class Ref>
class BasicCopyMark {
 public:
  /// No copy, or one that is older than the threshold.
  static constexpr std::uint8_t kUnusable = 255;
  /// Current, but the next read must take the slow path.
  static constexpr std::uint8_t kLookFirst = 254;
  static constexpr std::uint8_t kMostAge = 253;  ///< this age or any greater usable age

  explicit BasicCopyMark(std::uint8_t& mark) : mark_(mark) {}

  [[nodiscard]] std::uint8_t load() const { return mark_.load(std::memory_order_acquire); }
  /// 0: current; kUnusable; else the staleness.
  [[nodiscard]] std::uint8_t age() const {
    const std::uint8_t mark = load();
    return mark == kLookFirst ? std::uint8_t{0} : mark;
  }
  /// Records the first read of a pushed value: later reads take the fast path, unless an
  /// invalidation is published concurrently. Returns whether this call cleared the mark.
  bool note_read() const {
    std::uint8_t found = kLookFirst;
    return mark_.compare_exchange_strong(found, 0, std::memory_order_acq_rel,
                                         std::memory_order_acquire);
  }

  /// `keep_slow`: the next read takes the slow path even if the copy is current. Requires the
  /// node's lock. Returns the change of the number of marks that are not 0, even if a reader clears
  /// this one concurrently.
  int publish(std::uint8_t age, bool keep_slow) const {
    const std::uint8_t next = age == 0 && keep_slow ? kLookFirst : age;
    std::uint8_t before = mark_.load(std::memory_order_relaxed);
    if (before == kLookFirst) {
      before = mark_.exchange(next, std::memory_order_acq_rel);
    } else {
      mark_.store(next, std::memory_order_release);
    }
    return (next != 0 ? 1 : 0) - (before != 0 ? 1 : 0);
  }
  /// Whether the value was pushed and has not been read since.
  [[nodiscard]] bool unread() const { return mark_.load(std::memory_order_relaxed) == kLookFirst; }

 private:
  Ref<std::uint8_t> mark_;
};

using CopyMark = BasicCopyMark<std::atomic_ref>;

/// The number of marks that are not 0. Published marks are counted under the node's lock, those
/// that readers clear without it. Tested by test/dsm/copy_mark_test.cc.
template <template <class> class Ref>
class BasicMarkCount {
 public:
  /// Adds the result of `publish`. Requires the node's lock.
  void count(std::int64_t more) {
    if (more == 0) return;
    const std::uint64_t now = Ref(raised_).load(std::memory_order_relaxed);
    Ref(raised_).store(now + static_cast<std::uint64_t>(more), std::memory_order_release);
  }
  /// A reader has cleared a mark.
  void count_cleared() { Ref(cleared_).fetch_add(1, std::memory_order_acq_rel); }
  /// True only if all marks were 0 at some time during this call; all values published until then
  /// are visible.
  [[nodiscard]] bool none() {
    // In this order, because a mark is raised before it is cleared.
    const std::uint64_t cleared = Ref(cleared_).load(std::memory_order_acquire);
    return Ref(raised_).load(std::memory_order_acquire) == cleared;
  }

 private:
  std::uint64_t raised_ = 0;  ///< net, without those that readers cleared
  std::uint64_t cleared_ = 0;
};

/// The marks of all handles of a space. If all are 0, a reader of many objects need not check any.
class CopyMarks {
 public:
  /// One mark per handle, all 0.
  static Result<CopyMarks> make(std::size_t handles) {
    CopyMarks marks;
    LEEWAY_ASSIGN(marks.memory_, Array<std::uint8_t>::make(handles));
    marks.bytes_ = marks.memory_.mutable_span().data();
    return marks;
  }
  [[nodiscard]] std::uint8_t* data() const { return bytes_; }
  [[nodiscard]] std::size_t handles() const { return memory_.span().size(); }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] CopyMark at(std::size_t handle) const { return CopyMark(bytes_[handle]); }
  /// True only if all copies can be read without checking their marks.
  [[nodiscard]] bool all_current() { return count_.none(); }

  /// Calls `take(handle)` for each handle in [first, last) whose mark is not 0.
  template <class Take>
  void each_raised(std::size_t first, std::size_t last, Take&& take) const {
    for (std::size_t handle = first; handle < last; ++handle) {
      if (at(handle).load() != 0) take(handle);
    }
  }

  /// Like CopyMark::note_read and publish, with counting.
  void note_read(std::size_t handle) {
    if (at(handle).note_read()) count_.count_cleared();
  }
  void publish(std::size_t handle, std::uint8_t age, bool keep_slow) {
    count_.count(at(handle).publish(age, keep_slow));
  }
  /// Publishes `count` consecutive handles; `age_of(i)` is the age of handle first + i.
  template <class AgeOf>
  void publish_row(std::size_t first, std::uint32_t count, AgeOf&& age_of) {
    std::int64_t more = 0;
    for (std::uint32_t i = 0; i < count; ++i) more += at(first + i).publish(age_of(i), false);
    count_.count(more);
  }

 private:
  Array<std::uint8_t> memory_;
  std::uint8_t* bytes_ = nullptr;
  BasicMarkCount<std::atomic_ref> count_;
};

/// A set of indices that many threads add to and one drains: a bitmap with a summary, so that
/// adding takes one or two atomic operations and draining skips empty words. Duplicates merge. Used
/// as ASPIRE's refresh-queue and for the objects written since the last flush.
///
/// Each side writes one word and reads another, in opposite orders: the adder writes its index,
/// then checks whether to wake the drainer; the drainer lowers the flag (PendingFlag), then reads
/// the indices. With plain stores and loads, each side could read before the other's store is
/// visible, and an index would stay in the set without a wake-up. So each side writes by a
/// read-modify-write, and the drainer reads after one. Tested by test/dsm/interleavings_test.cc.
template <template <class> class Ref>
class BasicIndexQueue {
 public:
  static Result<BasicIndexQueue> make(std::size_t universe) {
    BasicIndexQueue queue;
    const std::size_t words = (universe + 63) / 64;
    LEEWAY_ASSIGN(queue.bits_, Array<std::uint64_t>::make(words));
    LEEWAY_ASSIGN(queue.summary_, Array<std::uint64_t>::make((words + 63) / 64 + 1));
    queue.bit_words_ = queue.bits_.mutable_span().data();
    queue.summary_words_ = queue.summary_.mutable_span().data();
    return queue;
  }

  /// Thread-safe. True if the index was not in the set. A thread that drains the index sees all
  /// stores before `add`. Therefore the bit is always written: if `add` only read it, a drain could
  /// clear the bit and read the old value before the preceding store is visible.
  bool add(std::uint32_t index) {
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    const std::uint64_t before =
        Word(bit_words_[index / 64]).fetch_or(bit, std::memory_order_acq_rel);
    if (before == 0) announce(index);
    return (before & bit) == 0;
  }

  /// Whether the index is in the set and a later drain will take it. For adders whose index does
  /// not stand for a store, for which the time of the drain does not matter.
  [[nodiscard]] bool contains(std::uint32_t index) const {
    return (Word(bit_words_[index / 64]).load(std::memory_order_relaxed) >> (index % 64)) % 2 != 0;
  }

  /// Adds `count` consecutive indices.
  void add_all(std::uint32_t first, std::uint32_t count) {
    while (count > 0) {
      const std::uint32_t here = std::min(count, 64 - first % 64);
      const std::uint64_t bits = (~std::uint64_t{0} >> (64 - here)) << (first % 64);
      if (Word(bit_words_[first / 64]).fetch_or(bits, std::memory_order_acq_rel) == 0)
        announce(first);
      first += here;
      count -= here;
    }
  }

  /// Calls `take(index)` for every member in ascending order, after removing it. One thread at a
  /// time. Indices added concurrently are taken now or by the next drain.
  template <class Take>
  void drain(Take&& take) {
    if (any().load(std::memory_order_relaxed) == 0)
      return;  // the common case; scanning the summary may take long
    any().exchange(0, std::memory_order_acq_rel);
    for (std::size_t top = 0; top + 1 < summary_.size(); ++top) {
      Word summary(summary_words_[top]);
      if (summary.load(std::memory_order_relaxed) == 0) continue;
      std::uint64_t groups = summary.exchange(0, std::memory_order_acq_rel);
      for (; groups != 0; groups &= groups - 1) {
        const std::size_t word = top * 64 + static_cast<unsigned>(std::countr_zero(groups));
        std::uint64_t bits = Word(bit_words_[word]).exchange(0, std::memory_order_acq_rel);
        for (; bits != 0; bits &= bits - 1) {
          take(static_cast<std::uint32_t>(word * 64 +
                                          static_cast<unsigned>(std::countr_zero(bits))));
        }
      }
    }
  }

  [[nodiscard]] std::size_t bytes() const { return bits_.bytes() + summary_.bytes(); }

 private:
  using Word = Ref<std::uint64_t>;

  /// Called when the index's word was empty: updates the summary.
  void announce(std::uint32_t index) {
    Word(summary_words_[index / 4096])
        .fetch_or(std::uint64_t{1} << (index / 64 % 64), std::memory_order_acq_rel);
    // An exchange: a plain store would end the release sequence of the adders before.
    any().exchange(1, std::memory_order_acq_rel);
  }
  /// The last word of the summary: 0 if nothing was added since the last drain.
  [[nodiscard]] Word any() { return Word(summary_words_[summary_.size() - 1]); }

  Array<std::uint64_t> bits_;
  Array<std::uint64_t> summary_;
  std::uint64_t* bit_words_ = nullptr;
  std::uint64_t* summary_words_ = nullptr;
};

/// Whether some queue may hold an index. Adders raise the flag after they have added; the drainer
/// lowers it before it drains. Thread-safe.
template <template <class> class Ref>
class BasicPendingFlag {
 public:
  /// True if the flag was down; then the drainer must be woken. An exchange even if the flag is up:
  /// a load could execute before the queue's words are visible, and miss a drain that misses them.
  bool raise() { return Flag(raised_).exchange(1, std::memory_order_acq_rel) == 0; }
  /// Also an exchange, so that the following drain reads the queues after it.
  void lower() { Flag(raised_).exchange(0, std::memory_order_acq_rel); }
  [[nodiscard]] bool raised() const {
    return Flag(const_cast<std::uint8_t&>(raised_)).load(std::memory_order_relaxed) != 0;
  }

 private:
  using Flag = Ref<std::uint8_t>;
  std::uint8_t raised_ = 0;
};

using IndexQueue = BasicIndexQueue<std::atomic_ref>;
using PendingFlag = BasicPendingFlag<std::atomic_ref>;

/// Places of a bounded cache's copies in the value store, for readers without a lock. A reader
/// looks up the place of a copy, loads the value there, and uses it if the place still belongs to
/// the same copy.
///
/// Each place has a generation, which changes when the place is taken from a copy. The writer first
/// removes the copy's entry, then changes the generation, and only then stores another value there.
/// Values are stored with release and loaded with acquire, so a reader that has loaded the later
/// value also finds the later generation. Tested by test/dsm/held_places_test.cc.
template <template <class> class Ref>
class BasicHeldPlaces {
 public:
  struct Look {
    std::uint32_t place = 0;
    std::uint32_t generation = 0;
  };

  static Result<BasicHeldPlaces> make(std::size_t met, std::size_t places) {
    BasicHeldPlaces held;
    LEEWAY_ASSIGN(held.place_memory_, Array<std::uint32_t>::make(met));
    LEEWAY_ASSIGN(held.generation_memory_, Array<std::uint32_t>::make(places));
    held.place_of_ = held.place_memory_.mutable_span().data();
    held.generations_ = held.generation_memory_.mutable_span().data();
    return held;
  }

  /// Place and generation of the copy; none if it is absent.
  [[nodiscard]] std::optional<Look> look(MetIndex met) const {
    const std::uint32_t held = place_of(met).load(std::memory_order_acquire);
    if (held == 0) return std::nullopt;
    const Look look{held - 1, generation_of(held - 1).load(std::memory_order_acquire)};
    // The generation may be that of the place's next copy.
    if (place_of(met).load(std::memory_order_acquire) != held) return std::nullopt;
    return look;
  }
  /// Whether a value loaded with acquire from that place after `look` belongs to the copy.
  [[nodiscard]] bool still(const Look& look) const {
    return generation_of(look.place).load(std::memory_order_relaxed) == look.generation;
  }

  /// Under the node's lock, after the copy's value was stored at `place`.
  void give(MetIndex met, std::uint32_t place) {
    place_of(met).store(place + 1, std::memory_order_release);
  }
  /// Under the node's lock, before another value is stored at `place`.
  void take(MetIndex met, std::uint32_t place) {
    place_of(met).store(0, std::memory_order_release);
    const std::uint32_t generation = generation_of(place).load(std::memory_order_relaxed);
    generation_of(place).store(generation + 1, std::memory_order_release);
  }

  [[nodiscard]] std::size_t bytes() const {
    return place_memory_.bytes() + generation_memory_.bytes();
  }

 private:
  [[nodiscard]] Ref<std::uint32_t> place_of(MetIndex met) const {
    return Ref<std::uint32_t>(place_of_[met.index()]);
  }
  [[nodiscard]] Ref<std::uint32_t> generation_of(std::uint32_t place) const {
    return Ref<std::uint32_t>(generations_[place]);
  }

  Array<std::uint32_t> place_memory_;
  Array<std::uint32_t> generation_memory_;
  std::uint32_t* place_of_ = nullptr;  // plus one; 0: none
  std::uint32_t* generations_ = nullptr;
};

using HeldPlaces = BasicHeldPlaces<std::atomic_ref>;

}  // namespace leeway
