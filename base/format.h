// Text formatting for the whole project: the only place that includes {fmt}. Ids print as their
// number.
#pragma once

#include <fmt/format.h>

#include <string>

#include "leeway/base/id.h"

template <class Tag, class Representation>
struct fmt::formatter<leeway::Id<Tag, Representation>> : fmt::formatter<Representation> {
  template <class Context>
  auto format(leeway::Id<Tag, Representation> id, Context& context) const {
    return fmt::formatter<Representation>::format(id.value(), context);
  }
};

namespace leeway {

using fmt::format;

/// 1536 → "1.5 KiB".
std::string format_bytes(double bytes);
/// 1234567 → "1,234,567".
std::string format_count(unsigned long long count);

}  // namespace leeway
