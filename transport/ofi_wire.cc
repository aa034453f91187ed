// The Wire over libfabric, and the joining of a job that `leeway launch` has started.

#include "transport/ofi_wire.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "transport/launch.h"
#include "transport/ofi.h"
#include "transport/process_job.h"
#include "transport/wire_transport.h"

namespace leeway {

namespace {

// A peer may send chunks before this node knows the peers' addresses; at most this many bytes are
// kept until then.
constexpr std::size_t kMostEarly = std::size_t{16} << 20U;

ChunkHeader header_of(std::span<const std::byte> chunk) {
  ChunkHeader header;
  std::memcpy(static_cast<void*>(&header), chunk.data(), sizeof(header));
  return header;
}

/// The part of a header that the mark covers: everything after the mark.
std::span<const std::byte> covered(const ChunkHeader& header) {
  return std::as_bytes(std::span(&header, 1)).subspan(sizeof(Mark));
}

/// Writes `bytes` at `at`, overwriting or extending the frame.
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
  PeerState& peer = peers_[id.index()];
  const auto early = std::exchange(peer.early, {});
  auto aead = std::exchange(peer.aead, {});
  peer = PeerState{};
  peer.hearing = Hearing::Now;
  peer.aead = std::move(aead);
  for (const auto& chunk : early)
    admit(peer, header_of(chunk), std::span(chunk).subspan(sizeof(ChunkHeader)), nullptr);
}

void Assembler::forget(NodeId id) {
  PeerState& peer = peers_[id.index()];
  peer = PeerState{};
  peer.hearing = Hearing::NoMore;
}

/// Chunks of a peer that was not announced yet are verified and kept, and admitted by listen_to.
bool Assembler::take(std::span<const std::byte> head, Frame& room, std::size_t payload_bytes) {
  if (head.size() != sizeof(ChunkHeader) || payload_bytes > std::min(room.size(), kChunkPayload))
    return false;
  const ChunkHeader header = header_of(head);
  if (header.to != self_.value()) return false;
  if (header.from >= peers_.size()) return false;
  PeerState& peer = peers_[header.from];
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

bool Assembler::unseal(PeerState& peer, const ChunkHeader& header, std::span<std::byte> payload) {
  if (!peer.aead) peer.aead = Aead(secrecy_.key(header));
  return peer.aead->unseal(header.number, covered(header), payload, secrecy_.encrypted,
                           header.mark);
}

/// Accepts a verified chunk with the expected number. `room`: the buffer of the payload, if it may
/// become the frame.
bool Assembler::admit(PeerState& peer, const ChunkHeader& header,
                      std::span<const std::byte> payload, Frame* room) {
  peer.acknowledged = std::max(peer.acknowledged, header.acknowledged);
  peer.wants_answer = peer.wants_answer || header.kind != ChunkKind::Acknowledge;
  if (header.kind == ChunkKind::Data) return accept(peer, header, payload, room);
  ++peer.expected;
  return true;
}

bool Assembler::accept(PeerState& peer, const ChunkHeader& header,
                       std::span<const std::byte> payload, Frame* room) {
  const bool keep_room = room != nullptr && header.offset == 0 && !payload.empty() &&
                         payload.size() == header.frame_bytes && payload.size() >= room->size() / 2;
  if (header.offset == 0) {
    peer.frame_bytes = header.frame_bytes;
    // Reserve at once: growing the frame would repeatedly copy gigabytes.
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

namespace {

constexpr std::size_t kReceives = 32;
/// Chunks per peer that libfabric may hold. Each peer has its own share, so that a peer that does
/// not receive cannot hold up frames to other peers.
constexpr std::size_t kSendsPerPeer = 32;
constexpr Duration kConnecting = std::chrono::milliseconds(1);
/// Longer than a half round trip of 64 KiB, because being woken costs as much again.
constexpr Duration kOfiSpin = std::chrono::microseconds(100);

struct Outgoing {
  std::shared_ptr<Frame> frame;  // chunks in flight are sent from this memory
  Envelope envelope;
  std::size_t offset = 0;
};

struct OfiPeer {
  std::optional<Datagrams::Name> name;
  Aead aead;
  OfiLink link;
  std::deque<Outgoing> queue;
  Datagram* sealed = nullptr;  // the next chunk: it has a number already, which must not be reused
  std::size_t under_way = 0;   // send slots that libfabric holds
  bool broken = false;         // a chunk was lost, and the peer would accept none after it
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
  Duration spin() const override { return crowded_ ? Duration::zero() : kOfiSpin; }
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
  std::vector<std::unique_ptr<Datagram>> slots_;  // declared before end_, which uses them
  std::unique_ptr<Datagrams> end_;
  Doorbell bell_;
  Backoff backoff_;
  std::vector<OfiPeer> peers_;
  std::atomic<std::size_t> queued_{0};
  std::size_t under_way_ = 0;  // send slots that libfabric holds for living peers
  std::vector<Datagram*> free_sends_;
  std::vector<Datagram*> unposted_;
  Assembler assembler_;
  std::uint64_t dropped_ = 0;
};

Status Ofi::open(const OfiOptions& options) {
  // Some providers reserve the upper bits of a tag.
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

/// Seals one chunk and passes it to libfabric, now or as soon as it accepts it. False if an earlier
/// chunk still waits, or the peer's share of slots is used up.
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
  assembler_.answer_sent(to);
  peer.sealed = &slot;
  ++queued_;
  (void)hand_over(to);
  return true;
}

/// Passes the waiting sealed chunk, if any, to libfabric; false if it does not accept it now.
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

/// Passes the queued frames of one peer to libfabric, as far as it accepts them.
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
  if (!peer.name) return;  // the peer is gone, and its slots are no longer counted
  --peer.under_way;
  --under_way_;
}

void Ofi::finished(const Datagrams::Done& done) {
  Datagram& slot = *done.datagram;
  if (slot.is_send) {
    // A failed send has lost a chunk for good. The rendezvous decides which node is at fault.
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

namespace {

Result<std::uint64_t> number_variable(std::string_view name) {
  const std::string_view text = variable(::environ, name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return fail(input_error(std::string(name), format("'{}' is not a number", text),
                            "let `leeway launch` start the processes"));
  }
  return value;
}

/// Machine name and data address as one text for the rendezvous.
std::string join_address(const std::string& data, const std::string& machine) {
  return format("{}:", machine) + data;
}

/// Opens this node's endpoint and registers the addresses of all others.
Status enter(JobSetup& setup, const OfiOptions& network, std::uint32_t generation) {
  LEEWAY_ASSIGN(auto wire, open_ofi(network));
  LEEWAY_TRY(setup.membership->enter(network.self, join_address(wire->address(), host_name()),
                                     generation));
  std::vector<std::string> peers;
  setup.neighbours = 0;
  for (const std::string& address : setup.membership->peers()) {
    const std::size_t colon = address.find(':');
    if (address.substr(0, colon) == host_name()) ++setup.neighbours;
    peers.push_back(colon == std::string::npos ? "" : address.substr(colon + 1));
  }
  LEEWAY_TRY(wire->meet(peers));
  wire->set_neighbours(setup.neighbours);
  setup.wire = std::move(wire);
  return {};
}

/// Each generation has another secret, so that nothing from an earlier one is taken as valid.
Result<JobSetup> join_generation(OfiOptions network, const std::string& rendezvous,
                                 Duration verdict, std::uint32_t generation) {
  JobSetup setup;
  setup.fabric = Fabric::Ofi;
  LEEWAY_ASSIGN(setup.membership, Membership::connect(rendezvous, network.secret, verdict));
  network.host = setup.membership->local_address();
  if (generation > 0) network.secret = network.secret.derive(format("generation {}", generation));
  if (const Status entered = enter(setup, network, generation); !entered) {
    setup.membership->send_now(report_of(network.self, entered));
    return fail(entered.error());
  }
  return setup;
}

}  // namespace

Result<std::unique_ptr<Job>> join_ofi_job(const JobOptions& given) {
  raise_descriptor_limit();
  JobOptions options = given;
  const std::string rendezvous(variable(::environ, "LEEWAYJOB_RENDEZVOUS"));
  if (rendezvous.empty()) {
    return fail(input_error("--fabric", "ofi needs leeway launch",
                            "as in leeway launch -n 2 -- run pagerank web.txt"));
  }
  LEEWAY_ASSIGN(const Secret secret, Secret::from_text(variable(::environ, "LEEWAYJOB_SECRET")));
  ::unsetenv("LEEWAYJOB_SECRET");  // hide it from child processes
  LEEWAY_ASSIGN(const std::uint64_t node, number_variable("LEEWAYJOB_NODE"));
  LEEWAY_ASSIGN(const std::uint64_t nodes, number_variable("LEEWAYJOB_NODES"));
  LEEWAY_ASSIGN(const std::uint64_t verdict_ms, number_variable("LEEWAYJOB_VERDICT_MS"));
  LEEWAY_ASSIGN(const std::uint64_t encrypt, number_variable("LEEWAYJOB_ENCRYPT"));
  LEEWAY_ASSIGN(const std::uint64_t replaces, number_variable("LEEWAYJOB_REPLACES"));
  LEEWAY_ASSIGN(const std::uint64_t generation, number_variable("LEEWAYJOB_GENERATION"));
  options.verdict = std::chrono::milliseconds(verdict_ms);
  std::string provider = options.provider;
  if (provider.empty()) provider = variable(::environ, "LEEWAYJOB_PROVIDER");
  if (provider.empty()) provider = "tcp;ofi_rxm";
  const OfiOptions network = {.provider = provider,
                              .host = "",
                              .self = NodeId(static_cast<std::uint32_t>(node)),
                              .nodes = static_cast<std::uint32_t>(nodes),
                              .secret = secret,
                              .encrypt = encrypt != 0};
  const auto join = [network, rendezvous, verdict = options.verdict](std::uint32_t number) {
    return join_generation(network, rendezvous, verdict, number);
  };
  LEEWAY_ASSIGN(JobSetup setup, join(static_cast<std::uint32_t>(generation)));
  if (replaces != 0) setup.join_again = join;
  setup.generation = static_cast<std::uint32_t>(generation);
  return std::make_unique<ProcessJob>(std::move(setup), options);
}

}  // namespace leeway
