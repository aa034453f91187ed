#include "leeway/transport/chunk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace leeway {

namespace {

// A peer may speak before this node has heard who the peers are; so much of what it says is kept until then.
constexpr std::size_t kMostEarly = std::size_t{16} << 20U;

/// The parts of a chunk as its mark sees them.
template <class Byte>
struct Parts {
  explicit Parts(std::span<Byte> chunk)
      : open(chunk.subspan(sizeof(Mark), sizeof(ChunkHeader) - sizeof(Mark))),
        payload(chunk.subspan(sizeof(ChunkHeader))) {}
  std::span<const std::byte> open;
  std::span<Byte> payload;
};

ChunkHeader header_of(std::span<const std::byte> chunk) {
  ChunkHeader header;
  std::memcpy(static_cast<void*>(&header), chunk.data(), sizeof(header));
  return header;
}

}  // namespace

Secret ChunkSecrecy::key(const ChunkHeader& header) const {
  const std::array<std::uint32_t, 2> way = {header.from, header.to};
  return secret.derive(encrypted ? "encrypted data" : "data", std::as_bytes(std::span(way)));
}

void seal_chunk(std::span<std::byte> chunk, const Secret& key, bool encrypt) {
  const Parts<std::byte> parts(chunk);
  const Mark mark = key.seal(header_of(chunk).number, parts.open, parts.payload, encrypt);
  std::memcpy(chunk.data(), mark.data(), mark.size());
}

void Assembler::listen_to(NodeId id) {
  Peer& peer = peers_[id.index()];
  auto early = std::exchange(peer.early, {});
  peer = Peer{};
  peer.hearing = Hearing::Now;
  peer.key = secrecy_.key({.from = id.value(), .to = self_.value()});
  for (auto& chunk : early) take(chunk);
}

void Assembler::forget(NodeId id) {
  Peer& peer = peers_[id.index()];
  peer = Peer{};
  peer.hearing = Hearing::NoMore;
}

bool Assembler::take(std::span<std::byte> chunk) {
  if (chunk.size() < sizeof(ChunkHeader) || chunk.size() > kChunkBytes) return false;
  const ChunkHeader header = header_of(chunk);
  if (header.to != self_.value()) return false;
  if (header.from >= peers_.size()) return false;
  Peer& peer = peers_[header.from];
  if (peer.hearing == Hearing::NotYet) return keep_early(peer, header, chunk);
  if (peer.hearing == Hearing::NoMore || header.number != peer.expected) return false;
  const Parts<std::byte> parts(chunk);
  if (!peer.key.unseal(header.number, parts.open, parts.payload, secrecy_.encrypted, header.mark))
    return false;
  peer.acknowledged = std::max(peer.acknowledged, header.acknowledged);
  peer.wants_answer = peer.wants_answer || header.kind != ChunkKind::Acknowledge;
  if (header.kind == ChunkKind::Data) return accept(peer, header, parts.payload);
  ++peer.expected;
  return true;
}

/// Of a peer that was not announced yet: verified, and taken once it is.
bool Assembler::keep_early(Peer& peer, const ChunkHeader& header,
                           std::span<const std::byte> chunk) {
  const Parts<const std::byte> parts(chunk);
  if (peer.early_bytes + chunk.size() > kMostEarly ||
      !secrecy_.key(header).verify(header.number, parts.open, parts.payload, secrecy_.encrypted,
                                   header.mark)) {
    return false;
  }
  peer.early_bytes += chunk.size();
  peer.early.emplace_back(chunk.begin(), chunk.end());
  return true;
}

bool Assembler::accept(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload) {
  if (header.offset == 0) {
    peer.frame.clear();
    peer.frame_bytes = header.frame_bytes;
    peer.frame.reserve(header.frame_bytes);  // growing would copy gigabytes again and again
  }
  if (header.offset != peer.frame.size() || header.frame_bytes != peer.frame_bytes ||
      payload.size() > peer.frame_bytes - peer.frame.size()) {
    return false;
  }
  ++peer.expected;
  peer.frame.insert(peer.frame.end(), payload.begin(), payload.end());
  if (peer.frame.size() < peer.frame_bytes) return true;
  ready_.push_back({NodeId(header.from), header.envelope, std::move(peer.frame)});
  peer.frame = {};
  return true;
}

bool Assembler::next(Packet& packet) {
  if (ready_.empty()) return false;
  packet = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

}  // namespace leeway
