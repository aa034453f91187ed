#include "transport/ofi_wire.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/random.h"

using namespace leeway;

namespace {

using Bytes = std::vector<std::byte>;

/// Cuts frames from node 1 to node 0 into chunks.
struct Sender {
  ChunkSecrecy secrecy;
  std::uint64_t number = 0;

  Bytes note(ChunkKind kind, std::uint64_t acknowledged) {
    return sealed(
        {.from = 1, .to = 0, .kind = kind, .number = number++, .acknowledged = acknowledged}, {});
  }
  std::vector<Bytes> cut(const Frame& frame) {
    std::vector<Bytes> chunks;
    std::size_t offset = 0;
    do {
      const std::size_t payload = std::min(kChunkPayload, frame.size() - offset);
      chunks.push_back(sealed({.from = 1,
                               .to = 0,
                               .number = number++,
                               .frame_bytes = frame.size(),
                               .offset = offset,
                               .envelope = {.credit = 5, .carries = 1}},
                              std::span(frame).subspan(offset, payload)));
      offset += payload;
    } while (offset < frame.size());
    return chunks;
  }

 private:
  [[nodiscard]] Bytes sealed(ChunkHeader header, std::span<const std::byte> payload) const {
    Bytes chunk(sizeof(header) + payload.size());
    std::copy(payload.begin(), payload.end(), chunk.begin() + sizeof(header));
    Aead aead(secrecy.key(header));
    seal_chunk(header, std::span(chunk).subspan(sizeof(header)), aead, secrecy.encrypted);
    std::memcpy(chunk.data(), &header, sizeof(header));
    return chunk;
  }
};

Frame pattern(std::size_t bytes) {
  Frame frame(bytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = static_cast<std::byte>(i * 31 >> 3U);
  return frame;
}

/// Delivers a copy of the chunk, as a network does.
bool deliver(Assembler& receiver, const Bytes& chunk) {
  const std::size_t head = std::min(chunk.size(), sizeof(ChunkHeader));
  const auto end_of_head = chunk.begin() + static_cast<std::ptrdiff_t>(head);
  Frame room(kChunkPayload);
  if (chunk.size() - head > room.size()) room.resize(chunk.size() - head);
  std::copy(end_of_head, chunk.end(), room.begin());
  const std::size_t before = room.size();
  const bool taken = receiver.take(Bytes(chunk.begin(), end_of_head), room, chunk.size() - head);
  CHECK(room.size() == before);
  return taken;
}

struct Pair {
  explicit Pair(bool encrypted = false) : secrecy{Secret::random(), encrypted} {
    receiver.listen_to(NodeId(1));
  }
  bool take(const Bytes& chunk) { return deliver(receiver, chunk); }
  ChunkSecrecy secrecy;
  Sender sender{secrecy};
  Assembler receiver{NodeId(0), 2, secrecy};
};

}  // namespace

TEST_CASE("a frame of any size arrives whole, with its envelope") {
  const bool encrypted = GENERATE(false, true);
  Pair pair(encrypted);
  for (const std::size_t bytes : {0UL, 1UL, 8192UL, kChunkPayload, kChunkPayload + 1, 500'000UL}) {
    for (const Bytes& chunk : pair.sender.cut(pattern(bytes))) REQUIRE(pair.take(chunk));
    Packet packet;
    REQUIRE(pair.receiver.next(packet));
    CHECK(packet.frame == pattern(bytes));
    CHECK(packet.from == NodeId(1));
    CHECK(packet.envelope.credit == 5);
  }
}

TEST_CASE("a frame whose memory is reused contains no bytes of the earlier frame") {
  Pair pair;
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const Frame frame(random.below(300'000), static_cast<std::byte>(i));
    for (const Bytes& chunk : pair.sender.cut(frame)) REQUIRE(pair.take(chunk));
    Packet packet;
    REQUIRE(pair.receiver.next(packet));
    REQUIRE(packet.frame == frame);
    if (random.below(4) > 0) pair.receiver.reuse(std::move(packet.frame));
  }
}

TEST_CASE("a chunk that holds a whole frame becomes the frame without a copy") {
  const bool encrypted = GENERATE(false, true);
  Pair pair(encrypted);
  for (const std::size_t bytes : {kChunkPayload, kChunkPayload / 2, kChunkPayload / 2 - 1}) {
    const Bytes chunk = pair.sender.cut(pattern(bytes)).at(0);
    const auto payload = chunk.begin() + sizeof(ChunkHeader);
    Frame room(kChunkPayload);
    std::copy(payload, chunk.end(), room.begin());
    const std::byte* const arrived_at = room.data();
    REQUIRE(pair.receiver.take(Bytes(chunk.begin(), payload), room, bytes));
    Packet packet;
    REQUIRE(pair.receiver.next(packet));
    CHECK(packet.frame == pattern(bytes));
    CHECK((packet.frame.data() == arrived_at) == (bytes >= kChunkPayload / 2));
    CHECK(room.size() == kChunkPayload);
  }
}

TEST_CASE("a frame interrupted by another one cannot be continued") {
  Pair pair;
  const std::vector<Bytes> begun = pair.sender.cut(pattern(3 * kChunkPayload));
  REQUIRE(pair.take(begun[0]));
  pair.sender.number = 1;
  REQUIRE(pair.take(pair.sender.cut(pattern(kChunkPayload))[0]));
  pair.sender.number = 1;
  const Bytes rest = pair.sender.cut(pattern(3 * kChunkPayload))[1];  // has the expected number, 2
  CHECK_FALSE(pair.take(rest));
  Packet packet;
  REQUIRE(pair.receiver.next(packet));
  CHECK(packet.frame == pattern(kChunkPayload));
  CHECK_FALSE(pair.receiver.next(packet));
}

TEST_CASE("spare frames are bounded in number and in size") {
  SpareFrames spare;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, SpareFrames::kLargest + 1}) {
    spare.give(Frame(bytes));
    CHECK(spare.take(SpareFrames::kSmallest).empty());
  }
  for (std::size_t i = 0; i < SpareFrames::kMost + 5; ++i)
    spare.give(Frame(SpareFrames::kSmallest));
  std::size_t kept = 0;
  while (!spare.take(SpareFrames::kSmallest).empty()) ++kept;
  CHECK(kept == SpareFrames::kMost);
  spare.give(Frame(SpareFrames::kLargest));
  const Frame small = spare.take(SpareFrames::kSmallest);
  CHECK(small.size() == SpareFrames::kSmallest);
  spare.give(Frame(SpareFrames::kSmallest));
  CHECK(spare.take(SpareFrames::kLargest).capacity() >= SpareFrames::kLargest);
}

TEST_CASE("chunks made without the job's secret are dropped") {
  Pair pair;
  Sender stranger{ChunkSecrecy{Secret::random(), false}};
  Packet packet;
  CHECK_FALSE(pair.take(stranger.cut(pattern(10))[0]));
  CHECK_FALSE(pair.receiver.next(packet));
}

TEST_CASE("a chunk with any bit of its header or its payload changed is dropped") {
  const bool encrypted = GENERATE(false, true);
  Pair pair(encrypted);
  const Bytes chunk = pair.sender.cut(pattern(300))[0];
  for (std::size_t bit = 0; bit < chunk.size() * 8; ++bit) {
    Bytes changed = chunk;
    changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    CHECK_FALSE(pair.take(changed));
  }
  CHECK(pair.take(chunk));
}

TEST_CASE("a chunk that is truncated or has added bytes is dropped") {
  const bool encrypted = GENERATE(false, true);
  Pair pair(encrypted);
  const Bytes chunk = pair.sender.cut(pattern(300))[0];
  for (std::size_t length = 0; length < chunk.size(); ++length) {
    CHECK_FALSE(
        pair.take(Bytes(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(length))));
  }
  Bytes longer = chunk;
  longer.push_back(std::byte{0});
  CHECK_FALSE(pair.take(longer));
  CHECK(pair.take(chunk));
}

TEST_CASE("a payload is readable on the wire only if it is not encrypted") {
  const bool encrypted = GENERATE(false, true);
  Pair pair(encrypted);
  const Frame frame(300, std::byte{'x'});
  const Bytes chunk = pair.sender.cut(frame)[0];
  const Bytes payload(chunk.begin() + sizeof(ChunkHeader), chunk.end());
  CHECK((payload == frame) != encrypted);
}

TEST_CASE("encrypted and plain chunks are not accepted for each other") {
  const bool encrypted = GENERATE(false, true);
  Pair pair(encrypted);
  Sender other{ChunkSecrecy{pair.secrecy.secret, !encrypted}};
  CHECK_FALSE(pair.take(other.cut(pattern(10))[0]));
}

TEST_CASE("chunks of one transport are dropped by another with the same secret") {
  Pair pair;
  const Bytes chunk = pair.sender.cut(pattern(10))[0];
  Assembler third{NodeId(2), 3, pair.secrecy};
  third.listen_to(NodeId(1));
  Bytes turned = chunk;
  const std::uint32_t to = 2;
  std::memcpy(turned.data() + offsetof(ChunkHeader, to), &to, sizeof(to));
  CHECK_FALSE(deliver(third, turned));
}

TEST_CASE("a question or data awaits an answer, an acknowledgement does not") {
  Pair pair;
  CHECK(pair.take(pair.sender.note(ChunkKind::Acknowledge, 0)));
  CHECK_FALSE(pair.receiver.wants_answer(NodeId(1)));
  CHECK(pair.take(pair.sender.note(ChunkKind::Ask, 7)));
  CHECK(pair.receiver.wants_answer(NodeId(1)));
  CHECK(pair.receiver.taken(NodeId(1)) == 2);
  CHECK(pair.receiver.acknowledged(NodeId(1)) == 7);
  pair.receiver.answer_sent(NodeId(1));
  CHECK_FALSE(pair.receiver.wants_answer(NodeId(1)));
  CHECK(pair.take(pair.sender.cut(pattern(10))[0]));
  CHECK(pair.receiver.wants_answer(NodeId(1)));
  Packet packet;
  REQUIRE(pair.receiver.next(packet));
  CHECK_FALSE(pair.receiver.next(packet));
}

TEST_CASE("random and truncated bytes are dropped and take no memory") {
  Pair pair;
  Random random(3);
  const Bytes chunk = pair.sender.cut(pattern(1000))[0];
  for (int i = 0; i < 10'000; ++i) {
    Bytes noise(random.below(200));
    for (auto& byte : noise) byte = static_cast<std::byte>(random());
    CHECK_FALSE(pair.take(noise));
  }
  for (std::size_t length = 0; length < sizeof(ChunkHeader); ++length) {
    CHECK_FALSE(
        pair.take(Bytes(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(length))));
  }
}

TEST_CASE("a repeated chunk is dropped") {
  Pair pair;
  const Bytes first = pair.sender.cut(pattern(10))[0];
  const Bytes second = pair.sender.cut(pattern(20))[0];
  CHECK(pair.take(first));
  CHECK_FALSE(pair.take(first));
  CHECK(pair.take(second));
  CHECK_FALSE(pair.take(first));
}

TEST_CASE("no chunk of a forgotten peer is accepted") {
  Pair pair;
  const Bytes late = pair.sender.cut(pattern(10))[0];
  pair.receiver.forget(NodeId(1));
  CHECK_FALSE(pair.take(late));
}

TEST_CASE("chunks that arrive before the receiver listens to the peer are queued") {
  const ChunkSecrecy secrecy{Secret::random(), GENERATE(false, true)};
  Sender sender{secrecy};
  Assembler receiver(NodeId(0), 2, secrecy);
  for (const Bytes& chunk : sender.cut(pattern(200'000))) {
    // A repeated chunk and a forged one change nothing.
    Bytes forged = chunk, first = chunk, again = chunk;
    forged.back() ^= std::byte{1};
    CHECK_FALSE(deliver(receiver, forged));
    CHECK(deliver(receiver, first));
    CHECK_FALSE(deliver(receiver, again));
  }
  Packet packet;
  CHECK_FALSE(receiver.next(packet));
  receiver.listen_to(NodeId(1));
  REQUIRE(receiver.next(packet));
  CHECK(packet.frame == pattern(200'000));
  CHECK(receiver.taken(NodeId(1)) == sender.number);
}

TEST_CASE("the queue of early chunks is bounded") {
  const ChunkSecrecy secrecy{Secret::random(), false};
  Sender sender{secrecy};
  Assembler receiver(NodeId(0), 2, secrecy);
  constexpr std::size_t kMostKept = std::size_t{16} << 20U;
  std::size_t kept = 0;
  std::size_t dropped = 0;
  const Frame frame(10'000);
  for (std::size_t sent = 0; sent < 40'000'000; sent += frame.size()) {
    for (Bytes& chunk : sender.cut(frame)) {
      const bool taken = deliver(receiver, chunk);
      (taken ? kept : dropped) += chunk.size();
      CHECK_FALSE((taken && dropped > 0));
    }
  }
  CHECK(kept <= kMostKept);
  CHECK(kept > kMostKept - kChunkBytes);
  // Queued chunks are delivered in order, up to the limit.
  receiver.listen_to(NodeId(1));
  Packet packet;
  std::size_t frames = 0;
  while (receiver.next(packet)) frames += packet.frame == frame ? 1 : 0;
  CHECK(frames == kept / (frame.size() + sizeof(ChunkHeader)));
}
