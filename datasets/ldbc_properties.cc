#include "leeway/datasets/ldbc_properties.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "leeway/base/format.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/text_input.h"

namespace leeway {

namespace {

namespace fs = std::filesystem;

/// One line taken apart.
struct Line {
  std::string_view key, value;
  std::uint64_t number = 0;
  std::string where;

  [[nodiscard]] Error senseless(std::string_view wanted) const {
    return input_error(where, format("{} is '{}', which is no {}", key, value, wanted),
                       "correct the line, or remove it");
  }
};

template <class Number>
Status take_number(const Line& line, std::string_view wanted, Number least, Number most,
                   std::optional<LdbcSaid<Number>>& into) {
  Number value{};
  const char* const end = line.value.data() + line.value.size();
  const auto [at, fault] = std::from_chars(line.value.data(), end, value);
  if (fault != std::errc{} || at != end || !(value >= least && value <= most))
    return fail(line.senseless(wanted));
  into = LdbcSaid<Number>{value, line.number};
  return {};
}

Status take_text(const Line& line, std::optional<LdbcSaid<std::string>>& into) {
  if (line.value.empty()) return fail(line.senseless("name"));
  into = LdbcSaid<std::string>{std::string(line.value), line.number};
  return {};
}

Status take_yes(const Line& line, std::optional<LdbcSaid<bool>>& into) {
  if (line.value != "true" && line.value != "false") return fail(line.senseless("true or false"));
  into = LdbcSaid<bool>{line.value == "true", line.number};
  return {};
}

/// The key without "graph.NAME." is what counts; NAME itself may hold dots.
Status take(const Line& line, LdbcProperties& said) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  constexpr std::uint64_t kMostRounds = 1'000'000'000;
  const auto is = [&](std::string_view key) { return line.key.ends_with(key); };
  if (is(".vertex-file")) return take_text(line, said.vertex_file);
  if (is(".edge-file")) return take_text(line, said.edge_file);
  if (is(".meta.vertices"))
    return take_number(line, "count", std::uint64_t{0}, kMost, said.vertices);
  if (is(".meta.edges")) return take_number(line, "count", std::uint64_t{0}, kMost, said.edges);
  if (is(".directed")) return take_yes(line, said.directed);
  if (is(".bfs.source-vertex")) return take_text(line, said.bfs_source);
  if (is(".sssp.source-vertex")) return take_text(line, said.sssp_source);
  if (is(".pr.num-iterations"))
    return take_number(line, "count of iterations", std::uint64_t{1}, kMostRounds,
                       said.pr_iterations);
  if (is(".cdlp.max-iterations"))
    return take_number(line, "count of iterations", std::uint64_t{1}, kMostRounds,
                       said.cdlp_iterations);
  if (is(".pr.damping-factor"))
    return take_number(line, "share between 0 and 0.9999", 0.0, 0.9999, said.pr_damping);
  return {};
}

bool is_part(const fs::path& path, std::string_view suffix) {
  return without_compression(path.string()).ends_with(suffix);
}

}  // namespace

std::string LdbcProperties::at(std::uint64_t line) const {
  return format("{}:{}", path.string(), line);
}

fs::path ldbc_stem(const fs::path& path) {
  std::string name(without_compression(path.string()));
  for (const std::string_view suffix : {".v", ".e", ".properties"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

bool names_ldbc_graph(const fs::path& path) {
  if (path.empty()) return false;
  if (is_part(path, ".v") || is_part(path, ".e") || is_part(path, ".properties")) return true;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return false;
  for (const char* suffix : {".v", ".v.zst", ".v.gz", ".v.xz", ".properties"}) {
    if (fs::is_regular_file(path.string() + suffix, ignored)) return true;
  }
  return false;
}

Result<LdbcProperties> read_ldbc_properties(const fs::path& stem) {
  LdbcProperties said;
  fs::path path = stem;
  path += ".properties";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return said;
  said.path = path;
  LEEWAY_ASSIGN(auto source, open_source(path));
  TextInput input(path.string(), std::move(source));
  for (;;) {
    LEEWAY_ASSIGN(const auto text, input.next_line());
    if (!text) return said;
    Line line{.number = input.line_number(), .where = input.at(input.line_number())};
    line.key = trimmed(*text);
    if (line.key.empty() || line.key.front() == '#' || line.key.front() == '!') continue;
    const auto equals = line.key.find_first_of("=:");
    if (equals == line.key.npos) {
      return fail(input_error(line.where, format("'{}' has no '='", line.key),
                              "write graph.NAME.key = value, a line each"));
    }
    line.value = trimmed(line.key.substr(equals + 1));
    line.key = trimmed(line.key.substr(0, equals));
    LEEWAY_TRY(take(line, said));
  }
}

}  // namespace leeway
