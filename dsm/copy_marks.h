// What is known of the copy of a remote object, in one byte that readers look at without a lock: 0 where a read
// need only load the value, otherwise its age, or why the slow path is due.
//
// Written under the node's lock, after the value it speaks of is in place; but a reader who finds kLookFirst clears
// it, and only that: whatever was published meanwhile stays, or word of a newer version would be lost.
// test/dsm/copy_mark_test.cc runs this code through all its interleavings; `Ref` is the seam it uses.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/array.h"
#include "dsm/id_index.h"
#include "leeway/result.h"

namespace leeway {

/// Of a byte that somebody else owns.
template <template <class> class Ref>
class BasicCopyMark {
 public:
  static constexpr std::uint8_t kUnusable = 255;   ///< no copy, or one beyond the threshold
  static constexpr std::uint8_t kLookFirst = 254;  ///< current, but the slow path is due
  static constexpr std::uint8_t kMostAge = 253;  ///< stands for itself and everything usable beyond

  explicit BasicCopyMark(std::uint8_t& mark) : mark_(mark) {}

  [[nodiscard]] std::uint8_t load() const { return mark_.load(std::memory_order_acquire); }
  /// 0 current, kUnusable, else its staleness.
  [[nodiscard]] std::uint8_t age() const {
    const std::uint8_t mark = load();
    return mark == kLookFirst ? std::uint8_t{0} : mark;
  }
  /// A pushed value is read for the first time: from now on it is as fast as any, unless word of a newer version
  /// arrives right here. Whether it was this call that made it so.
  bool note_read() const {
    std::uint8_t found = kLookFirst;
    return mark_.compare_exchange_strong(found, 0, std::memory_order_acq_rel,
                                         std::memory_order_acquire);
  }

  /// `keep_slow`: readers go the slow way even if the copy is current. Locked, as below. Returns how many more marks are
  /// not 0 now, even if a reader clears this one right here.
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
  /// Whether the value was pushed and nobody has read it since.
  [[nodiscard]] bool unread() const { return mark_.load(std::memory_order_relaxed) == kLookFirst; }

 private:
  Ref<std::uint8_t> mark_;
};

using CopyMark = BasicCopyMark<std::atomic_ref>;

// The marks of all copies of a space, and whether any of them is not 0: where none is, whoever reads many
// needs to look at no mark at all.

/// How many marks are not 0, at least: written under the node's lock, but for what readers clear.
/// test/dsm/copy_mark_test.cc runs this code, too; `Ref` is the seam it uses.
template <template <class> class Ref>
class BasicMarkCount {
 public:
  /// Locked: of marks that were published.
  void count(std::int64_t more) {
    if (more == 0) return;
    const std::uint64_t now = Ref(raised_).load(std::memory_order_relaxed);
    Ref(raised_).store(now + static_cast<std::uint64_t>(more), std::memory_order_release);
  }
  /// A reader has cleared one.
  void count_cleared() { Ref(cleared_).fetch_add(1, std::memory_order_acq_rel); }
  /// No mark was other than 0 at some moment of this call, and the values are in place that were published until then.
  [[nodiscard]] bool none() {
    // In this order: what is cleared was raised before.
    const std::uint64_t cleared = Ref(cleared_).load(std::memory_order_acquire);
    return Ref(raised_).load(std::memory_order_acquire) == cleared;
  }

 private:
  std::uint64_t raised_ = 0;  ///< net, but for what readers cleared
  std::uint64_t cleared_ = 0;
};

class CopyMarks {
 public:
  /// One a handle, all 0.
  static Result<CopyMarks> make(std::size_t handles) {
    CopyMarks marks;
    LEEWAY_ASSIGN(marks.memory_, Array<std::uint8_t>::make(handles));
    marks.bytes_ = marks.memory_.mutable_span().data();
    return marks;
  }
  [[nodiscard]] std::uint8_t* data() const { return bytes_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] CopyMark at(std::size_t handle) const { return CopyMark(bytes_[handle]); }
  /// All copies that there are handles of can be read as they are.
  [[nodiscard]] bool all_current() { return count_.none(); }

  /// As CopyMark's.
  void note_read(std::size_t handle) {
    if (at(handle).note_read()) count_.count_cleared();
  }
  void publish(std::size_t handle, std::uint8_t age, bool keep_slow) {
    count_.count(at(handle).publish(age, keep_slow));
  }
  /// Of `count` handles in a row, whose ages `age_of(i)` tells.
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

// A set of indices that many threads add to and one drains: a bitmap with a summary above it, so that
// adding is one or two atomic words and draining skips what is empty. Duplicates merge by nature. This
// is the paper's refresh-queue, and the list of objects written since the last flush. Beside it the flag by
// which whoever adds tells whoever drains.
//
// Every word here is both written and looked at by the two sides, in opposite orders: the adder writes its
// index, then looks whether somebody has to be woken; the drainer takes the flag down, then looks for
// indices. If both only stored and loaded, each store could still be on its way to memory while the other
// side looks, and an index would stay in the set with nobody told. So each side writes by a
// read-modify-write, and the drainer's looking comes after one. test/dsm/interleavings_test.cc runs this code
// through all its interleavings; `Ref` is the seam it uses.
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

  /// Thread-safe. True if the index was not in the set. Whoever drains the index sees what was stored before
  /// it was added. So the bit is never just looked at: a store before might still be on its way to memory
  /// when a drain, having cleared the bit meanwhile, reads the old value.
  bool add(std::uint32_t index) {
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    const std::uint64_t before =
        Word(bit_words_[index / 64]).fetch_or(bit, std::memory_order_acq_rel);
    if (before == 0) tell(index);
    return (before & bit) == 0;
  }

  /// Whether a drain that has not begun to take the index will do so. For an adder whose index carries no store: what the
  /// drain does for it is in time whenever it happens.
  [[nodiscard]] bool waits(std::uint32_t index) const {
    return (Word(bit_words_[index / 64]).load(std::memory_order_relaxed) >> (index % 64)) % 2 != 0;
  }

  /// As `add` of `count` indices in a row.
  void add_all(std::uint32_t first, std::uint32_t count) {
    while (count > 0) {
      const std::uint32_t here = std::min(count, 64 - first % 64);
      const std::uint64_t bits = (~std::uint64_t{0} >> (64 - here)) << (first % 64);
      if (Word(bit_words_[first / 64]).fetch_or(bits, std::memory_order_acq_rel) == 0) tell(first);
      first += here;
      count -= here;
    }
  }

  /// Calls `take(index)` for every member, ascending, and removes it first. One thread at a time; what
  /// is added meanwhile is taken now or next time.
  template <class Take>
  void drain(Take&& take) {
    if (any().load(std::memory_order_relaxed) == 0)
      return;  // most often, and the summary may be long
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

  /// The word of this index was empty.
  void tell(std::uint32_t index) {
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

/// Says that some queue may hold something. Adders raise it after they have added; who drains lowers it
/// before it drains. Thread-safe.
template <template <class> class Ref>
class BasicPendingFlag {
 public:
  /// True if it was down: then whoever drains must be woken. An exchange even where it is up already: a
  /// mere look could be ahead of the queue's words on their way to memory, and miss a drain that misses them.
  bool raise() { return Flag(raised_).exchange(1, std::memory_order_acq_rel) == 0; }
  /// An exchange again, so that the drain that follows looks at the queues after this is in memory.
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

// Positions of a bounded cache's copies in the value store, for readers without a lock. A reader looks up the place of a
// copy, loads the value there, and uses it if the place still belongs to the same copy.
//
// Each place has a generation, which changes when the place is taken from a copy. The writer first removes the copy's
// entry, then changes the generation, and only then stores another value there. Values are stored with release and loaded
// with acquire, so a reader that has loaded the later value also finds the later generation.
// test/dsm/held_places_test.cc runs this code through all interleavings; `Ref` is the seam it uses.
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
  std::uint32_t* place_of_ = nullptr;  // and one; 0: none
  std::uint32_t* generations_ = nullptr;
};

using HeldPlaces = BasicHeldPlaces<std::atomic_ref>;

}  // namespace leeway
