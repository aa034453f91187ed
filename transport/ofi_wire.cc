#include "leeway/transport/ofi_wire.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/transport/backoff.h"
#include "leeway/transport/chunk.h"
#include "leeway/transport/datagrams.h"
#include "leeway/transport/link.h"

namespace leeway {

namespace {

constexpr std::size_t kReceives = 32;
/// Chunks to one peer that libfabric may hold. Each peer has its own share: one that takes nothing keeps
/// nobody else's frames back.
constexpr std::size_t kSendsPerPeer = 32;
constexpr Duration kConnecting = std::chrono::milliseconds(1);
/// Longer than a half round trip of 64 KiB: to be woken costs as much again.
constexpr Duration kSpin = std::chrono::microseconds(100);

struct Outgoing {
  std::shared_ptr<Frame> frame;  // chunks under way are sent from it
  Envelope envelope;
  std::size_t offset = 0;
};

struct OfiPeer {
  std::optional<Datagrams::Name> name;
  Aead aead;
  Link link;
  std::deque<Outgoing> queue;
  Datagram* sealed =
      nullptr;  // the chunk that goes next: its number is used up, and no other may bear it
  std::size_t under_way = 0;  // slots that libfabric holds
  bool broken = false;        // a chunk was lost, and none after it would be taken
};

class Ofi final : public OfiWire {
 public:
  explicit Ofi(const OfiOptions& options)
      : self_(options.self),
        secrecy_{options.secret, options.encrypt},
        peers_(options.nodes),
        assembler_(options.self, options.nodes, secrecy_) {}
  Ofi(const Ofi&) = delete;
  Ofi& operator=(const Ofi&) = delete;

  Status open(const OfiOptions& options);

  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override { return static_cast<std::uint32_t>(peers_.size()); }
  const std::string& address() const override { return end_->address(); }
  std::uint64_t dropped() const override { return dropped_; }
  Status meet(const std::vector<std::string>& peers) override;
  void set_neighbours(std::uint32_t nodes) override {
    crowded_ = nodes > std::max(1u, std::thread::hardware_concurrency());
  }

  bool send(NodeId to, const Envelope& envelope, Frame& frame) override {
    OfiPeer& peer = peers_[to.index()];
    if (!peer.name) return true;
    peer.queue.push_back({std::make_shared<Frame>(std::move(frame)), envelope, 0});
    frame.clear();
    ++queued_;
    push(to);
    return true;
  }
  bool receive(Packet& packet) override {
    if (assembler_.next(packet)) return true;
    progress();
    return assembler_.next(packet);
  }
  void reuse(Frame frame) override { assembler_.reuse(std::move(frame)); }
  bool drained() override {
    progress();
    return queued_ == 0 && under_way_ == 0;
  }
  Duration spin() const override { return crowded_ ? Duration::zero() : kSpin; }
  bool rest_is_blind() const override { return end_->wait_descriptor() < 0; }
  bool may_rest() override { return rest_is_blind() || end_->may_wait(); }
  void rest(Duration idle, Duration most) override {
    if (rest_is_blind()) return backoff_.rest(idle, most, crowded_);
    bell_.wait(queued_.load() > 0 ? std::min(most, kConnecting) : most, end_->wait_descriptor());
  }
  void interrupt() override { rest_is_blind() ? backoff_.interrupt() : bell_.ring(); }
  void drop(NodeId id) override {
    OfiPeer& peer = peers_[id.index()];
    queued_ -= peer.queue.size();
    if (peer.sealed != nullptr) {
      --queued_;
      free_send(*peer.sealed);
    }
    under_way_ -= peer.under_way;
    if (peer.name) end_->remove(*peer.name);
    peer = OfiPeer{};
    assembler_.forget(id);
  }
  void beat(Duration awake) override;
  NodeId unanswering(Duration longer_than) const override;
  void ask_all() override;
  std::vector<NodeId> not_answered() const override;

 private:
  void push(NodeId to);
  bool send_note(NodeId to, ChunkKind kind);
  bool send_chunk(NodeId to, ChunkHeader header, std::span<std::byte> payload,
                  std::shared_ptr<const Frame> frame);
  bool hand_over(NodeId to);
  void free_send(Datagram& slot);
  void progress();
  void finished(const Datagrams::Done& done);
  void give_back(Datagram& slot);
  void post(Datagram& slot);

  const NodeId self_;
  const ChunkSecrecy secrecy_;
  bool crowded_ = false;
  std::vector<std::unique_ptr<Datagram>> slots_;  // outlive the library, which works on them
  std::unique_ptr<Datagrams> end_;
  Doorbell bell_;
  Backoff backoff_;
  std::vector<OfiPeer> peers_;
  std::atomic<std::size_t> queued_{0};
  std::size_t under_way_ = 0;  // slots that libfabric holds for peers who live
  std::vector<Datagram*> free_sends_;
  std::vector<Datagram*> unposted_;
  Assembler assembler_;
  std::uint64_t dropped_ = 0;
};

Status Ofi::open(const OfiOptions& options) {
  // Some providers keep the upper bits of a tag to themselves.
  LEEWAY_ASSIGN(end_, open_datagrams(options.provider, options.host,
                                     options.secret.derive("tag").number() >> 8U));
  for (std::size_t i = 0; i < kReceives; ++i) {
    slots_.push_back(std::make_unique<Datagram>(sizeof(ChunkHeader), kChunkPayload));
    unposted_.push_back(slots_.back().get());
  }
  progress();
  return {};
}

Status Ofi::meet(const std::vector<std::string>& peers) {
  for (std::uint32_t i = 0; i < peers.size(); ++i) {
    const NodeId id(i);
    if (peers[i].empty() || id == self_) continue;
    OfiPeer& peer = peers_[i];
    peer.name = end_->add(peers[i]);
    if (!peer.name) {
      return fail(environment_error("ofi", format("the address of node {} is not usable here", i),
                                    "use the same provider on every node"));
    }
    peer.aead = Aead(secrecy_.key({.from = self_.value(), .to = i}));
    assembler_.listen_to(id);
  }
  return {};
}

/// Seals one chunk and hands it to libfabric, now or as soon as that takes it. False if an earlier one still waits, or
/// the peer's share of slots is used up.
bool Ofi::send_chunk(NodeId to, ChunkHeader header, std::span<std::byte> payload,
                     std::shared_ptr<const Frame> frame) {
  OfiPeer& peer = peers_[to.index()];
  if (peer.broken || peer.under_way >= kSendsPerPeer || !hand_over(to)) return false;
  if (free_sends_.empty()) {
    slots_.push_back(std::make_unique<Datagram>(sizeof(ChunkHeader)));
    slots_.back()->is_send = true;
    free_sends_.push_back(slots_.back().get());
  }
  Datagram& slot = *free_sends_.back();
  free_sends_.pop_back();
  header.from = self_.value();
  header.to = to.value();
  header.number = peer.link.next();
  header.acknowledged = assembler_.taken(to);
  seal_chunk(header, payload, peer.aead, secrecy_.encrypted);
  std::memcpy(slot.bytes.data(), &header, sizeof(header));
  slot.peer = to;
  slot.payload = payload;
  slot.frame = std::move(frame);
  peer.link.sent(header.kind != ChunkKind::Acknowledge);
  assembler_.told(to);
  peer.sealed = &slot;
  ++queued_;
  (void)hand_over(to);
  return true;
}

/// Hands over the sealed chunk that waits, if any; false if libfabric does not take it now.
bool Ofi::hand_over(NodeId to) {
  OfiPeer& peer = peers_[to.index()];
  if (peer.sealed == nullptr) return true;
  if (!end_->send(*peer.sealed, *peer.name)) return false;
  peer.sealed = nullptr;
  --queued_;
  ++peer.under_way;
  ++under_way_;
  return true;
}

/// Hands to libfabric what is queued for one peer, as far as it takes it.
void Ofi::push(NodeId to) {
  OfiPeer& peer = peers_[to.index()];
  if (!hand_over(to)) return;
  while (!peer.queue.empty()) {
    Outgoing& next = peer.queue.front();
    const std::size_t size = next.frame->size();
    const std::size_t payload = std::min(kChunkPayload, size - next.offset);
    const ChunkHeader header{.frame_bytes = size, .offset = next.offset, .envelope = next.envelope};
    if (!send_chunk(to, header, std::span(*next.frame).subspan(next.offset, payload), next.frame))
      return;
    next.offset += payload;
    if (next.offset < size) continue;
    peer.queue.pop_front();
    --queued_;
  }
}

void Ofi::progress() {
  std::array<Datagrams::Done, 16> done;
  for (std::size_t count = done.size(); count == done.size();) {
    count = end_->finished(done);
    for (std::size_t i = 0; i < count; ++i) finished(done[i]);
  }
  for (std::size_t left = unposted_.size(); left > 0; --left) {
    Datagram& slot = *unposted_.back();
    unposted_.pop_back();
    post(slot);
  }
  if (queued_ == 0) return;
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (!peers_[i].queue.empty() || peers_[i].sealed != nullptr) push(NodeId(i));
  }
}

void Ofi::free_send(Datagram& slot) {
  slot.payload = {};
  slot.frame.reset();
  free_sends_.push_back(&slot);
}

void Ofi::give_back(Datagram& slot) {
  free_send(slot);
  OfiPeer& peer = peers_[slot.peer.index()];
  if (!peer.name) return;  // it is gone, and its slots are no longer counted
  --peer.under_way;
  --under_way_;
}

void Ofi::finished(const Datagrams::Done& done) {
  Datagram& slot = *done.datagram;
  if (slot.is_send) {
    // A send that failed has lost a chunk for good; who is to blame is decided by the rendezvous.
    OfiPeer& peer = peers_[slot.peer.index()];
    if (done.failed) peer.broken = true;
    return give_back(slot);
  }
  if (done.failed) return unposted_.push_back(&slot);
  if (done.bytes < sizeof(ChunkHeader) ||
      !assembler_.take(slot.bytes, slot.room, done.bytes - sizeof(ChunkHeader)))
    ++dropped_;
  post(slot);
}

void Ofi::post(Datagram& slot) {
  if (!end_->receive(slot)) unposted_.push_back(&slot);
}

bool Ofi::send_note(NodeId to, ChunkKind kind) {
  return send_chunk(to, {.kind = kind}, {}, nullptr);
}

void Ofi::beat(Duration awake) {
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    const NodeId id(i);
    OfiPeer& peer = peers_[i];
    if (!peer.name) continue;
    peer.link.heard(assembler_.acknowledged(id));
    peer.link.age(awake, !peer.queue.empty() || peer.sealed != nullptr || peer.broken);
    if (peer.link.should_ask()) {
      const std::uint64_t question = peer.link.next();
      if (send_note(id, ChunkKind::Ask)) peer.link.asked(question);
    }
    if (assembler_.wants_answer(id)) send_note(id, ChunkKind::Acknowledge);
  }
}

NodeId Ofi::unanswering(Duration longer_than) const {
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i].name && peers_[i].link.waited() > longer_than) return NodeId(i);
  }
  return NodeId::none();
}

void Ofi::ask_all() {
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    OfiPeer& peer = peers_[i];
    if (!peer.name) continue;
    if (peer.link.in_touch() || !peer.queue.empty() || assembler_.taken(NodeId(i)) > 0)
      peer.link.ask();
  }
}

std::vector<NodeId> Ofi::not_answered() const {
  std::vector<NodeId> silent;
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i].name && !peers_[i].link.answered()) silent.push_back(NodeId(i));
  }
  return silent;
}

}  // namespace

Result<std::unique_ptr<OfiWire>> open_ofi(const OfiOptions& options) {
  auto wire = std::make_unique<Ofi>(options);
  LEEWAY_TRY(wire->open(options));
  return wire;
}

}  // namespace leeway
