#include "leeway/datasets/matrix_market_header.h"

#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/datasets/block_parse.h"
#include "leeway/datasets/vertex_numbering.h"

namespace leeway::matrix_market {

namespace {

Error bad_banner(const std::string& where, std::string_view word) {
  return input_error(where, format("'{}' in the banner is unknown", word),
                     "write %%MatrixMarket matrix coordinate|array pattern|integer|real|complex "
                     "general|symmetric|skew-symmetric|hermitian");
}

std::vector<std::string> words_of(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  std::vector<std::string> words;
  LineCursor cursor{text.data()};
  for (cursor.skip_blanks(); *cursor.at != '\n'; cursor.skip_blanks()) {
    if (*cursor.at == '\r')
      ++cursor.at;
    else
      words.emplace_back(cursor.take_word());
  }
  return words;
}

Status read_banner(std::string_view line, const std::string& where, Header& header) {
  auto words = words_of(line);
  for (auto& word : words) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  words.resize(5);
  if (words[0] != "%%matrixmarket") return fail(bad_banner(where, words[0]));
  if (words[1] != "matrix") return fail(bad_banner(where, words[1]));
  if (words[2] == "array")
    header.storage = Storage::Array;
  else if (words[2] != "coordinate")
    return fail(bad_banner(where, words[2]));
  if (words[3] == "pattern")
    header.field = Field::Pattern;
  else if (words[3] == "integer")
    header.field = Field::Integer;
  else if (words[3] == "complex")
    header.field = Field::Complex;
  else if (words[3] != "real" && words[3] != "double")
    return fail(bad_banner(where, words[3]));
  if (words[4] == "symmetric")
    header.symmetry = Symmetry::Symmetric;
  else if (words[4] == "skew-symmetric")
    header.symmetry = Symmetry::Skew;
  else if (words[4] == "hermitian")
    header.symmetry = Symmetry::Hermitian;
  else if (words[4] != "general")
    return fail(bad_banner(where, words[4]));
  const bool pattern = header.field == Field::Pattern;
  if (pattern && (header.storage == Storage::Array || header.symmetry == Symmetry::Skew)) {
    return fail(input_error(where, "a pattern has no values to be skew or an array of",
                            "write 'real' or 'coordinate … general'"));
  }
  if (header.symmetry == Symmetry::Hermitian && header.field != Field::Complex) {
    return fail(input_error(where, "only a complex matrix is hermitian", "write 'symmetric'"));
  }
  return {};
}

/// Values an array of this shape lists.
std::uint64_t array_entries(const Header& header) {
  if (header.symmetry == Symmetry::General) return header.rows * header.columns;
  const std::uint64_t n = header.rows;
  return header.symmetry == Symmetry::Skew ? n * (n - (n > 0)) / 2 : n * (n + 1) / 2;
}

Status read_size(std::string_view line, const std::string& where, Header& header) {
  const auto words = words_of(line);
  const std::size_t wanted = header.storage == Storage::Coordinate ? 3 : 2;
  std::vector<std::uint64_t> numbers;
  for (const auto& word : words) {
    const std::string text = word + '\n';
    const char* at = text.data();
    std::uint64_t value = 0;
    const auto fault = parse_unsigned(at, value);
    if (fault != NumberFault::None || *at != '\n') {
      const LineFault said = number_fault(
          fault == NumberFault::None ? NumberFault::NotANumber : fault, {text.data()}, "size");
      return fail(input_error(where, said.what, said.remedy));
    }
    numbers.push_back(value);
  }
  if (numbers.size() != wanted) {
    return fail(input_error(where,
                            format("the size line has {} numbers, not {}", numbers.size(), wanted),
                            "give rows, columns and, for coordinates, the number of entries"));
  }
  header.rows = numbers[0];
  header.columns = numbers[1];
  if (header.rows > kMostVertices || header.columns > kMostVertices) {
    return fail(input_error(where,
                            "the matrix has more rows or columns than a graph may have vertices",
                            format("use at most {}", kMostVertices)));
  }
  if (header.symmetry != Symmetry::General && header.rows != header.columns) {
    return fail(
        input_error(where, "a matrix that is not square has no symmetry", "write 'general'"));
  }
  header.entries = wanted == 3 ? numbers[2] : array_entries(header);
  return {};
}

/// A pattern's entries are ones, which any type holds.
Status check_type(const GraphBlasType& type, const Header& header, const std::string& where) {
  if (header.field == Field::Pattern || type.complex == (header.field == Field::Complex)) return {};
  return fail(input_error(where,
                          format("the entries are said to be of type {}, but the banner says that "
                                 "they are {}complex",
                                 type.name, header.field == Field::Complex ? "" : "not "),
                          "correct the banner or the %%GraphBLAS line"));
}

}  // namespace

Result<Header> read_header(TextInput& input) {
  Header header;
  LEEWAY_ASSIGN(auto line, input.next_line());
  if (!line)
    return fail(
        input_error(input.at(1), "the file is empty", "check that it is the file you mean"));
  LEEWAY_TRY(read_banner(*line, input.at(1), header));
  for (;;) {
    LEEWAY_ASSIGN(line, input.next_line());
    const std::string where = input.at(input.line_number());
    if (!line)
      return fail(
          input_error(where, "the size line is missing", "check whether the file is complete"));
    if (line->starts_with('%')) {
      LEEWAY_TRY(read_annotation(line->substr(1), where, header.note));
      LEEWAY_ASSIGN(auto type, read_graphblas_type(*line, where));
      if (!type) continue;
      LEEWAY_TRY(check_type(*type, header, where));
      header.type = std::move(*type);
    } else if (!words_of(*line).empty()) {
      LEEWAY_TRY(read_size(*line, where, header));
      header.size_line = input.line_number();
      return header;
    }
  }
}

}  // namespace leeway::matrix_market
