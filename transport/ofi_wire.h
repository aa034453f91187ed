// What one node's wire knows of its way to one peer: what it has sent there, what of it the peer's wire has
// acknowledged, and how long the oldest that wants an answer has waited. Sends that a network library takes
// prove nothing: TCP takes megabytes for a host that is cut off. Not thread-safe.
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
#include "leeway/result.h"
#include "transport/secret.h"
#include "transport/wire_transport.h"

namespace leeway {

class Link {
 public:
  /// The number of the next that is sent.
  [[nodiscard]] std::uint64_t next() const { return sent_; }
  /// One more was sent, which the peer acknowledges by itself or need not.
  void sent(bool wants_answer) {
    ++sent_;
    if (wants_answer) wanted_ = sent_;
  }
  /// The peer has taken in so many.
  void heard(std::uint64_t acknowledged) {
    if (acknowledged > sent_ || acknowledged <= acknowledged_) return;
    acknowledged_ = acknowledged;
    waited_ = {};
  }
  /// Time passes; `held`: something could not even be sent.
  void age(Duration awake, bool held) {
    waited_ = held || acknowledged_ < wanted_ ? waited_ + awake : Duration::zero();
  }
  /// How long something has waited without a sign from the peer.
  [[nodiscard]] Duration waited() const { return waited_; }
  [[nodiscard]] bool in_touch() const { return sent_ > 0; }

  /// From now on, until something that is sent after this was acknowledged, the peer is asked.
  void ask() { asking_ = Asking::ToSend; }
  [[nodiscard]] bool should_ask() const { return asking_ == Asking::ToSend; }
  /// The question went out under this number.
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
  std::uint64_t wanted_ = 0;  // all before this number should be acknowledged
  std::uint64_t acknowledged_ = 0;
  Duration waited_{};
  Asking asking_ = Asking::No;
  std::uint64_t question_ = 0;
};

// How a frame is cut for a wire of small datagrams, and put together again at the other end. Pure: no
// network, so that hostile bytes can be tried on it directly.
//
// Invariant: nothing of a chunk is believed, and no byte of its payload kept, before its mark is right, and the
// mark covers every byte of it; of each peer the chunks are taken in order, each once. A mark is computed once at either
// end.

/// Header included. What the wire has ofi_rxm send eagerly (kProviderSettings).
constexpr std::size_t kChunkBytes = 64 * 1024 + 80;

enum class ChunkKind : std::uint64_t {
  Data,         ///< a part of a frame, or an envelope alone
  Ask,          ///< nothing: the receiver should answer
  Acknowledge,  ///< nothing but the header's count; wants no answer itself
};

struct ChunkHeader {
  Mark mark{};  ///< of all that follows, payload included
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  ChunkKind kind = ChunkKind::Data;
  std::uint64_t number = 0;
  std::uint64_t acknowledged = 0;  ///< chunks of the receiver's that the sender has taken in
  std::uint64_t frame_bytes = 0;
  std::uint64_t offset = 0;
  Envelope envelope;
};
static_assert(sizeof(ChunkHeader) == 80);
constexpr std::size_t kChunkPayload = kChunkBytes - sizeof(ChunkHeader);

/// How chunks are protected: always against change, and from being read if `encrypted`.
struct ChunkSecrecy {
  Secret secret;
  bool encrypted = false;
  /// Of what one node sends to another: chunk numbers never repeat under this key.
  [[nodiscard]] Secret key(const ChunkHeader& header) const;
};

/// Puts the mark into the header; encrypts the payload in place if `encrypt`.
void seal_chunk(ChunkHeader& header, std::span<std::byte> payload, Aead& aead, bool encrypt);

/// Takes chunks as they arrive from anywhere, gives packets of peers. One thread at a time.
class Assembler {
 public:
  Assembler(NodeId self, std::uint32_t nodes, ChunkSecrecy secrecy)
      : self_(self), secrecy_(std::move(secrecy)), peers_(nodes) {}

  /// From now on `peer` is listened to: what it has said before, too.
  void listen_to(NodeId peer);
  /// It is gone: nothing of it is taken any more.
  void forget(NodeId peer);
  /// The header of a chunk, and its payload at the beginning of `room`, where it is decrypted in place. False if the
  /// chunk was dropped. A payload that is a whole frame and fills half of the room or more is not copied: `room` itself
  /// becomes the frame, and another one of its size is left in its place.
  bool take(std::span<const std::byte> header, Frame& room, std::size_t payload_bytes);
  [[nodiscard]] bool next(Packet& packet);
  /// Memory of a frame that nobody needs any more.
  void reuse(Frame frame) { spare_frames_.give(std::move(frame)); }

  /// Chunks of `peer` that were taken in, and of ours that it has taken in.
  [[nodiscard]] std::uint64_t taken(NodeId peer) const { return peers_[peer.index()].expected; }
  [[nodiscard]] std::uint64_t acknowledged(NodeId peer) const {
    return peers_[peer.index()].acknowledged;
  }
  /// Whether `peer` waits to hear that something of it was taken in; `told` says that it will.
  [[nodiscard]] bool wants_answer(NodeId peer) const { return peers_[peer.index()].wants_answer; }
  void told(NodeId peer) { peers_[peer.index()].wants_answer = false; }

 private:
  enum class Hearing : std::uint8_t { NotYet, Now, NoMore };
  struct Peer {
    Hearing hearing = Hearing::NotYet;
    std::optional<Aead> aead;
    std::uint64_t expected = 0;
    std::uint64_t acknowledged = 0;
    bool wants_answer = false;
    std::uint64_t frame_bytes = 0;
    Frame frame;  // with what came last time beyond `arrived`
    std::size_t arrived = 0;
    std::deque<std::vector<std::byte>> early;  // unsealed, in order, before it was listened to
    std::size_t early_bytes = 0;
  };
  bool unseal(Peer& peer, const ChunkHeader& header, std::span<std::byte> payload);
  bool admit(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload,
             Frame* room);
  bool accept(Peer& peer, const ChunkHeader& header, std::span<const std::byte> payload,
              Frame* room);

  NodeId self_;
  ChunkSecrecy secrecy_;
  std::vector<Peer> peers_;
  std::deque<Packet> ready_;
  SpareFrames spare_frames_;
};

// The wire over libfabric: reliable datagrams, two-sided and tagged, in chunks small enough to be eager.
// Every chunk carries a mark over all of it, made with the job's secret, and says from which node to which it
// goes and what number it has: what does not fit is dropped unread. Private to the transport folder.
struct OfiOptions {
  std::string provider;  ///< libfabric's name, e.g. "tcp;ofi_rxm"
  std::string host;      ///< this machine's address towards the others; empty: libfabric's choice
  NodeId self{0};
  std::uint32_t nodes = 1;
  Secret secret;
  bool encrypt = false;  ///< what frames hold can be read by the job's nodes alone
};

class OfiWire : public Wire {
 public:
  /// Where others send to: an opaque name of the provider's.
  [[nodiscard]] virtual const std::string& address() const = 0;
  /// Before anything is sent: every node's address; empty: it is not there.
  virtual Status meet(const std::vector<std::string>& peers) = 0;
  virtual void set_neighbours(std::uint32_t nodes) = 0;
  /// Chunks that were dropped: forged, or replayed.
  [[nodiscard]] virtual std::uint64_t dropped() const = 0;
};

Result<std::unique_ptr<OfiWire>> open_ofi(const OfiOptions& options);

}  // namespace leeway
