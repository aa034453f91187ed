#include "datasets/parse.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>

#include <fast_float/fast_float.h>

#include "base/format.h"
#include "base/parallel.h"

namespace leeway {

namespace {

constexpr std::ptrdiff_t kExactDigits = 15;  // every number of so few digits is below 2^53

bool in_number(char c) {
  return is_digit(c) || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

bool in_word(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

}  // namespace

NumberFault parse_unsigned_slowly(const char*& at, std::uint64_t& value) {
  if (*at == '-' && is_digit(at[1])) return NumberFault::Negative;
  if (!is_digit(*at)) return NumberFault::NotANumber;
  const char* end = at;
  while (is_digit(*end)) ++end;
  if (std::from_chars(at, end, value).ec != std::errc{}) return NumberFault::TooLarge;
  at = end;
  return NumberFault::None;
}

NumberFault parse_real(const char*& at, double& value, bool& whole) {
  const bool negative = *at == '-';
  const char* const digits = at + (negative ? 1 : 0);
  const char* p = digits;
  std::uint64_t sum = 0;
  while (is_digit(*p)) sum = sum * 10 + static_cast<std::uint64_t>(*p++ - '0');
  if (p != digits && p - digits <= kExactDigits && !in_number(*p)) {
    value = negative ? -static_cast<double>(sum) : static_cast<double>(sum);
    if (negative && sum == 0) whole = false;  // -0 is not an integer
    at = p;
    return NumberFault::None;
  }
  const char* end = *at == '+' ? at + 1 : at;
  const char* const begin = end;
  while (in_number(*end) || in_word(*end)) ++end;
  const auto [stop, error] = fast_float::from_chars(begin, end, value);
  if (stop != end || begin == end) return NumberFault::NotANumber;
  if (error == std::errc::result_out_of_range) return NumberFault::TooLarge;
  if (error != std::errc{}) return NumberFault::NotANumber;
  if (!std::isfinite(value)) {
    at = end;
    return is_digit(*digits) || *digits == '.' ? NumberFault::TooLarge : NumberFault::NotFinite;
  }
  bool digits_only = !(negative && value == 0);
  for (const char* c = digits; c < end; ++c) digits_only = digits_only && is_digit(*c);
  if (!digits_only || std::abs(value) > 9007199254740992.0) whole = false;
  at = end;
  return NumberFault::None;
}

namespace {

constexpr std::size_t kLongestWord = 40;

/// State shared by the threads of `parse_blocks`.
struct ParseState {
  std::mutex mutex;
  std::map<std::size_t, ParsedBlock> blocks;
  std::optional<Error> error;
  std::atomic<bool> stop = false;
};

Result<ParsedBlock> parse_one(std::string_view text, const BlockParser& parse,
                              EdgeChunkBuilder& builder) {
  ParsedBlock block;
  if (const auto bad = first_not_text(text)) {
    const auto newlines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*bad), '\n');
    block.fault = {static_cast<std::uint64_t>(newlines) + 1, std::string(kNotText),
                   std::string(kMakeText)};
    return block;
  }
  parse(text, block, builder);
  if (block.fault) block.fault->line = block.lines + 1;
  LEEWAY_ASSIGN(block.edges, builder.finish());
  return block;
}

void work_on(TextInput& input, const BlockParser& parse, ParseState& state) {
  TextBlock text;
  EdgeChunkBuilder builder;
  while (!state.stop) {
    auto more = input.next_block(text);
    if (more && !*more) return;
    auto block = more ? parse_one(text.text, parse, builder) : fail(std::move(more).error());
    const std::lock_guard lock(state.mutex);
    if (!block) {
      state.stop = true;
      state.error = std::move(block).error();
      return;
    }
    if (block->fault || block->wide_ids) state.stop = true;
    state.blocks.emplace(text.index, std::move(*block));
  }
}

}  // namespace

std::string LineCursor::word() const {
  std::string text;
  for (const char* p = at; *p != '\n' && *p != ' ' && *p != '\t' && *p != '\r' && *p != ','; ++p) {
    if (text.size() == kLongestWord) return text + "…";
    text += *p;
  }
  // Do not cut within a multi-byte character.
  while (!text.empty() && first_not_text(text)) text.pop_back();
  return text;
}

std::string_view LineCursor::take_word() {
  const char* const begin = at;
  while (!at_separator()) ++at;
  return {begin, static_cast<std::size_t>(at - begin)};
}

std::vector<std::string> words_of(std::string_view line, char extra) {
  const std::string text = std::string(line) + '\n';
  std::vector<std::string> words;
  LineCursor cursor{text.data(), extra};
  for (cursor.skip_blanks(); *cursor.at != '\n'; cursor.skip_blanks()) {
    if (*cursor.at == '\r')
      ++cursor.at;
    else
      words.emplace_back(cursor.take_word());
  }
  return words;
}

LineFault number_fault(NumberFault fault, const LineCursor& cursor, std::string_view what) {
  if (cursor.at_line_end()) return {0, format("the {} is missing", what), "complete the line"};
  const std::string word = cursor.word();
  switch (fault) {
    case NumberFault::Negative:
      return {0, format("'{}' is negative, but a {} cannot be", word, what), "use 0 or more"};
    case NumberFault::TooLarge:
      return {0, format("'{}' is too large for a {}", word, what), "use a smaller number"};
    case NumberFault::NotFinite:
      return {0, format("'{}' is not a finite {}", word, what), "give a number or drop the line"};
    default:
      return {0, format("'{}' is not a {}", word, what),
              "give a number, or name the file's format"};
  }
}

LineFault column_fault(std::string_view expected) {
  return {0, format("wrong number of columns: expected {}", expected),
          "correct the line, or name the file's format"};
}

bool take_unsigned(LineCursor& cursor, std::string_view what, ParsedBlock& block,
                   std::uint64_t& value) {
  cursor.skip_blanks();
  const char* const begin = cursor.at;
  const NumberFault fault = parse_unsigned(cursor.at, value);
  if (fault == NumberFault::None && cursor.at_separator()) return true;
  cursor.at = begin;
  block.fault = number_fault(fault, cursor, what);
  return false;
}

bool take_real(LineCursor& cursor, std::string_view what, ParsedBlock& block, double& value) {
  cursor.skip_blanks();
  const char* const begin = cursor.at;
  const NumberFault fault = parse_real(cursor.at, value, block.whole_weights);
  if (fault == NumberFault::None && cursor.at_separator()) return true;
  if (fault == NumberFault::NotFinite && block.takes_infinity && std::isinf(value) &&
      cursor.at_separator()) {
    block.whole_weights = false;
    return true;
  }
  cursor.at = begin;
  block.fault = number_fault(fault, cursor, what);
  return false;
}

bool take_line_end(LineCursor& cursor, std::string_view expected, ParsedBlock& block) {
  cursor.skip_blanks();
  if (!cursor.at_line_end()) {
    block.fault = column_fault(expected);
    return false;
  }
  cursor.skip_line();
  ++block.lines;
  return true;
}

Result<std::vector<ParsedBlock>> parse_blocks(TextInput& input, unsigned threads,
                                              const BlockParser& parse) {
  ParseState state;
  parallel_chunks(threads, threads,
                  [&](unsigned, std::size_t, std::size_t) { work_on(input, parse, state); });
  std::vector<ParsedBlock> blocks;
  std::uint64_t line = input.line_number();
  for (auto& [index, block] : state.blocks) {
    if (index != blocks.size()) break;  // the previous block could not be read
    block.first_line = line + 1;
    if (block.fault) {
      LEEWAY_ASSIGN(const std::uint64_t before, input.lines_before());
      line += before - input.line_number() + block.fault->line;
      return fail(input_error(input.at(line), std::move(block.fault->what),
                              std::move(block.fault->remedy)));
    }
    line += block.lines;
    blocks.push_back(std::move(block));
  }
  if (state.error) return fail(std::move(*state.error));
  return blocks;
}

EdgeList collect_edges(std::vector<ParsedBlock>& blocks, WeightKind kind) {
  EdgeList list;
  list.weight_kind = kind;
  for (auto& block : blocks) list.chunks.push_back(std::move(block.edges));
  return list;
}

WeightKind weight_kind_of(const std::vector<ParsedBlock>& blocks) {
  const bool whole = std::all_of(blocks.begin(), blocks.end(),
                                 [](const auto& block) { return block.whole_weights; });
  return whole ? WeightKind::Integer : WeightKind::Real;
}

std::uint64_t total_rows(const std::vector<ParsedBlock>& blocks) {
  std::uint64_t rows = 0;
  for (const auto& block : blocks) rows += block.rows;
  return rows;
}

}  // namespace leeway
