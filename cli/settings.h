// How a setting's text becomes a value of the options, within bounds or from a list of words, and how the value is
// told again. A row of the table of settings names a type and the member it sets by a path of pointers to members:
// within<&Options::run, &RunChoices::vertex, &EngineOptions::hops>(0U, 1000U). An error lacks its `where`; the
// caller knows which file, variable or flag spoke.
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

#include "base/format.h"
#include "cli/options.h"
#include "leeway/graph.h"

namespace leeway::cli {

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
    return fail(input_error("", format("'{}' is not a number it can take", value),
                            format("give one from {} to {}", low, high)));
  }
  into = parsed;
  return {};
}

/// The member at the end of a path.
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

/// What a member holds, if it holds anything.
template <auto... Path>
using HeldBy = typename detail::Held<
    std::remove_reference_t<decltype(member<Path...>(std::declval<Options&>()))>>::Type;

/// A number from `low` to `high`.
template <auto... Path>
SettingType within(HeldBy<Path...> low, HeldBy<Path...> high) {
  return {.read = [low, high](Options& o, std::string_view v) -> Status {
            HeldBy<Path...> value{};
            LEEWAY_TRY(number(v, low, high, value));
            member<Path...>(o) = value;
            return {};
          },
          .show = [](const Options& o) { return detail::text_of(member<Path...>(o)); }};
}

/// Any text, as it is.
template <auto... Path>
SettingType text() {
  return {.read = [](Options& o, std::string_view v) -> Status {
            if (v.empty())
              return fail(input_error("", "it is given nothing", "give a name, or leave it out"));
            member<Path...>(o) = std::string(v);
            return {};
          },
          .show = [](const Options& o) { return detail::text_of(member<Path...>(o)); }};
}

/// Words, separated by commas.
template <auto... Path>
SettingType words_of_list() {
  return {
      .read = [](Options& o, std::string_view v) -> Status {
        std::vector<std::string>& words = member<Path...>(o);
        words.clear();
        while (true) {
          const std::size_t end = std::min(v.find(','), v.size());
          if (end == 0) {
            return fail(input_error("", "a word of the list is empty",
                                    "give words with one comma between two"));
          }
          words.emplace_back(v.substr(0, end));
          if (end == v.size()) return {};
          v.remove_prefix(end + 1);
        }
      },
      .show = [](const Options& o) { return format("{}", fmt::join(member<Path...>(o), ",")); }};
}

/// One of a list of words, each with its meaning.
template <auto... Path, class Enum, std::size_t N>
SettingType chosen_from(const Choices<Enum, N>& choices) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return {.choices = names,
          .read = [choices, names](Options& o, std::string_view v) -> Status {
            for (const auto& [name, meaning] : choices) {
              if (name != v) continue;
              member<Path...>(o) = meaning;
              return {};
            }
            return fail(unknown_value(v, names));
          },
          .show = [choices](const Options& o) -> std::string {
            for (const auto& [name, meaning] : choices) {
              if (member<Path...>(o) == meaning) return std::string(name);
            }
            return {};
          }};
}

/// On or off: true, false, or nothing behind a flag.
template <auto... Path>
SettingType on_off() {
  SettingType type = chosen_from<Path...>(Choices<bool, 2>{{{"true", true}, {"false", false}}});
  type.show = [](const Options& o) { return detail::text_of(member<Path...>(o)); };
  return type;
}

/// "WxH", both numbers within bounds; the path to what they are members of.
template <auto Width, auto Height, auto... Path>
SettingType width_and_height(HeldBy<Path..., Width> low, HeldBy<Path..., Width> high) {
  return {.read = [low, high](Options& o, std::string_view v) -> Status {
            const std::size_t cross = v.find('x');
            if (cross == std::string_view::npos) {
              return fail(input_error("", format("'{}' is no width and height", v), "write WxH"));
            }
            LEEWAY_TRY(number(v.substr(0, cross), low, high, member<Path..., Width>(o)));
            return number(v.substr(cross + 1), low, high, member<Path..., Height>(o));
          },
          .show =
              [](const Options& o) {
                return format("{}x{}", member<Path..., Width>(o), member<Path..., Height>(o));
              }};
}

/// The name of a format, or of the binary form.
template <auto... Path>
SettingType format_of(std::span<const FormatInfo> formats) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : formats) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), "binary") == names.end()) names.push_back("binary");
  return {.choices = names,
          .read = [names](Options& o, std::string_view v) -> Status {
            if (std::find(names.begin(), names.end(), v) == names.end())
              return fail(unknown_value(v, names));
            member<Path...>(o) = std::string(v);
            return {};
          },
          .show = [](const Options& o) { return detail::text_of(member<Path...>(o)); }};
}

/// The settings of reading and drawing a graph.
[[nodiscard]] std::vector<Setting> load_settings();
/// Of dividing a graph.
[[nodiscard]] std::vector<Setting> partition_settings();
/// Of `leeway run`: what every engine has, the engines on graphs, and their programs.
[[nodiscard]] std::vector<Setting> run_settings();
/// Of snapshots and restarts.
[[nodiscard]] std::vector<Setting> snapshot_settings();
/// Of programs that go by ticks, and of the two engines that run them.
[[nodiscard]] std::vector<Setting> simulation_settings();

}  // namespace leeway::cli
