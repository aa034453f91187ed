#include "leeway/cli/report_from_json.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

using Json = nlohmann::json;

/// Walks a report; the first thing that is missing or of the wrong kind is what the error names.
class Reader {
 public:
  Reader(const Json& report, std::string path) : report_(report), path_(std::move(path)) {}

  template <class T>
  T get(const char* pointer, bool (Json::*is)() const noexcept) {
    const Json::json_pointer place(pointer);
    if (!report_.contains(place)) {
      note(pointer, "is missing");
    } else if (const Json& value = report_.at(place); (value.*is)()) {
      return value.template get<T>();
    } else {
      note(pointer, "is not what it should be");
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
    return fail(input_error(path_, "this is no run's report: " + fault_,
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
  if (!file || std::filesystem::is_directory(path)) {
    return fail(input_error(path, "cannot read it", format("name a file that {} wrote", writer)));
  }
  content << file.rdbuf();
  Json object = Json::parse(content.str(), nullptr, false);
  if (object.is_discarded() || !object.is_object()) {
    return fail(
        input_error(path, "this is not a JSON object", format("give what {} wrote", writer)));
  }
  return object;
}

/// What a report says its frames stand in: beside it, or where it says.
Result<std::string> read_film(const Json& report, const std::string& path) {
  if (!report.contains("frames") || !report["frames"].is_string()) return std::string();
  const std::filesystem::path said = report["frames"].get<std::string>();
  const std::filesystem::path beside = std::filesystem::path(path).parent_path() / said.filename();
  const bool near = std::filesystem::exists(beside);
  constexpr const char* kWriter = "leeway run --frames FILE";
  LEEWAY_ASSIGN(const Json film, read_object(near ? beside.string() : said.string(), kWriter));
  const auto fits = [&](const char* key, bool (Json::*is)() const noexcept) {
    return film.contains(key) && (film[key].*is)();
  };
  if (!fits("frames", &Json::is_array) || !fits("kinds", &Json::is_array) ||
      !fits("width", &Json::is_number) || !fits("height", &Json::is_number) ||
      !fits("steps", &Json::is_number)) {
    return fail(
        input_error(said.string(), "these are no frames", format("give what {} wrote", kWriter)));
  }
  return film.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<ReadReport> read_report(const std::string& path) {
  LEEWAY_ASSIGN(const Json report, read_object(path, "leeway run --report"));
  ReadReport read;
  read.name = path == "-" ? "standard input" : std::filesystem::path(path).stem().string();
  Reader from(report, path);
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
  read.current_share = current_share(report);
  LEEWAY_ASSIGN(read.film, read_film(report, path));
  for (const auto& [key, value] : report.items())
    read.members.emplace_back(key, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return read;
}

}  // namespace leeway::cli
