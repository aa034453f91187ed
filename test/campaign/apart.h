// A search for a deliberate mistake in a process of its own, which the mistake may end.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace leeway::campaign {

/// How `find` found it, in a line; where the process ended instead, what the watchdog said of that; empty: not found.
[[nodiscard]] std::string found_apart(const std::function<std::optional<std::string>()>& find);

}  // namespace leeway::campaign
