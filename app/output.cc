#include "app/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/format.h"
#include "base/log.h"

namespace leeway::app {

namespace {

Status print_to(int stream, const char* name, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(stream, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return {};
    if (written < 0 && errno == EBADF) return fail(closed_stream(name));
    if (written < 0) {
      return fail(system_error(name, "write", errno, "make room, or send it elsewhere"));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// True for different spellings of one file: "out", "./out", through a symbolic link.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  const auto resolved = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
  };
  const auto first = resolved(one);
  if (std::filesystem::equivalent(one, other, error)) return true;  // hard links
  error.clear();
  return one == other || (!error && first == resolved(other) && !error);
}

}  // namespace

Status print(std::string_view text) { return print_to(STDOUT_FILENO, "standard output", text); }
Status print_error(std::string_view text) {
  return print_to(STDERR_FILENO, "standard error", text);
}

Status check_keeps(const std::vector<std::string>& inputs, const NamedFiles& outputs) {
  for (const auto& [flag, output] : outputs) {
    std::error_code error;
    if (output.empty() || output == "-" || !std::filesystem::is_regular_file(output, error))
      continue;
    for (const std::string& input : inputs) {
      if (input.empty() || !same_file(input, output)) continue;
      return fail(input_error(std::string(flag),
                              format("{} is an input and would be overwritten", output),
                              "give the output a different name"));
    }
  }
  return {};
}

namespace {

/// True if one of the files is "-"; then messages go to standard error.
bool takes_standard_output(const NamedFiles& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const auto& each) { return each.second == "-"; });
}

}  // namespace

Status print_message(const NamedFiles& files, std::string_view text) {
  return takes_standard_output(files) ? print_error(text) : print(text);
}

namespace {

/// Returns an Input error if two flags name the same file.
Status check_distinct(const NamedFiles& files) {
  for (auto second = files.begin(); second != files.end(); ++second) {
    for (auto first = files.begin(); first != second; ++first) {
      if (first->second.empty() || second->second.empty()) continue;
      if (!same_file(first->second, second->second)) continue;
      return fail(input_error(std::string(second->first),
                              format("{} writes to {} already", first->first, first->second),
                              "give each output a different name"));
    }
  }
  return {};
}

}  // namespace

void Facts::text(std::string_view key, std::string_view label, std::string_view value) {
  rows_.push_back({std::string(key), std::string(label), std::string(value), json_string(value)});
}
void Facts::json_text(std::string_view key, std::string_view label, std::string_view value,
                      std::string json) {
  rows_.push_back({std::string(key), std::string(label), std::string(value), std::move(json)});
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
  rows_.push_back({std::string(key), std::string(label), format("{:.4g}", value),
                   JsonWriter().value(value).text()});
}
void Facts::flag(std::string_view key, std::string_view label, bool value) {
  rows_.push_back(
      {std::string(key), std::string(label), value ? "yes" : "no", value ? "true" : "false"});
}
void Facts::raw(std::string_view key, std::string json) {
  rows_.push_back({std::string(key), {}, {}, std::move(json)});
}

void Facts::shown_only(std::string_view key, std::string_view label, double value) {
  real(key, label, value);
  rows_.back().member = false;
}

void Facts::shown_count(std::string_view key, std::string_view label, std::uint64_t value) {
  count(key, label, value);
  rows_.back().member = false;
}

void Facts::write_members(JsonWriter& json) const {
  for (const FactRow& row : rows_)
    if (row.member) json.key(row.key).raw(row.json);
}

void Facts::append_shown(const Facts& other) {
  for (const FactRow& row : other.rows_)
    if (!row.label.empty()) rows_.push_back(row);
}

std::string Facts::to_table() const {
  std::size_t width = 0;
  for (const FactRow& row : rows_) width = std::max(width, row.label.size());
  std::string text;
  for (const FactRow& row : rows_) {
    if (!row.label.empty())
      text += format("{:<{}}  {}\n", row.label, width, printable_line(row.shown));
  }
  return text;
}

std::string Facts::to_json() const {
  JsonWriter json;
  json.object([&] {
    for (const FactRow& row : rows_) json.key(row.key).raw(row.json);
  });
  return std::move(json).text();
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> shown;
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    std::vector<std::string>& cells = shown.emplace_back();
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(printable_line(row[i]));
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string text;
  for (const auto& cells : shown) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text +=
          i == 0 ? format("{:<{}}", cells[i], widths[i]) : format("  {:>{}}", cells[i], widths[i]);
    text += '\n';
  }
  return text;
}

Result<Outputs> Outputs::open(const CommandOptions& options, bool first,
                              const std::string& own_values) {
  const bool by_parts = !own_values.empty();
  const std::string values = by_parts ? own_values : options.out.value_or("");
  const std::string& frames = options.scene.frames;
  const NamedFiles files = {{"--out", values},
                            {"--report", options.report},
                            {"--trace", options.trace},
                            {"--frames", frames}};
  LEEWAY_TRY(check_distinct(files));
  const std::vector<std::string> inputs = {options.graph.value_or(""),
                                           options.partition.owner_file};
  if (!options.force) LEEWAY_TRY(check_keeps(inputs, files));
  Outputs outputs;
  LEEWAY_ASSIGN(outputs.values_format, result_format(values));
  outputs.standard_output_taken = takes_standard_output(files);
  if (!first) return outputs;
  outputs.kept = options.kept;
  const auto make = [](const std::string& path, std::unique_ptr<ByteSink>& into) -> Status {
    if (path.empty()) return {};
    LEEWAY_ASSIGN(into, create_sink(path));
    return {};
  };
  for (const auto& [flag, file] : files)
    if (!file.empty()) log_debug("{} is written to {}", flag, file);
  if (!by_parts) LEEWAY_TRY(make(values, outputs.values));
  LEEWAY_TRY(make(options.report, outputs.report));
  LEEWAY_TRY(make(options.trace, outputs.trace));
  LEEWAY_TRY(make(frames, outputs.frames));
  return outputs;
}

Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text) {
  if (sink == nullptr) return {};
  LEEWAY_TRY(sink->write(text()));
  return sink->finish();
}

}  // namespace leeway::app
