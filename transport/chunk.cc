#include "leeway/transport/chunk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace leeway {

namespace {

// A peer may speak before this node has heard who the peers are; so much of what it says is kept until then.
constexpr std::size_t kMostEarly = std::size_t{16} << 20U;

ChunkHeader header_of(std::span<const std::byte> chunk) {
  ChunkHeader header;
  std::memcpy(static_cast<void*>(&header), chunk.data(), sizeof(header));
  return header;
}

/// What of a header its mark covers: all behind the mark.
std::span<const std::byte> covered(const ChunkHeader& header) {
  return std::as_bytes(std::span(&header, 1)).subspan(sizeof(Mark));
}

/// Writes `bytes` at `at`, over what may be there already.
void put(Frame& frame, std::size_t at, std::span<const std::byte> bytes) {
  const std::span<const std::byte> over = bytes.first(std::min(bytes.size(), frame.size() - at));
  if (!over.empty()) std::memcpy(frame.data() + at, over.data(), over.size());
  const std::span<const std::byte> more = bytes.subspan(over.size());
  frame.insert(frame.end(), more.begin(), more.end());
}

}  // namespace

Secret ChunkSecrecy::key(const ChunkHeader& header) const {
  const std::array<std::uint32_t, 2> way = {header.from, header.to};
  return secret.derive(encrypted ? "encrypted data" : "data", std::as_bytes(std::span(way)));
}

void seal_chunk(ChunkHeader& header, std::span<std::byte> payload, Aead& aead, bool encrypt) {
  header.mark = aead.seal(header.number, covered(header), payload, encrypt);
}

void Assembler::listen_to(NodeId id) {
  Peer& peer = peers_[id.index()];
  const auto early = std::exchange(peer.early, {});
  auto aead = std::exchange(peer.aead, {});
  peer = Peer{};
  peer.hearing = Hearing::Now;
  peer.aead = std::move(aead);
  for (const auto& chunk : early)
    admit(peer, header_of(chunk), std::span(chunk).subspan(sizeof(ChunkHeader)));
}

void Assembler::forget(NodeId id) {
  Peer& peer = peers_[id.index()];
  peer = Peer{};
  peer.hearing = Hearing::NoMore;
}

/// Of a peer that was not announced yet: verified and kept, and admitted once it is.
bool Assembler::take(std::span<std::byte> chunk) {
  if (chunk.size() < sizeof(ChunkHeader) || chunk.size() > kChunkBytes) return false;
  const ChunkHeader header = header_of(chunk);
  if (header.to != self_.value()) return false;
  if (header.from >= peers_.size()) return false;
  Peer& peer = peers_[header.from];
  if (peer.hearing == Hearing::NoMore) return false;
  const std::span<std::byte> payload = chunk.subspan(sizeof(ChunkHeader));
  if (peer.hearing == Hearing::Now) {
    if (header.number != peer.expected || !unseal(peer, header, payload)) return false;
    return admit(peer, header, payload);
  }
  if (header.number != peer.early.size() || peer.early_bytes + chunk.size() > kMostEarly ||
      !unseal(peer, header, payload)) {
    return false;
  }
  peer.early_bytes += chunk.size();
  peer.early.emplace_back(chunk.begin(), chunk.end());
  return true;
}

bool Assembler::unseal(Peer& peer, const ChunkHeader& header, std::span<std::byte> payload) {
  if (!peer.aead) peer.aead = Aead(secrecy_.key(header));
  return peer.aead->unseal(header.number, covered(header), payload, secrecy_.encrypted,
                           header.mark);
}

/// A chunk that its peer has made, and that comes next.
bool Assembler::admit(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload) {
  peer.acknowledged = std::max(peer.acknowledged, header.acknowledged);
  peer.wants_answer = peer.wants_answer || header.kind != ChunkKind::Acknowledge;
  if (header.kind == ChunkKind::Data) return accept(peer, header, payload);
  ++peer.expected;
  return true;
}

bool Assembler::accept(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload) {
  if (header.offset == 0) {
    peer.frame_bytes = header.frame_bytes;
    peer.frame =
        spare_frames_.take(header.frame_bytes);  // growing would copy gigabytes again and again
    peer.arrived = 0;
  }
  if (header.offset != peer.arrived || header.frame_bytes != peer.frame_bytes ||
      payload.size() > peer.frame_bytes - peer.arrived) {
    return false;
  }
  ++peer.expected;
  put(peer.frame, peer.arrived, payload);
  peer.arrived += payload.size();
  if (peer.arrived < peer.frame_bytes) return true;
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
