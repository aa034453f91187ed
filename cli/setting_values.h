// How a setting's text becomes a value: numbers within bounds, and words of a list. An error lacks its
// `where`; the caller knows which file, variable or flag spoke.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/cli/options.h"
#include "leeway/datasets/load_graph.h"

namespace leeway::cli {

template <class Enum, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Enum>, N>;

inline constexpr Choices<bool, 2> kSwitch = {{{"true", true}, {"false", false}}};

template <class Enum, std::size_t N>
std::vector<std::string_view> names_of(const Choices<Enum, N>& choices) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

inline Error unknown_value(std::string_view value, std::span<const std::string_view> valid) {
  return input_error("", format("unknown value '{}'", value), did_you_mean(value, valid));
}

template <class Enum, std::size_t N>
Status choose(const Choices<Enum, N>& choices, std::string_view value, Enum& into) {
  for (const auto& [name, meaning] : choices) {
    if (name == value) {
      into = meaning;
      return {};
    }
  }
  return fail(unknown_value(value, names_of(choices)));
}

template <class Number>
Status number(std::string_view value, Number low, Number high, Number& into) {
  Number parsed{};
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  const bool whole = fault == std::errc() && end == value.data() + value.size();
  if (!whole || !(parsed >= low && parsed <= high)) {
    return fail(input_error("", format("'{}' is not a number it can take", value),
                            format("give one from {} to {}", low, high)));
  }
  into = parsed;
  return {};
}

/// Any text, as it is.
template <class Text>
Status keep(std::string_view value, Text& into) {
  if (value.empty())
    return fail(input_error("", "it is given nothing", "give a name, or leave it out"));
  into = value;
  return {};
}

/// The name of a format, or of the binary form.
inline Status one_of(std::string_view value, std::span<const FormatInfo> formats, bool binary,
                     std::optional<std::string>& into) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : formats) names.push_back(info.name);
  if (binary && std::find(names.begin(), names.end(), "binary") == names.end()) {
    names.push_back("binary");
  }
  if (std::find(names.begin(), names.end(), value) == names.end()) {
    return fail(unknown_value(value, names));
  }
  into = value;
  return {};
}

inline std::vector<std::string_view> format_names(std::span<const FormatInfo> formats) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : formats) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), "binary") == names.end()) names.push_back("binary");
  return names;
}

/// The settings of reading and drawing a graph.
[[nodiscard]] std::vector<Setting> load_settings();
/// The settings of dividing a graph.
[[nodiscard]] std::vector<Setting> partition_settings();
/// The settings of `leeway run`.
[[nodiscard]] std::vector<Setting> run_settings();
/// Those of snapshots and restarts.
[[nodiscard]] std::vector<Setting> snapshot_settings();
/// Those of programs that go by ticks.
[[nodiscard]] std::vector<Setting> simulation_settings();
/// Those of the piece engine alone.
[[nodiscard]] std::vector<Setting> piece_settings();

}  // namespace leeway::cli
