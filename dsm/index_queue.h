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
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "leeway/base/array.h"

namespace leeway {

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

}  // namespace leeway
