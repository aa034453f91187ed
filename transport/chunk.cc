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
    admit(peer, header_of(chunk), std::span(chunk).subspan(sizeof(ChunkHeader)), nullptr);
}

void Assembler::forget(NodeId id) {
  Peer& peer = peers_[id.index()];
  peer = Peer{};
  peer.hearing = Hearing::NoMore;
}

/// Of a peer that was not announced yet: verified and kept, and admitted once it is.
bool Assembler::take(std::span<const std::byte> head, Frame& room, std::size_t payload_bytes) {
  if (head.size() != sizeof(ChunkHeader) || payload_bytes > std::min(room.size(), kChunkPayload))
    return false;
  const ChunkHeader header = header_of(head);
  if (header.to != self_.value()) return false;
  if (header.from >= peers_.size()) return false;
  Peer& peer = peers_[header.from];
  if (peer.hearing == Hearing::NoMore) return false;
  const std::span<std::byte> payload = std::span(room).first(payload_bytes);
  if (peer.hearing == Hearing::Now) {
    if (header.number != peer.expected || !unseal(peer, header, payload)) return false;
    return admit(peer, header, payload, &room);
  }
  const std::size_t bytes = head.size() + payload.size();
  if (header.number != peer.early.size() || peer.early_bytes + bytes > kMostEarly ||
      !unseal(peer, header, payload)) {
    return false;
  }
  peer.early_bytes += bytes;
  std::vector<std::byte>& kept = peer.early.emplace_back(head.begin(), head.end());
  kept.insert(kept.end(), payload.begin(), payload.end());
  return true;
}

bool Assembler::unseal(Peer& peer, const ChunkHeader& header, std::span<std::byte> payload) {
  if (!peer.aead) peer.aead = Aead(secrecy_.key(header));
  return peer.aead->unseal(header.number, covered(header), payload, secrecy_.encrypted,
                           header.mark);
}

/// A chunk that its peer has made, and that comes next. `room`: holds the payload, if it may be kept.
bool Assembler::admit(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload,
                      Frame* room) {
  peer.acknowledged = std::max(peer.acknowledged, header.acknowledged);
  peer.wants_answer = peer.wants_answer || header.kind != ChunkKind::Acknowledge;
  if (header.kind == ChunkKind::Data) return accept(peer, header, payload, room);
  ++peer.expected;
  return true;
}

bool Assembler::accept(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload,
                       Frame* room) {
  const bool keep_room = room != nullptr && header.offset == 0 && !payload.empty() &&
                         payload.size() == header.frame_bytes && payload.size() >= room->size() / 2;
  if (header.offset == 0) {
    peer.frame_bytes = header.frame_bytes;
    // Growing would copy gigabytes again and again.
    peer.frame = spare_frames_.take(keep_room ? room->size() : header.frame_bytes);
    peer.arrived = 0;
  }
  if (header.offset != peer.arrived || header.frame_bytes != peer.frame_bytes ||
      payload.size() > peer.frame_bytes - peer.arrived) {
    return false;
  }
  ++peer.expected;
  peer.arrived += payload.size();
  if (keep_room) {
    peer.frame.resize(room->size());
    room->resize(payload.size());
    std::swap(peer.frame, *room);
  } else {
    put(peer.frame, header.offset, payload);
  }
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
