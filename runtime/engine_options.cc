#include "leeway/runtime/engine_options.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/format.h"

namespace leeway {

std::uint32_t least_cache(unsigned threads) { return std::max(kLeastCacheCapacity, threads); }

std::uint32_t cache_capacity(const EngineOptions& options, std::uint32_t remote) {
  if (!options.cache.any()) return 0;
  std::uint32_t most = options.cache.objects;
  if (most == 0) {
    const double share = std::ceil(options.cache.percent / 100 * remote);
    most = std::max(least_cache(options.threads), static_cast<std::uint32_t>(share));
  }
  return most >= remote ? 0 : most;
}

bool needs_news_of_evicted(const EngineOptions& options) {
  const bool in_step =
      options.scheduler == Scheduler::DoWork || options.scheduler == Scheduler::Bsp;
  return !in_step || options.visit != Visit::All;
}

Status check_cache(const EngineOptions& options) {
  if (!options.cache.any()) return {};
  const std::uint32_t least = least_cache(options.threads);
  if (options.cache.objects == 0 || options.cache.objects >= least) return {};
  return fail(input_error(
      "cache",
      format("{} objects are too few for {} threads", options.cache.objects, options.threads),
      format("give at least {}, or a share such as 10%", least)));
}

Schedule schedule_of(const EngineOptions& options) {
  Schedule schedule;
  schedule.model = options.scheduler;
  if (options.scheduler == Scheduler::Ssp || options.bounded) schedule.bound = options.staleness;
  return schedule;
}

std::string_view visit_name(Visit visit) {
  switch (visit) {
    case Visit::All:
      return "all";
    case Visit::Active:
      return "active";
    case Visit::Auto:
      return "auto";
  }
  return "";
}

std::string_view order_name(WorkOrder order) {
  switch (order) {
    case WorkOrder::Owner:
      return "owner";
    case WorkOrder::Degree:
      return "degree";
    case WorkOrder::Priority:
      return "priority";
    case WorkOrder::Auto:
      return "auto";
  }
  return "";
}

}  // namespace leeway
