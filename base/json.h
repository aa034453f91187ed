// A JSON writer for reports, traces, films and figures. It appends text in order and handles commas, quotes, infinities and
// text that is not UTF-8.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace leeway {

/// A JSON string: quotes, backslashes and control characters are escaped, invalid UTF-8 is replaced by U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

/// Writes one JSON value. Not thread-safe.
class JsonWriter {
 public:
  enum class JsonLayout : std::uint8_t {
    OneLine,
    Lines,  ///< each value of the outermost object or array on its own line
    Indented,  ///< like Lines, with indentation, and also for objects in an array of the outermost object
  };
  explicit JsonWriter(JsonLayout layout = JsonLayout::OneLine) : layout_(layout) {}

  /// `members()` writes the content.
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
  /// An array with one value for each element of `range`, written by `write(element)`.
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
  // Infinities and NaN become null. Without `form`, a number has the shortest text that reads back exactly.
  JsonWriter& value(double number);
  /// `form`: as in {fmt}, for example ".3f".
  JsonWriter& value(double number, std::string_view form);
  template <std::integral Whole>
  JsonWriter& value(Whole number) {
    return raw(std::to_string(number));
  }
  /// Appends text that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class Value>
  JsonWriter& member(std::string_view name, const Value& its) {
    return key(name).value(its);
  }
  JsonWriter& member(std::string_view name, double its, std::string_view form) {
    return key(name).value(its, form);
  }

  [[nodiscard]] const std::string& text() const& { return text_; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  /// Writes the comma and the line break before a value.
  void separate();

  JsonLayout layout_;
  std::string text_;
  std::uint32_t depth_ = 0;
  bool first_ = true;      ///< no value was written yet in the open object or array
  bool expected_ = false;  ///< the name of a member was written; its value follows
};

}  // namespace leeway
