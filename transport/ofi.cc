// The only file that speaks libfabric.
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/transport/backoff.h"
#include "leeway/transport/chunk.h"
#include "leeway/transport/ofi_wire.h"

namespace leeway {

namespace {

constexpr std::size_t kReceives = 64;
constexpr std::size_t kSends = 64;
constexpr Duration kConnecting = std::chrono::milliseconds(1);
constexpr Duration kSpin = std::chrono::microseconds(20);

template <class T>
struct Closer {
  void operator()(T* object) const { fi_close(&object->fid); }
};
template <class T>
using Owned = std::unique_ptr<T, Closer<T>>;
struct InfoCloser {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoCloser>;

/// A buffer libfabric works on; its context comes first, so a completion leads back to it.
struct Slot {
  fi_context2 context{};
  bool is_send = false;
  NodeId peer{0};
  std::vector<std::byte> bytes = std::vector<std::byte>(kChunkBytes);
};

struct Outgoing {
  Frame frame;
  Envelope envelope;
  std::size_t offset = 0;
};

struct OfiPeer {
  fi_addr_t address = FI_ADDR_NOTAVAIL;
  std::uint32_t life = 0;
  std::uint64_t number = 0;
  std::deque<Outgoing> queue;
  Instant stuck_since{};
  bool stuck = false;   // EAGAIN, or a send that failed, and nothing since
  bool broken = false;  // a chunk was lost: only a new life mends that
};

class Ofi final : public OfiWire {
 public:
  explicit Ofi(const OfiOptions& options)
      : self_(options.self),
        secret_(options.secret.derive("data")),
        peers_(options.nodes),
        assembler_(options.self, options.nodes, secret_) {
    const Secret tags = options.secret.derive("tag");
    tag_ = tags.mark({}) >> 8U;  // some providers keep the upper bits to themselves
  }
  ~Ofi() override {
    endpoint_.reset();
    queue_.reset();
    names_.reset();
  }
  Ofi(const Ofi&) = delete;
  Ofi& operator=(const Ofi&) = delete;

  Status open(const OfiOptions& options);

  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override { return static_cast<std::uint32_t>(peers_.size()); }
  const std::string& address() const override { return address_; }
  std::uint64_t dropped() const override { return dropped_; }
  Status meet(std::uint32_t own_life,
              const std::vector<std::pair<std::uint32_t, std::string>>& peers) override;
  void set_neighbours(std::uint32_t nodes) override {
    crowded_ = nodes > std::max(1u, std::thread::hardware_concurrency());
  }

  bool send(NodeId to, const Envelope& envelope, Frame& frame) override {
    OfiPeer& peer = peers_[to.index()];
    if (peer.life == 0) return true;
    peer.queue.push_back({std::move(frame), envelope, 0});
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
  bool drained() override {
    progress();
    return queued_ == 0 && free_sends_.size() == kSends;
  }
  Duration spin() const override { return crowded_ ? Duration::zero() : kSpin; }
  bool rest_is_blind() const override { return wait_descriptor_ < 0; }
  bool may_rest() override {
    if (wait_descriptor_ < 0) return true;
    fid* ids[] = {&queue_->fid};
    return fi_trywait(fabric_.get(), ids, 1) == FI_SUCCESS;
  }
  void rest(Duration idle, Duration most) override {
    if (wait_descriptor_ < 0) return backoff_.rest(idle, most, crowded_);
    bell_.wait(queued_.load() > 0 ? std::min(most, kConnecting) : most, wait_descriptor_);
  }
  void interrupt() override { wait_descriptor_ < 0 ? backoff_.interrupt() : bell_.ring(); }
  void drop(NodeId id) override {
    OfiPeer& peer = peers_[id.index()];
    queued_ -= peer.queue.size();
    if (peer.address != FI_ADDR_NOTAVAIL) fi_av_remove(names_.get(), &peer.address, 1, 0);
    peer = OfiPeer{};
    assembler_.listen_to(id, 0);
  }
  void admit(NodeId id, std::uint32_t life, const std::string& address) override {
    OfiPeer& peer = peers_[id.index()];
    peer = OfiPeer{};
    if (fi_av_insert(names_.get(), address.data(), 1, &peer.address, 0, nullptr) != 1) {
      log_warning("libfabric does not take the address of node {}", id);
      return;
    }
    peer.life = life;
    assembler_.listen_to(id, life);
  }
  NodeId stuck(Duration longer_than) override {
    const Instant now = clock_.now();
    for (std::uint32_t i = 0; i < peers_.size(); ++i) {
      const OfiPeer& peer = peers_[i];
      if ((peer.stuck || peer.broken) && now - peer.stuck_since > longer_than) return NodeId(i);
    }
    return NodeId::none();
  }

 private:
  void push(NodeId to);
  void fill(Slot& slot, NodeId to, OfiPeer& peer, std::size_t payload) const;
  void progress();
  void completed(Slot& slot, std::size_t bytes);
  void failed();
  void post(Slot& slot);
  void mark_stuck(OfiPeer& peer) {
    if (!std::exchange(peer.stuck, true)) peer.stuck_since = clock_.now();
  }

  const NodeId self_;
  const Secret secret_;
  std::uint64_t tag_ = 0;
  std::uint32_t own_life_ = 1;
  bool crowded_ = false;
  SteadyClock clock_;
  Info info_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> names_;
  Owned<fid_cq> queue_;
  Owned<fid_ep> endpoint_;
  std::string address_;
  int wait_descriptor_ = -1;
  Doorbell bell_;
  Backoff backoff_;
  std::vector<OfiPeer> peers_;
  std::atomic<std::size_t> queued_{0};
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_sends_;
  std::vector<Slot*> unposted_;
  Assembler assembler_;
  std::uint64_t dropped_ = 0;
};

/// Calls of libfabric give 0 or minus an error number.
Status check(ssize_t outcome, std::string_view what, const std::string& provider) {
  if (outcome >= 0) return {};
  return fail(environment_error(
      "ofi", format("provider {}: {}: {}", provider, what, fi_strerror(static_cast<int>(-outcome))),
      "leeway doctor shows which providers work; choose one with --provider"));
}

Result<Info> find_provider(const OfiOptions& options) {
  const Info hints(fi_allocinfo());
  hints->caps = FI_TAGGED;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->mr_mode = 0;
  hints->domain_attr->av_type = FI_AV_TABLE;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->fabric_attr->prov_name = ::strdup(options.provider.c_str());
  const bool by_address = options.provider.find("tcp") != std::string::npos;
  if (by_address) hints->addr_format = FI_SOCKADDR_IN;
  const char* const host = by_address && !options.host.empty() ? options.host.c_str() : nullptr;
  fi_info* found = nullptr;
  const int outcome = fi_getinfo(FI_VERSION(1, 15), host, host == nullptr ? nullptr : "0",
                                 host == nullptr ? 0 : FI_SOURCE, hints.get(), &found);
  LEEWAY_TRY(check(outcome, "reliable datagrams", options.provider));
  return Info(found);
}

Status Ofi::open(const OfiOptions& options) {
  LEEWAY_ASSIGN(info_, find_provider(options));
  const auto must = [&](ssize_t outcome, std::string_view what) {
    return check(outcome, what, options.provider);
  };
  fid_fabric* fabric = nullptr;
  LEEWAY_TRY(must(fi_fabric(info_->fabric_attr, &fabric, nullptr), "open the fabric"));
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  LEEWAY_TRY(must(fi_domain(fabric, info_.get(), &domain, nullptr), "open the domain"));
  domain_.reset(domain);
  fi_av_attr name_attributes{};
  name_attributes.type = FI_AV_TABLE;
  fid_av* names = nullptr;
  LEEWAY_TRY(must(fi_av_open(domain, &name_attributes, &names, nullptr), "open the address table"));
  names_.reset(names);
  fi_cq_attr queue_attributes{};
  queue_attributes.format = FI_CQ_FORMAT_MSG;
  queue_attributes.wait_obj = FI_WAIT_FD;
  fid_cq* queue = nullptr;
  if (fi_cq_open(domain, &queue_attributes, &queue, nullptr) != 0) {
    queue_attributes.wait_obj = FI_WAIT_NONE;  // shm: looked at now and then
    LEEWAY_TRY(must(fi_cq_open(domain, &queue_attributes, &queue, nullptr), "open the queue"));
  }
  queue_.reset(queue);
  if (queue_attributes.wait_obj == FI_WAIT_FD) {
    LEEWAY_TRY(must(fi_control(&queue->fid, FI_GETWAIT, &wait_descriptor_), "wait on the queue"));
  }
  fid_ep* endpoint = nullptr;
  LEEWAY_TRY(must(fi_endpoint(domain, info_.get(), &endpoint, nullptr), "open the endpoint"));
  endpoint_.reset(endpoint);
  LEEWAY_TRY(must(fi_ep_bind(endpoint, &names->fid, 0), "bind the address table"));
  LEEWAY_TRY(must(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "bind the queue"));
  LEEWAY_TRY(must(fi_enable(endpoint), "enable the endpoint"));
  char name[512];
  std::size_t length = sizeof(name);
  LEEWAY_TRY(must(fi_getname(&endpoint->fid, name, &length), "get the address"));
  address_.assign(name, length);
  for (std::size_t i = 0; i < kReceives + kSends; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->is_send = i >= kReceives;
    (slots_.back()->is_send ? free_sends_ : unposted_).push_back(slots_.back().get());
  }
  progress();
  return {};
}

Status Ofi::meet(std::uint32_t own_life,
                 const std::vector<std::pair<std::uint32_t, std::string>>& peers) {
  own_life_ = own_life;
  assembler_.set_life(own_life);
  for (std::uint32_t i = 0; i < peers.size(); ++i) {
    if (peers[i].first == 0 || NodeId(i) == self_) continue;
    admit(NodeId(i), peers[i].first, peers[i].second);
    if (peers_[i].life == 0) {
      return fail(environment_error("ofi", format("the address of node {} is not usable here", i),
                                    "use the same provider on every node"));
    }
  }
  return {};
}

void Ofi::fill(Slot& slot, NodeId to, OfiPeer& peer, std::size_t payload) const {
  const Outgoing& next = peer.queue.front();
  ChunkHeader header{.from = self_.value(),
                     .to = to.value(),
                     .from_life = own_life_,
                     .to_life = peer.life,
                     .number = peer.number,
                     .frame_bytes = next.frame.size(),
                     .offset = next.offset,
                     .envelope = next.envelope};
  header.mark = mark_of(header, secret_);
  std::memcpy(slot.bytes.data(), &header, sizeof(header));
  if (payload > 0) {
    std::memcpy(slot.bytes.data() + sizeof(header), next.frame.data() + next.offset, payload);
  }
}

/// Hands to libfabric what is queued for one peer, as far as it takes it.
void Ofi::push(NodeId to) {
  OfiPeer& peer = peers_[to.index()];
  while (!peer.queue.empty() && !free_sends_.empty() && !peer.broken) {
    Outgoing& next = peer.queue.front();
    const std::size_t payload = std::min(kChunkPayload, next.frame.size() - next.offset);
    Slot& slot = *free_sends_.back();
    fill(slot, to, peer, payload);
    slot.peer = to;
    const ssize_t outcome =
        fi_tsend(endpoint_.get(), slot.bytes.data(), sizeof(ChunkHeader) + payload, nullptr,
                 peer.address, tag_, &slot.context);
    if (outcome != 0) return mark_stuck(peer);
    free_sends_.pop_back();
    peer.stuck = false;
    ++peer.number;
    next.offset += payload;
    if (next.offset < next.frame.size()) continue;
    peer.queue.pop_front();
    --queued_;
  }
}

void Ofi::progress() {
  fi_cq_msg_entry entries[16];
  while (true) {
    const ssize_t count = fi_cq_read(queue_.get(), entries, std::size(entries));
    if (count == -FI_EAGAIN) break;
    if (count == -FI_EAVAIL) {
      failed();
      continue;
    }
    if (count < 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      completed(*reinterpret_cast<Slot*>(entries[i].op_context), entries[i].len);
    }
    if (static_cast<std::size_t>(count) < std::size(entries)) break;
  }
  for (std::size_t left = unposted_.size(); left > 0; --left) {
    Slot& slot = *unposted_.back();
    unposted_.pop_back();
    post(slot);
  }
  if (queued_ == 0) return;
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (!peers_[i].queue.empty()) push(NodeId(i));
  }
}

void Ofi::completed(Slot& slot, std::size_t bytes) {
  if (slot.is_send) {
    free_sends_.push_back(&slot);
    return;
  }
  if (!assembler_.take(std::span(slot.bytes).first(std::min(bytes, slot.bytes.size())))) ++dropped_;
  post(slot);
}

void Ofi::post(Slot& slot) {
  const ssize_t outcome = fi_trecv(endpoint_.get(), slot.bytes.data(), slot.bytes.size(), nullptr,
                                   FI_ADDR_UNSPEC, tag_, 0, &slot.context);
  if (outcome != 0) unposted_.push_back(&slot);
}

/// A send that failed has lost a chunk for good; who is to blame is decided by the rendezvous.
void Ofi::failed() {
  fi_cq_err_entry error{};
  if (fi_cq_readerr(queue_.get(), &error, 0) < 0) return;
  log_debug("libfabric: {}", fi_strerror(error.err));
  if (error.op_context == nullptr) return;
  Slot& slot = *reinterpret_cast<Slot*>(error.op_context);
  if (!slot.is_send) return unposted_.push_back(&slot);
  free_sends_.push_back(&slot);
  OfiPeer& peer = peers_[slot.peer.index()];
  ChunkHeader header;
  std::memcpy(static_cast<void*>(&header), slot.bytes.data(), sizeof(header));
  if (header.to_life != peer.life) return;  // of a life that is over
  if (!std::exchange(peer.broken, true)) peer.stuck_since = clock_.now();
}

}  // namespace

Result<std::unique_ptr<OfiWire>> open_ofi(const OfiOptions& options) {
  auto wire = std::make_unique<Ofi>(options);
  LEEWAY_TRY(wire->open(options));
  return wire;
}

}  // namespace leeway
