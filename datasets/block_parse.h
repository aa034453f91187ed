// What line-wise readers share: a cursor over lines, faults with their line, and the loop that
// parses a file's blocks on several threads and gives the outcomes back in file order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/edge_list.h"
#include "leeway/datasets/parse_number.h"
#include "leeway/datasets/text_input.h"

namespace leeway {

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

}  // namespace leeway
