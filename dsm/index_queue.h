// A set of indices that many threads add to and one drains: a bitmap with a summary above it, so that
// adding is one or two atomic words and draining skips what is empty. Duplicates merge by nature. This
// is the paper's refresh-queue, and the list of objects written since the last flush.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "leeway/base/array.h"

namespace leeway {

class IndexQueue {
 public:
  static Result<IndexQueue> make(std::size_t universe) {
    IndexQueue queue;
    const std::size_t words = (universe + 63) / 64;
    LEEWAY_ASSIGN(queue.bits_, Array<std::uint64_t>::make(words));
    LEEWAY_ASSIGN(queue.summary_, Array<std::uint64_t>::make((words + 63) / 64 + 1));
    queue.bit_words_ = reinterpret_cast<Word*>(queue.bits_.mutable_span().data());
    queue.summary_words_ = reinterpret_cast<Word*>(queue.summary_.mutable_span().data());
    queue.any_ = queue.summary_words_ + queue.summary_.size() - 1;
    return queue;
  }

  /// Thread-safe. True if the index was not in the set. Whoever drains the index sees what was stored before
  /// it was added. So the bit is never just looked at: a store before might still be on its way to memory
  /// when a drain, having cleared the bit meanwhile, reads the old value.
  bool add(std::uint32_t index) {
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    const std::uint64_t before = bit_words_[index / 64].fetch_or(bit, std::memory_order_acq_rel);
    if (before == 0) {
      summary_words_[index / 4096].fetch_or(std::uint64_t{1} << (index / 64 % 64),
                                            std::memory_order_acq_rel);
      any_->store(1, std::memory_order_release);
    }
    return (before & bit) == 0;
  }

  /// Calls `take(index)` for every member, ascending, and removes it first. One thread at a time; what
  /// is added meanwhile is taken now or next time.
  template <class Take>
  void drain(Take&& take) {
    if (any_->load(std::memory_order_relaxed) == 0)
      return;  // most often, and the summary may be long
    any_->exchange(0, std::memory_order_acq_rel);
    for (std::size_t top = 0; top + 1 < summary_.size(); ++top) {
      if (summary_words_[top].load(std::memory_order_relaxed) == 0) continue;
      std::uint64_t groups = summary_words_[top].exchange(0, std::memory_order_acq_rel);
      for (; groups != 0; groups &= groups - 1) {
        const std::size_t word = top * 64 + static_cast<unsigned>(std::countr_zero(groups));
        std::uint64_t bits = bit_words_[word].exchange(0, std::memory_order_acq_rel);
        for (; bits != 0; bits &= bits - 1) {
          take(static_cast<std::uint32_t>(word * 64 +
                                          static_cast<unsigned>(std::countr_zero(bits))));
        }
      }
    }
  }

  [[nodiscard]] std::size_t bytes() const { return bits_.bytes() + summary_.bytes(); }

 private:
  using Word = std::atomic<std::uint64_t>;

  Array<std::uint64_t> bits_;
  Array<std::uint64_t> summary_;
  Word* bit_words_ = nullptr;
  Word* summary_words_ = nullptr;
  Word* any_ =
      nullptr;  // the last word of the summary: 0 if nothing was added since the last drain
};

}  // namespace leeway
