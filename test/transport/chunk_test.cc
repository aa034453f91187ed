#include "leeway/transport/chunk.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "leeway/base/random.h"

using namespace leeway;

namespace {

using Bytes = std::vector<std::byte>;

/// Node 1's chunks to node 0, in life 1 of both unless told.
struct Sender {
  Secret secret;
  std::uint32_t life = 1;
  std::uint64_t number = 0;

  std::vector<Bytes> cut(const Frame& frame) {
    std::vector<Bytes> chunks;
    std::size_t offset = 0;
    do {
      const std::size_t payload = std::min(kChunkPayload, frame.size() - offset);
      ChunkHeader header{.from = 1,
                         .to = 0,
                         .from_life = life,
                         .to_life = 1,
                         .number = number++,
                         .frame_bytes = frame.size(),
                         .offset = offset,
                         .envelope = {.credit = 5, .carries = 1}};
      header.mark = mark_of(header, secret);
      Bytes chunk(sizeof(header) + payload);
      std::memcpy(chunk.data(), &header, sizeof(header));
      std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(offset), payload,
                  chunk.begin() + sizeof(header));
      chunks.push_back(std::move(chunk));
      offset += payload;
    } while (offset < frame.size());
    return chunks;
  }
};

Frame pattern(std::size_t bytes) {
  Frame frame(bytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = static_cast<std::byte>(i * 31 >> 3U);
  return frame;
}

struct Pair {
  Secret secret = Secret::random();
  Sender sender{secret};
  Assembler receiver{NodeId(0), 2, secret};
  Pair() { receiver.listen_to(NodeId(1), 1); }
};

}  // namespace

TEST_CASE("a frame of any size arrives whole, with its envelope") {
  Pair pair;
  for (const std::size_t bytes : {0u, 1u, 8192u, 16328u, 16329u, 100'000u}) {
    for (const Bytes& chunk : pair.sender.cut(pattern(bytes))) REQUIRE(pair.receiver.take(chunk));
    Packet packet;
    REQUIRE(pair.receiver.next(packet));
    CHECK(packet.frame == pattern(bytes));
    CHECK(packet.from == NodeId(1));
    CHECK(packet.envelope.credit == 5);
  }
}

TEST_CASE("what was not made with the job's secret is dropped") {
  Pair pair;
  Sender stranger{Secret::random()};
  Packet packet;
  CHECK_FALSE(pair.receiver.take(stranger.cut(pattern(10))[0]));
  CHECK_FALSE(pair.receiver.next(packet));
}

TEST_CASE("a chunk with any bit of its header changed is dropped") {
  Pair pair;
  const Bytes chunk = pair.sender.cut(pattern(10))[0];
  for (std::size_t bit = 0; bit < sizeof(ChunkHeader) * 8; ++bit) {
    Bytes changed = chunk;
    changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    CHECK_FALSE(pair.receiver.take(changed));
  }
  CHECK(pair.receiver.take(chunk));
}

TEST_CASE("random and truncated bytes are dropped and take no memory") {
  Pair pair;
  Random random(3);
  const Bytes chunk = pair.sender.cut(pattern(1000))[0];
  for (int i = 0; i < 10'000; ++i) {
    Bytes noise(random.below(200));
    for (auto& byte : noise) byte = static_cast<std::byte>(random());
    CHECK_FALSE(pair.receiver.take(noise));
  }
  for (std::size_t length = 0; length < sizeof(ChunkHeader); ++length) {
    CHECK_FALSE(pair.receiver.take(std::span(chunk).first(length)));
  }
}

TEST_CASE("a chunk that comes again is dropped") {
  Pair pair;
  const Bytes first = pair.sender.cut(pattern(10))[0];
  const Bytes second = pair.sender.cut(pattern(20))[0];
  CHECK(pair.receiver.take(first));
  CHECK_FALSE(pair.receiver.take(first));
  CHECK(pair.receiver.take(second));
  CHECK_FALSE(pair.receiver.take(first));
}

TEST_CASE("nothing of an earlier life arrives after the next has begun") {
  Pair pair;
  const Bytes late = pair.sender.cut(pattern(10))[0];
  pair.receiver.listen_to(NodeId(1), 0);
  pair.receiver.listen_to(NodeId(1), 2);
  CHECK_FALSE(pair.receiver.take(late));
}

TEST_CASE("what a replacement says before the news of it is kept until then") {
  Pair pair;
  Sender replacement{pair.secret, 2};
  const auto chunks = replacement.cut(pattern(40'000));
  for (const Bytes& chunk : chunks) CHECK(pair.receiver.take(chunk));
  Packet packet;
  CHECK_FALSE(pair.receiver.next(packet));
  pair.receiver.listen_to(NodeId(1), 0);
  CHECK_FALSE(pair.receiver.next(packet));
  pair.receiver.listen_to(NodeId(1), 2);
  REQUIRE(pair.receiver.next(packet));
  CHECK(packet.frame == pattern(40'000));
}
