// `leeway compare`: reads the reports of several runs and writes a self-contained HTML page. The page embeds style,
// scripts and data and loads nothing from the network.

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/output.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/page.h"
#include "datasets/byte_stream.h"
#include "protocol/policy.h"
#include "runtime/cluster/schedule.h"

namespace leeway::cli {

namespace page {
// Generated from the files in cli/page.
extern const std::string_view style_css, dom_js, charts_js, lanes_js, film_js, compare_js,
    replay_js, start_js;
}  // namespace page

namespace {

// A report written by `leeway run --report`: the numbers that the comparison needs, and the complete text for the
// page.
struct ReadReport {
  std::string name;  ///< file name without folder and suffix
  std::string program;
  std::string graph;
  std::string input_hash;
  bool simulated = false;
  std::optional<bool> converged;  ///< none if the engine does not record convergence
  double compute_seconds = 0;
  std::uint64_t iterations = 0;
  std::optional<std::uint64_t> blocked_fetches;  ///< none if the engine does not fetch objects
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  bool supersteps = false;  ///< bsp: every read returns a value of the previous superstep
  /// Share of the uses of remote objects that were current; 1 if there were no uses; none if the engine does not
  /// count them.
  std::optional<double> current_share;
  /// All members of the report: name and value, as JSON.
  std::vector<std::pair<std::string, std::string>> members;
  std::string film;  ///< content of the frames file, on one line; empty: none
};

/// Escapes '<', so that no text inside the JSON can end the surrounding HTML element.
std::string harmless(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string page_of(std::string_view data) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Leeway</title>\n<style>\n";
  text += page::style_css;
  text += "</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"data\">";
  text += harmless(data);
  text += "</script>\n";
  for (const std::string_view script :
       {page::dom_js, page::charts_js, page::lanes_js, page::film_js, page::compare_js,
        page::replay_js, page::start_js}) {
    text += "<script>\n";
    text += script;
    text += "</script>\n";
  }
  return text + "</body>\n</html>\n";
}

namespace {

using Json = nlohmann::json;

/// Reads members of a report and remembers the first one that is missing or has the wrong type.
class ReportReader {
 public:
  ReportReader(const Json& report, std::string path) : report_(report), path_(std::move(path)) {}

  template <class T>
  T get(const char* pointer, bool (Json::*is)() const noexcept) {
    const Json::json_pointer place(pointer);
    if (!report_.contains(place)) {
      note(pointer, "is missing");
    } else if (const Json& value = report_.at(place); (value.*is)()) {
      return value.template get<T>();
    } else {
      note(pointer, "has the wrong type");
    }
    return T{};
  }
  double number(const char* pointer) { return get<double>(pointer, &Json::is_number); }
  std::uint64_t count(const char* pointer) {
    return get<std::uint64_t>(pointer, &Json::is_number_unsigned);
  }
  std::string text(const char* pointer) { return get<std::string>(pointer, &Json::is_string); }
  bool flag(const char* pointer) { return get<bool>(pointer, &Json::is_boolean); }

  [[nodiscard]] Status outcome() const {
    if (fault_.empty()) return {};
    return fail(input_error(path_, "this is not the report of a run: " + fault_,
                            "give what `leeway run … --report FILE.json` wrote"));
  }

 private:
  void note(const char* pointer, std::string_view what) {
    if (fault_.empty()) fault_ = format("'{}' {}", std::string_view(pointer).substr(1), what);
  }

  const Json& report_;
  std::string path_;
  std::string fault_;
};

void add_messages(const Json& report, ReadReport& into) {
  if (!report.contains("messages") || !report["messages"].is_object()) return;
  for (const auto& [kind, sent] : report["messages"].items()) {
    if (!sent.is_object()) continue;
    into.messages += sent.value("count", std::uint64_t{0});
    into.bytes += sent.value("bytes", std::uint64_t{0});
  }
}

std::optional<double> current_share(const Json& report) {
  if (!report.contains("staleness") || !report["staleness"].is_array()) return std::nullopt;
  double all = 0;
  double current = 0;
  for (const Json& uses : report["staleness"]) {
    if (!uses.is_number()) continue;
    if (all == 0 && current == 0) current = uses.get<double>();
    all += uses.get<double>();
  }
  return all == 0 ? 1 : current / all;
}

Result<Json> read_object(const std::string& path, const char* writer) {
  std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  std::ostringstream content;
  if (path != "-" && !std::filesystem::exists(path))
    return fail(input_error(path, "no such file", format("such files are written by {}", writer)));
  if (!file || std::filesystem::is_directory(path))
    return fail(input_error(path, "cannot be read", format("name a file written by {}", writer)));
  content << file.rdbuf();
  Json object = Json::parse(content.str(), nullptr, false);
  if (object.is_discarded() || !object.is_object()) {
    return fail(input_error(path, "this is not a JSON object",
                            format("name a file written by {}", writer)));
  }
  return object;
}

/// The content of the frames file that the report names. A file of that name next to the report has precedence.
Result<std::string> read_film(const Json& report, const std::string& path) {
  if (!report.contains("frames") || !report["frames"].is_string()) return std::string();
  const std::filesystem::path named = report["frames"].get<std::string>();
  const std::filesystem::path neighbour =
      std::filesystem::path(path).parent_path() / named.filename();
  const bool near = std::filesystem::exists(neighbour);
  constexpr const char* kWriter = "leeway run … --frames FILE";
  LEEWAY_ASSIGN(const Json film, read_object(near ? neighbour.string() : named.string(), kWriter));
  const auto fits = [&](const char* key, bool (Json::*is)() const noexcept) {
    return film.contains(key) && (film[key].*is)();
  };
  if (!fits("frames", &Json::is_array) || !fits("kinds", &Json::is_array) ||
      !fits("width", &Json::is_number) || !fits("height", &Json::is_number) ||
      !fits("steps", &Json::is_number)) {
    return fail(input_error(named.string(), "this is not a frames file",
                            format("name a file written by {}", kWriter)));
  }
  return film.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns an Input error that names the first missing member if the file is not a report.
Result<ReadReport> read_report(const std::string& path) {
  LEEWAY_ASSIGN(const Json report, read_object(path, "leeway run … --report FILE"));
  ReadReport read;
  read.name = path == "-" ? "standard input" : std::filesystem::path(path).stem().string();
  ReportReader from(report, path);
  read.program = from.text("/program");
  read.graph = from.text("/input/graph");
  read.input_hash = from.text("/input/hash");
  read.simulated = from.flag("/simulated");
  if (report.contains("converged")) read.converged = from.flag("/converged");
  read.compute_seconds = from.number("/seconds/compute");
  read.iterations = from.count("/iterations");
  if (report.contains("blocked_fetches")) read.blocked_fetches = from.count("/blocked_fetches");
  LEEWAY_TRY(from.outcome());
  add_messages(report, read);
  const Json::json_pointer scheduler("/configuration/scheduler");
  read.supersteps = report.contains(scheduler) && report[scheduler] == "bsp";
  if (!read.supersteps) read.current_share = current_share(report);
  LEEWAY_ASSIGN(read.film, read_film(report, path));
  for (const auto& [key, value] : report.items())
    read.members.emplace_back(key, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return read;
}

std::string current_text(const ReadReport& run) {
  if (run.supersteps) return "previous superstep";
  return run.current_share ? format("{:.1f} %", 100 * *run.current_share) : "-";
}

std::string comparison_table(const std::vector<ReadReport>& runs) {
  std::vector<std::vector<std::string>> rows = {{"run", "seconds", "of " + runs.front().name,
                                                 "iterations", "current copies", "blocked fetches",
                                                 "messages", "bytes", "converged"}};
  for (const ReadReport& run : runs) {
    rows.push_back({run.name, format("{:.4f}", run.compute_seconds),
                    format("{:.2f}", run.compute_seconds / runs.front().compute_seconds),
                    format_count(run.iterations), current_text(run),
                    run.blocked_fetches ? format_count(*run.blocked_fetches) : "-",
                    format_count(run.messages), format_bytes(static_cast<double>(run.bytes)),
                    run.converged ? *run.converged ? "yes" : "no" : "-"});
  }
  return table(rows);
}

/// The comparison as JSON; numbers that a run does not have are omitted. The keys are those of reports.
std::string comparison_json(const std::vector<ReadReport>& runs,
                            const std::vector<std::string>& notes) {
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.object([&] {
    json.key("runs").array(runs, [&](const ReadReport& run) {
      json.object([&] {
        json.member("name", run.name).member("program", run.program).member("graph", run.graph);
        json.member("simulated", run.simulated).member("compute", run.compute_seconds);
        json.member("of_first", run.compute_seconds / runs.front().compute_seconds);
        json.member("iterations", run.iterations);
        if (run.current_share) json.member("current_share", *run.current_share);
        if (run.blocked_fetches) json.member("blocked_fetches", *run.blocked_fetches);
        json.member("messages", run.messages).member("bytes", run.bytes);
        if (run.converged) json.member("converged", *run.converged);
      });
    });
    json.key("notes").array(notes, [&](const std::string& note) { json.value(note); });
  });
  return std::move(json).text() + "\n";
}

/// Differences between the runs that make their ratios unreliable.
std::vector<std::string> warnings(const std::vector<ReadReport>& runs) {
  const auto differ = [&](auto field) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const ReadReport& run) { return run.*field != runs.front().*field; });
  };
  std::vector<std::string> notes;
  if (differ(&ReadReport::program)) notes.emplace_back("the runs are of different programs");
  if (differ(&ReadReport::input_hash)) notes.emplace_back("the runs are on different graphs");
  if (differ(&ReadReport::simulated))
    notes.emplace_back("some times are virtual (simulated), others real");
  return notes;
}

/// Makes the runs' names unique by appending numbers.
void make_names_differ(std::vector<ReadReport>& runs) {
  std::set<std::string> taken;
  for (ReadReport& run : runs) {
    const std::string first = run.name;
    for (int i = 2; !taken.insert(run.name).second; ++i) run.name = format("{} ({})", first, i);
  }
}

/// The current time as "2026-11-26 04:10 UTC".
std::string written_at() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return format("{:04}-{:02}-{:02} {:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1,
                utc.tm_mday, utc.tm_hour, utc.tm_min);
}

/// The meanings of all consistency modes and schedulers; the page shows those of its runs.
void write_meanings(JsonWriter& json) {
  const auto pair = [&](std::string_view name, std::string_view meaning) {
    json.array([&] { json.value(name).value(meaning); });
  };
  json.key("modes").array(policy_help(),
                          [&](const PolicyHelp& help) { pair(help.mode, help.meaning); });
  json.key("schedulers").array(schedulers(), [&](const SchedulerInfo& scheduler) {
    pair(scheduler.name, scheduler.summary);
  });
}

std::string page_data(const std::vector<ReadReport>& runs, const std::vector<std::string>& notes) {
  std::string about = format("{} {}, {} times", runs.size(), runs.size() == 1 ? "run" : "runs",
                             runs.front().simulated ? "virtual (simulated)" : "real");
  for (const std::string& warning : notes) about += "; " + warning;
  JsonWriter json;
  json.object([&] {
    json.member("title", runs.front().program + " on " + runs.front().graph);
    json.member("about", about).member("written", written_at());
    write_meanings(json);
    json.key("runs").array(runs, [&](const ReadReport& run) {
      json.object([&] {
        for (const auto& [name, value] : run.members) json.key(name).raw(value);
        if (!run.film.empty()) json.key("film").raw(run.film);
        json.member("name", run.name);
      });
    });
  });
  return std::move(json).text();
}

}  // namespace

Result<int> run_compare(const Invocation& invocation) {
  const CommandOptions& options = invocation.options;
  if (!options.force) LEEWAY_TRY(check_keeps(invocation.arguments, {{"--page", options.page}}));
  if (!options.page.empty()) LEEWAY_TRY(may_replace(options.page));
  std::vector<ReadReport> runs;
  for (const std::string& path : invocation.arguments) {
    LEEWAY_ASSIGN(runs.emplace_back(), read_report(path));
  }
  make_names_differ(runs);
  const std::vector<std::string> notes = warnings(runs);
  if (!options.page.empty()) LEEWAY_TRY(write_file(options.page, page_of(page_data(runs, notes))));
  if (options.json) {
    LEEWAY_TRY(print_message({{"--page", options.page}}, comparison_json(runs, notes)));
    return 0;
  }
  std::string text = comparison_table(runs);
  for (const std::string& warning : notes) text += format("note: {}\n", warning);
  if (!options.page.empty() && options.page != "-" && !options.quiet)
    text += format("\nwrote {}: open it in a browser\n", options.page);
  LEEWAY_TRY(print_message({{"--page", options.page}}, text));
  return 0;
}

}  // namespace leeway::cli
