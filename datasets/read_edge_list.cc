// The header of a plain edge list: comments, an optional line of titles, and the format of its first edge.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "base/result.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

/// Message and remedy for a quoted name.
inline constexpr std::string_view kQuotedName = "a quoted name, which an edge list cannot have";
inline constexpr std::string_view kGiveCsv =
    "give --format csv, with --delimiter if it is not a comma";

/// Information from the comments before the first edge, and from the first edge.
struct EdgeListHeader {
  std::optional<bool> directed;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> edges;
  std::uint64_t counts_line = 0;
  bool weighted = false;  // according to a comment
  Annotation note;
  unsigned columns = 0;  // of the first edge; 0: there is no edge
  IdMode mode = IdMode::Small;
};

/// Reads the comments and examines the first edge, which is not consumed.
Result<EdgeListHeader> read_edge_list_header(TextInput& input);

namespace {

constexpr std::array<std::string_view, 14> kTitles = {
    "source", "target", "from",  "to",         "src",      "dst", "u",
    "v",      "node1",  "node2", "fromnodeid", "tonodeid", "id1", "id2"};

/// The number after "key:" in a lower-case comment.
std::optional<std::uint64_t> count_after(const std::string& comment, std::string_view key) {
  const std::size_t found = comment.find(key);
  if (found == std::string::npos) return std::nullopt;
  const std::string text = comment.substr(found + key.size()) + '\n';
  LineCursor cursor{text.data()};
  cursor.skip_blanks();
  std::uint64_t value = 0;
  const NumberFault fault = parse_unsigned(cursor.at, value);
  if (fault == NumberFault::TooLarge) return ~std::uint64_t{0};
  if (fault != NumberFault::None) return std::nullopt;
  return value;
}

Status read_comment(std::string_view line, const TextInput& input, EdgeListHeader& header) {
  const std::string where = input.at(input.line_number());
  LEEWAY_ASSIGN(const bool ours, read_annotation(line.substr(1), where, header.note));
  if (ours) return {};
  const std::string text = lower_case(line.substr(1));
  if (!header.directed) {
    if (text.find("undirected") != std::string::npos || text.starts_with(" sym ")) {
      header.directed = false;
    } else if (text.find("directed") != std::string::npos || text.starts_with(" asym ")) {
      header.directed = true;
    }
  }
  const std::size_t weighted = text.find("weighted");
  header.weighted = header.weighted ||
                    (weighted != std::string::npos && !text.substr(0, weighted).ends_with("un"));
  auto nodes = count_after(text, "nodes:");
  if (!nodes) nodes = count_after(text, "vertices:");
  const auto edges = count_after(text, "edges:");
  if (nodes || edges) header.counts_line = input.line_number();
  if (nodes) header.nodes = nodes;
  if (edges) header.edges = edges;
  return {};
}

bool is_title(const std::vector<std::string>& words) {
  const auto known = [](const std::string& word) {
    return std::find(kTitles.begin(), kTitles.end(), lower_case(word)) != kTitles.end();
  };
  return words.size() >= 2 && known(words[0]) && known(words[1]);
}

bool begins_word(const std::string& word) {
  const auto c = static_cast<unsigned char>(word[0]);
  return std::isalpha(c) != 0 || c == '_' || c == '"' || c >= 0x80;
}

/// "1,000 2": a comma between some columns, only blanks between others.
bool mixes_separators(std::string_view line) {
  bool commas = false, blanks = false;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  line = trimmed(line);
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t begin = i;
    while (i < line.size() && (is_blank(line[i]) || line[i] == ',')) ++i;
    if (i == begin) {
      ++i;
      continue;
    }
    (line.substr(begin, i - begin).find(',') == line.npos ? blanks : commas) = true;
  }
  return commas && blanks;
}

Status examine_first_edge(const TextInput& input, std::string_view line,
                          const std::vector<std::string>& words, EdgeListHeader& header) {
  const std::size_t most = header.note.complex_at.empty() ? 3 : 4;
  header.columns = static_cast<unsigned>(words.size());
  if (words.size() < 2 || words.size() > most) {
    return fail(no_edge(input.at(input.line_number()), words.size(), line,
                        "if it is not an edge list, give --format"));
  }
  const std::string where = input.at(input.line_number());
  if (words[0].starts_with("//"))
    return fail(input_error(where, "this looks like a comment", "begin comments with # or %"));
  if (words.size() == 3 && mixes_separators(line)) {
    return fail(input_error(where, "commas separate some of the columns, blanks the others",
                            "use one separator, and no commas inside numbers"));
  }
  if (words[0].starts_with('"') || words[1].starts_with('"')) {
    return fail(input_error(input.at(input.line_number()), std::string(kQuotedName),
                            std::string(kGiveCsv)));
  }
  const bool words_listed = header.note.names == NameKind::Strings && !header.note.ids_are_indices;
  if (words_listed || begins_word(words[0]) || begins_word(words[1])) header.mode = IdMode::Words;
  return {};
}

}  // namespace

Result<EdgeListHeader> read_edge_list_header(TextInput& input) {
  EdgeListHeader header;
  bool titled = false;
  for (;;) {
    LEEWAY_ASSIGN(const auto line, input.next_line());
    if (!line) break;
    if (line->starts_with('#') || line->starts_with('%')) {
      LEEWAY_TRY(read_comment(*line, input, header));
      continue;
    }
    const auto words = words_of(*line, ',');
    if (words.empty()) continue;
    if (!titled && is_title(words)) {
      titled = true;
      continue;
    }
    LEEWAY_TRY(examine_first_edge(input, *line, words, header));
    input.unread_line();
    break;
  }
  if (header.columns == 0 && !header.nodes) {
    return fail(input_error(input.at(std::max<std::uint64_t>(input.line_number(), 1)),
                            "the file holds no edges", "check that it is the file you mean"));
  }
  return header;
}

namespace {

// SNAP and plain edge lists (GAP's .el and .wel are such): two ids on each line and an optional weight.
constexpr std::string_view kColumns = "two ids and optionally a weight, as in the first line";

/// Skips a blank or comment line. Returns false at any other line.
bool skip_comment_line(LineCursor& cursor, ParsedBlock& block) {
  if (*cursor.at != '#' && *cursor.at != '%' && !cursor.at_line_end()) return false;
  cursor.skip_line();
  ++block.lines;
  return true;
}

/// Parses the rest of a line after its two ids (optional weight, end of line) and adds the edge.
bool take_rest(LineCursor& cursor, unsigned columns, bool keep, VertexId source, VertexId target,
               ParsedBlock& block, EdgeChunkBuilder& builder) {
  double real = 0;
  double imaginary = 0;  // ignored: complex weights are never kept
  if (columns >= 3) {
    cursor.skip_blanks();
    if (cursor.at_line_end()) {
      block.fault = column_fault(kColumns);
      return false;
    }
    if (!take_real(cursor, "weight", block, real)) return false;
  }
  if (columns == 4 && !take_real(cursor, "imaginary part", block, imaginary)) return false;
  if (!take_line_end(cursor, kColumns, block)) return false;
  ++block.rows;
  if (columns == 2 || !keep)
    builder.add(source, target);
  else
    builder.add(source, target, real);
  return true;
}

void parse_small(std::string_view text, unsigned columns, bool keep, ParsedBlock& block,
                 EdgeChunkBuilder& builder) {
  LineCursor cursor{text.data(), ','};
  const char* const end = text.data() + text.size();
  while (cursor.at < end) {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    cursor.skip_blanks();
    const char* const line = cursor.at;
    if (is_digit(*line)) [[likely]] {  // fast path for the common form of a line
      const char* p = line;
      if (parse_unsigned(p, source) == NumberFault::None &&
          (*p == ' ' || *p == '\t' || *p == ',')) {
        ++p;
        if (is_digit(*p) && parse_unsigned(p, target) == NumberFault::None && *p == '\n' &&
            columns == 2 && (source | target) < kMostVertices) {
          builder.add(VertexId(static_cast<std::uint32_t>(source)),
                      VertexId(static_cast<std::uint32_t>(target)));
          ++block.lines;
          ++block.rows;
          cursor.at = p + 1;
          continue;
        }
      }
    } else if (skip_comment_line(cursor, block)) {
      continue;
    }
    if (!take_unsigned(cursor, "vertex id", block, source)) return;
    if (!take_unsigned(cursor, "vertex id", block, target)) return;
    if (source >= kMostVertices || target >= kMostVertices) {
      block.wide_ids = true;
      return;
    }
    if (!take_rest(cursor, columns, keep, VertexId(static_cast<std::uint32_t>(source)),
                   VertexId(static_cast<std::uint32_t>(target)), block, builder)) {
      return;
    }
  }
}

void parse_wide(std::string_view text, unsigned columns, bool keep, ParsedBlock& block,
                EdgeChunkBuilder& builder) {
  LineCursor cursor{text.data(), ','};
  KeyIndex<std::uint64_t> index(block.wide_names);
  while (cursor.at < text.data() + text.size()) {
    cursor.skip_blanks();
    if (skip_comment_line(cursor, block)) continue;
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    if (!take_unsigned(cursor, "vertex id", block, source)) return;
    if (!take_unsigned(cursor, "vertex id", block, target)) return;
    const VertexId from = index.of(source);
    const VertexId to = index.of(target);
    if (!take_rest(cursor, columns, keep, from, to, block, builder)) return;
  }
}

void parse_words(std::string_view text, unsigned columns, bool keep, ParsedBlock& block,
                 EdgeChunkBuilder& builder) {
  LineCursor cursor{text.data(), ','};
  KeyIndex<std::string> index(block.text_names);
  while (cursor.at < text.data() + text.size()) {
    cursor.skip_blanks();
    if (skip_comment_line(cursor, block)) continue;
    const char* const first = cursor.at;
    const VertexId from = index.of(cursor.take_word());
    cursor.skip_blanks();
    if (cursor.at_separator()) {
      block.fault = column_fault(kColumns);
      return;
    }
    const char* const second = cursor.at;
    const VertexId to = index.of(cursor.take_word());
    if (*first == '"' || *second == '"') {
      block.fault = {0, std::string(kQuotedName), std::string(kGiveCsv)};
      return;
    }
    if (!take_rest(cursor, columns, keep, from, to, block, builder)) return;
  }
}

/// Numbers the vertices if ids are indices into the list of names in the comments.
Result<VertexNames> number_indices(std::vector<ParsedBlock>& blocks, const EdgeListHeader& header,
                                   unsigned threads, const TextInput& input) {
  const DeclaredIds declared{header.note.listed.size(), 0};
  LEEWAY_ASSIGN(const auto plain, number_small_ids(blocks, IdEnds::Both, declared, threads));
  if (plain.first() != 0 || plain.kind() != NameKind::Sequence) {
    return fail(
        count_mismatch(input.name(), "named vertices", header.note.listed.size(), plain.count()));
  }
  return annotated_names(header.note, plain.count(), 0, input.name());
}

/// True if the comments list the vertex names. Every reader then needs the whole list, so the file cannot be read in shares.
bool lists_names(const EdgeListHeader& header) { return !header.note.listed.empty(); }

Result<ListedShare> assemble(const TextInput& input, const EdgeListHeader& header,
                             std::vector<ParsedBlock> blocks, bool keep) {
  ListedShare share;
  share.rows = total_rows(blocks);
  share.bytes = input.bytes_read();
  share.declared_at = input.at(header.counts_line);
  share.declared_edges = header.edges;
  share.declared_vertices = header.nodes;
  if (header.nodes) LEEWAY_TRY(check_vertex_count(*header.nodes, share.bytes, share.declared_at));
  share.declared = {header.nodes, header.note.first};
  share.ends = header.mode == IdMode::Small  ? EndKind::Small
               : header.mode == IdMode::Wide ? EndKind::Wide
                                             : EndKind::Words;
  share.shape.directed = header.note.directed.value_or(header.directed.value_or(true));
  share.left = header.note.left;
  const WeightKind found = header.columns < 3 ? WeightKind::None : weight_kind_of(blocks);
  const WeightKind declared_kind = header.note.weights.value_or(found);
  const bool fits = found == WeightKind::Integer && declared_kind == WeightKind::Real;
  // Without edges there is no column that shows the kind of the weights.
  share.weight_kind = !keep                         ? WeightKind::None
                      : fits || header.columns == 0 ? declared_kind
                                                    : found;
  share.blocks = std::move(blocks);
  return share;
}

/// Numbers the vertices of a file whose comments list the names.
Status number_listed(ListedShare& share, EdgeListHeader& header, unsigned threads,
                     const TextInput& input) {
  if (header.note.ids_are_indices && header.mode == IdMode::Small) {
    LEEWAY_ASSIGN(share.shape.names, number_indices(share.blocks, header, threads, input));
  } else if (header.mode == IdMode::Words) {
    LEEWAY_ASSIGN(const auto words,
                  number_words(share.blocks, IdEnds::Both, std::move(header.note.listed)));
    if (words.size() > kMostVertices)
      return fail(count_mismatch(input.name(), "vertices", kMostVertices, words.size()));
    LEEWAY_ASSIGN(share.shape.names, names_from_words(words));
  } else {
    return {};
  }
  share.ends = EndKind::Vertices;
  return {};
}

/// Nothing if a share is requested of a file that cannot be read in shares. If the result has `wide_ids`, its other members
/// are unset and the file must be read again with `wide`: ids may need 64 bits.
Result<std::optional<ListedShare>> read_edge_lines(const InputFile& file,
                                                   const LoadOptions& options, bool wide) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(EdgeListHeader header, read_edge_list_header(input));
  LEEWAY_TRY(check_not_complex(header.note, options));
  if (!options.share.whole()) {
    if (lists_names(header)) return std::nullopt;
    LEEWAY_ASSIGN(const bool shared, input.narrow(options.share));
    if (!shared) return std::nullopt;
  }
  if (wide && header.mode == IdMode::Small) header.mode = IdMode::Wide;
  const bool keep = keeps_weights(options);
  const unsigned threads = thread_count(options.threads);
  const auto parse = header.mode == IdMode::Small  ? parse_small
                     : header.mode == IdMode::Wide ? parse_wide
                                                   : parse_words;
  const unsigned columns = header.columns;
  LEEWAY_ASSIGN(auto blocks,
                parse_blocks(input, threads, [&](auto text, auto& block, auto& builder) {
                  block.takes_infinity = header.weighted || header.note.weights.has_value();
                  parse(text, columns, keep, block, builder);
                }));
  if (std::any_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.wide_ids; })) {
    ListedShare none;
    none.wide_ids = true;
    return none;
  }
  LEEWAY_ASSIGN(ListedShare share, assemble(input, header, std::move(blocks), keep));
  if (lists_names(header)) LEEWAY_TRY(number_listed(share, header, threads, input));
  return share;
}

}  // namespace

Result<ListedGraph> read_edge_list(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto share, read_edge_lines(file, options, false));
  if (share->wide_ids) {
    LEEWAY_ASSIGN(share, read_edge_lines(file, options, true));
  }
  return number_share(std::move(*share), thread_count(options.threads));
}

Result<std::optional<ListedShare>> share_edge_list(const InputFile& file,
                                                   const LoadOptions& options, bool wide) {
  return read_edge_lines(file, options, wide);
}

}  // namespace leeway
