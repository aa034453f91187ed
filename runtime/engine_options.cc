#include "leeway/runtime/engine_options.h"

#include <array>

namespace leeway {

namespace {

constexpr std::array kSchedulers = {
    SchedulerInfo{Scheduler::DoWork, "do-work", "sweeps in place, a barrier and a vote after each"},
    SchedulerInfo{Scheduler::Bsp, "bsp", "supersteps: every read is of the superstep before"},
    SchedulerInfo{Scheduler::Ap, "ap", "no barrier: a node works while it has work"},
    SchedulerInfo{Scheduler::Ssp, "ssp", "no barrier, but nobody too far ahead of the slowest"},
    SchedulerInfo{Scheduler::Aap, "aap", "each worker waits for what is worth waiting for (pie)"},
    SchedulerInfo{Scheduler::Hsync, "hsync", "in step or apart, whichever does more (pie)"},
};

}  // namespace

std::span<const SchedulerInfo> schedulers() { return kSchedulers; }

std::string_view scheduler_name(Scheduler scheduler) {
  for (const SchedulerInfo& info : kSchedulers) {
    if (info.scheduler == scheduler) return info.name;
  }
  return "";
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
