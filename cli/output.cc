#include "leeway/cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <utility>

#include "leeway/base/format.h"

namespace leeway::cli {

Status print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return {};
    if (written < 0) {
      return fail(
          system_error("standard output", "write", errno, "make room, or send it elsewhere"));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

namespace {

/// Whatever way it is written: "out", "./out", by a link to its folder.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  const auto resolved = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
  };
  const auto first = resolved(one);
  return one == other || (!error && first == resolved(other) && !error);
}

}  // namespace

Status check_distinct(NamedFiles files) {
  for (const auto* second = files.begin(); second != files.end(); ++second) {
    for (const auto* first = files.begin(); first != second; ++first) {
      if (first->second.empty() || second->second.empty()) continue;
      if (!same_file(first->second, second->second)) continue;
      return fail(input_error(std::string(second->first),
                              format("{} writes to {} already", first->first, first->second),
                              "give each output a name of its own"));
    }
  }
  return {};
}

void Facts::text(std::string_view key, std::string_view label, std::string_view value) {
  rows_.push_back({std::string(key), std::string(label), std::string(value), json_string(value)});
}
void Facts::count(std::string_view key, std::string_view label, unsigned long long value) {
  rows_.push_back(
      {std::string(key), std::string(label), format_count(value), std::to_string(value)});
}
void Facts::bytes(std::string_view key, std::string_view label, unsigned long long value) {
  rows_.push_back({std::string(key), std::string(label), format_bytes(static_cast<double>(value)),
                   std::to_string(value)});
}
void Facts::real(std::string_view key, std::string_view label, double value) {
  rows_.push_back({std::string(key), std::string(label), format("{:.6g}", value),
                   std::isfinite(value) ? format("{}", value) : "null"});
}
void Facts::flag(std::string_view key, std::string_view label, bool value) {
  rows_.push_back(
      {std::string(key), std::string(label), value ? "yes" : "no", value ? "true" : "false"});
}
void Facts::raw(std::string_view key, std::string json) {
  rows_.push_back({std::string(key), {}, {}, std::move(json)});
}

std::string Facts::to_table() const {
  std::size_t width = 0;
  for (const Row& row : rows_) width = std::max(width, row.label.size());
  std::string text;
  for (const Row& row : rows_) {
    if (!row.label.empty()) text += format("{:<{}}  {}\n", row.label, width, row.shown);
  }
  return text;
}

std::string Facts::to_json() const {
  std::string text = "{";
  for (const Row& row : rows_) {
    text += format("{}{}: {}", text.size() > 1 ? ", " : "", json_string(row.key), row.json);
  }
  return text + "}";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? format("{:<{}}", row[i], widths[i]) : format("  {:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace leeway::cli
