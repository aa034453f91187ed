#include "transport/hosts.h"

#include <algorithm>

#include "base/check.h"

namespace leeway {

namespace {

__extension__ using Product = unsigned __int128;

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kPicosecondsInNanosecond = 1000;

}  // namespace

std::uint64_t SharedHosts::slowdown_per_million(std::uint64_t computing) const {
  const std::uint64_t by_cores = computing * kMillion / cores;
  // With too few cores, activities also use less bandwidth; so the scarcer resource alone determines the rate.
  const std::uint64_t by_memory = computing * memory_share_per_million;
  return std::max({kMillion, by_cores, by_memory});
}

void HostProcessor::begin(Instant now, std::uint32_t activity, std::uint64_t picoseconds) {
  advance(now);
  const SharedLoad load{done_ps_ + picoseconds, activity};
  const auto later = std::upper_bound(
      loads_.begin(), loads_.end(), load,
      [](const SharedLoad& a, const SharedLoad& b) { return a.end_ps < b.end_ps; });
  loads_.insert(later, load);
}

void HostProcessor::drop(Instant now, std::uint32_t activity) {
  advance(now);
  std::erase_if(loads_, [activity](const SharedLoad& load) { return load.activity == activity; });
}

std::optional<Instant> HostProcessor::next_end() const {
  if (loads_.empty()) return std::nullopt;
  const std::uint64_t slowdown = hosts_->slowdown_per_million(loads_.size());
  const std::uint64_t left = std::max(loads_.front().end_ps, done_ps_) - done_ps_;
  constexpr std::uint64_t kUnit = kMillion * kPicosecondsInNanosecond;
  const Product nanoseconds = (Product{left} * slowdown + kUnit - 1) / kUnit;
  return advanced_to_ + Duration(static_cast<Duration::rep>(nanoseconds));
}

std::vector<std::uint32_t> HostProcessor::take_done(Instant now) {
  advance(now);
  const auto first_left =
      std::find_if(loads_.begin(), loads_.end(),
                   [this](const SharedLoad& load) { return load.end_ps > done_ps_; });
  std::vector<std::uint32_t> done;
  for (auto load = loads_.begin(); load != first_left; ++load) done.push_back(load->activity);
  loads_.erase(loads_.begin(), first_left);
  return done;
}

void HostProcessor::advance(Instant now) {
  LEEWAY_CHECK(now >= advanced_to_);
  if (loads_.empty()) {
    done_ps_ = 0;
  } else {
    const auto nanoseconds = static_cast<std::uint64_t>((now - advanced_to_).count());
    constexpr std::uint64_t kUnit = kMillion * kPicosecondsInNanosecond;
    done_ps_ += static_cast<std::uint64_t>(Product{nanoseconds} * kUnit /
                                           hosts_->slowdown_per_million(loads_.size()));
  }
  advanced_to_ = now;
}

}  // namespace leeway
