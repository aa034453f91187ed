// Readers of ratings: files with one rating on each line ("user item rating [time]" separated by tabs, blanks, commas or
// "::", with or without MovieLens' title line), and Jester's matrix, where each line is a user: the count of ratings, then
// one value for each item, 99 if not rated. Both become bipartite undirected graphs whose users come first.

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

constexpr std::string_view kRating = "user, item, rating and optionally time";
constexpr double kMissing = 99;

/// The format of the lines of a ratings file.
struct Style {
  char extra = ',';
  bool words = false;  // ids are not all numbers
};

class RatingParser {
 public:
  RatingParser(Style style, bool keep) : style_(style), keep_(keep) {}

  void operator()(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data(), style_.extra};
    KeyIndex<std::string> users(block.text_names);
    KeyIndex<std::string> items(block.right_names);
    while (cursor.at < text.data() + text.size()) {
      cursor.skip_blanks();
      if (cursor.at_line_end() || *cursor.at == '#' || *cursor.at == '%') {
        cursor.skip_line();
        ++block.lines;
        continue;
      }
      VertexId user;
      VertexId item;
      double rating = 0;
      if (!take_id(cursor, "user", users, block, user)) return;
      if (!take_id(cursor, "item", items, block, item)) return;
      if (!take_real(cursor, "rating", block, rating)) return;
      cursor.skip_blanks();
      double time = 0;
      bool whole = true;
      if (!cursor.at_line_end() && parse_real(cursor.at, time, whole) != NumberFault::None) {
        block.fault = number_fault(NumberFault::NotANumber, cursor, "time");
        return;
      }
      if (!take_line_end(cursor, kRating, block)) return;
      ++block.rows;
      if (keep_)
        builder.add(user, item, rating);
      else
        builder.add(user, item);
    }
  }

 private:
  bool take_id(LineCursor& cursor, std::string_view what, KeyIndex<std::string>& index,
               ParsedBlock& block, VertexId& vertex) const {
    cursor.skip_blanks();
    if (style_.words) {
      if (cursor.at_line_end()) {
        block.fault = column_fault(kRating);
        return false;
      }
      vertex = index.of(cursor.take_word());
      return true;
    }
    std::uint64_t id = 0;
    if (!take_unsigned(cursor, what, block, id)) return false;
    if (id >= kMostVertices) {
      block.wide_ids = true;
      return false;
    }
    vertex = VertexId(static_cast<std::uint32_t>(id));
    return true;
  }

  const Style style_;
  const bool keep_;
};

/// Skips a title line and determines the format from the first rating.
Result<Style> read_style(TextInput& input) {
  Style style;
  for (bool titled = false;;) {
    LEEWAY_ASSIGN(const auto line, input.next_line());
    const std::string where = input.at(std::max<std::uint64_t>(input.line_number(), 1));
    if (!line)
      return fail(
          input_error(where, "the file holds no ratings", "check that it is the file you mean"));
    const std::size_t begin = line->find_first_not_of(" \t");
    if (begin == std::string_view::npos || (*line)[begin] == '#' || (*line)[begin] == '%') continue;
    if (!titled && (line->starts_with("user") || line->starts_with("\"user"))) {
      titled = true;
      continue;
    }
    if (line->find("::") != std::string_view::npos) style.extra = ':';
    const std::string text = std::string(*line) + '\n';
    LineCursor cursor{text.data(), style.extra};
    for (int end = 0; end < 2; ++end) {
      cursor.skip_blanks();
      for (const char c : cursor.take_word())
        style.words = style.words || std::isalpha(static_cast<unsigned char>(c));
    }
    input.unread_line();
    return style;
  }
}

Result<std::vector<std::string>> numbered(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                          const Style& style, unsigned threads) {
  if (style.words) return number_words(blocks, ends, {});
  LEEWAY_ASSIGN(const auto names, number_small_ids(blocks, ends, {}, threads));
  std::vector<std::string> words;
  for (std::uint32_t v = 0; v < names.count(); ++v) words.push_back(names.name(VertexId(v)));
  return words;
}

/// Joins users and items. A user and an item may have the same id, so the names get prefixes: u17, i17.
Result<ListedGraph> join_sides(std::vector<ParsedBlock>& blocks, const Style& style, bool keep,
                               unsigned threads) {
  LEEWAY_ASSIGN(auto names, numbered(blocks, IdEnds::Sources, style, threads));
  LEEWAY_ASSIGN(const auto items, numbered(blocks, IdEnds::Targets, style, threads));
  ListedGraph graph;
  graph.shape.left_count = static_cast<std::uint32_t>(names.size());
  LEEWAY_TRY(check_vertex_count(names.size() + items.size(), ~std::uint64_t{0}, "ratings"));
  for (auto& name : names) name.insert(0, 1, 'u');
  for (const auto& item : items) names.push_back('i' + item);
  const auto same = [](VertexId user) { return user; };
  for (auto& block : blocks) {
    block.edges.relabel(
        same, [&](VertexId item) { return VertexId(item.value() + graph.shape.left_count); });
  }
  graph.shape.vertex_count = static_cast<std::uint32_t>(names.size());
  graph.shape.directed = false;
  graph.edges = collect_edges(blocks, keep ? weight_kind_of(blocks) : WeightKind::None);
  LEEWAY_ASSIGN(graph.shape.names, names_from_words(names));
  return graph;
}

/// Returns an empty graph and sets `needs_words` if an id is too large for a small number.
Result<ListedGraph> read_ratings_once(const InputFile& file, const LoadOptions& options, bool words,
                                      bool& needs_words) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(Style style, read_style(input));
  style.words = style.words || words;
  const unsigned threads = thread_count(options.threads);
  const RatingParser parse(style, keeps_weights(options));
  LEEWAY_ASSIGN(auto blocks, parse_blocks(input, threads, parse));
  needs_words = std::any_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.wide_ids; });
  if (needs_words) return ListedGraph{};
  return join_sides(blocks, style, keeps_weights(options), threads);
}

/// Converts the edges of a CSV file with selected columns (source: user, target: item) to a bipartite graph.
class RatedRows {
 public:
  explicit RatedRows(ListedGraph rows)
      : rows_(std::move(rows)),
        users_(rows_.shape.vertex_count, VertexId::none()),
        items_(rows_.shape.vertex_count, VertexId::none()) {}

  Result<ListedGraph> joined() {
    for (const EdgeChunk& chunk : rows_.edges.chunks) {
      chunk.for_each([&](std::size_t, VertexId user, VertexId item) {
        users_[user.index()] = items_[item.index()] = VertexId(0);  // marks them as used
      });
    }
    ListedGraph graph;
    std::vector<std::string> names;
    number('u', users_, names);
    graph.shape.left_count = static_cast<std::uint32_t>(names.size());
    number('i', items_, names);
    LEEWAY_TRY(check_vertex_count(names.size(), ~std::uint64_t{0}, "ratings"));
    for (EdgeChunk& chunk : rows_.edges.chunks) {
      chunk.relabel([&](VertexId user) { return users_[user.index()]; },
                    [&](VertexId item) { return items_[item.index()]; });
    }
    graph.edges = std::move(rows_.edges);
    graph.shape.vertex_count = static_cast<std::uint32_t>(names.size());
    graph.shape.directed = false;
    LEEWAY_ASSIGN(graph.shape.names, names_from_words(names));
    return graph;
  }

 private:
  void number(char side, std::vector<VertexId>& ends, std::vector<std::string>& names) const {
    for (std::uint32_t v = 0; v < ends.size(); ++v) {
      if (ends[v] == VertexId::none()) continue;
      ends[v] = VertexId(static_cast<std::uint32_t>(names.size()));
      names.push_back(side + rows_.shape.names.name(VertexId(v)));
    }
  }

  ListedGraph rows_;
  std::vector<VertexId> users_, items_;
};

Result<ListedGraph> read_rated_rows(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(ListedGraph rows, read_csv(file, options));
  if (keeps_weights(options) && rows.edges.weight_kind == WeightKind::None) {
    return fail(input_error("--columns", "these rows have no column that holds ratings",
                            "give three: USER,ITEM,RATING"));
  }
  return RatedRows(std::move(rows)).joined();
}

/// Parses the lines of a block. Sources are row numbers within the block, targets are items.
class JesterParser {
 public:
  JesterParser(std::uint64_t items, bool keep) : items_(items), keep_(keep) {}

  void operator()(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data(), ','};
    while (cursor.at < text.data() + text.size()) {
      cursor.skip_blanks();
      if (cursor.at_line_end()) {
        cursor.skip_line();
        ++block.lines;
      } else if (!take_user(cursor, block, builder)) {
        return;
      }
    }
  }

 private:
  bool take_user(LineCursor& cursor, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    std::uint64_t stated = 0;
    if (!take_unsigned(cursor, "count of ratings", block, stated)) return false;
    std::uint64_t found = 0;
    for (std::uint64_t item = 0; item < items_; ++item) {
      double rating = 0;
      bool whole = block.whole_weights;
      if (!take_real(cursor, "rating", block, rating)) return false;
      if (rating == kMissing) {
        block.whole_weights = whole;
        continue;
      }
      ++found;
      const VertexId user(static_cast<std::uint32_t>(block.rows));
      const VertexId target(static_cast<std::uint32_t>(item));
      if (keep_)
        builder.add(user, target, rating);
      else
        builder.add(user, target);
    }
    if (found != stated) {
      block.fault = {0, format("the line begins with {} ratings but has {}", stated, found),
                     "correct the first number of the line"};
      return false;
    }
    if (!take_line_end(cursor, "the same in every line", block)) return false;
    ++block.rows;
    return true;
  }

  const std::uint64_t items_;
  const bool keep_;
};

}  // namespace

Result<ListedGraph> read_ratings(const InputFile& file, const LoadOptions& options) {
  if (options.has_csv_options()) return read_rated_rows(file, options);
  bool needs_words = false;
  auto graph = read_ratings_once(file, options, false, needs_words);
  return needs_words ? read_ratings_once(file, options, true, needs_words) : std::move(graph);
}

Result<ListedGraph> read_jester(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(const auto line, input.next_line());
  if (!line || line->empty())
    return fail(input_error(input.at(1), "the file holds no ratings",
                            "check that it is the file you mean"));
  const auto items = static_cast<std::uint64_t>(std::count(line->begin(), line->end(), ','));
  input.unread_line();
  const JesterParser parse(items, keeps_weights(options));
  LEEWAY_ASSIGN(auto blocks, parse_blocks(input, thread_count(options.threads), parse));
  ListedGraph graph;
  const std::uint64_t users = total_rows(blocks);
  LEEWAY_TRY(check_vertex_count(users + items, ~std::uint64_t{0}, input.name()));
  graph.shape.left_count = static_cast<std::uint32_t>(users);
  std::uint32_t base = 0;
  for (auto& block : blocks) {
    block.edges.relabel(
        [&](VertexId row) { return VertexId(row.value() + base); },
        [&](VertexId item) { return VertexId(item.value() + graph.shape.left_count); });
    base += static_cast<std::uint32_t>(block.rows);
  }
  graph.shape.vertex_count = static_cast<std::uint32_t>(users + items);
  graph.shape.directed = false;
  graph.shape.names = VertexNames::sequence(0, graph.shape.vertex_count);
  graph.edges =
      collect_edges(blocks, keeps_weights(options) ? weight_kind_of(blocks) : WeightKind::None);
  return graph;
}

}  // namespace leeway
