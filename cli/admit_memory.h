// Refuses, before any of it is asked for, more memory than is free: the system may grant what it cannot
// give, and end somebody for it later.
#pragma once

#include <cstdint>
#include <string_view>

#include "leeway/base/result.h"

namespace leeway::cli {

/// The same for the nodes of one process, be they threads or virtual: what each takes before it holds
/// anything. An Environment error with the number that fits.
Status admit_nodes(std::uint32_t nodes, bool threads);

/// An Environment error that names `flag` if `count` `things` ("cells", "fish") do not fit.
Status admit_memory(std::string_view flag, std::string_view things, std::uint64_t count,
                    std::uint64_t bytes_each);

}  // namespace leeway::cli
