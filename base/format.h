// Text: formatting based on {fmt}, with ids as numbers; splitting and quoting; suggestions for misspelled names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ids.h"

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

/// Smallest number of edits (insert, delete, replace, swap adjacent characters) that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// True if `given` is probably a misspelt `name`: at most a third of the letters differ.
[[nodiscard]] bool is_near(std::string_view given, std::string_view name);

/// The text with control characters, which could come from a file or a name, as \xNN. Line breaks and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for one line: line breaks and tabs, too, are replaced.
[[nodiscard]] std::string printable_line(std::string_view text);

/// The remedy of an error about an unknown name: "did you mean 'X'?" if a valid name is similar, else the list of valid names.
[[nodiscard]] std::string did_you_mean(std::string_view given,
                                       std::span<const std::string_view> valid);

/// The parts between separators, at least one. The parts refer to `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Letters of ASCII in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

/// A word of a shell's command, in single quotes.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace leeway
