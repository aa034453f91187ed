// The guarantees of every Transport to the node above it, case by case. All nodes of a cluster run
// a case simultaneously; it throws Broken on the node that observes a violation.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "test/conformance/mailroom.h"

namespace leeway::conformance {

struct Setting {
  std::uint64_t window_bytes = 0;  ///< window of the cluster
  bool virtual_time = false;
  /// If all nodes are in one process: whether the window to a node that does not poll has been
  /// filled.
  std::atomic<bool>* way_is_full = nullptr;
};

struct Case {
  std::string_view name;
  void (*run)(Mailroom& node, const Setting& setting);
};

[[nodiscard]] std::span<const Case> cases();

}  // namespace leeway::conformance
