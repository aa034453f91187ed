#include "leeway/transport/backoff.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>

#include "leeway/base/check.h"

namespace leeway {

namespace {

constexpr Duration kYield = std::chrono::microseconds(60);
constexpr Duration kYieldCrowded = std::chrono::microseconds(10);
constexpr Duration kShortestRest = std::chrono::microseconds(20);
constexpr Duration kShortestCrowded = std::chrono::microseconds(50);
constexpr Duration kLongestRest = std::chrono::microseconds(1200);

}  // namespace

Doorbell::Doorbell() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  LEEWAY_CHECK(descriptor_ >= 0);
}

Doorbell::~Doorbell() { ::close(descriptor_); }

void Doorbell::ring() const {
  const std::uint64_t one = 1;
  (void)!::write(descriptor_, &one, sizeof(one));
}

void Doorbell::answer() const {
  std::uint64_t rings = 0;
  (void)!::read(descriptor_, &rings, sizeof(rings));
}

void Doorbell::wait(Duration most, int other) const {
  if (most <= Duration::zero()) return;
  constexpr Duration::rep kSecond = 1'000'000'000;
  const timespec time{.tv_sec = most.count() / kSecond, .tv_nsec = most.count() % kSecond};
  pollfd ends[2] = {{.fd = descriptor_, .events = POLLIN, .revents = 0},
                    {.fd = other, .events = POLLIN, .revents = 0}};
  const int ready = ::ppoll(ends, other < 0 ? 1 : 2, &time, nullptr);
  if (ready > 0 && ends[0].revents != 0) answer();
}

void Backoff::rest(Duration idle, Duration most, bool crowded) const {
  if (idle < (crowded ? kYieldCrowded : kYield)) {
    ::sched_yield();
    return;
  }
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  (void)exact;
  const Duration length = crowded ? std::clamp(idle / 2, kShortestCrowded, kLongestRest)
                                  : std::clamp(idle / 8, kShortestRest, kLongestRest);
  bell_.wait(std::min(length, most));
}

}  // namespace leeway
