// How a frame is cut for a wire of small datagrams, and put together again at the other end. Pure: no
// network, so that hostile bytes can be tried on it directly.
//
// Invariant: nothing of a chunk is believed before its mark is right; of each life of each peer the chunks
// are taken in order, each once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/transport/secret.h"
#include "leeway/transport/wire.h"

namespace leeway {

constexpr std::size_t kChunkBytes = 16 * 1024;  ///< header included; what ofi_rxm sends eagerly

struct ChunkHeader {
  std::uint64_t mark = 0;  ///< of all that follows in the header
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t from_life = 0;
  std::uint32_t to_life = 0;
  std::uint64_t number = 0;
  std::uint64_t frame_bytes = 0;
  std::uint64_t offset = 0;
  Envelope envelope;
};
static_assert(sizeof(ChunkHeader) == 56);
constexpr std::size_t kChunkPayload = kChunkBytes - sizeof(ChunkHeader);

[[nodiscard]] std::uint64_t mark_of(const ChunkHeader& header, const Secret& secret);

/// Takes chunks as they arrive from anywhere, gives packets of peers. One thread at a time.
class Assembler {
 public:
  Assembler(NodeId self, std::uint32_t nodes, const Secret& secret)
      : self_(self), secret_(secret), peers_(nodes) {}

  void set_life(std::uint32_t own) { own_life_ = own; }
  /// From now on this life of `peer` is listened to, and no other; 0: none.
  void listen_to(NodeId peer, std::uint32_t life);
  /// False if the chunk was dropped.
  bool take(std::span<const std::byte> chunk);
  [[nodiscard]] bool next(Packet& packet);

 private:
  struct Peer {
    std::uint32_t life = 0;
    std::uint64_t expected = 0;
    std::uint64_t frame_bytes = 0;
    Frame frame;
    std::map<std::uint32_t, std::deque<std::vector<std::byte>>> early;  // by life
    std::size_t early_bytes = 0;
  };
  bool accept(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload);

  NodeId self_;
  Secret secret_;
  std::uint32_t own_life_ = 1;
  std::vector<Peer> peers_;
  std::deque<Packet> ready_;
};

}  // namespace leeway
