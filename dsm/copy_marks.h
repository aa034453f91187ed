// The marks of all copies of a space, and whether any of them is not 0: where none is, whoever reads many
// needs to look at no mark at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "leeway/base/array.h"
#include "leeway/base/result.h"
#include "leeway/dsm/copy_mark.h"

namespace leeway {

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

}  // namespace leeway
