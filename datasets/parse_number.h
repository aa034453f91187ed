// Numbers out of text that ends in '\n', so that no step looks for an end. Pure; any thread.
#pragma once

#include <cstdint>
#include <limits>

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

}  // namespace leeway
