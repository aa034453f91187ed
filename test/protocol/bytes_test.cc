#include "base/bytes.h"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include "protocol/message.h"

using namespace leeway;

namespace {

std::vector<std::uint64_t> repacked(const std::vector<std::uint64_t>& values) {
  ByteWriter out;
  encode_packed(values, out);
  ByteReader in(out.span());
  std::vector<std::uint64_t> back = {99};
  decode_packed(in, values.size(), back);
  REQUIRE_FALSE(in.failed());
  REQUIRE(in.at_end());
  return back;
}

std::size_t packed_size(const std::vector<std::uint64_t>& values) {
  ByteWriter out;
  encode_packed(values, out);
  return out.size();
}

}  // namespace

TEST_CASE("a varint has seven bits per byte and decodes to the same value") {
  for (unsigned bits = 0; bits < 64; ++bits) {
    for (const std::uint64_t value : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
      ByteWriter out;
      out.varint(value);
      REQUIRE(out.size() == ByteWriter::varint_size(value));
      ByteReader in(out.span());
      REQUIRE(in.varint() == value);
      REQUIRE(in.at_end());
      REQUIRE_FALSE(in.failed());
    }
  }
  REQUIRE(ByteWriter::varint_size(127) == 1);
  REQUIRE(ByteWriter::varint_size(128) == 2);
  REQUIRE(ByteWriter::varint_size(~std::uint64_t{0}) == 10);
}

TEST_CASE("a varint of more than 64 bits is refused") {
  ByteWriter out;
  for (int i = 0; i < 9; ++i) out.byte(0xFF);
  out.byte(0x02);
  ByteReader in(out.span());
  REQUIRE(in.varint() == 0);
  REQUIRE(in.failed());
}

TEST_CASE("a reader that read past its end returns zeros and stays failed") {
  ByteWriter out;
  out.byte(7);
  ByteReader in(out.span());
  REQUIRE(in.byte() == 7);
  REQUIRE_FALSE(in.failed());
  REQUIRE(in.byte() == 0);
  REQUIRE(in.failed());
  REQUIRE(in.varint() == 0);
  REQUIRE(in.raw(1).empty());
  REQUIRE(in.left() == 0);
}

TEST_CASE("a bounded varint and a raw run accept their limit and nothing more") {
  ByteWriter out;
  out.varint(300);
  ByteReader exact(out.span());
  REQUIRE(exact.varint_up_to(300) == 300);
  ByteReader beyond(out.span());
  REQUIRE(beyond.varint_up_to(299) == 0);
  REQUIRE(beyond.failed());
  ByteReader run(out.span());
  REQUIRE(run.raw(2).size() == 2);
  ByteReader longer(out.span());
  REQUIRE(longer.raw(~std::uint64_t{0}).empty());
  REQUIRE(longer.failed());
}

TEST_CASE("packed numbers decode to the same values") {
  REQUIRE(rc::check("packed round trip", [](const std::vector<std::uint64_t>& values) {
    RC_ASSERT(repacked(values) == values);
  }));
  REQUIRE(rc::check("packed round trip of close numbers", [] {
    const auto base = *rc::gen::arbitrary<std::uint32_t>();
    auto values =
        *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 1000));
    for (auto& value : values) value += base;
    RC_ASSERT(repacked(values) == values);
  }));
}

TEST_CASE("packed numbers of every width decode to the same values") {
  for (unsigned width = 0; width <= 64; ++width) {
    const std::uint64_t most = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 65u}) {
      std::vector<std::uint64_t> values(count, 0);
      for (std::size_t i = 1; i < count; ++i)
        values[i] = i % 3 == 0 ? 0 : most - i % 2 * (most / 2);
      REQUIRE(repacked(values) == values);
    }
  }
}

TEST_CASE("equal versions need no bits each") {
  REQUIRE(packed_size(std::vector<std::uint64_t>(100'000, 5)) == 2);
  REQUIRE(packed_size({}) == 0);
  // Versions that differ by one need one bit each.
  std::vector<std::uint64_t> two(8000, 41);
  two[17] = 42;
  REQUIRE(packed_size(two) == 2 + 1000);
}

TEST_CASE("packed bytes with fewer numbers than requested are refused") {
  ByteWriter out;
  encode_packed(std::vector<std::uint64_t>{1, 200, 3, 4}, out);
  for (std::size_t size = 0; size < out.size(); ++size) {
    ByteReader in(out.span().first(size));
    std::vector<std::uint64_t> values;
    decode_packed(in, 4, values);
    REQUIRE(in.failed());
  }
  ByteWriter wide;
  wide.varint(1);
  wide.byte(65);
  ByteReader in(wide.span());
  std::vector<std::uint64_t> values;
  decode_packed(in, 1, values);
  REQUIRE(in.failed());
}
