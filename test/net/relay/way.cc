#include "test/net/relay/way.h"

#include <algorithm>
#include <utility>

namespace {

using namespace leeway;

constexpr std::size_t kMostHeld = std::size_t{64}
                                  << 20U;  // bytes; like a router, it drops the rest
constexpr Duration kOvertaken = std::chrono::milliseconds(3);

}  // namespace

bool Way::obey(const std::string& word, double number) {
  if (word == "down") {
    down_ = true;
  } else if (word == "up") {
    down_ = false;
  } else if (word == "hold") {
    hold_ = true;
  } else if (word == "release") {
    hold_ = false;
  } else if (word == "loss") {
    loss_percent_ = number;
  } else if (word == "reorder") {
    reorder_percent_ = number;
  } else if (word == "duplicate") {
    duplicate_percent_ = number;
  } else if (word == "delay") {
    delay_ =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(number));
  } else {
    return false;
  }
  return true;
}

void Way::take(Bytes packet, Instant now, const NetworkProfile& profile, Random& random,
               const std::function<void(const char*)>& harmed) {
  const auto happens = [&](double percent) { return percent > 0 && random.chance(percent / 100); };
  if (down_) return harmed("down");
  if (happens(loss_percent_)) return harmed("loss");
  if (held_bytes_ + packet.size() > kMostHeld) return;
  if (hold_) harmed("hold");
  if (delay_ > Duration::zero()) harmed("delay");
  const Duration on_the_way = profile.sample(random, packet.size());
  free_at_ = std::max(now + delay_ + on_the_way, free_at_ + profile.transmission(packet.size()));
  if (happens(duplicate_percent_)) {
    harmed("duplicate");
    put(free_at_, packet);
  }
  const bool overtaken = happens(reorder_percent_);
  if (overtaken) harmed("reorder");
  put(overtaken ? free_at_ + kOvertaken : free_at_, std::move(packet));
}

void Way::put(Instant due, Bytes packet) {
  held_bytes_ += packet.size();
  packets_.emplace(due, std::move(packet));
}

std::optional<Instant> Way::next_due() const {
  if (packets_.empty() || hold_) return std::nullopt;
  return packets_.begin()->first;
}

void Way::deliver(Instant now, const std::function<void(const Bytes&)>& to) {
  while (!hold_ && !packets_.empty() && packets_.begin()->first <= now) {
    const Bytes packet = std::move(packets_.begin()->second);
    packets_.erase(packets_.begin());
    held_bytes_ -= packet.size();
    if (!down_) to(packet);
  }
}
