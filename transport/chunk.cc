#include "leeway/transport/chunk.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace leeway {

namespace {

// A replacement may speak before the news of it arrives; so much of what it says is kept until then.
constexpr std::size_t kMostEarly = std::size_t{16} << 20U;
constexpr std::size_t kReserveAtMost = std::size_t{1} << 20U;

}  // namespace

std::uint64_t mark_of(const ChunkHeader& header, const Secret& secret) {
  return secret.mark(std::as_bytes(std::span(&header, 1)).subspan(sizeof(header.mark)));
}

void Assembler::listen_to(NodeId id, std::uint32_t life) {
  Peer& peer = peers_[id.index()];
  const std::uint32_t before = peer.life;
  auto early = std::exchange(peer.early, {});
  peer = Peer{};
  peer.life = life;
  for (auto& [of, chunks] : early) {
    if (of < life || of <= before) continue;
    if (of > life) {
      for (const auto& chunk : chunks) peer.early_bytes += chunk.size();
      peer.early[of] = std::move(chunks);
      continue;
    }
    for (const auto& chunk : chunks) take(chunk);
  }
}

bool Assembler::take(std::span<const std::byte> chunk) {
  ChunkHeader header;
  if (chunk.size() < sizeof(header) || chunk.size() > kChunkBytes) return false;
  std::memcpy(static_cast<void*>(&header), chunk.data(), sizeof(header));
  const std::uint64_t mark = mark_of(header, secret_);
  if (!same(std::as_bytes(std::span(&mark, 1)), std::as_bytes(std::span(&header.mark, 1)))) {
    return false;
  }
  if (header.to != self_.value() || header.to_life != own_life_) return false;
  if (header.from >= peers_.size()) return false;
  Peer& peer = peers_[header.from];
  if (header.from_life > peer.life) {
    if (peer.early_bytes + chunk.size() > kMostEarly) return false;
    peer.early_bytes += chunk.size();
    peer.early[header.from_life].emplace_back(chunk.begin(), chunk.end());
    return true;
  }
  if (header.from_life != peer.life || header.number != peer.expected) return false;
  return accept(peer, header, chunk.subspan(sizeof(header)));
}

bool Assembler::accept(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload) {
  if (header.offset == 0) {
    peer.frame.clear();
    peer.frame_bytes = header.frame_bytes;
    // Grows with what really comes: a length alone takes no memory.
    peer.frame.reserve(std::min<std::size_t>(header.frame_bytes, kReserveAtMost));
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
