// Numbers out of text that ends in '\n', so that no step looks for an end. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/build_graph.h"
#include "datasets/text_input.h"
#include "leeway/result.h"

namespace leeway {

enum class NumberFault : std::uint8_t {
  None,
  NotANumber,
  Negative,  ///< a minus where only counts and ids may stand
  TooLarge,
  NotFinite,  ///< NaN or infinity
};

[[nodiscard]] constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

NumberFault parse_unsigned_slowly(const char*& at, std::uint64_t& value);

/// Decimal digits; `at` moves behind them. What follows is the caller's business.
inline NumberFault parse_unsigned(const char*& at, std::uint64_t& value) {
  const char* p = at;
  std::uint64_t sum = 0;
  while (is_digit(*p)) sum = sum * 10 + static_cast<std::uint64_t>(*p++ - '0');
  if (p == at || p - at > 19) [[unlikely]]
    return parse_unsigned_slowly(at, value);
  value = sum;
  at = p;
  return NumberFault::None;
}

/// A finite decimal number; `whole` becomes false if it is not written as an integer up to 2^53.
/// With NotFinite, `value` says which kind it is and `at` has moved on all the same.
NumberFault parse_real(const char*& at, double& value, bool& whole);

// What line-wise readers share: a cursor over lines, faults with their line, and the loop that
// parses a file's blocks on several threads and gives the outcomes back in file order.

/// A fault in a block; its line counts from 1 at the start of the block.
struct LineFault {
  std::uint64_t line = 0;
  std::string what;
  std::string remedy;
};

/// What one block gave. Each format uses what it needs.
struct ParsedBlock {
  EdgeChunk edges;
  std::uint64_t lines = 0;
  std::uint64_t rows = 0;           ///< lines that are data
  std::uint64_t last_full_row = 0;  ///< 1-based row that last had content
  std::uint64_t first_line = 0;     ///< of the file; set when all blocks are there
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  std::uint64_t above_line = 0;  ///< Matrix Market: a line with an entry above the diagonal
  std::uint64_t below_line = 0;
  bool whole_weights = true;
  bool takes_infinity = false;  ///< set by the format: the file itself says it holds weights
  bool wide_ids = false;        ///< an id needs 64 bits
  std::vector<std::uint64_t> wide_names;  ///< block-local id → what it stands for
  std::vector<std::uint64_t> wide_lines;  ///< … and the line that used it first, when asked for
  std::vector<std::string> text_names;
  std::vector<std::string> right_names;
  std::optional<LineFault> fault;
};

/// Walks the fields of lines that end in '\n' (or "\r\n").
struct LineCursor {
  const char* at;
  char extra = ' ';  ///< a character that separates like blanks do

  void skip_blanks() {
    while (*at == ' ' || *at == '\t' || *at == extra) ++at;
  }
  [[nodiscard]] bool at_line_end() const { return *at == '\n' || (*at == '\r' && at[1] == '\n'); }
  [[nodiscard]] bool at_separator() const {
    return *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == extra;
  }
  void skip_line() {
    while (*at != '\n') ++at;
    ++at;
  }
  /// The word at the cursor, for a message.
  [[nodiscard]] std::string word() const;
  /// The word at the cursor; moves behind it.
  std::string_view take_word();
};

/// "'abc' is not a …" in the right words; `what` names the field ("vertex id").
[[nodiscard]] LineFault number_fault(NumberFault fault, const LineCursor& cursor,
                                     std::string_view what);
[[nodiscard]] LineFault column_fault(std::string_view expected);

/// Reads an unsigned number that ends at a separator. False, with the block's fault set, if none.
bool take_unsigned(LineCursor& cursor, std::string_view what, ParsedBlock& block,
                   std::uint64_t& value);
bool take_real(LineCursor& cursor, std::string_view what, ParsedBlock& block, double& value);
/// False, with the fault set, unless the line ends here; else moves to the next line.
bool take_line_end(LineCursor& cursor, std::string_view expected, ParsedBlock& block);

/// Parses one block: fills everything but `edges`, `fault->line` and `first_line`; adds the edges
/// to the builder. Stops at a fault, with `lines` counting the lines before it.
using BlockParser =
    std::function<void(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder)>;

/// All blocks of the rest of the input, in order, or the first fault as an error with its line.
/// A block with `wide_ids` ends the parse; it is then among those returned.
Result<std::vector<ParsedBlock>> parse_blocks(TextInput& input, unsigned threads,
                                              const BlockParser& parse);

/// The chunks of all blocks, moved out in order.
EdgeList collect_edges(std::vector<ParsedBlock>& blocks, WeightKind kind);
/// Integer if every block's weights are whole, else Real.
[[nodiscard]] WeightKind weight_kind_of(const std::vector<ParsedBlock>& blocks);
[[nodiscard]] std::uint64_t total_rows(const std::vector<ParsedBlock>& blocks);

// A row of comma-separated values (RFC 4180): fields between delimiters, some in quotes, in which a quote
// stands doubled. A row ends with its line: a field that goes on in the next is refused.
class CsvRow {
 public:
  explicit CsvRow(char delimiter) : delimiter_(delimiter) {}

  /// Takes the line apart that begins at `at` and ends in '\n' (or "\r\n"), and moves `at` behind it.
  /// False if a quoted field does not end in the line, or text follows its quote.
  [[nodiscard]] bool take(const char*& at);

  /// Of the last row; a blank line has none.
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Without quotes around it or blanks beside it; ends in '\n', which is not counted.
  [[nodiscard]] std::string_view operator[](std::size_t field) const {
    const std::string& text = fields_[field];
    return {text.data(), text.size() - 1};
  }
  [[nodiscard]] bool quoted(std::size_t field) const { return quoted_[field]; }

 private:
  std::string& next_field();

  char delimiter_;
  std::size_t count_ = 0;
  std::vector<std::string> fields_;  // kept from row to row with their memory
  std::vector<bool> quoted_;
};

/// The delimiter that a line uses outside quotes: a comma, tab, semicolon or bar; none if there is none.
[[nodiscard]] std::optional<char> csv_delimiter(std::string_view line);

/// A field as it must stand in a row: in quotes if it holds the delimiter, a quote or blanks at an end.
[[nodiscard]] std::string csv_field(std::string_view text, char delimiter = ',');

}  // namespace leeway
