// Text as JSON wants it, for reports that are written rather than built.
#pragma once

#include <string>
#include <string_view>

namespace leeway {

/// In quotes, with quotes, backslashes and control characters escaped.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace leeway
