// "Did you mean": the closest valid name to one that was not recognised.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace leeway {

/// Edits (insert, delete, replace, swap neighbours) that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// A remedy for an unknown name: "did you mean 'X'?" when one is near, else the list of valid ones.
[[nodiscard]] std::string did_you_mean(std::string_view given,
                                       std::span<const std::string_view> valid);

}  // namespace leeway
