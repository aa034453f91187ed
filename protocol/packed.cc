#include "leeway/protocol/packed.h"

#include <algorithm>
#include <bit>

namespace leeway {

namespace {

std::uint64_t low_bits(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

}  // namespace

void encode_packed(std::span<const std::uint64_t> values, ByteWriter& out) {
  if (values.empty()) return;
  std::uint64_t differing = 0;  // most of the time none is: said without looking for the extremes
  for (const std::uint64_t value : values) differing |= value ^ values[0];
  if (differing == 0) {
    out.varint(values[0]);
    return out.byte(0);
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::uint64_t base = *least;
  const auto width = static_cast<unsigned>(std::bit_width(*most - base));
  out.varint(base);
  out.byte(static_cast<std::uint8_t>(width));
  std::uint64_t word = 0;
  unsigned filled = 0;
  const auto drain = [&] {
    while (filled >= 8) {
      out.byte(static_cast<std::uint8_t>(word));
      word >>= 8;
      filled -= 8;
    }
  };
  for (const std::uint64_t value : values) {
    std::uint64_t rest = value - base;
    for (unsigned left = width; left > 0;) {
      const unsigned take = std::min(left, 56 - filled);
      word |= (rest & low_bits(take)) << filled;
      rest = take >= 64 ? 0 : rest >> take;
      filled += take;
      left -= take;
      drain();
    }
  }
  if (filled > 0) out.byte(static_cast<std::uint8_t>(word));
}

void decode_packed(ByteReader& in, std::size_t count, std::vector<std::uint64_t>& values) {
  values.clear();
  if (count == 0) return;
  const std::uint64_t base = in.varint();
  const unsigned width = in.byte();
  if (width > 64) in.fail();
  if (in.failed()) return;
  if (width == 0) {
    values.assign(count, base);
    return;
  }
  if (count > in.left() * 8 / width) return in.fail();
  values.reserve(count);
  std::uint64_t word = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (unsigned got = 0; got < width;) {
      if (held == 0) {
        word = in.byte();
        held = 8;
      }
      const unsigned take = std::min(width - got, held);
      value |= (word & low_bits(take)) << got;
      word >>= take;
      held -= take;
      got += take;
    }
    values.push_back(base + value);
  }
}

}  // namespace leeway
