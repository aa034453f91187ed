#include "datasets/readers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/csv.h"
#include "base/format.h"
#include "datasets/binary.h"
#include "datasets/graph.h"
#include "datasets/ldbc.h"
#include "datasets/matrix_market.h"
#include "datasets/parse.h"
#include "datasets/text_input.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

Result<VertexNames> number_ends(ListedShare& share, unsigned threads) {
  if (share.ends == EndKind::Vertices) return std::move(share.shape.names);
  if (share.ends == EndKind::Wide) return number_wide_ids(share.blocks);
  if (share.ends == EndKind::Small)
    return number_small_ids(share.blocks, IdEnds::Both, share.declared, threads);
  LEEWAY_ASSIGN(const auto words, number_words(share.blocks, IdEnds::Both, {}));
  if (words.size() > kMostVertices)
    return fail(count_mismatch(share.declared_at, "vertices", kMostVertices, words.size()));
  return names_from_words(words);
}

}  // namespace

Status check_declared_counts(const ListedShare& share, std::uint64_t rows, std::uint64_t vertices) {
  if (share.declared_edges && *share.declared_edges != rows)
    return fail(
        count_mismatch(share.declared_at, share.declared_unit, *share.declared_edges, rows));
  if (share.declared_vertices && *share.declared_vertices != vertices)
    return fail(count_mismatch(share.declared_at, "vertices", *share.declared_vertices, vertices));
  return {};
}

Result<ListedGraph> number_share(ListedShare share, unsigned threads) {
  LEEWAY_ASSIGN(auto names, number_ends(share, threads));
  ListedGraph graph;
  graph.shape = std::move(share.shape);
  graph.shape.vertex_count = names.count();
  graph.shape.names = std::move(names);
  LEEWAY_TRY(check_declared_counts(share, share.rows, graph.shape.vertex_count));
  if (share.left)
    graph.shape.left_count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(*share.left, graph.shape.vertex_count));
  graph.edges = collect_edges(share.blocks, share.weight_kind);
  return graph;
}

namespace {

constexpr std::uint64_t kAlwaysPlausible = std::uint64_t{1} << 22;  // 32 MiB of offsets
constexpr std::uint64_t kVerticesPerByte = 64;

}  // namespace

Status check_vertex_count(std::uint64_t count, std::uint64_t bytes, const std::string& where) {
  if (count > kMostVertices) {
    return fail(input_error(
        where, format("{} vertices are more than a graph may have ({})", count, kMostVertices),
        "check the header"));
  }
  if (count > kAlwaysPlausible && count / kVerticesPerByte > bytes) {
    return fail(input_error(
        where,
        format("the header states {} vertices, but the file has only {} bytes", count, bytes),
        "check the header, or whether the file is complete"));
  }
  return {};
}

Error no_edge(std::string where, std::size_t columns, std::string_view line, std::string remedy) {
  constexpr std::size_t kShown = 40;
  std::string text(line.substr(0, kShown));
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  if (line.size() > kShown) text += "…";
  return input_error(std::move(where),
                     format("expected \"source target [weight]\", found {} column{}: '{}'", columns,
                            columns == 1 ? "" : "s", text),
                     std::move(remedy));
}

Error complex_values(std::string where) {
  return input_error(std::move(where), "its values are complex numbers, which no program uses",
                     "give --weights none to read only the structure");
}

Error count_mismatch(const std::string& where, std::string_view of_what, std::uint64_t stated,
                     std::uint64_t found) {
  return input_error(where,
                     format("the header states {} {}, the file has {}", stated, of_what, found),
                     "correct the header, or check whether the file is complete");
}

std::uint64_t imbalance_of_ends(const EdgeChunk& chunk) {
  std::uint64_t sum = 0;
  const auto weights = chunk.weights();
  chunk.for_each([&](std::size_t i, VertexId s, VertexId t) {
    if (s == t) return;
    const auto [low, high] = std::minmax({s.value(), t.value()});
    std::uint64_t key = mix64(std::uint64_t{low} << 32 | high);
    if (!weights.empty()) key = mix64(key ^ std::bit_cast<std::uint64_t>(weights[i]));
    sum += s < t ? key : 0 - key;
  });
  return sum;
}

namespace {

/// The first edge that its two ends list differently. Requires that there is one.
std::pair<VertexId, VertexId> listed_differently(std::span<const EdgeChunk* const> chunks) {
  using End = std::tuple<VertexId, VertexId, double>;  // smaller end, larger end, weight
  std::vector<End> below, above;
  for (const EdgeChunk* chunk : chunks) {
    const auto weights = chunk->weights();
    chunk->for_each([&](std::size_t i, VertexId s, VertexId t) {
      const double weight = weights.empty() ? 1 : weights[i];
      if (s < t) below.emplace_back(s, t, weight);
      if (t < s) above.emplace_back(t, s, weight);
    });
  }
  std::sort(below.begin(), below.end());
  std::sort(above.begin(), above.end());
  const auto [one, other] = std::mismatch(below.begin(), below.end(), above.begin(), above.end());
  const End& first = one == below.end()     ? *other
                     : other == above.end() ? *one
                                            : std::min(*one, *other);
  return {std::get<0>(first), std::get<1>(first)};
}

}  // namespace

Status check_both_ends(std::span<const EdgeChunk* const> chunks, std::uint64_t first,
                       const std::string& where) {
  std::uint64_t imbalance = 0;
  for (const EdgeChunk* chunk : chunks) imbalance += imbalance_of_ends(*chunk);
  if (imbalance == 0) return {};
  std::vector<std::pair<VertexId, VertexId>> arcs;
  for (const EdgeChunk* chunk : chunks)
    chunk->for_each([&](std::size_t, VertexId s, VertexId t) { arcs.emplace_back(s, t); });
  std::sort(arcs.begin(), arcs.end());
  for (const auto& [from, to] : arcs) {
    if (std::binary_search(arcs.begin(), arcs.end(), std::pair(to, from))) continue;
    return fail(input_error(where,
                            format("vertex {0} lists {1}, but {1} does not list {0}, although the "
                                   "graph is undirected",
                                   from.value() + first, to.value() + first),
                            "list each edge at both its ends"));
  }
  const auto [low, high] = listed_differently(chunks);
  return fail(input_error(
      where,
      format("vertices {} and {} list the edge between them a different number of times "
             "or with different weights",
             low.value() + first, high.value() + first),
      "list each edge once at both its ends, with one weight"));
}

namespace {

namespace fs = std::filesystem;

/// The properties of a file that format detection uses.
struct Clues {
  std::string name;                // lower case, without the suffix of a compression
  std::string_view head;           // beginning of the decompressed content
  std::string line;                // the first that is neither blank nor a comment
  std::vector<std::string> words;  // of that line, split at blanks and commas
};

bool ends(const Clues& clues, std::string_view suffix) { return clues.name.ends_with(suffix); }

bool is_matrix_market(const Clues& clues) {
  return lower_case(clues.head.substr(0, 14)) == "%%matrixmarket" || ends(clues, ".mtx");
}

bool is_graphml(const Clues& clues) {
  const auto tag = clues.head.substr(0, 4096).find("<graphml");
  return (clues.head.find_first_not_of(" \t\r\n\xEF\xBB\xBF") != std::string_view::npos &&
          tag != std::string_view::npos) ||
         ends(clues, ".graphml");
}

bool is_dimacs(const Clues& clues) {
  if (clues.words.size() == 4 && clues.words[0] == "p") return true;
  return ends(clues, ".gr");
}

std::optional<double> number_in(const std::string& word) {
  const std::string text = word + '\n';
  const char* at = text.data();
  double value = 0;
  bool whole = true;
  if (parse_real(at, value, whole) != NumberFault::None || *at != '\n') return std::nullopt;
  return value;
}

/// True if the first column is the number of values in the line that are not 99.
bool is_jester(const Clues& clues) {
  const auto& words = clues.words;
  if (words.size() < 11 || clues.line.find(',') == std::string::npos) return false;
  std::vector<double> numbers;
  for (const std::string& word : words) {
    const auto number = number_in(word);
    if (!number) return false;
    numbers.push_back(*number);
  }
  const auto unrated = std::count(numbers.begin() + 1, numbers.end(), 99);
  return numbers[0] == static_cast<double>(std::ssize(numbers) - 1 - unrated);
}

/// True for "::" between fields, MovieLens' titles, "rating" in the file name, or a fourth column that is a time.
bool is_ratings(const Clues& clues) {
  constexpr double kFirstTime = 1e8;  // seconds; in other formats a fourth column is smaller
  if (clues.line.find("::") != std::string::npos) return true;
  if (clues.line.starts_with("userId") || clues.line.starts_with("user_id")) return true;
  if (clues.name.find("rating") != std::string::npos) return true;
  return clues.words.size() == 4 && number_in(clues.words[3]).value_or(0) >= kFirstTime;
}

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line == "c" || line.starts_with("c ");
}

/// Only CSV has quotes. A file with comments is read as an edge list whatever its name, because comments may describe it.
bool is_csv(const Clues& clues) {
  if (!csv_delimiter(clues.line)) return false;
  if (clues.line.find('"') != std::string::npos) return true;
  const auto first = clues.head.find_first_not_of(" \t\r\n");
  const bool comments = first != std::string_view::npos && is_comment(clues.head.substr(first));
  return (ends(clues, ".csv") || ends(clues, ".tsv")) && !comments;
}

struct Format {
  FormatInfo info;
  bool (*fits)(const Clues& clues);
  FormatReader read;
  ShareReader share = nullptr;  // null: the format cannot be read in shares
};

/// The first format that fits is chosen, so formats that are recognized by content precede those recognized by name.
constexpr std::array kFormats = {
    Format{{"binary", "Leeway's own binary graph .lwg, mapped rather than parsed"},
           [](const Clues& c) { return looks_like_binary(c.head) || is_binary_name(c.name); },
           read_binary},
    Format{{"matrix-market", "Matrix Market .mtx: coordinate or array, any field and symmetry"},
           is_matrix_market,
           read_matrix_market,
           share_matrix_market},
    Format{{"graphml", "GraphML: nodes, edges, one weight key"}, is_graphml, read_graphml},
    Format{{"npz", "SciPy's sparse matrix .npz: csr, csc or coo"},
           [](const Clues& c) { return ends(c, ".npz") || c.head.starts_with("PK\x03\x04"); },
           read_npz},
    Format{{"gap-sg", "GAP serialized graph .sg (binary)"},
           [](const Clues& c) { return ends(c, ".sg"); },
           read_gap_sg},
    Format{{"gap-wsg", "GAP serialized weighted graph .wsg (binary)"},
           [](const Clues& c) { return ends(c, ".wsg"); },
           read_gap_wsg},
    Format{{"dimacs", "DIMACS .gr: p sp (directed, weighted), p tw and p edge (undirected)"},
           is_dimacs,
           read_dimacs,
           share_dimacs},
    Format{{"metis", "METIS .graph: a line of neighbours for each vertex"},
           [](const Clues& c) { return ends(c, ".graph") || ends(c, ".metis"); },
           read_metis},
    Format{{"ldbc",
            "LDBC Graphalytics: .v, .e and .properties in one folder (name one, or their stem)"},
           [](const Clues& c) { return ends(c, ".v") || ends(c, ".e") || ends(c, ".properties"); },
           read_ldbc},
    Format{{"jester",
            "Jester matrix .csv: count of ratings, then one value for each item, 99 for none"},
           is_jester,
           read_jester},
    Format{{"ratings", "ratings: user item rating [time] separated by tabs, blanks, commas or ::"},
           is_ratings,
           read_ratings},
    Format{{"csv", "comma-separated values .csv, .tsv: quotes, titles; see --columns, --delimiter"},
           is_csv,
           read_csv},
    Format{{"edge-list",
            "SNAP or plain edge list: two ids on each line, optionally a weight; # and % comments"},
           [](const Clues&) { return true; },
           read_edge_list,
           share_edge_list},
};

constexpr auto kInfos = [] {
  std::array<FormatInfo, kFormats.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kFormats[i].info;
  return infos;
}();

struct Foreign {
  std::string_view what, remedy;
};

/// Well-known data that no reader takes, by its first bytes.
std::optional<Foreign> foreign(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::size_t kTarMagic = 257;  // its offset
  if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv))
    return Foreign{"UTF-16 text", "convert it: iconv -f utf-16 -t utf-8"};
  if (head.starts_with("BZh"sv)) return Foreign{"bzip2 data", "unpack it: bunzip2"};
  if (head.starts_with("7z\xbc\xaf"sv)) return Foreign{"a 7z archive", "unpack it: 7z x"};
  if (head.starts_with("\x1f\x8b"sv)) return Foreign{"compressed twice", "unpack it: gunzip"};
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar"sv))
    return Foreign{"a tar archive", "unpack it: tar -xf"};
  return std::nullopt;
}

/// Refuses data and text that are certainly not of the format that was chosen because no other fits.
Status check_text(const std::string& name, const Format& format, const Clues& clues) {
  constexpr std::string_view kRemedy = "leeway info --help lists the formats; --format selects one";
  const bool edges = format.read == read_edge_list;
  const bool lines =
      edges || format.read == read_csv || format.read == read_ratings || format.read == read_jester;
  if (const auto known = lines ? foreign(clues.head) : std::nullopt)
    return fail(input_error(name, std::string(known->what), std::string(known->remedy)));
  if (lines && clues.head.find('\0') != std::string_view::npos)
    return fail(input_error(name, "binary data, no graph format recognised", std::string(kRemedy)));
  const std::size_t begin = clues.line.find_first_not_of(" \t\xEF\xBB\xBF");
  if (!edges || begin == std::string::npos) return {};
  const std::string start = lower_case(std::string_view(clues.line).substr(begin));
  std::string_view looks;
  if (start.starts_with('<')) looks = "HTML or XML";
  if (start.starts_with('{') || start.starts_with('[')) looks = "JSON";
  const bool dot =
      start.starts_with("graph ") || start.starts_with("digraph ") || start.starts_with("strict ");
  if (dot && start.find('{') != std::string::npos) looks = "Graphviz DOT";
  if (looks.empty()) return {};
  return fail(input_error(name, leeway::format("looks like {}, which is not read", looks),
                          std::string(kRemedy)));
}

Clues find_clues(std::string_view name, std::string_view head) {
  Clues clues;
  clues.name = lower_case(without_compression(name));
  clues.head = head;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    if (is_comment(line) || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    clues.line = std::string(line) + '\n';
    clues.words = words_of(line, ',');
    break;
  }
  return clues;
}

Result<const Format*> format_called(const std::string& name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& f) { return f.info.name == name; });
  if (found != kFormats.end()) return &*found;
  std::vector<std::string_view> names;
  for (const auto& info : kInfos) names.push_back(info.name);
  return fail(
      input_error("--format", format("'{}' is not a format", name), did_you_mean(name, names)));
}

Result<const Format*> find_format(const InputFile& file, const LoadOptions& options) {
  const std::string named = options.format.value_or("csv");
  if (options.has_csv_options() && named != "csv" && named != "ratings") {
    return fail(input_error("--columns, --delimiter, --header",
                            format("the format {} has no columns to choose", *options.format),
                            "leave them out, or give --format csv or ratings"));
  }
  if (options.format) return format_called(*options.format);
  if (options.has_csv_options()) return format_called("csv");
  // LDBC graphs are recognized only by name: the path may be a stem without a file, and a file of edges may be empty.
  if (names_ldbc_graph(file.path)) return format_called("ldbc");
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(const std::string_view head, input.head());
  if (head.empty()) {
    return fail(
        input_error(input.at(1), "the file is empty", "check that it is the file you mean"));
  }
  const Clues clues = find_clues(file.name, head);
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& f) { return f.fits(clues); });
  LEEWAY_TRY(check_text(file.name, *found, clues));
  return &*found;
}

Result<Graph> load(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(const Format* format, find_format(file, options));
  if (format->read == read_binary && leaves_graph(options)) return map_binary(file, options);
  LEEWAY_ASSIGN(ListedGraph listed, format->read(file, options));
  return build_graph(std::move(listed.edges), std::move(listed.shape), options);
}

InputFile file_at(const fs::path& path, Progress* progress) {
  return {path.string(), [path, progress] { return open_source(path, progress); }, path};
}

/// Loads from a file, or from a pipe, whose content is copied to memory first because it can be read only once.
Result<Graph> load_from(const fs::path& path, const LoadOptions& options) {
  if (!gives_once(path)) return load(file_at(path, options.progress), options);
  LEEWAY_ASSIGN(const SpooledInput spooled, SpooledInput::take(path, options.progress));
  InputFile file = file_at(spooled.path(), options.progress);
  file.name = spooled.name();
  return load(file, options);
}

}  // namespace

std::span<const FormatInfo> readable_formats() { return kInfos; }

Result<Graph> load_graph(const fs::path& path, const LoadOptions& options) {
  return load_from(path, options);
}

Result<Graph> load_graph_from_memory(std::string_view bytes, const std::string& name,
                                     const LoadOptions& options) {
  return load({name, [bytes, name] { return memory_source(bytes, name); }, {}}, options);
}

Result<std::optional<ListedShare>> list_share(const fs::path& path, const LoadOptions& options,
                                              bool wide) {
  const InputFile file = file_at(path, options.progress);
  LEEWAY_ASSIGN(const Format* format, find_format(file, options));
  if (format->share == nullptr) return std::nullopt;
  return format->share(file, options, wide);
}

Error entry_twice(const EntryListing& listing, const fs::path& path, VertexId row,
                  VertexId column) {
  return entry_twice(listing, file_at(path, nullptr), row, column);
}

bool leaves_graph(const LoadOptions& options) {
  return options.direction == Direction::Auto && !options.symmetrize &&
         options.duplicates != Duplicates::Merge && options.self_loops == SelfLoops::Keep &&
         options.weights != Weights::Random;
}

Result<std::string_view> detect_format(const fs::path& path) {
  LEEWAY_ASSIGN(const Format* format, find_format(file_at(path, nullptr), {}));
  return format->info.name;
}

}  // namespace leeway
