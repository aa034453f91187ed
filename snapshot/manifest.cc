#include "snapshot/manifest.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <system_error>

#include "base/bytes.h"
#include "base/format.h"
#include "snapshot/recorder.h"

namespace leeway::snapshot {

namespace {

constexpr std::string_view kEquals = " = ";
constexpr std::string_view kSetting = "setting ";
constexpr std::string_view kChecksum = "checksum";
constexpr std::uint32_t kMostParts = 1U << 20U;

/// Escapes line breaks, so that a value takes one line.
std::string escaped(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    if (letter == '\\')
      line += "\\\\";
    else if (letter == '\n')
      line += "\\n";
    else
      line += letter;
  }
  return line;
}
std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape) ++i;
    text += escape && line[i] == 'n' ? '\n' : line[i];
  }
  return text;
}

std::uint64_t sum_of(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

/// The lines of a manifest by name; remembers the first missing or invalid one.
class Lines {
 public:
  void add(std::string_view name, std::string value) {
    if (name.starts_with(kSetting))
      settings_.emplace_back(name.substr(kSetting.size()), std::move(value));
    else
      values_.emplace(name, std::move(value));
  }
  [[nodiscard]] std::string text(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      invalid_ = invalid_.empty() ? std::string(name) : invalid_;
      return {};
    }
    return found->second;
  }
  template <class Number>
  [[nodiscard]] Number number(std::string_view name, int base = 10) {
    const std::string value_text = text(name);
    Number value{};
    std::from_chars_result read{};
    if constexpr (std::is_floating_point_v<Number>) {
      read = std::from_chars(value_text.data(), value_text.data() + value_text.size(), value);
    } else {
      read = std::from_chars(value_text.data(), value_text.data() + value_text.size(), value, base);
    }
    const bool whole = read.ec == std::errc() && read.ptr == value_text.data() + value_text.size();
    if (!whole && invalid_.empty()) invalid_ = name;
    return value;
  }
  [[nodiscard]] const std::string& invalid() const { return invalid_; }
  [[nodiscard]] const auto& settings() const { return settings_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::pair<std::string, std::string>> settings_;
  std::string invalid_;
};

Manifest manifest_of(Lines& lines) {
  Manifest manifest;
  manifest.job.engine = lines.text("engine");
  manifest.job.program = lines.text("program");
  manifest.job.graph = lines.text("graph");
  manifest.job.graph_hash = lines.text("graph hash");
  manifest.job.vertices = lines.number<std::uint64_t>("vertices");
  manifest.job.arcs = lines.number<std::uint64_t>("arcs");
  manifest.job.settings = lines.settings();
  manifest.number = lines.number<std::uint64_t>("number");
  manifest.run = lines.number<std::uint64_t>("run", 16);
  manifest.taken = lines.number<std::int64_t>("taken");
  manifest.fabric = lines.text("fabric");
  manifest.scheduler = lines.text("scheduler");
  manifest.consistency = lines.text("consistency");
  manifest.nodes = lines.number<std::uint32_t>("nodes");
  manifest.progress = lines.number<std::uint64_t>("progress");
  manifest.seconds = lines.number<double>("seconds");
  manifest.state_bytes = lines.number<std::uint32_t>("state bytes");
  manifest.result_type = lines.text("result type");
  for (std::uint32_t part = 0; part < std::min(manifest.nodes, kMostParts); ++part) {
    manifest.parts.push_back({lines.number<std::uint64_t>(format("part {} bytes", part)),
                              lines.number<std::uint64_t>(format("part {} xxh64", part), 16)});
  }
  return manifest;
}

}  // namespace

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = 0;
  for (const PartSum& part : parts) sum += part.bytes;
  return sum;
}

std::string to_text(const Manifest& manifest) {
  std::string text = format("{} {}\n", kManifestTitle, kVersion);
  const auto line = [&](std::string_view name, const auto& value) {
    text += format("{}{}{}\n", name, kEquals, value);
  };
  const Identity& job = manifest.job;
  line("number", manifest.number);
  line("run", format("{:016x}", manifest.run));
  line("taken", manifest.taken);
  line("engine", escaped(job.engine));
  line("program", escaped(job.program));
  line("graph", escaped(job.graph));
  line("graph hash", escaped(job.graph_hash));
  line("vertices", job.vertices);
  line("arcs", job.arcs);
  for (const auto& [name, value] : job.settings)
    line(format("{}{}", kSetting, name), escaped(value));
  line("fabric", escaped(manifest.fabric));
  line("scheduler", escaped(manifest.scheduler));
  line("consistency", escaped(manifest.consistency));
  line("nodes", manifest.nodes);
  line("progress", manifest.progress);
  line("seconds", manifest.seconds);
  line("state bytes", manifest.state_bytes);
  line("result type", escaped(manifest.result_type));
  for (std::size_t part = 0; part < manifest.parts.size(); ++part) {
    line(format("part {} bytes", part), manifest.parts[part].bytes);
    line(format("part {} xxh64", part), format("{:016x}", manifest.parts[part].sum));
  }
  text += format("{}{}{:016x}\n", kChecksum, kEquals, sum_of(text));
  return text;
}

Result<Manifest> parse_manifest(std::string_view text, const std::string& path) {
  const std::size_t title_end = text.find('\n');
  const std::string_view title = text.substr(0, title_end);
  if (!title.starts_with(kManifestTitle))
    return fail(damaged(path, "this is not the manifest of a snapshot"));
  const std::string expected = format("{} {}", kManifestTitle, kVersion);
  if (title_end != std::string_view::npos && title != expected) {
    return fail(damaged(path, format("the snapshot is of version '{}', and this leeway reads {}",
                                     title.substr(kManifestTitle.size()), kVersion)));
  }
  const std::size_t last = text.rfind(kChecksum);
  const std::string end =
      last == std::string_view::npos || last == 0
          ? std::string()
          : format("{}{}{:016x}\n", kChecksum, kEquals, sum_of(text.substr(0, last)));
  if (end.empty() || text.substr(last) != end)
    return fail(damaged(path, "the manifest is cut off or damaged: its checksum does not match"));
  Lines lines;
  for (std::size_t at = title_end + 1; at < last;) {
    const std::size_t stop = text.find('\n', at);
    const std::string_view line = text.substr(at, stop - at);
    const std::size_t equals = line.find(kEquals);
    if (equals != std::string_view::npos)
      lines.add(line.substr(0, equals), unescaped(line.substr(equals + kEquals.size())));
    at = stop + 1;
  }
  Manifest manifest = manifest_of(lines);
  if (!lines.invalid().empty())
    return fail(damaged(path, format("the manifest has no valid '{}'", lines.invalid())));
  return manifest;
}

Status check_same_job(const Identity& snapshot, const Identity& run, const std::string& where) {
  const auto differs = [&](std::string_view what, const std::string& then, const std::string& now) {
    const std::string had =
        then.empty() ? format("without {}", what) : format("with {} {}", what, then);
    const std::string has = now.empty() ? "none" : now;
    const std::string remedy = then.empty() ? format("leave {} out", what)
                                            : format("use the same {} as the snapshot", what);
    return fail(input_error(where,
                            format("the snapshot was taken {}, and this run has {}", had, has),
                            format("{}, or start without --resume", remedy)));
  };
  if (snapshot.program != run.program) return differs("program", snapshot.program, run.program);
  if (snapshot.engine != run.engine) return differs("engine", snapshot.engine, run.engine);
  if (snapshot.graph_hash != run.graph_hash || snapshot.vertices != run.vertices ||
      snapshot.arcs != run.arcs) {
    return differs("graph", format("{} ({})", snapshot.graph, snapshot.graph_hash),
                   format("{} ({})", run.graph, run.graph_hash));
  }
  const auto value_in = [](const Identity& job, const std::string& name) {
    const auto found = std::find_if(job.settings.begin(), job.settings.end(),
                                    [&](const auto& each) { return each.first == name; });
    return found == job.settings.end() ? std::string() : found->second;
  };
  for (const Identity* job : {&snapshot, &run}) {
    for (const auto& [name, value] : job->settings) {
      const std::string then = value_in(snapshot, name);
      const std::string now = value_in(run, name);
      if (then != now) return differs("--" + name, then, now);
    }
  }
  return {};
}

}  // namespace leeway::snapshot
