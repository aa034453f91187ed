// The Wire over libfabric, in three layers: Link (delivery state of one peer), chunks (how frames
// are split into authenticated datagrams, and Assembler, which puts them together again) and
// OfiWire. Private to the transport folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "transport/secret.h"
#include "transport/wire_transport.h"

namespace leeway {

/// Delivery state of the link from this node to one peer: chunks sent, chunks that the peer's wire
/// has acknowledged, and how long the oldest chunk that requires an acknowledgement has waited.
/// That libfabric accepted a send proves nothing, since TCP buffers megabytes for a host that is
/// cut off. Not thread-safe.
class OfiLink {
 public:
  /// Number of the next chunk.
  [[nodiscard]] std::uint64_t next() const { return sent_; }
  /// A chunk was sent; `wants_answer`: the peer must acknowledge it.
  void sent(bool wants_answer) {
    ++sent_;
    if (wants_answer) required_ = sent_;
  }
  /// The peer has received chunks up to this number.
  void heard(std::uint64_t acknowledged) {
    if (acknowledged > sent_ || acknowledged <= acknowledged_) return;
    acknowledged_ = acknowledged;
    waited_ = {};
  }
  /// Adds `awake` to the waiting time if an acknowledgement is missing; `held`: a chunk could not
  /// even be sent.
  void age(Duration awake, bool held) {
    waited_ = held || acknowledged_ < required_ ? waited_ + awake : Duration::zero();
  }
  /// How long an acknowledgement has been missing.
  [[nodiscard]] Duration waited() const { return waited_; }
  [[nodiscard]] bool in_touch() const { return sent_ > 0; }

  /// Starts a question: the peer counts as answering once it acknowledges a chunk sent after this
  /// call.
  void ask() { asking_ = Asking::ToSend; }
  [[nodiscard]] bool should_ask() const { return asking_ == Asking::ToSend; }
  /// The question was sent as chunk `number`.
  void asked(std::uint64_t number) {
    asking_ = Asking::Sent;
    question_ = number;
  }
  [[nodiscard]] bool answered() const {
    return asking_ == Asking::No || (asking_ == Asking::Sent && acknowledged_ > question_);
  }

 private:
  enum class Asking : std::uint8_t { No, ToSend, Sent };
  std::uint64_t sent_ = 0;
  std::uint64_t required_ = 0;  // chunks below this number must be acknowledged
  std::uint64_t acknowledged_ = 0;
  Duration waited_{};
  Asking asking_ = Asking::No;
  std::uint64_t question_ = 0;
};

// Chunks: how a frame is split into datagrams and reassembled. No function here uses the network,
// so tests can feed them hostile bytes.
//
// Invariant: no field of a chunk is used and no byte of its payload kept before its mark is
// verified, and the mark covers every byte of the chunk. The chunks of a peer are accepted in order
// and once each. Each end computes a mark once.

/// Size of a chunk with its header; ofi_rxm sends it eagerly (see kProviderSettings).
constexpr std::size_t kChunkBytes = 64 * 1024 + 80;

enum class ChunkKind : std::uint64_t {
  Data,         ///< part of a frame, or only an envelope
  Ask,          ///< empty; the receiver must acknowledge it
  Acknowledge,  ///< empty; the header acknowledges, and needs no acknowledgement itself
};

struct ChunkHeader {
  Mark mark{};  ///< authenticates the rest of the header and the payload
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  ChunkKind kind = ChunkKind::Data;
  std::uint64_t number = 0;
  std::uint64_t acknowledged = 0;  ///< chunks that the sender has received from the receiver
  std::uint64_t frame_bytes = 0;
  std::uint64_t offset = 0;
  Envelope envelope;
};
static_assert(sizeof(ChunkHeader) == 80);
constexpr std::size_t kChunkPayload = kChunkBytes - sizeof(ChunkHeader);

/// Protection of chunks: always authenticated, and encrypted if `encrypted`.
struct ChunkSecrecy {
  Secret secret;
  bool encrypted = false;
  /// Key of the direction header.from -> header.to. Chunk numbers never repeat under one key.
  [[nodiscard]] Secret key(const ChunkHeader& header) const;
};

/// Puts the mark into the header; encrypts the payload in place if `encrypt`.
void seal_chunk(ChunkHeader& header, std::span<std::byte> payload, Aead& aead, bool encrypt);

/// Turns the chunks that arrive into packets of peers. One thread at a time.
class Assembler {
 public:
  Assembler(NodeId self, std::uint32_t nodes, ChunkSecrecy secrecy)
      : self_(self), secrecy_(std::move(secrecy)), peers_(nodes) {}

  /// Accepts chunks of `peer` from now on, including those that arrived earlier.
  void listen_to(NodeId peer);
  /// Drops all chunks of `peer` from now on, because it is gone.
  void forget(NodeId peer);
  /// Receives a chunk; the payload is at the beginning of `room`, where it is decrypted in place.
  /// False if the chunk was dropped. A payload that is a whole frame and fills at least half of
  /// `room` is not copied: `room` becomes the frame and is replaced by another one of its size.
  bool take(std::span<const std::byte> header, Frame& room, std::size_t payload_bytes);
  [[nodiscard]] bool next(Packet& packet);
  /// Takes the memory of a frame that is no longer used.
  void reuse(Frame frame) { spare_frames_.give(std::move(frame)); }

  /// Number of chunks received from `peer`, and number of our chunks that it has acknowledged.
  [[nodiscard]] std::uint64_t taken(NodeId peer) const { return peers_[peer.index()].expected; }
  [[nodiscard]] std::uint64_t acknowledged(NodeId peer) const {
    return peers_[peer.index()].acknowledged;
  }
  /// Whether `peer` must be sent an acknowledgement; `answer_sent` records that it was sent.
  [[nodiscard]] bool wants_answer(NodeId peer) const { return peers_[peer.index()].wants_answer; }
  void answer_sent(NodeId peer) { peers_[peer.index()].wants_answer = false; }

 private:
  enum class Hearing : std::uint8_t { NotYet, Now, NoMore };
  struct PeerState {
    Hearing hearing = Hearing::NotYet;
    std::optional<Aead> aead;
    std::uint64_t expected = 0;
    std::uint64_t acknowledged = 0;
    bool wants_answer = false;
    std::uint64_t frame_bytes = 0;
    Frame frame;  // valid up to `arrived`
    std::size_t arrived = 0;
    // Decrypted chunks that arrived before listen_to, in order.
    std::deque<std::vector<std::byte>> early;
    std::size_t early_bytes = 0;
  };
  bool unseal(PeerState& peer, const ChunkHeader& header, std::span<std::byte> payload);
  bool admit(PeerState& peer, const ChunkHeader& header, std::span<const std::byte> payload,
             Frame* room);
  bool accept(PeerState& peer, const ChunkHeader& header, std::span<const std::byte> payload,
              Frame* room);

  NodeId self_;
  ChunkSecrecy secrecy_;
  std::vector<PeerState> peers_;
  std::deque<Packet> ready_;
  SpareFrames spare_frames_;
};

/// Options of the wire over libfabric.
struct OfiOptions {
  std::string provider;  ///< libfabric's name, e.g. "tcp;ofi_rxm"
  std::string host;      ///< this machine's address on the network; empty: libfabric's choice
  NodeId self{0};
  std::uint32_t nodes = 1;
  Secret secret;
  bool encrypt = false;  ///< encrypt the content of frames
};

/// The Wire over libfabric: reliable, tagged datagrams in chunks that are small enough to be sent
/// eagerly. Each chunk carries a mark, made with the job's secret, over its content, sender,
/// receiver and number; a chunk that does not match is dropped.
class OfiWire : public Wire {
 public:
  /// The address to which others send: an opaque string of the provider.
  [[nodiscard]] virtual const std::string& address() const = 0;
  /// Registers every node's address, before anything is sent; an empty address: the node is gone.
  virtual Status meet(const std::vector<std::string>& peers) = 0;
  virtual void set_neighbours(std::uint32_t nodes) = 0;
  /// Number of chunks that were dropped as forged or replayed.
  [[nodiscard]] virtual std::uint64_t dropped() const = 0;
};

Result<std::unique_ptr<OfiWire>> open_ofi(const OfiOptions& options);

}  // namespace leeway
