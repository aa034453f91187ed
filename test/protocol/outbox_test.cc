#include "protocol/outbox.h"

#include <catch2/catch.hpp>

using namespace leeway;

namespace {

void write(Outbox& out, std::uint32_t to, std::size_t bytes) {
  ByteWriter& writer = out.begin(NodeId(to), MessageKind::Read, SpaceId(0));
  for (std::size_t i = 2; i < bytes; ++i) writer.byte(0);
}

std::vector<OutFrame> drained(Outbox& out) {
  std::vector<OutFrame> frames;
  out.drain(frames);
  return frames;
}

}  // namespace

TEST_CASE("messages to one node share a frame, messages to two do not") {
  Outbox out(3, true);
  write(out, 1, 10);
  write(out, 2, 20);
  write(out, 1, 30);
  const auto frames = drained(out);
  REQUIRE(frames.size() == 2);
  REQUIRE(frames[0].to == NodeId(1));
  REQUIRE(frames[0].bytes.size() == 40);
  REQUIRE(frames[1].to == NodeId(2));
  REQUIRE(out.empty());
}

TEST_CASE("without aggregation every message has a separate frame") {
  Outbox out(2, false);
  write(out, 1, 10);
  write(out, 1, 11);
  write(out, 1, 12);
  const auto frames = drained(out);
  REQUIRE(frames.size() == 3);
  REQUIRE(frames[0].bytes.size() == 10);
  REQUIRE(frames[2].bytes.size() == 12);
}

TEST_CASE("a frame is closed by the first message begun after it has reached its target") {
  Outbox out(2, true, 100);
  write(out, 1, 99);
  write(out, 1, 1000);
  write(out, 1, 5);
  const auto frames = drained(out);
  REQUIRE(frames.size() == 2);
  REQUIRE(frames[0].bytes.size() == 1099);
  REQUIRE(frames[1].bytes.size() == 5);
}

TEST_CASE("a pair's frames keep their order") {
  Outbox out(2, true, 4);
  for (std::size_t i = 0; i < 50; ++i) write(out, 1, 4 + i);
  const auto frames = drained(out);
  REQUIRE(frames.size() == 50);
  for (std::size_t i = 0; i < 50; ++i) REQUIRE(frames[i].bytes.size() == 4 + i);
}

TEST_CASE("messages of collectives are not counted, all others are") {
  Outbox out(2, true);
  write(out, 1, 4);
  (void)out.begin(NodeId(1), MessageKind::Collective, SpaceId(0));
  write(out, 1, 4);
  REQUIRE(out.messages() == 2);
  (void)drained(out);
  REQUIRE(out.messages() == 2);
  REQUIRE(drained(out).empty());
}
