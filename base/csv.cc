#include "base/csv.h"

#include <array>

namespace leeway {

std::string& CsvRow::next_field() {
  if (count_ == fields_.size()) {
    fields_.emplace_back();
    quoted_.push_back(false);
  }
  fields_[count_].clear();
  quoted_[count_] = false;
  return fields_[count_++];
}

bool CsvRow::take(const char*& at) {
  const auto is_blank = [&](char c) { return (c == ' ' || c == '\t') && c != delimiter_; };
  const auto ends_line = [](const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); };
  count_ = 0;
  const char* p = at;
  while (is_blank(*p)) ++p;
  for (bool more = !ends_line(p); more;) {
    std::string& field = next_field();
    while (is_blank(*p)) ++p;
    if (*p == '"') {
      quoted_[count_ - 1] = true;
      for (++p; *p != '"' || p[1] == '"'; ++p) {
        if (*p == '\n' || *p == '\r') return false;
        field += *p;
        if (*p == '"') ++p;
      }
      ++p;
      while (is_blank(*p)) ++p;
      if (*p != delimiter_ && !ends_line(p)) return false;
    } else {
      const char* const begin = p;
      while (*p != delimiter_ && !ends_line(p) && *p != '\r') ++p;
      if (*p == '\r' && !ends_line(p)) return false;
      const char* end = p;
      while (end > begin && is_blank(end[-1])) --end;
      field.assign(begin, end);
    }
    field += '\n';
    more = *p == delimiter_;
    if (more) ++p;
  }
  while (*p != '\n') ++p;
  at = p + 1;
  return true;
}

std::optional<char> csv_delimiter(std::string_view line) {
  constexpr std::string_view kDelimiters = ",\t;|";
  std::array<std::size_t, kDelimiters.size()> seen{};
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    const std::size_t which = inside ? kDelimiters.npos : kDelimiters.find(c);
    if (which != kDelimiters.npos) ++seen[which];
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] > 0) return kDelimiters[i];
  return std::nullopt;
}

std::string csv_field(std::string_view text, char delimiter) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain = !text.empty() && text.find_first_of("\"\n\r") == text.npos &&
                     text.find(delimiter) == text.npos && !is_blank(text.front()) &&
                     !is_blank(text.back()) && text.front() != '#' && text.front() != '%';
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

}  // namespace leeway
