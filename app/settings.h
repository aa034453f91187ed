// Types of settings: functions that build parsers and printers for numbers within bounds, words of a list, switches
// and text. A row of the settings table names the member that it sets by a path of member pointers:
// within<&CommandOptions::pie, &PieOptions::hops>(0U, 1000U). Errors have no `where`; the caller
// knows the file, variable or flag.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/options.h"
#include "base/format.h"
#include "datasets/graph.h"

namespace leeway::app {

template <class Enum, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Enum>, N>;

inline Error unknown_value(std::string_view value, std::span<const std::string_view> valid) {
  return input_error("", format("unknown value '{}'", value), did_you_mean(value, valid));
}

template <class Number>
Status number(std::string_view value, Number low, Number high, Number& into) {
  Number parsed{};
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  const bool whole = fault == std::errc() && end == value.data() + value.size();
  if (!whole || !(parsed >= low && parsed <= high)) {
    constexpr std::string_view kind = std::is_integral_v<Number> ? "whole number" : "number";
    return fail(input_error(
        "", format("must be a {} from {} to {}, not '{}'", kind, low, high, value), ""));
  }
  into = parsed;
  return {};
}

/// The member at the end of a path of member pointers.
template <auto First, auto... Rest, class Object>
auto& member(Object& object) {
  if constexpr (sizeof...(Rest) == 0) {
    return object.*First;
  } else {
    return member<Rest...>(object.*First);
  }
}

namespace detail {

template <class T>
struct Held {
  using Type = T;
};
template <class T>
struct Held<std::optional<T>> {
  using Type = T;
};
inline std::string text_of(bool value) { return value ? "yes" : "no"; }
inline std::string text_of(const std::string& value) { return value.empty() ? "none" : value; }
template <class T>
std::string text_of(const T& value) {
  return format("{}", value);
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "";
}

}  // namespace detail

/// The type of the member, without std::optional.
template <auto... Path>
using HeldBy = typename detail::Held<
    std::remove_reference_t<decltype(member<Path...>(std::declval<CommandOptions&>()))>>::Type;

/// A number from `low` to `high`.
template <auto... Path>
SettingType within(HeldBy<Path...> low, HeldBy<Path...> high) {
  return {.read = [low, high](CommandOptions& o, std::string_view v) -> Status {
            HeldBy<Path...> value{};
            LEEWAY_TRY(number(v, low, high, value));
            member<Path...>(o) = value;
            return {};
          },
          .show = [](const CommandOptions& o) { return detail::text_of(member<Path...>(o)); }};
}

/// Text, stored unchanged.
template <auto... Path>
SettingType text() {
  return {.read = [](CommandOptions& o, std::string_view v) -> Status {
            if (v.empty())
              return fail(
                  input_error("", "the value is empty", "give a name, or leave the setting out"));
            member<Path...>(o) = std::string(v);
            return {};
          },
          .show = [](const CommandOptions& o) { return detail::text_of(member<Path...>(o)); }};
}

/// A list of words separated by commas.
template <auto... Path>
SettingType words_of_list() {
  return {
      .read = [](CommandOptions& o, std::string_view v) -> Status {
        std::vector<std::string>& words = member<Path...>(o);
        words.clear();
        for (const std::string_view word : split(v, ',')) {
          if (word.empty()) {
            return fail(input_error("", "a word of the list is empty",
                                    "give words with one comma between two"));
          }
          words.emplace_back(word);
        }
        return {};
      },
      .show =
          [](const CommandOptions& o) { return format("{}", fmt::join(member<Path...>(o), ",")); }};
}

/// One word of a list, each with a value.
template <auto... Path, class Enum, std::size_t N>
SettingType chosen_from(const Choices<Enum, N>& choices) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return {.choices = names,
          .read = [choices, names](CommandOptions& o, std::string_view v) -> Status {
            for (const auto& [name, meaning] : choices) {
              if (name != v) continue;
              member<Path...>(o) = meaning;
              return {};
            }
            return fail(unknown_value(v, names));
          },
          .show = [choices](const CommandOptions& o) -> std::string {
            for (const auto& [name, meaning] : choices) {
              if (member<Path...>(o) == meaning) return std::string(name);
            }
            return {};
          }};
}

/// A switch: true, false, or a flag without a value.
template <auto... Path>
SettingType on_off() {
  SettingType type = chosen_from<Path...>(Choices<bool, 2>{{{"true", true}, {"false", false}}});
  type.read = [](CommandOptions& o, std::string_view v) -> Status {
    if (v != "true" && v != "false")
      return fail(input_error("", format("'{}' is neither true nor false", v), ""));
    member<Path...>(o) = v == "true";
    return {};
  };
  type.show = [](const CommandOptions& o) { return detail::text_of(member<Path...>(o)); };
  return type;
}

/// "WxH", both within bounds; `Path` leads to the struct that contains both members.
template <auto Width, auto Height, auto... Path>
SettingType width_and_height(HeldBy<Path..., Width> low, HeldBy<Path..., Width> high) {
  return {
      .read = [low, high](CommandOptions& o, std::string_view v) -> Status {
        const std::size_t cross = v.find('x');
        if (cross == std::string_view::npos) {
          return fail(input_error("", format("'{}' is not a width and a height", v), "write WxH"));
        }
        LEEWAY_TRY(number(v.substr(0, cross), low, high, member<Path..., Width>(o)));
        return number(v.substr(cross + 1), low, high, member<Path..., Height>(o));
      },
      .show =
          [](const CommandOptions& o) {
            return format("{}x{}", member<Path..., Width>(o), member<Path..., Height>(o));
          }};
}

/// The name of a format, or "binary".
template <auto... Path>
SettingType format_of(std::span<const FormatInfo> formats) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : formats) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), "binary") == names.end()) names.push_back("binary");
  return {.choices = names,
          .read = [names](CommandOptions& o, std::string_view v) -> Status {
            if (std::find(names.begin(), names.end(), v) == names.end())
              return fail(unknown_value(v, names));
            member<Path...>(o) = std::string(v);
            return {};
          },
          .show = [](const CommandOptions& o) { return detail::text_of(member<Path...>(o)); }};
}

/// The type with another way of printing.
inline SettingType shown_by(SettingType type, std::string (*show)(const CommandOptions&)) {
  type.show = show;
  return type;
}

/// Settings of reading and generating a graph.
[[nodiscard]] std::vector<Setting> load_settings();
/// Settings of dividing a graph.
[[nodiscard]] std::vector<Setting> partition_settings();
/// Settings of `leeway run`, of all engines and programs.
[[nodiscard]] std::vector<Setting> run_settings();
/// Settings of snapshots and restarts.
[[nodiscard]] std::vector<Setting> snapshot_settings();
/// Settings of simulations and of the tick and piece engines.
[[nodiscard]] std::vector<Setting> simulation_settings();

}  // namespace leeway::app
