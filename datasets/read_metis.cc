// Reader of METIS .graph: a header "vertices edges [fmt [ncon]]", then one line for each vertex with its neighbours, numbered
// from 1; a blank line is a vertex without neighbours. Each edge is listed at both its ends. Vertex sizes and weights are
// checked and ignored, because a Graph cannot store them.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

struct MetisHeader {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool edge_weights = false;
  std::uint64_t numbers_before = 0;  // size and weights of the vertex, before its neighbours
  std::uint64_t line = 0;
  Annotation note;
};

tl::unexpected<Error> header_fault(const std::string& where, std::string what) {
  return fail(input_error(where, std::move(what),
                          "write 'vertices edges [fmt [ncon]]' with fmt of up to three 0s and 1s"));
}

Status read_sizes(std::string_view line, const std::string& where, MetisHeader& header) {
  const std::string text = std::string(line) + '\n';
  LineCursor cursor{text.data()};
  std::vector<std::uint64_t> numbers;
  ParsedBlock block;
  for (cursor.skip_blanks(); !cursor.at_line_end(); cursor.skip_blanks()) {
    if (!take_unsigned(cursor, "number of the header", block, numbers.emplace_back())) {
      return header_fault(where, block.fault->what);
    }
  }
  if (numbers.size() < 2 || numbers.size() > 4) {
    return header_fault(where, format("the header has {} numbers", numbers.size()));
  }
  header.vertices = numbers[0];
  header.edges = numbers[1];
  const std::uint64_t fmt = numbers.size() > 2 ? numbers[2] : 0;
  const bool sizes = fmt / 100 == 1;
  const bool weights = fmt / 10 % 10 == 1;
  header.edge_weights = fmt % 10 == 1;
  if (fmt > 111 || fmt % 10 > 1 || fmt / 10 % 10 > 1) {
    return header_fault(where, format("fmt {} is not valid", fmt));
  }
  const std::uint64_t constraints = numbers.size() > 3 ? numbers[3] : 1;
  if (weights && constraints == 0)
    return header_fault(where, "vertices have weights, but ncon is 0");
  header.numbers_before = (sizes ? 1 : 0) + (weights ? constraints : 0);
  if (header.vertices > kMostVertices) return check_vertex_count(header.vertices, 0, where);
  return {};
}

Result<MetisHeader> read_header(TextInput& input) {
  MetisHeader header;
  for (;;) {
    LEEWAY_ASSIGN(const auto line, input.next_line());
    const std::string where = input.at(std::max<std::uint64_t>(input.line_number(), 1));
    if (!line)
      return fail(input_error(where, "the header is missing",
                              "begin with the numbers of vertices and edges"));
    if (line->starts_with('%')) {
      LEEWAY_TRY(read_annotation(line->substr(1), where, header.note));
      continue;
    }
    if (line->find_first_not_of(" \t") == std::string_view::npos) {
      return header_fault(where, "there is a blank line before the header");
    }
    LEEWAY_TRY(read_sizes(*line, where, header));
    header.line = input.line_number();
    return header;
  }
}

/// Parses the lines of a block. Sources are row numbers within the block; `make_rows_vertices` converts them to vertices.
class MetisRowParser {
 public:
  MetisRowParser(const MetisHeader& header, bool keep) : header_(header), keep_(keep) {}

  void operator()(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data()};
    block.takes_infinity = header_.note.weights.has_value();
    while (cursor.at < text.data() + text.size()) {
      if (*cursor.at == '%') {
        cursor.skip_line();
        ++block.lines;
        continue;
      }
      cursor.skip_blanks();
      if (!cursor.at_line_end()) {
        block.last_full_row = block.rows + 1;
        if (!take_vertex_numbers(cursor, block) || !take_neighbors(cursor, block, builder)) return;
      }
      cursor.skip_line();
      ++block.lines;
      ++block.rows;
    }
  }

 private:
  bool take_vertex_numbers(LineCursor& cursor, ParsedBlock& block) const {
    std::uint64_t ignored = 0;
    for (std::uint64_t i = 0; i < header_.numbers_before; ++i) {
      if (!take_unsigned(cursor, "vertex weight or size", block, ignored)) return false;
    }
    cursor.skip_blanks();
    return true;
  }

  bool take_neighbors(LineCursor& cursor, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    const VertexId source(static_cast<std::uint32_t>(block.rows));
    const bool complex = !header_.note.complex_at.empty();
    for (; !cursor.at_line_end(); cursor.skip_blanks()) {
      std::uint64_t id = 0;
      double real = 0;
      double imaginary = 0;  // ignored: complex weights are never kept
      if (!take_unsigned(cursor, "neighbour", block, id)) return false;
      if (id < 1 || id > header_.vertices) {
        block.fault = {0, format("neighbour {} is not between 1 and {}", id, header_.vertices),
                       "correct the line or the header"};
        return false;
      }
      if (header_.edge_weights && !take_real(cursor, "edge weight", block, real)) return false;
      if (complex && !take_real(cursor, "imaginary part", block, imaginary)) return false;
      const VertexId target(static_cast<std::uint32_t>(id - 1));
      if (!header_.edge_weights || !keep_)
        builder.add(source, target);
      else
        builder.add(source, target, real);
    }
    return true;
  }

  const MetisHeader& header_;
  const bool keep_;
};

/// An error unless there is one row for each vertex. Extra blank rows at the end are ignored; a blank last row may be
/// missing, because a file without a final newline does not show it.
Status check_rows(const std::vector<ParsedBlock>& blocks, const MetisHeader& header,
                  const TextInput& input) {
  std::uint64_t rows = 0;
  for (const auto& block : blocks) {
    if (block.last_full_row > 0 && rows + block.last_full_row > header.vertices) {
      return fail(
          input_error(input.at(block.first_line + block.lines - 1),
                      format("more lines than the {} vertices of the header", header.vertices),
                      "correct the header"));
    }
    rows += block.rows;
  }
  if (rows + 1 >= header.vertices) return {};
  return fail(count_mismatch(input.at(header.line), "vertices", header.vertices, rows));
}

void make_rows_vertices(std::vector<ParsedBlock>& blocks) {
  std::uint32_t base = 0;
  for (auto& block : blocks) {
    block.edges.relabel([&](VertexId row) { return VertexId(row.value() + base); },
                        [](VertexId target) { return target; });
    base += static_cast<std::uint32_t>(block.rows);
  }
}

Status check_both_ends(const std::vector<ParsedBlock>& blocks, const MetisHeader& header,
                       const TextInput& input) {
  std::vector<const EdgeChunk*> chunks;
  chunks.reserve(blocks.size());
  for (const auto& block : blocks) chunks.push_back(&block.edges);
  return check_both_ends(chunks, 1, input.at(header.line));
}

/// The header counts an undirected edge once, though it is listed twice.
Status check_edges(const std::vector<ParsedBlock>& blocks, const MetisHeader& header, bool directed,
                   const TextInput& input) {
  std::uint64_t arcs = 0;
  std::uint64_t loops = 0;
  for (const auto& block : blocks) {
    arcs += block.edges.size();
    block.edges.for_each([&](std::size_t, VertexId s, VertexId t) { loops += s == t ? 1 : 0; });
  }
  const std::uint64_t found = directed ? arcs : (arcs + loops + 1) / 2;
  if (found == header.edges && (directed || (arcs + loops) % 2 == 0)) return {};
  if (!directed && arcs == header.edges && arcs > loops) {
    return fail(
        input_error(input.at(header.line),
                    format("the header states {} edges, but this is the number of all listed arcs",
                           header.edges),
                    "list each edge at both its ends and count it once"));
  }
  // If the lines contain sizes or weights that fmt does not state, they were read as neighbours; `check_both_ends` then
  // gives the more specific message.
  if (!directed && header.numbers_before == 0) LEEWAY_TRY(check_both_ends(blocks, header, input));
  Error mismatch = count_mismatch(input.at(header.line), "edges", header.edges, found);
  if (header.numbers_before > 0) {
    mismatch.what +=
        format(" (according to fmt, the first {} of each line {} not read as a neighbour)",
               header.numbers_before == 1 ? std::string("number")
                                          : format("{} numbers", header.numbers_before),
               header.numbers_before == 1 ? "is" : "are");
    mismatch.remedy =
        "correct fmt if lines do not begin with the vertex's size or weights, else the header's "
        "count";
  }
  return fail(std::move(mismatch));
}

}  // namespace

Result<ListedGraph> read_metis(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(const MetisHeader header, read_header(input));
  LEEWAY_TRY(check_not_complex(header.note, options));
  const MetisRowParser parse(header, keeps_weights(options));
  LEEWAY_ASSIGN(auto blocks, parse_blocks(input, thread_count(options.threads), parse));
  LEEWAY_TRY(check_rows(blocks, header, input));
  make_rows_vertices(blocks);
  const bool directed = header.note.directed.value_or(false);
  LEEWAY_TRY(check_edges(blocks, header, directed, input));
  if (!directed) LEEWAY_TRY(check_both_ends(blocks, header, input));
  ListedGraph graph;
  graph.shape.directed = directed;
  graph.shape.from_both_ends = !directed;
  LEEWAY_TRY(annotate_shape(header.note, header.vertices, input.at(header.line), graph.shape));
  const bool keep = keeps_weights(options) && header.edge_weights;
  const WeightKind kind = annotated_kind(header.note, weight_kind_of(blocks));
  graph.edges = collect_edges(blocks, keep ? kind : WeightKind::None);
  return graph;
}

}  // namespace leeway
