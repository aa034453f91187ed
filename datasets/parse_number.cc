#include "leeway/datasets/parse_number.h"

#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>

namespace leeway {

namespace {

constexpr std::ptrdiff_t kExactDigits = 15;  // any such number is below 2^53

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
    if (negative && sum == 0) whole = false;  // minus zero is no integer
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

}  // namespace leeway
