// Parsing helpers of the line-based readers: numbers, a cursor over the fields of a line, faults with line numbers, and
// the loop that parses the blocks of a file on several threads and returns them in file order.
// All text must end in '\n', so that the parsers need no end pointer.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/text_input.h"

namespace leeway {

enum class NumberFault : std::uint8_t {
  None,
  NotANumber,
  Negative,  ///< a minus sign where only counts and ids are allowed
  TooLarge,
  NotFinite,  ///< NaN or infinity
};

[[nodiscard]] constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

NumberFault parse_unsigned_slowly(const char*& at, std::uint64_t& value);

/// Parses decimal digits and moves `at` past them. The caller checks the character that follows.
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
/// With NotFinite, `value` holds the NaN or infinity, and `at` has moved past the text.
NumberFault parse_real(const char*& at, double& value, bool& whole);

/// A fault in a block. `line` counts from 1 at the start of the block.
struct LineFault {
  std::uint64_t line = 0;
  std::string what;
  std::string remedy;
};

/// The result of parsing one block. Each format uses the members that it needs.
struct ParsedBlock {
  EdgeChunk edges;
  std::uint64_t lines = 0;
  std::uint64_t rows = 0;           ///< lines that are data
  std::uint64_t last_full_row = 0;  ///< number of the last row that is not blank, from 1
  std::uint64_t first_line = 0;     ///< line number in the file; set after all blocks are parsed
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  std::uint64_t above_line = 0;  ///< Matrix Market: a line with an entry above the diagonal
  std::uint64_t below_line = 0;
  bool whole_weights = true;
  bool takes_infinity = false;  ///< set by the format: the file declares that it has weights
  bool wide_ids = false;        ///< an id needs 64 bits
  std::vector<std::uint64_t> wide_names;  ///< block-local id → id in the file
  std::vector<std::uint64_t>
      wide_lines;  ///< block-local id → line of first use, if the format needs it
  std::vector<std::string> text_names;
  std::vector<std::string> right_names;
  std::optional<LineFault> fault;
};

/// Walks the fields of lines that end in '\n' (or "\r\n").
struct LineCursor {
  const char* at;
  char extra = ' ';  ///< a further separator besides blanks

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
  /// Returns the word at the cursor and moves past it.
  std::string_view take_word();
};

/// The words of a line, separated by blanks and by `extra`.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line, char extra = ' ');

/// The message for a malformed number; `what` names the field ("vertex id").
[[nodiscard]] LineFault number_fault(NumberFault fault, const LineCursor& cursor,
                                     std::string_view what);
[[nodiscard]] LineFault column_fault(std::string_view expected);

/// Reads an unsigned number that ends at a separator. Otherwise returns false and sets the block's fault.
bool take_unsigned(LineCursor& cursor, std::string_view what, ParsedBlock& block,
                   std::uint64_t& value);
bool take_real(LineCursor& cursor, std::string_view what, ParsedBlock& block, double& value);
/// Moves to the next line. If the line does not end here, returns false and sets the fault.
bool take_line_end(LineCursor& cursor, std::string_view expected, ParsedBlock& block);

/// Parses one block: adds its edges to the builder and sets all members of the block except `edges`, `fault->line` and
/// `first_line`. Stops at a fault; `lines` then counts the lines before it.
using BlockParser =
    std::function<void(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder)>;

/// Parses the rest of the input and returns all blocks in order, or the first fault as an error with its line.
/// Parsing stops after a block with `wide_ids`, which is returned too.
Result<std::vector<ParsedBlock>> parse_blocks(TextInput& input, unsigned threads,
                                              const BlockParser& parse);

/// Moves the edge chunks of all blocks into a list.
EdgeList collect_edges(std::vector<ParsedBlock>& blocks, WeightKind kind);
/// Integer if every block's weights are whole, else Real.
[[nodiscard]] WeightKind weight_kind_of(const std::vector<ParsedBlock>& blocks);
[[nodiscard]] std::uint64_t total_rows(const std::vector<ParsedBlock>& blocks);

}  // namespace leeway
