#include "leeway/transport/wire_transport.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "leeway/base/check.h"

namespace leeway {

namespace {

constexpr std::uint64_t kFrameOverhead = 64;  // so that a flood of empty frames is bounded too
constexpr std::size_t kPullAtOnce = 64;
constexpr Duration kLongestRest = std::chrono::milliseconds(100);
constexpr Duration kSoonestLook = std::chrono::microseconds(200);
constexpr Duration kLatestLook = std::chrono::milliseconds(10);
constexpr Duration kRestWhenFull = std::chrono::milliseconds(1);

}  // namespace

WireTransport::WireTransport(std::unique_ptr<Wire> wire, std::uint64_t window_bytes)
    : wire_(std::move(wire)),
      self_(wire_->self()),
      window_bytes_(window_bytes),
      peers_(wire_->node_count()),
      last_event_ns_(clock_.now().time_since_epoch().count()),
      last_poll_ns_(last_event_ns_.load()) {}

WireTransport::~WireTransport() { join(); }

std::uint64_t WireTransport::weight(std::size_t bytes) { return bytes + kFrameOverhead; }

SendOutcome WireTransport::send(NodeId to, Frame& frame) {
  LEEWAY_CHECK(to.index() < peers_.size());
  const std::size_t bytes = frame.size();
  const std::uint64_t weighs = weight(bytes);
  const std::lock_guard locked(mutex_);
  Peer& peer = peers_[to.index()];
  if (peer.down) return SendOutcome::Sent;
  // The receiver keeps up to a quarter of the window to itself before it tells: less than that under way
  // may mean nothing at all is, and then a frame larger than the window must pass.
  if (peer.under_way >= credit_threshold() && peer.under_way + weighs > window_bytes_) {
    peer.refused = true;
    return SendOutcome::Full;
  }
  if (to == self_) {
    arrivals_.push_back({self_, News::Data, peer.life, std::move(frame)});
    announce();
  } else {
    const Envelope envelope{.credit = static_cast<std::uint32_t>(peer.unreturned_credit),
                            .carries = 1};
    if (!wire_->send(to, envelope, frame)) {
      wire_full_ = true;
      return SendOutcome::Full;
    }
    peer.unreturned_credit = 0;
  }
  peer.under_way += weighs;
  frames_sent_.fetch_add(1, std::memory_order_relaxed);
  bytes_sent_.fetch_add(bytes, std::memory_order_relaxed);
  return SendOutcome::Sent;
}

/// Takes what has arrived off the wire; true if there was anything. Locked.
bool WireTransport::pull(std::size_t most) {
  bool any = false;
  for (std::size_t count = 0; count < most && wire_->receive(packet_); ++count) {
    any = true;
    Peer& peer = peers_[packet_.from.index()];
    if (peer.down) continue;
    if (packet_.envelope.credit > 0) {
      peer.under_way -= std::min<std::uint64_t>(peer.under_way, packet_.envelope.credit);
      room_again_ = std::exchange(peer.refused, false) || room_again_;
    }
    if (packet_.envelope.carries == 0) continue;
    arrivals_.push_back({packet_.from, News::Data, peer.life, std::move(packet_.frame)});
  }
  if (!peers_awaiting_credit_.empty()) return_credits();
  if (any) note_event();
  return any;
}

Duration WireTransport::since_event() const {
  const Duration since = clock_.now().time_since_epoch() - Duration(last_event_ns_.load());
  return std::max(since, Duration::zero());
}

void WireTransport::note_event() {
  last_event_ns_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
}

/// Tells senders that their frames were handed on, once it is worth a message of its own. Locked.
void WireTransport::return_credits() {
  std::erase_if(peers_awaiting_credit_, [this](NodeId id) {
    Peer& peer = peers_[id.index()];
    if (peer.down || peer.unreturned_credit < credit_threshold())
      return true;  // too little, or told with a frame
    Frame none;
    const Envelope envelope{.credit = static_cast<std::uint32_t>(peer.unreturned_credit),
                            .carries = 0};
    if (!wire_->send(id, envelope, none)) return false;
    peer.unreturned_credit = 0;
    return true;
  });
}

std::size_t WireTransport::poll(FrameSink& sink, std::size_t most) {
  taken_.clear();
  {
    const std::lock_guard locked(mutex_);
    if (arrivals_.empty()) pull(std::min(most, kPullAtOnce));
    // Room is no frame: whoever waits for it would not learn of it from what this poll returns.
    if (std::exchange(room_again_, false)) announce();
    while (!arrivals_.empty() && taken_.size() < most) {
      taken_.push_back(std::move(arrivals_.front()));
      arrivals_.pop_front();
      account(taken_.back());
    }
    if (!peers_awaiting_credit_.empty()) return_credits();
  }
  if (taken_.empty()) return 0;
  last_poll_ns_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  std::size_t bytes = 0;
  std::size_t frames = 0;
  for (const Arrival& arrival : taken_) {
    if (arrival.news == News::Data) {
      ++frames;
      bytes += arrival.frame.size();
      sink.on_frame(arrival.from, arrival.frame);
    } else if (arrival.news == News::Down) {
      sink.on_peer_down(arrival.from);
    } else {
      sink.on_peer_up(arrival.from);
    }
  }
  frames_received_.fetch_add(frames, std::memory_order_relaxed);
  bytes_received_.fetch_add(bytes, std::memory_order_relaxed);
  return taken_.size();
}

void WireTransport::put_back(std::vector<std::pair<NodeId, Frame>> frames) {
  constexpr std::uint64_t kAccounted = std::numeric_limits<std::uint64_t>::max();  // no peer's life
  if (frames.empty()) return;
  const std::lock_guard locked(mutex_);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    frames_received_.fetch_sub(1, std::memory_order_relaxed);
    bytes_received_.fetch_sub(frame->second.size(), std::memory_order_relaxed);
    arrivals_.push_front({frame->first, News::Data, kAccounted, std::move(frame->second)});
  }
  announce();
}

/// A frame is about to be handed on: its sender may send as much again. Locked.
void WireTransport::account(const Arrival& arrival) {
  Peer& peer = peers_[arrival.from.index()];
  if (arrival.news != News::Data || arrival.life != peer.life) return;
  if (arrival.from == self_) {
    peer.under_way -= weight(arrival.frame.size());
    if (std::exchange(peer.refused, false)) announce();
    return;
  }
  const bool worth_telling = peer.unreturned_credit >= credit_threshold();
  peer.unreturned_credit += weight(arrival.frame.size());
  if (!worth_telling && peer.unreturned_credit >= credit_threshold())
    peers_awaiting_credit_.push_back(arrival.from);
}

void WireTransport::announce() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (resting_.load(std::memory_order_seq_cst)) wire_->interrupt();
  if (followers_.load(std::memory_order_seq_cst) == 0) return;
  { const std::lock_guard locked(watch_mutex_); }
  watch_.notify_all();
}

/// Looks again and again for a moment, where the wire is faster than going to sleep; true if over.
bool WireTransport::spin(const Wait& wait) {
  const Instant until = Instant(Duration(last_event_ns_.load())) + wire_->spin();
  while (!over(wait)) {
    if (std::unique_lock locked(mutex_, std::try_to_lock); locked && pull(1)) {
      locked.unlock();
      note_arrival();
      return true;
    }
    if (clock_.now() >= until) return false;
  }
  return true;
}

bool WireTransport::over(const Wait& wait) const {
  return epoch_.load(std::memory_order_seq_cst) != wait.seen ||
         (wait.deadline && clock_.now() >= *wait.deadline);
}

/// One of the waiting threads watches the wire, the others sleep and look now and then whether somebody
/// still does; if not, one takes the place.
void WireTransport::wait(std::uint64_t seen, std::optional<Instant> deadline) {
  const Wait wait{seen, deadline};
  note_event();  // an answer may be on its way: whoever watches should look often again
  if (wire_->spin() > Duration::zero() && spin(wait)) return;
  if (!become_watcher(wait)) return;
  while (!over(wait)) {
    bool may_rest = true;
    {
      const std::lock_guard locked(mutex_);
      if (pull(kPullAtOnce)) note_arrival();
      may_rest = wire_->may_rest();
    }
    if (may_rest) rest(wait);
  }
  const std::lock_guard watching(watch_mutex_);
  watched_ = false;
}

/// The watcher's own: it is about to return and will poll, and most often be back at once. Waking the others
/// for each arrival would cost more than the arrival; they look by themselves whether the watch is kept.
void WireTransport::note_arrival() { epoch_.fetch_add(1, std::memory_order_seq_cst); }

/// False if the wait is over before this thread's turn came.
bool WireTransport::become_watcher(const Wait& wait) {
  std::unique_lock watching(watch_mutex_);
  if (watched_ && wire_->rest_is_blind() && resting_.load()) wire_->interrupt();
  followers_.fetch_add(1, std::memory_order_seq_cst);
  while (watched_ && !over(wait)) {
    Duration look = std::clamp(since_event() / 4, kSoonestLook, kLatestLook);
    if (wait.deadline) look = std::clamp(*wait.deadline - clock_.now(), Duration::zero(), look);
    watch_.wait_for(watching, look);
  }
  followers_.fetch_sub(1, std::memory_order_seq_cst);
  if (over(wait)) return false;
  watched_ = true;
  return true;
}

void WireTransport::rest(const Wait& wait) {
  resting_.store(true, std::memory_order_seq_cst);
  if (!over(wait)) {
    const Instant now = clock_.now();
    Duration most = wire_full_.load() ? kRestWhenFull : kLongestRest;
    if (wait.deadline) most = std::min(most, *wait.deadline - now);
    wire_->rest(since_event(), most);
  }
  resting_.store(false, std::memory_order_seq_cst);
  if (wire_full_.exchange(false)) announce();
}

void WireTransport::take_down(NodeId id) {
  {
    const std::lock_guard locked(mutex_);
    Peer& peer = peers_[id.index()];
    if (peer.down) return;
    while (pull(kPullAtOnce)) {
    }
    wire_->drop(id);
    peer = {.life = peer.life + 1, .down = true};
    arrivals_.push_back({id, News::Down, peer.life, {}});
  }
  announce();
}

void WireTransport::connect_peer(NodeId id, std::uint32_t life, const std::string& address) {
  {
    const std::lock_guard locked(mutex_);
    Peer& peer = peers_[id.index()];
    peer = {.life = peer.life + 1};
    wire_->admit(id, life, address);
    arrivals_.push_back({id, News::Up, peer.life, {}});
  }
  announce();
}

void WireTransport::pump() {
  bool any = false;
  {
    const std::lock_guard locked(mutex_);
    any = pull(kPullAtOnce);
  }
  if (any) announce();
}

bool WireTransport::drain(Instant deadline) {
  while (true) {
    {
      const std::lock_guard locked(mutex_);
      pull(kPullAtOnce);
      arrivals_.clear();
      if (wire_->drained()) return true;
    }
    if (clock_.now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void WireTransport::spawn(std::string, std::function<void()> body) {
  const std::lock_guard locked(threads_mutex_);
  threads_.emplace_back(std::move(body));
}

void WireTransport::join() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard locked(threads_mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

TransportStats WireTransport::stats() const {
  return {frames_sent_.load(), bytes_sent_.load(), frames_received_.load(), bytes_received_.load()};
}

}  // namespace leeway
