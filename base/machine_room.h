// What this machine still has room for, so that whoever is about to ask for very much can be told before,
// and not by the system ending somebody for it. A look at files and limits; only `raise_descriptor_limit` changes any.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace leeway {

struct Room {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t left = kNoLimit;
  std::string by;  ///< what sets the limit: "the memory that is free", "ulimit -u", …
};

/// Bytes: what is free, or what a control group leaves of its limit.
[[nodiscard]] Room memory_room();
/// Processes and threads: of the system, of this user, of the control groups this process is in.
[[nodiscard]] Room process_room();
/// Files and sockets that one process may have open, this one's own among them.
[[nodiscard]] Room descriptor_room();

/// Lets this process, and those it starts, open as many files as the hard limit allows. Returns how many that is.
std::uint64_t raise_descriptor_limit();

/// How many things fit into so many bytes, where each takes `each` and `per_pair` more for every one there is.
/// Requires `each` above 0.
[[nodiscard]] std::uint64_t most_that_fit(std::uint64_t bytes, std::uint64_t each,
                                          std::uint64_t per_pair);

}  // namespace leeway
