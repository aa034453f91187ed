#include "base/json.h"

#include <cmath>

#include "base/format.h"

namespace leeway {

namespace {

/// Length of the UTF-8 sequence at the beginning of `text`; 0 if it is invalid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char c = text.front();
    if (length == 0) {
      quoted += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return quoted + "\"";
}

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? raw(format("{}", number)) : raw("null");
}

JsonWriter& JsonWriter::value(double number, std::string_view form) {
  if (!std::isfinite(number)) return raw("null");
  return raw(format(fmt::runtime(format("{{:{}}}", form)), number));
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_string(name);
  text_ += ": ";
  expected_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  const bool in_array = !expected_;
  separate();
  if (layout_ == JsonLayout::Indented && depth_ == 2 && bracket == '{' && in_array)
    text_ += "\n    ";
  text_ += bracket;
  first_ = true;
  ++depth_;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  const bool outermost = depth_ == 0 && layout_ != JsonLayout::OneLine;
  if (outermost) text_ += '\n';
  text_ += bracket;
  first_ = false;
  if (outermost) text_ += '\n';
  return *this;
}

void JsonWriter::separate() {
  if (expected_) {
    expected_ = false;
    return;
  }
  if (depth_ == 0) return;
  const bool line = depth_ == 1 && layout_ != JsonLayout::OneLine;
  if (!first_) text_ += line ? "," : ", ";
  if (line) text_ += layout_ == JsonLayout::Indented ? "\n  " : "\n";
  first_ = false;
}

}  // namespace leeway
