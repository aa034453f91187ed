#include "leeway/datasets/edge_list_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/datasets/block_parse.h"

namespace leeway {

namespace {

constexpr std::array<std::string_view, 14> kTitles = {
    "source", "target", "from",  "to",         "src",      "dst", "u",
    "v",      "node1",  "node2", "fromnodeid", "tonodeid", "id1", "id2"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The number behind "key:" in a lower-case comment.
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
  const std::string text = lower(line.substr(1));
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

std::vector<std::string> words_of(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  std::vector<std::string> words;
  LineCursor cursor{text.data(), ','};
  for (cursor.skip_blanks(); !cursor.at_line_end(); cursor.skip_blanks()) {
    if (*cursor.at == '\r')
      ++cursor.at;  // a stray one, not at the end
    else
      words.emplace_back(cursor.take_word());
  }
  return words;
}

bool is_title(const std::vector<std::string>& words) {
  const auto known = [](const std::string& word) {
    return std::find(kTitles.begin(), kTitles.end(), lower(word)) != kTitles.end();
  };
  return words.size() >= 2 && known(words[0]) && known(words[1]);
}

bool begins_word(const std::string& word) {
  const auto c = static_cast<unsigned char>(word[0]);
  return std::isalpha(c) != 0 || c == '_' || c == '"' || c >= 0x80;
}

Status settle_columns(const TextInput& input, const std::vector<std::string>& words,
                      EdgeListHeader& header) {
  const std::size_t most = header.note.weights == WeightKind::Complex ? 4 : 3;
  header.columns = static_cast<unsigned>(words.size());
  if (words.size() < 2 || words.size() > most) {
    return fail(input_error(input.at(input.line_number()),
                            format("{} columns where an edge has 2 or 3", words.size()),
                            "give two ids and perhaps a weight, or name the file's format"));
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
    const auto words = words_of(*line);
    if (words.empty()) continue;
    if (!titled && is_title(words)) {
      titled = true;
      continue;
    }
    LEEWAY_TRY(settle_columns(input, words, header));
    input.unread_line();
    break;
  }
  if (header.columns == 0 && !header.nodes) {
    return fail(input_error(input.at(std::max<std::uint64_t>(input.line_number(), 1)),
                            "the file holds no edges", "check that it is the file you mean"));
  }
  return header;
}

}  // namespace leeway
