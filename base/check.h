// Assertions that are enabled in every build. A failed check prints the expression, its two values and the source location,
// then aborts the process. It indicates a bug in Leeway, never an error of the user. LEEWAY_REQUIRE checks what a user's
// program must do, where no error can be returned: it prints the text and aborts, too.
//
//   LEEWAY_CHECK(entry.held <= entry.known);
//   LEEWAY_CHECK(slot < slots_.size(), "node", node);   // further values for the report
//   LEEWAY_REQUIRE(place < count, "mark: there is no place " + std::to_string(place));
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace leeway {

using CheckHandler = void (*)(const std::string& report);
/// Sets the function that is called with the report before the process aborts, and returns the previous one. A handler may
/// throw instead of returning. For tests and for reporting the failure. Set it before threads start.
CheckHandler set_check_handler(CheckHandler handler);

namespace check_detail {

template <class T>
std::string show(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_null_pointer_v<T>) {
    return "null";
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
    return value == nullptr ? "null" : "non-null";
  } else if constexpr (requires {
                         { value.value() } -> std::integral;
                       }) {
    return std::to_string(value.value());
  } else if constexpr (requires {
                         { value.count() } -> std::integral;
                       }) {
    return std::to_string(value.count());
  } else {
    return "(value)";
  }
}

[[noreturn]] void fail(const char* file, int line, const char* expression, std::string values);
[[noreturn]] void misuse(const std::string& what);

/// The result of a checked comparison; its values are formatted only if it fails.
template <class Left, class Right>
struct CheckedComparison {
  bool holds;
  const Left& left;
  const Right& right;
  [[nodiscard]] std::string values() const { return show(left) + " against " + show(right); }
};

template <class T>
struct Truth {
  bool holds;
  const T& value;
  [[nodiscard]] std::string values() const { return show(value); }
};

template <class Left>
struct Operand {
  const Left& left;
  // clang-format off
  template <class R> constexpr CheckedComparison<Left, R> operator==(const R& r) const { return {left == r, left, r}; }
  template <class R> constexpr CheckedComparison<Left, R> operator!=(const R& r) const { return {left != r, left, r}; }
  template <class R> constexpr CheckedComparison<Left, R> operator<(const R& r) const { return {left < r, left, r}; }
  template <class R> constexpr CheckedComparison<Left, R> operator<=(const R& r) const { return {left <= r, left, r}; }
  template <class R> constexpr CheckedComparison<Left, R> operator>(const R& r) const { return {left > r, left, r}; }
  template <class R> constexpr CheckedComparison<Left, R> operator>=(const R& r) const { return {left >= r, left, r}; }
  // clang-format on
};

struct Decomposer {
  template <class Left>
  constexpr Operand<Left> operator<<(const Left& left) const {
    return {left};
  }
};

template <class Left>
constexpr Truth<Left> finish(const Operand<Left>& operand) {
  return {static_cast<bool>(operand.left), operand.left};
}
template <class Left, class Right>
constexpr const CheckedComparison<Left, Right>& finish(
    const CheckedComparison<Left, Right>& comparison) {
  return comparison;
}

template <class... Extra>
std::string extras(const Extra&... extra) {
  std::string text;
  ((text += " " + show(extra)), ...);
  return text;
}

template <class Finished, class... Extra>
[[gnu::always_inline]] constexpr void verify(const Finished& finished, const char* file, int line,
                                             const char* expression, const Extra&... extra) {
  if (!finished.holds) [[unlikely]] {
    fail(file, line, expression, finished.values() + extras(extra...));
  }
}

}  // namespace check_detail
}  // namespace leeway

#define LEEWAY_CHECK(condition, ...)                                                               \
  ::leeway::check_detail::verify(                                                                  \
      ::leeway::check_detail::finish(::leeway::check_detail::Decomposer{} << condition), __FILE__, \
      __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__)

/// `what` is evaluated only if the condition does not hold.
#define LEEWAY_REQUIRE(condition, what)     \
  do {                                      \
    if (!(condition)) [[unlikely]]          \
      ::leeway::check_detail::misuse(what); \
  } while (false)

/// Marks code that is reachable only because of a bug.
#define LEEWAY_UNREACHABLE(...)                                        \
  ::leeway::check_detail::fail(__FILE__, __LINE__, "unreachable code", \
                               ::leeway::check_detail::extras(__VA_ARGS__))
