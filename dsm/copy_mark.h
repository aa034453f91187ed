// What is known of the copy of a remote object, in one byte that readers look at without a lock: 0 where a read
// need only load the value, otherwise its age, or why the slow path is due.
//
// Written under the node's lock, after the value it speaks of is in place; but a reader who finds kLookFirst clears
// it, and only that: whatever was published meanwhile stays, or word of a newer version would be lost.
// test/dsm/copy_mark_test.cc runs this code through all its interleavings; `Ref` is the seam it uses.
#pragma once

#include <atomic>
#include <cstdint>

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

}  // namespace leeway
