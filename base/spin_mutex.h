// A mutex for sections of a microsecond or so that many threads enter: who finds it taken looks again for about as
// long as such a section takes, and only then goes to sleep, which costs several times that.
#pragma once

#include <atomic>
#include <mutex>

namespace leeway {

class SpinMutex {
 public:
  void lock() {
    for (int look = 0; look < kLooks; ++look) {
      if (!taken_.load(std::memory_order_relaxed) && try_lock()) return;
      pause();
    }
    mutex_.lock();
    taken_.store(true, std::memory_order_relaxed);
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    taken_.store(true, std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    taken_.store(false, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  static constexpr int kLooks = 100;
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::mutex mutex_;
  std::atomic<bool> taken_{false};  // a hint: to look at it disturbs nobody
};

}  // namespace leeway
