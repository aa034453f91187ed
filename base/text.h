// Helpers for text: splitting, lower case, quoting for a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leeway {

/// The parts between separators, at least one. The parts refer to `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Letters of ASCII in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

/// A word of a shell's command, in single quotes.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace leeway
