// JSON as text, written from front to end: reports, traces, films, figures. A member's name and value are
// said together; commas, quotes, infinities and text that is not UTF-8 are the writer's business.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace leeway {

/// In quotes, with quotes, backslashes and control characters escaped; what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

class JsonWriter {
 public:
  /// How the values of the outermost object or array stand: each on a line of its own, or all on one.
  enum class Layout : std::uint8_t { Lines, OneLine };
  explicit JsonWriter(Layout layout = Layout::OneLine) : layout_(layout) {}

  /// `members()` writes what stands inside.
  template <std::invocable Members>
  JsonWriter& object(Members&& members) {
    open('{');
    members();
    return close('}');
  }
  template <std::invocable Values>
  JsonWriter& array(Values&& values) {
    open('[');
    values();
    return close(']');
  }
  /// An array of what `range` holds; `write(each)` writes one value.
  template <class Range, class Write>
  JsonWriter& array(const Range& range, Write&& write) {
    return array([&] {
      for (const auto& each : range) write(each);
    });
  }
  template <class Range>
    requires requires(const Range& range) { range.begin(); } &&
             (!std::convertible_to<Range, std::string_view>)
  JsonWriter& value(const Range& range) {
    return array(range, [this](const auto& each) { this->value(each); });
  }

  /// The name of the member whose value comes next.
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text) { return raw(json_string(text)); }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  JsonWriter& value(double number);  ///< null for what JSON has no number for
  template <std::integral Whole>
  JsonWriter& value(Whole number) {
    return raw(std::to_string(number));
  }
  /// Text that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class Value>
  JsonWriter& member(std::string_view name, const Value& its) {
    return key(name).value(its);
  }

  [[nodiscard]] const std::string& text() const& { return text_; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  /// The comma and the line's end that stand before a value.
  void separate();

  Layout layout_;
  std::string text_;
  std::uint32_t depth_ = 0;
  bool first_ = true;      ///< of what is open
  bool expected_ = false;  ///< a name has been written, and its value comes next
};

}  // namespace leeway
