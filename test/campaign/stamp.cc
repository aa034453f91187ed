#include "test/campaign/stamp.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace leeway::campaign {

namespace {

constexpr std::uint32_t kNumberBitsOfTwo = 12;  // two-byte values keep four bits for the check

}  // namespace

std::uint32_t most_stores(std::uint32_t value_bytes) {
  if (value_bytes == 1) return 250;
  if (value_bytes == 2) return (1u << kNumberBitsOfTwo) - 1;
  return 65'000;
}

std::vector<std::byte> stamp(std::uint32_t value_bytes, std::uint64_t object,
                             std::uint32_t number) {
  std::vector<std::byte> value(value_bytes);
  std::uint64_t check = mix64(object ^ mix64(number));
  value[0] = static_cast<std::byte>(number);
  if (value.size() == 1) return value;
  value[1] = static_cast<std::byte>(number >> 8);
  if (value.size() == 2) {
    value[1] |= static_cast<std::byte>((check & 0xF0) >> 4 << (kNumberBitsOfTwo - 8));
    return value;
  }
  for (std::size_t at = 2; at < value.size(); at += 8) {
    std::memcpy(value.data() + at, &check, std::min<std::size_t>(8, value.size() - at));
    check = mix64(check);
  }
  return value;
}

std::optional<std::uint32_t> read_stamp(std::uint64_t object, ValueView value) {
  const bool zero =
      std::all_of(value.begin(), value.end(), [](std::byte byte) { return byte == std::byte{0}; });
  if (zero) return 0;
  auto number = static_cast<std::uint32_t>(value[0]);
  if (value.size() > 1) number |= static_cast<std::uint32_t>(value[1]) << 8;
  if (value.size() == 2) number &= (1u << kNumberBitsOfTwo) - 1;
  if (number == 0) return std::nullopt;
  const std::vector<std::byte> whole =
      stamp(static_cast<std::uint32_t>(value.size()), object, number);
  if (!std::equal(whole.begin(), whole.end(), value.begin(), value.end())) return std::nullopt;
  return number;
}

}  // namespace leeway::campaign
