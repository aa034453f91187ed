#include "datasets/ldbc.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/format.h"
#include "base/parallel.h"
#include "datasets/byte_stream.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/text_input.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

namespace fs = std::filesystem;

/// A parsed line of the properties file.
struct PropertyLine {
  std::string_view key, value;
  std::uint64_t number = 0;
  std::string where;

  [[nodiscard]] Error invalid_value(std::string_view expected) const {
    return input_error(where, format("{} is '{}', but must be a {}", key, value, expected),
                       "correct the line, or remove it");
  }
};

template <class Number>
Status take_number(const PropertyLine& line, std::string_view expected, Number least, Number most,
                   std::optional<LdbcEntry<Number>>& into) {
  Number value{};
  const char* const end = line.value.data() + line.value.size();
  const auto [at, fault] = std::from_chars(line.value.data(), end, value);
  if (fault != std::errc{} || at != end || !(value >= least && value <= most))
    return fail(line.invalid_value(expected));
  into = LdbcEntry<Number>{value, line.number};
  return {};
}

Status take_text(const PropertyLine& line, std::optional<LdbcEntry<std::string>>& into) {
  if (line.value.empty()) return fail(line.invalid_value("name"));
  into = LdbcEntry<std::string>{std::string(line.value), line.number};
  return {};
}

Status take_yes(const PropertyLine& line, std::optional<LdbcEntry<bool>>& into) {
  if (line.value != "true" && line.value != "false")
    return fail(line.invalid_value("truth value (true or false)"));
  into = LdbcEntry<bool>{line.value == "true", line.number};
  return {};
}

/// Compares only the end of the key, without "graph.NAME.", because NAME itself may contain dots.
Status take(const PropertyLine& line, LdbcProperties& properties) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  constexpr std::uint64_t kMostRounds = 1'000'000'000;
  const auto is = [&](std::string_view key) { return line.key.ends_with(key); };
  if (is(".vertex-file")) return take_text(line, properties.vertex_file);
  if (is(".edge-file")) return take_text(line, properties.edge_file);
  if (is(".meta.vertices"))
    return take_number(line, "count", std::uint64_t{0}, kMost, properties.vertices);
  if (is(".meta.edges"))
    return take_number(line, "count", std::uint64_t{0}, kMost, properties.edges);
  if (is(".directed")) return take_yes(line, properties.directed);
  const auto of_algorithm = [&]() -> LdbcAlgorithm& {
    const std::string_view key = std::string_view(line.key).substr(0, line.key.rfind('.'));
    return properties.algorithms[std::string(key.substr(key.rfind('.') + 1))];
  };
  if (is(".source-vertex")) return take_text(line, of_algorithm().source);
  if (is(".num-iterations") || is(".max-iterations"))
    return take_number(line, "count of iterations", std::uint64_t{1}, kMostRounds,
                       of_algorithm().iterations);
  if (is(".damping-factor"))
    return take_number(line, "share between 0 and 0.9999", 0.0, 0.9999, of_algorithm().damping);
  return {};
}

bool is_part(const fs::path& path, std::string_view suffix) {
  return without_compression(path.string()).ends_with(suffix);
}

}  // namespace

LdbcAlgorithm LdbcProperties::algorithm(std::string_view name) const {
  const auto found = algorithms.find(name);
  return found == algorithms.end() ? LdbcAlgorithm{} : found->second;
}

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
  LdbcProperties properties;
  fs::path path = stem;
  path += ".properties";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return properties;
  properties.path = path;
  LEEWAY_ASSIGN(auto source, open_source(path));
  TextInput input(path.string(), std::move(source));
  for (;;) {
    LEEWAY_ASSIGN(const auto text, input.next_line());
    if (!text) return properties;
    PropertyLine line{.number = input.line_number(), .where = input.at(input.line_number())};
    line.key = trimmed(*text);
    if (line.key.empty() || line.key.front() == '#' || line.key.front() == '!') continue;
    const auto equals = line.key.find_first_of("=:");
    if (equals == line.key.npos) {
      return fail(input_error(line.where, format("'{}' has no '='", line.key),
                              "write graph.NAME.key = value, a line each"));
    }
    line.value = trimmed(line.key.substr(equals + 1));
    line.key = trimmed(line.key.substr(0, equals));
    LEEWAY_TRY(take(line, properties));
  }
}

namespace {

// Readers of LDBC Graphalytics graphs: NAME.v has one id on each line, NAME.e has "source target [weight]", and the
// optional NAME.properties has the direction and the counts.
constexpr std::string_view kEdge = "source, target and optionally a weight";

bool skip_hash_comment(LineCursor& cursor, ParsedBlock& block) {
  cursor.skip_blanks();
  if (*cursor.at != '#' && !cursor.at_line_end()) return false;
  cursor.skip_line();
  ++block.lines;
  return true;
}

void parse_vertices(std::string_view text, ParsedBlock& block, EdgeChunkBuilder&) {
  LineCursor cursor{text.data()};
  while (cursor.at < text.data() + text.size()) {
    if (skip_hash_comment(cursor, block)) continue;
    std::uint64_t id = 0;
    if (!take_unsigned(cursor, "vertex id", block, id)) return;
    if (!take_line_end(cursor, "one vertex id", block)) return;
    block.wide_names.push_back(id);
  }
}

class EdgeParser {
 public:
  EdgeParser(unsigned columns, bool keep) : columns_(columns), keep_(keep) {}

  void operator()(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data()};
    KeyIndex<std::uint64_t> index(block.wide_names);
    const auto vertex = [&](std::uint64_t id) {
      const VertexId local = index.of(id);
      if (block.wide_names.size() > block.wide_lines.size())
        block.wide_lines.push_back(block.lines);
      return local;
    };
    while (cursor.at < text.data() + text.size()) {
      if (skip_hash_comment(cursor, block)) continue;
      std::uint64_t source = 0;
      std::uint64_t target = 0;
      double weight = 0;
      if (!take_unsigned(cursor, "vertex id", block, source)) return;
      if (!take_unsigned(cursor, "vertex id", block, target)) return;
      const VertexId from = vertex(source);
      const VertexId to = vertex(target);
      if (columns_ == 3 && !take_real(cursor, "weight", block, weight)) return;
      if (!take_line_end(cursor, kEdge, block)) return;
      if (columns_ == 3 && keep_)
        builder.add(from, to, weight);
      else
        builder.add(from, to);
    }
  }

 private:
  const unsigned columns_;
  const bool keep_;
};

/// The file with this suffix, uncompressed or compressed.
Result<fs::path> part_file(const fs::path& stem, std::string_view suffix) {
  for (const std::string_view packed : {"", ".zst", ".gz", ".xz"}) {
    fs::path path = stem;
    path += suffix;
    path += packed;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return fail(input_error(stem.string() + std::string(suffix), "no such file",
                          "an LDBC graph needs a .v and a .e file in the same folder"));
}

/// A file of the graph: the one that the properties name, else the stem with this suffix.
Result<fs::path> part_of(const fs::path& stem, std::string_view suffix,
                         const std::optional<LdbcEntry<std::string>>& named,
                         const LdbcProperties& properties) {
  if (!named) return part_file(stem, suffix);
  const fs::path path = stem.parent_path() / named->value;
  if (auto found = part_file(path, "")) return found;
  // After a graph's files were renamed, the properties still contain the old names.
  if (auto found = part_file(stem, suffix)) return found;
  return fail(input_error(properties.at(named->line),
                          format("names {}, and there is no such file", path.string()),
                          "correct the line, or put the file there"));
}

Result<std::vector<std::uint64_t>> read_vertices(const fs::path& path, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, open_source(path, options.progress));
  TextInput input(path.string(), std::move(source));
  LEEWAY_ASSIGN(const auto blocks,
                parse_blocks(input, thread_count(options.threads), parse_vertices));
  std::vector<std::uint64_t> ids;
  for (const auto& block : blocks)
    ids.insert(ids.end(), block.wide_names.begin(), block.wide_names.end());
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return fail(input_error(input.name(), format("vertex {} is listed twice", *twice),
                            "list each vertex once"));
  }
  LEEWAY_TRY(check_vertex_count(ids.size(), ~std::uint64_t{0}, input.name()));
  return ids;
}

/// Compares the counts in the properties file, if any, with the counts of vertices and edges read.
Status check_counts(const LdbcProperties& properties, std::uint64_t vertices, std::uint64_t edges) {
  const auto check = [&](const std::optional<LdbcEntry<std::uint64_t>>& count,
                         std::string_view of_what, std::uint64_t found) -> Status {
    if (!count || count->value == found) return {};
    return fail(input_error(
        properties.at(count->line),
        format("the properties state {} {}, but the graph has {}", count->value, of_what, found),
        "correct meta." + std::string(of_what) +
            ", or check whether the other files are complete"));
  };
  LEEWAY_TRY(check(properties.vertices, "vertices", vertices));
  return check(properties.edges, "edges", edges);
}

Result<unsigned> count_columns(TextInput& input) {
  for (;;) {
    LEEWAY_ASSIGN(const auto line, input.next_line());
    if (!line) return 2u;
    const std::string text = std::string(*line) + '\n';
    LineCursor cursor{text.data()};
    unsigned columns = 0;
    for (cursor.skip_blanks(); !cursor.at_line_end() && *cursor.at != '\r'; cursor.skip_blanks()) {
      cursor.take_word();
      ++columns;
    }
    if (columns == 0 || text[0] == '#') continue;
    input.unread_line();
    if (columns == 2 || columns == 3) return columns;
    return fail(no_edge(input.at(input.line_number() + 1), columns, text, "correct the line"));
  }
}

Status use_vertices(std::vector<ParsedBlock>& blocks, const std::vector<std::uint64_t>& ids,
                    const TextInput& input) {
  for (auto& block : blocks) {
    std::vector<VertexId> vertex;
    for (std::size_t i = 0; i < block.wide_names.size(); ++i) {
      const auto found = std::lower_bound(ids.begin(), ids.end(), block.wide_names[i]);
      if (found == ids.end() || *found != block.wide_names[i]) {
        return fail(input_error(input.at(block.first_line + block.wide_lines[i]),
                                format("vertex {} is not in the .v file", block.wide_names[i]),
                                "add it there or drop the edge"));
      }
      vertex.push_back(VertexId(static_cast<std::uint32_t>(found - ids.begin())));
    }
    const auto map = [&](VertexId local) { return vertex[local.index()]; };
    block.edges.relabel(map, map);
  }
  return {};
}

}  // namespace

Result<ListedGraph> read_ldbc(const InputFile& file, const LoadOptions& options) {
  if (file.path.empty()) {
    return fail(input_error(file.name, "an LDBC graph is two files",
                            "give the path of its .v, .e or .properties file, or their stem"));
  }
  const fs::path stem = ldbc_stem(file.path);
  LEEWAY_ASSIGN(const LdbcProperties properties, read_ldbc_properties(stem));
  const unsigned threads = thread_count(options.threads);
  LEEWAY_ASSIGN(const fs::path vertex_file,
                part_of(stem, ".v", properties.vertex_file, properties));
  LEEWAY_ASSIGN(const fs::path edge_file, part_of(stem, ".e", properties.edge_file, properties));
  LEEWAY_ASSIGN(const auto ids, read_vertices(vertex_file, options));
  ListedGraph graph;
  if (properties.directed) graph.shape.directed = properties.directed->value;
  LEEWAY_ASSIGN(auto source, open_source(edge_file, options.progress));
  TextInput input(edge_file.string(), std::move(source));
  LEEWAY_ASSIGN(const unsigned columns, count_columns(input));
  const bool keep = keeps_weights(options) && columns == 3;
  LEEWAY_ASSIGN(auto blocks, parse_blocks(input, threads, EdgeParser(columns, keep)));
  LEEWAY_TRY(use_vertices(blocks, ids, input));
  std::uint64_t edges = 0;
  for (const ParsedBlock& block : blocks) edges += block.edges.size();
  LEEWAY_TRY(check_counts(properties, ids.size(), edges));
  graph.shape.vertex_count = static_cast<std::uint32_t>(ids.size());
  LEEWAY_ASSIGN(graph.shape.names, names_from_numbers(ids));
  graph.edges = collect_edges(blocks, keep ? weight_kind_of(blocks) : WeightKind::None);
  return graph;
}

}  // namespace leeway
