#include "leeway/base/counter.h"

#include <cmath>

#include "leeway/base/check.h"

namespace leeway {

void Histogram::add(std::uint64_t value, std::uint64_t times) {
  buckets_[bucket_of(value)].fetch_add(times, std::memory_order_relaxed);
  count_.add(times);
  sum_.add(value * times);
  std::uint64_t seen = max_.load(std::memory_order_relaxed);
  while (seen < value && !max_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

double Histogram::mean() const {
  return count() == 0 ? 0.0 : static_cast<double>(sum()) / static_cast<double>(count());
}

std::uint64_t Histogram::quantile(double fraction) const {
  LEEWAY_CHECK(fraction >= 0.0);
  LEEWAY_CHECK(fraction <= 1.0);
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count())));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += in_bucket(bucket);
    if (seen >= wanted && seen > 0) return lower_bound(bucket);
  }
  return 0;
}

std::uint64_t Histogram::in_bucket(std::size_t bucket) const {
  LEEWAY_CHECK(bucket < kBuckets);
  return buckets_[bucket].load(std::memory_order_relaxed);
}

}  // namespace leeway
