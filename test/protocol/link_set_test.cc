#include "protocol/message.h"

#include <rapidcheck.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "test/support/check_catcher.h"

using namespace leeway;

namespace {

using Links = std::vector<LinkIndex>;

Links links_of(const std::set<std::uint32_t>& values) {
  Links links;
  for (const std::uint32_t value : values) links.emplace_back(value);
  return links;
}

std::vector<std::byte> encoded(const Links& links) {
  ByteWriter out;
  encode_links(links, out);
  return out.take();
}

/// The form byte follows the count.
int form_of(const Links& links) {
  const auto bytes = encoded(links);
  ByteReader in(bytes);
  (void)in.varint();
  return in.byte();
}

Links decoded(std::span<const std::byte> bytes, std::size_t universe) {
  ByteReader in(bytes);
  Links links = {LinkIndex(4'000'000'000u)};
  decode_links(in, universe, links);
  if (in.failed()) {
    REQUIRE(links.size() == 1);
    return {};
  }
  REQUIRE(in.at_end());
  links.erase(links.begin());
  return links;
}

bool refused(std::initializer_list<int> bytes, std::size_t universe) {
  ByteWriter out;
  for (const int byte : bytes) out.byte(static_cast<std::uint8_t>(byte));
  ByteReader in(out.span());
  Links links;
  decode_links(in, universe, links);
  return in.failed() && links.empty();
}

}  // namespace

TEST_CASE("a sweep over all links is one run of a few bytes") {
  Links all;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) all.emplace_back(i);
  REQUIRE(form_of(all) == 0);
  REQUIRE(encoded(all).size() <= 9);
  REQUIRE(decoded(encoded(all), all.size()) == all);
}

TEST_CASE("every other link is a bitmap of one bit each") {
  Links even;
  for (std::uint32_t i = 0; i < 10'000; ++i) even.emplace_back(2 * i);
  REQUIRE(form_of(even) == 1);
  REQUIRE(encoded(even).size() <= 2'505);
  REQUIRE(decoded(encoded(even), 20'000) == even);
}

TEST_CASE("a scattered one per cent costs about one byte per link, as gaps") {
  Links sparse;
  for (std::uint32_t i = 0; i < 10'000; ++i) sparse.emplace_back(100 * i + i % 7);
  REQUIRE(form_of(sparse) == 2);
  REQUIRE(encoded(sparse).size() <= 10'010);
  REQUIRE(decoded(encoded(sparse), 1'000'000) == sparse);
}

TEST_CASE(
    "the empty set is one byte, and single links at the bounds of the universe are preserved") {
  REQUIRE(encoded({}).size() == 1);
  REQUIRE(decoded(encoded({}), 0).empty());
  for (const std::uint32_t link : {0u, 1u, 127u, 128u, 0xFFFFFFFEu}) {
    REQUIRE(decoded(encoded({LinkIndex(link)}), std::size_t{link} + 1) == Links{LinkIndex(link)});
    REQUIRE(decoded(encoded({LinkIndex(link)}), link).empty());
  }
}

TEST_CASE("every set is preserved, in the smallest form") {
  REQUIRE(rc::check("link set round trip", [] {
    const auto universe = *rc::gen::element<std::uint32_t>(1, 9, 64, 1000, 100'000);
    const auto values =
        *rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, universe));
    const Links links = links_of(values);
    RC_ASSERT(decoded(encoded(links), universe) == links);
  }));
}

TEST_CASE("a link outside the universe is refused in every form") {
  Links run;
  for (std::uint32_t i = 90; i < 100; ++i) run.emplace_back(i);
  Links bitmap;
  for (std::uint32_t i = 0; i < 50; ++i) bitmap.emplace_back(2 * i + 1);
  const Links gaps = {LinkIndex(3), LinkIndex(40), LinkIndex(99)};
  REQUIRE(form_of(run) == 0);
  REQUIRE(form_of(bitmap) == 1);
  REQUIRE(form_of(gaps) == 2);
  for (const Links& links : {run, bitmap, gaps}) {
    REQUIRE(decoded(encoded(links), 100) == links);
    REQUIRE(decoded(encoded(links), 99).empty());
  }
}

TEST_CASE("hostile sets are refused and leave the links unchanged") {
  REQUIRE(refused({}, 10));
  REQUIRE(refused({11, 0, 1, 0, 11}, 10));      // more links than the universe
  REQUIRE(refused({2, 3, 0, 0}, 10));           // unknown form
  REQUIRE(refused({2, 0, 1, 0, 1}, 10));        // runs with fewer links than announced
  REQUIRE(refused({2, 0, 1, 0, 3}, 10));        // runs with more links than announced
  REQUIRE(refused({2, 0, 2, 0, 0, 0, 2}, 10));  // an empty run
  REQUIRE(refused({2, 0, 1, 9, 2}, 10));        // a run beyond the universe
  REQUIRE(refused({2, 1, 0, 7}, 10));           // a bitmap with more bits than announced
  REQUIRE(refused({2, 1, 9, 3}, 10));           // a bitmap beyond the universe
  REQUIRE(refused({2, 1, 0, 1}, 10));           // a truncated bitmap
  REQUIRE(refused({2, 2, 0}, 10));              // truncated gaps
  REQUIRE(refused({2, 2, 9, 0}, 10));           // gaps beyond the universe
}

TEST_CASE("random bytes never give a link outside the universe") {
  REQUIRE(rc::check("hostile link sets", [](const std::vector<std::uint8_t>& bytes) {
    ByteReader in(std::as_bytes(std::span(bytes)));
    Links links;
    decode_links(in, 50, links);
    RC_ASSERT(links.size() <= 50);
    RC_ASSERT(std::is_sorted(links.begin(), links.end()));
    for (const LinkIndex link : links) RC_ASSERT(link.value() < 50);
  }));
}

TEST_CASE("encoding checks that links are strictly ascending") {
  const testing::CheckCatcher catcher;
  ByteWriter out;
  REQUIRE_THROWS_AS(encode_links(Links{LinkIndex(2), LinkIndex(1)}, out), testing::CheckFailed);
  REQUIRE_THROWS_AS(encode_links(Links{LinkIndex(1), LinkIndex(1)}, out), testing::CheckFailed);
}

TEST_CASE("links are sorted, dense or sparse, with or without duplicates") {
  REQUIRE(rc::check("sort_links", [] {
    const auto universe = *rc::gen::element<std::uint32_t>(4, 64, 100'000);
    const auto values = *rc::gen::container<std::vector<std::uint32_t>>(
        rc::gen::inRange<std::uint32_t>(0, universe));
    Links links;
    for (const auto value : values) links.emplace_back(value);
    Links expected = links;
    std::sort(expected.begin(), expected.end());
    sort_links(links, universe);
    RC_ASSERT(links == expected);
  }));
}
