// Reader of DIMACS .gr: comment lines "c …", one problem line, then lines "a from to weight" (p sp), "e from to" (p edge,
// p col) or "from to" (p tw). Only p sp is directed.

#include "base/format.h"
#include "base/parallel.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

struct DimacsHeader {
  char mark = 'a';  // first character of each edge line; ' ' for none
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t line = 0;
  Annotation note;
};

Status read_problem(std::string_view line, const std::string& where, DimacsHeader& header) {
  const std::string text = std::string(line.substr(1)) + '\n';
  LineCursor cursor{text.data()};
  cursor.skip_blanks();
  const std::string_view kind = cursor.take_word();
  if (kind == "tw")
    header.mark = ' ';
  else if (kind == "edge" || kind == "col")
    header.mark = 'e';
  else if (kind != "sp") {
    return fail(input_error(where, format("'{}' is not a kind of problem of this format", kind),
                            "write 'p sp', 'p tw' or 'p edge', then vertices and edges"));
  }
  ParsedBlock block;
  if (!take_unsigned(cursor, "number of vertices", block, header.vertices) ||
      !take_unsigned(cursor, "number of edges", block, header.edges) ||
      !take_line_end(cursor, "'p', a kind, vertices and edges", block)) {
    return fail(input_error(where, block.fault->what, block.fault->remedy));
  }
  return {};
}

Result<DimacsHeader> read_problem_line(TextInput& input) {
  DimacsHeader header;
  for (;;) {
    LEEWAY_ASSIGN(const auto line, input.next_line());
    const std::string where = input.at(std::max<std::uint64_t>(input.line_number(), 1));
    if (!line)
      return fail(input_error(where, "there is no problem line",
                              "begin with 'p sp' or 'p tw', vertices and edges"));
    if (line->starts_with('c') && (line->size() == 1 || (*line)[1] == ' ')) {
      LEEWAY_TRY(read_annotation(line->substr(1), where, header.note));
    } else if (line->starts_with("p ") || line->starts_with("p\t")) {
      LEEWAY_TRY(read_problem(*line, where, header));
      header.line = input.line_number();
      return header;
    } else if (line->find_first_not_of(" \t") != std::string_view::npos) {
      return fail(input_error(where, "an edge before the problem line",
                              "begin with 'p sp' or 'p tw', vertices and edges"));
    }
  }
}

class ArcParser {
 public:
  ArcParser(const DimacsHeader& header, bool keep) : header_(header), keep_(keep) {}

  void operator()(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data()};
    block.takes_infinity = header_.note.weights.has_value();
    while (cursor.at < text.data() + text.size()) {
      cursor.skip_blanks();
      if (cursor.at_line_end() ||
          (*cursor.at == 'c' &&
           (cursor.at[1] == ' ' || cursor.at[1] == '\n' || cursor.at[1] == '\r'))) {
        cursor.skip_line();
        ++block.lines;
      } else if (!take_arc(cursor, block, builder)) {
        return;
      }
    }
  }

 private:
  bool take_arc(LineCursor& cursor, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    if (header_.mark != ' ') {
      if (*cursor.at != header_.mark || (cursor.at[1] != ' ' && cursor.at[1] != '\t')) {
        block.fault = {0, format("'{}' does not begin an edge of this problem", cursor.word()),
                       format("begin each edge with '{} '", header_.mark)};
        return false;
      }
      ++cursor.at;
    }
    VertexId from;
    VertexId to;
    double real = 0;
    double imaginary = 0;  // ignored: complex weights are never kept
    if (!take_vertex(cursor, block, from) || !take_vertex(cursor, block, to)) return false;
    const bool complex = !header_.note.complex_at.empty();
    if (header_.mark == 'a' && !take_real(cursor, "weight", block, real)) return false;
    if (complex && !take_real(cursor, "imaginary part", block, imaginary)) return false;
    if (!take_line_end(cursor,
                       header_.mark == 'a' ? "'a', two vertices and a weight" : "two vertices",
                       block)) {
      return false;
    }
    ++block.rows;
    if (header_.mark != 'a' || !keep_)
      builder.add(from, to);
    else
      builder.add(from, to, real);
    return true;
  }

  bool take_vertex(LineCursor& cursor, ParsedBlock& block, VertexId& vertex) const {
    std::uint64_t id = 0;
    if (!take_unsigned(cursor, "vertex", block, id)) return false;
    if (id < 1 || id > header_.vertices) {
      block.fault = {0, format("vertex {} is not between 1 and {}", id, header_.vertices),
                     "correct the edge or the problem line"};
      return false;
    }
    vertex = VertexId(static_cast<std::uint32_t>(id - 1));
    return true;
  }

  const DimacsHeader& header_;
  const bool keep_;
};

Result<std::optional<ListedShare>> read_dimacs_share(const InputFile& file,
                                                     const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(const DimacsHeader header, read_problem_line(input));
  LEEWAY_TRY(check_not_complex(header.note, options));
  ListedShare share;
  share.declared_at = input.at(header.line);
  if (header.vertices > kMostVertices)
    LEEWAY_TRY(check_vertex_count(header.vertices, 0, share.declared_at));
  if (!options.share.whole()) {
    if (!header.note.listed.empty()) return std::nullopt;
    LEEWAY_ASSIGN(const bool shared, input.narrow(options.share));
    if (!shared) return std::nullopt;
  }
  const bool keep =
      keeps_weights(options) && header.note.weights != WeightKind::None && header.mark == 'a';
  const ArcParser parse(header, keep);
  LEEWAY_ASSIGN(share.blocks, parse_blocks(input, thread_count(options.threads), parse));
  share.rows = total_rows(share.blocks);
  share.bytes = input.bytes_read();
  share.declared_edges = header.edges;
  share.shape.directed = header.mark == 'a' && header.note.directed.value_or(true);
  share.shape.from_both_ends = header.mark == 'a' && !share.shape.directed;
  const WeightKind kind = annotated_kind(header.note, weight_kind_of(share.blocks));
  share.weight_kind = keep ? kind : WeightKind::None;
  // Report a wrong number of edges before an implausible number of vertices.
  if (options.share.whole()) LEEWAY_TRY(check_declared_counts(share, share.rows, 0));
  LEEWAY_TRY(check_vertex_count(header.vertices, share.bytes, share.declared_at));
  LEEWAY_TRY(annotate_shape(header.note, header.vertices, share.declared_at, share.shape));
  if (options.share.whole() && share.shape.from_both_ends) {
    std::vector<const EdgeChunk*> chunks;
    for (const ParsedBlock& block : share.blocks) chunks.push_back(&block.edges);
    LEEWAY_TRY(check_both_ends(chunks, 1, share.declared_at));
  }
  return share;
}

}  // namespace

Result<ListedGraph> read_dimacs(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto share, read_dimacs_share(file, options));
  return number_share(std::move(*share), thread_count(options.threads));
}

Result<std::optional<ListedShare>> share_dimacs(const InputFile& file, const LoadOptions& options,
                                                bool) {
  return read_dimacs_share(file, options);
}

}  // namespace leeway
