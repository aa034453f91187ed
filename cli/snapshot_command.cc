// `leeway snapshot`: shows, verifies and prints snapshots without a job.
#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/graph_argument.h"
#include "app/output.h"
#include "base/format.h"
#include "cli/command.h"
#include "programs/catalog/program.h"
#include "programs/pagerank/vertex.h"
#include "snapshot/folder.h"
#include "snapshot/manifest.h"
#include "snapshot/source.h"

namespace leeway::cli {

namespace {

std::string date_text(std::int64_t taken) {
  const std::time_t time = taken;
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&time, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    return std::to_string(taken);
  return text.data();
}

Result<int> show_info(const std::string& path, bool json) {
  LEEWAY_ASSIGN(const snapshot::Source source, snapshot::Source::open(path));
  const snapshot::Manifest& manifest = source.manifest();
  Facts facts;
  facts.text("snapshot", "snapshot", source.path());
  facts.text("program", "program", manifest.job.program);
  facts.text("engine", "engine", manifest.job.engine);
  facts.text("graph", "graph", manifest.job.graph);
  facts.text("graph_hash", "its hash", manifest.job.graph_hash);
  facts.count("vertices", "vertices", manifest.job.vertices);
  facts.count("arcs", "arcs", manifest.job.arcs);
  for (const auto& [name, value] : manifest.job.settings) facts.text(name, name, value);
  facts.text("taken", "taken", date_text(manifest.taken));
  facts.count("progress", "iterations", manifest.progress);
  facts.real("seconds", "seconds of computation", manifest.seconds);
  facts.count("nodes", "nodes", manifest.nodes);
  facts.text("fabric", "fabric", manifest.fabric);
  facts.text("scheduler_then", "scheduler", manifest.scheduler);
  facts.text("consistency", "consistency", manifest.consistency);
  facts.bytes("bytes", "bytes", manifest.bytes());
  if (source.restarts() > 0) {
    facts.count("restarts", "restarts", source.restarts());
    facts.real("lost_seconds", "seconds of work they lost", source.lost_seconds());
  }
  LEEWAY_TRY(print(facts.show(json)));
  return 0;
}

/// Verifies one snapshot, or all in a folder, one line each. Returns the exit code of an Input error if one is
/// damaged.
Result<int> verify(const std::string& path, bool json) {
  std::vector<std::string> paths;
  if (const auto numbers = snapshot::numbers_in(path); numbers) {
    for (const std::uint64_t number : *numbers) paths.push_back(snapshot::folder_of(path, number));
  }
  const bool is_one = paths.empty();
  if (is_one) paths.push_back(path);
  std::string text;
  std::optional<Error> bad;
  JsonWriter rows;
  rows.array(paths, [&](const std::string& each) {
    const auto source = snapshot::Source::open(each);
    rows.object([&] {
      rows.member("snapshot", each).member("whole", source.has_value());
      if (source) {
        rows.member("parts", source->manifest().nodes).member("bytes", source->manifest().bytes());
      } else {
        rows.member("problem", source.error().what);
      }
    });
    if (source) {
      text += format("{}: whole, {} parts, {}\n", each, source->manifest().nodes,
                     format_bytes(static_cast<double>(source->manifest().bytes())));
    } else {
      text += format("{}: {}\n", source.error().where, source.error().what);
      bad = source.error();
    }
  });
  if (bad && is_one) return fail(*bad);
  LEEWAY_TRY(print(json ? std::move(rows).text() + "\n" : text));
  return bad ? bad->exit_code() : 0;
}

template <class T>
T number_at(const std::byte* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Vectors of floats, of type f32xN.
Result<ProgramValues> rows_in(const snapshot::Source& source) {
  const snapshot::Manifest& manifest = source.manifest();
  ProgramValues values;
  values.shown = Shown::Real;
  values.row = manifest.state_bytes / sizeof(float);
  values.rows.resize(manifest.job.vertices * values.row);
  LEEWAY_TRY(source.each_part([&](const snapshot::Part& part) -> Status {
    const std::size_t size = part.result_size();
    if (size != values.row * sizeof(float))
      return fail(snapshot::damaged(source.path(), "its values do not have the declared size"));
    for (std::size_t i = 0; i < part.header().entries; ++i) {
      const std::size_t at = std::size_t{part.vertices()[i]} * values.row;
      std::memcpy(&values.rows[at], part.results().data() + i * size, size);
    }
    return {};
  }));
  return values;
}

/// The values of all vertices, in the form that the program's run returns.
Result<ProgramValues> values_in(const snapshot::Source& source) {
  const snapshot::Manifest& manifest = source.manifest();
  const std::string& type = manifest.result_type;
  if (type.starts_with("f32x")) return rows_in(source);
  const bool real = type == "f64" || type == "f32";
  const std::size_t size = type == "f64" || type == "u64" ? 8 : 4;
  if (!real && type != "u64" && type != "u32") {
    return fail(input_error(source.path(), format("its values are of type '{}'", type),
                            "read them with --resume in a run"));
  }
  std::vector<double> reals(real ? manifest.job.vertices : 0);
  std::vector<std::uint64_t> counts(real ? 0 : manifest.job.vertices);
  LEEWAY_TRY(source.each_part([&](const snapshot::Part& part) -> Status {
    if (part.result_size() != size)
      return fail(snapshot::damaged(source.path(), "its values do not have the declared size"));
    for (std::size_t i = 0; i < part.header().entries; ++i) {
      const std::byte* const at = part.results().data() + i * size;
      const std::uint32_t vertex = part.vertices()[i];
      if (type == "f64") reals[vertex] = number_at<double>(at);
      if (type == "f32") reals[vertex] = number_at<float>(at);
      if (type == "u64") counts[vertex] = number_at<std::uint64_t>(at);
      if (type == "u32") counts[vertex] = number_at<std::uint32_t>(at);
    }
    return {};
  }));
  ProgramValues values;
  const Program* const known = find_program(manifest.job.program);
  values.shown = known != nullptr ? known->shown : real ? Shown::Real : Shown::Count;
  if (values.shown == Shown::Depth && size == 4) {
    for (std::uint64_t& depth : counts) {
      if (depth == std::numeric_limits<std::uint32_t>::max())
        depth = std::numeric_limits<std::uint64_t>::max();
    }
  }
  if (known != nullptr && known->scaled) scale_to_one(reals, sum_of(reals));
  if (real)
    values.by_vertex = std::move(reals);
  else
    values.by_vertex = std::move(counts);
  return values;
}

Result<int> show_values(const std::string& path, const std::string& graph,
                        const CommandOptions& options) {
  LEEWAY_ASSIGN(const snapshot::Source source, snapshot::Source::open(path));
  const snapshot::Identity& job = source.manifest().job;
  LEEWAY_ASSIGN(const ProgramValues values, values_in(source));
  const VertexNames numbers = VertexNames::sequence(0, static_cast<std::uint32_t>(job.vertices));
  const VertexNames* names = &numbers;
  Graph named;
  if (!graph.empty()) {
    LEEWAY_ASSIGN(named, open_graph(graph, options));
    if (named.vertex_count() != job.vertices) {
      return fail(input_error(graph, format("it is not the snapshot's graph, {}", job.graph),
                              "name that graph, or none to number vertices from 0"));
    }
    names = &named.names();
  }
  std::string text;
  for (std::uint32_t v = 0; v < job.vertices; ++v) {
    text += format("{} {}\n", names->name(VertexId(v)),
                   shown_value(values, VertexId(v), *names, false));
  }
  LEEWAY_TRY(print(text));
  return 0;
}

}  // namespace

Result<int> run_snapshot(const Invocation& invocation) {
  const std::string action = invocation.argument(0);
  const std::string path = invocation.argument(1);
  const std::string graph = invocation.argument(2);
  const CommandOptions& options = invocation.options;
  static constexpr std::array<std::string_view, 3> kActions = {"info", "verify", "values"};
  const auto is_action = [&](const std::string& word) {
    return std::find(kActions.begin(), kActions.end(), word) != kActions.end();
  };
  if (!is_action(action)) {
    return fail(input_error("leeway snapshot", format("unknown action '{}'", action),
                            is_action(path) ? format("leeway snapshot {} {}", path, action)
                                            : did_you_mean(action, kActions)));
  }
  if (!graph.empty() && action != "values") {
    return fail(input_error("leeway snapshot", format("unexpected argument '{}'", graph),
                            "only values takes a graph"));
  }
  if (options.json && action == "values")
    return fail(input_error("--json", "values are printed as text", "drop it"));
  if (action == "info") return show_info(path, options.json);
  if (action == "verify") return verify(path, options.json);
  return show_values(path, graph, options);
}

}  // namespace leeway::cli
