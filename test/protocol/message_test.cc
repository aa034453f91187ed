#include "protocol/message.h"

#include <rapidcheck.h>
#include <catch2/catch.hpp>
#include <set>

#include "test/support/machines.h"

using namespace leeway;

namespace {

constexpr std::uint32_t kWord = 8;  // bytes of a value

std::vector<LinkIndex> some_links(std::uint32_t universe) {
  const auto values =
      *rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, universe));
  std::vector<LinkIndex> links;
  for (const auto value : values) links.emplace_back(value);
  return links;
}

std::vector<std::uint64_t> some_versions(std::size_t count) {
  return *rc::gen::container<std::vector<std::uint64_t>>(
      count, rc::gen::inRange<std::uint64_t>(1, 1'000'000));
}

/// Every proper prefix of a message is refused by `decode`.
template <class Decode>
void refused_when_cut(std::span<const std::byte> bytes, Decode&& decode) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(bytes.first(size));
    decode(in);
    INFO("cut to " << size << " of " << bytes.size());
    REQUIRE(in.failed());
  }
}

}  // namespace

TEST_CASE("a header is a kind and a space, and unknown kinds are refused") {
  ByteWriter out;
  encode_header(MessageKind::Reply, SpaceId(300), out);
  REQUIRE(out.size() == 3);
  ByteReader in(out.span());
  const MessageHeader header = decode_header(in);
  REQUIRE(header.kind == MessageKind::Reply);
  REQUIRE(header.space == SpaceId(300));
  for (const int kind : {0, kLastMessageKind + 1, 255}) {
    ByteWriter bad;
    bad.byte(static_cast<std::uint8_t>(kind));
    bad.byte(0);
    ByteReader hostile(bad.span());
    (void)decode_header(hostile);
    REQUIRE(hostile.failed());
  }
}

TEST_CASE("a Link preserves its objects in their order") {
  REQUIRE(rc::check("link round trip", [] {
    LinkMessage sent;
    sent.base = LinkIndex(*rc::gen::inRange<std::uint32_t>(0, 1000));
    for (const auto value : *rc::gen::container<std::vector<std::uint32_t>>(
             rc::gen::inRange<std::uint32_t>(0, 1000))) {
      sent.objects.emplace_back(value);
    }
    ByteWriter out;
    encode(sent, out);
    ByteReader in(out.span());
    LinkMessage got;
    decode(in, got, 1000);
    RC_ASSERT(!in.failed());
    RC_ASSERT(in.at_end());
    RC_ASSERT(got.base == sent.base);
    RC_ASSERT(got.objects == sent.objects);
  }));
}

TEST_CASE("a Link to consecutive objects costs a byte each") {
  LinkMessage sent;
  for (std::uint32_t i = 0; i < 4096; ++i) sent.objects.emplace_back(i);
  ByteWriter out;
  encode(sent, out);
  REQUIRE(out.size() == 1 + 2 + 4096);
}

TEST_CASE("a Link to an object that the home does not have is refused") {
  LinkMessage sent;
  sent.objects = {LocalIndex(3), LocalIndex(9)};
  ByteWriter out;
  encode(sent, out);
  LinkMessage got;
  ByteReader enough(out.span());
  decode(enough, got, 10);
  REQUIRE_FALSE(enough.failed());
  ByteReader beyond(out.span());
  decode(beyond, got, 9);
  REQUIRE(beyond.failed());
}

TEST_CASE("a Read and an Evict are preserved") {
  REQUIRE(rc::check("read and evict round trip", [] {
    const ReadMessage read{RequestNumber(*rc::gen::arbitrary<std::uint64_t>()),
                           EvictNumber(*rc::gen::arbitrary<std::uint64_t>()), some_links(500)};
    ByteWriter out;
    encode(read, out);
    encode(EvictMessage{EvictNumber(7), read.links}, out);
    ByteReader in(out.span());
    ReadMessage got;
    decode(in, got, 500);
    EvictMessage evict;
    decode(in, evict, 500);
    RC_ASSERT(!in.failed());
    RC_ASSERT(in.at_end());
    RC_ASSERT(got.number == read.number);
    RC_ASSERT(got.evicted == read.evicted);
    RC_ASSERT(got.links == read.links);
    RC_ASSERT(evict.links == read.links);
    RC_ASSERT(evict.number == EvictNumber(7));
  }));
}

TEST_CASE("a Reply is versions and a bare array of values in request order") {
  REQUIRE(rc::check("reply round trip", [] {
    const auto values = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
    const auto versions = some_versions(values.size());
    ByteWriter out;
    encode_reply_head(RequestNumber(3), versions, out);
    const std::size_t head = out.size();
    for (const auto& value : values) out.raw(testing::bytes_of(value));
    RC_ASSERT(out.size() == head + 8 * values.size());
    ByteReader in(out.span());
    ReplyMessage got;
    decode(in, got, kWord);
    RC_ASSERT(!in.failed());
    RC_ASSERT(in.at_end());
    RC_ASSERT(got.versions == versions);
    for (std::size_t i = 0; i < values.size(); ++i) {
      RC_ASSERT(testing::number_in(got.values[i]) == values[i]);
    }
  }));
}

TEST_CASE("an Invalidate names links and versions, and carries values only when it pushes") {
  REQUIRE(rc::check("invalidate round trip", [] {
    const bool pushes = *rc::gen::arbitrary<bool>();
    const auto links = some_links(300);
    const auto versions = some_versions(links.size());
    ByteWriter out;
    encode_invalidate_head(AckNumber(9), pushes, links, versions, out);
    for (std::size_t i = 0; pushes && i < links.size(); ++i) {
      out.raw(testing::bytes_of(versions[i]));
    }
    ByteReader in(out.span());
    InvalidateMessage got;
    decode(in, got, 300, kWord);
    RC_ASSERT(!in.failed());
    RC_ASSERT(in.at_end());
    RC_ASSERT(got.ack == AckNumber(9));
    RC_ASSERT(got.pushes == pushes);
    RC_ASSERT(got.links == links);
    RC_ASSERT(got.versions == versions);
    RC_ASSERT(got.values.size() == (pushes ? links.size() : 0u));
  }));
}

TEST_CASE("a Write carries a value of the size of its space") {
  const std::vector<std::byte> text(100, std::byte{'x'});
  for (const std::uint32_t size : {1u, 3u, 99u, 100u}) {
    ByteWriter out;
    encode_write_head({AckNumber(1), LinkIndex(0), Version(2), {}}, out);
    out.raw(text);
    ByteReader in(out.span());
    WriteMessage got;
    decode(in, got, 1, size);
    REQUIRE_FALSE(in.failed());
    REQUIRE(got.value.size() == size);
    REQUIRE(in.left() == text.size() - size);
  }
}

TEST_CASE("a truncated message is refused at every length") {
  const std::uint64_t value = 77;
  const std::vector<LinkIndex> links = {LinkIndex(1), LinkIndex(5), LinkIndex(6)};
  const std::vector<std::uint64_t> versions = {300, 1, 70'000};

  ByteWriter reply;
  encode_reply_head(RequestNumber(300), versions, reply);
  for (int i = 0; i < 3; ++i) reply.raw(testing::bytes_of(value));
  refused_when_cut(reply.span(), [](ByteReader& in) {
    ReplyMessage got;
    decode(in, got, kWord);
  });

  ByteWriter push;
  encode_invalidate_head(AckNumber(300), true, links, versions, push);
  for (int i = 0; i < 3; ++i) push.raw(testing::bytes_of(value));
  refused_when_cut(push.span(), [](ByteReader& in) {
    InvalidateMessage got;
    decode(in, got, 10, kWord);
  });

  ByteWriter read;
  encode(ReadMessage{RequestNumber(300), EvictNumber(300), links}, read);
  refused_when_cut(read.span(), [](ByteReader& in) {
    ReadMessage got;
    decode(in, got, 10);
  });

  ByteWriter write;
  encode_write_head({AckNumber(300), LinkIndex(3), Version(300), {}}, write);
  write.raw(testing::bytes_of(value));
  refused_when_cut(write.span(), [](ByteReader& in) {
    WriteMessage got;
    decode(in, got, 10, kWord);
  });
}

TEST_CASE("a message that announces more values than it has bytes is refused before allocation") {
  ByteWriter out;
  out.varint(1);                       // number
  out.varint(std::uint64_t{1} << 60);  // values
  ByteReader in(out.span());
  ReplyMessage got;
  decode(in, got, kWord);
  REQUIRE(in.failed());
  REQUIRE(got.values.size() == 0);
}
