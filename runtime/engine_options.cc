#include "leeway/runtime/engine_options.h"

namespace leeway {

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
