#include "base/format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <tuple>
#include <vector>

namespace leeway {

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < kUnits.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  return unit == 0 ? format("{:.0f} {}", bytes, kUnits[unit])
                   : format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string format_count(unsigned long long count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  // Names with different digits are different names: fig1 is not a misspelt fig6 or fig10.
  const auto replacement = [&](char one, char other) -> std::size_t {
    return one == other ? 0 : digit(one) && digit(other) ? 3 : 1;
  };
  const auto insertion = [&](char c) -> std::size_t { return digit(c) ? 3 : 1; };
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 1; j <= b.size(); ++j) row[j] = row[j - 1] + insertion(b[j - 1]);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = row[0] + insertion(a[i - 1]);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = row[j - 1] + replacement(a[i - 1], b[j - 1]);
      next[j] =
          std::min({row[j] + insertion(a[i - 1]), next[j - 1] + insertion(b[j - 1]), replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

bool is_near(std::string_view given, std::string_view name) {
  return edit_distance(given, name) <= std::max(given.size(), name.size()) / 3;
}

namespace {

constexpr std::size_t kShortestPrefix = 3;

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

/// One is the beginning of the other, as "tol" of "tolerance", but not "fig1" of "fig10".
bool abbreviates(std::string_view given, std::string_view name) {
  if (given.size() > name.size()) std::swap(given, name);
  return given.size() >= kShortestPrefix && name.starts_with(given) &&
         name.find_first_of("0123456789", given.size()) == name.npos;
}

}  // namespace

std::string did_you_mean(std::string_view given, std::span<const std::string_view> valid) {
  if (valid.empty()) return {};
  const auto nearest = std::min_element(valid.begin(), valid.end(), [&](auto a, auto b) {
    const auto rank = [&](std::string_view name) {
      return std::tuple(name == given, edit_distance(given, name),
                        name.size() - common_prefix(given, name));
    };
    return rank(a) < rank(b);
  });
  const auto meant = [&]() -> std::optional<std::string_view> {
    const bool near = *nearest != given && is_near(given, *nearest);
    if (near && edit_distance(given, *nearest) == 1) return *nearest;
    const auto abbreviated = [&](std::string_view name) {
      return name != given && abbreviates(given, name);
    };
    if (std::count_if(valid.begin(), valid.end(), abbreviated) == 1)
      return *std::find_if(valid.begin(), valid.end(), abbreviated);
    return near ? std::optional(*nearest) : std::nullopt;
  }();
  return meant ? format("did you mean '{}'?", *meant) : format("valid: {}", fmt::join(valid, ", "));
}

namespace {

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && kept.find(c) == kept.npos) || byte == 0x7f;
    safe += control ? format("\\x{:02x}", byte) : std::string(1, c);
  }
  return safe;
}

}  // namespace

std::string printable(std::string_view text) { return without_controls(text, "\n\t"); }

std::string printable_line(std::string_view text) { return without_controls(text, {}); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string shell_quoted(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else
      safe += c;
  }
  return safe + "'";
}

}  // namespace leeway
