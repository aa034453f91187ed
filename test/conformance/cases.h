// What every Transport owes the node above it, case by case. A case is run by all nodes of a cluster at
// once; it throws Broken on the node that sees the promise broken.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "test/conformance/mailroom.h"

namespace leeway::conformance {

struct Setting {
  std::uint64_t window_bytes = 0;  ///< what the cluster was built with
  bool virtual_time = false;
  /// Where all nodes live in one process: whether the way to a node that does not poll has been filled.
  std::atomic<bool>* way_is_full = nullptr;
};

struct Case {
  std::string_view name;
  void (*run)(Mailroom& node, const Setting& setting);
};

[[nodiscard]] std::span<const Case> cases();

}  // namespace leeway::conformance
