#include "transport/wire_transport.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/check.h"

namespace leeway {

namespace {

constexpr Duration kYield = std::chrono::microseconds(60);
constexpr Duration kYieldCrowded = std::chrono::microseconds(10);
constexpr Duration kShortestRest = std::chrono::microseconds(20);
constexpr Duration kShortestCrowded = std::chrono::microseconds(50);
constexpr Duration kLongestRest = std::chrono::microseconds(1200);

}  // namespace

Doorbell::Doorbell() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  LEEWAY_CHECK(descriptor_ >= 0);
}

Doorbell::~Doorbell() { ::close(descriptor_); }

void Doorbell::ring() const {
  const std::uint64_t one = 1;
  (void)!::write(descriptor_, &one, sizeof(one));
}

void Doorbell::answer() const {
  std::uint64_t rings = 0;
  (void)!::read(descriptor_, &rings, sizeof(rings));
}

void Doorbell::wait(Duration most, int other) const {
  if (most <= Duration::zero()) return;
  constexpr Duration::rep kSecond = 1'000'000'000;
  const timespec time{.tv_sec = most.count() / kSecond, .tv_nsec = most.count() % kSecond};
  pollfd ends[2] = {{.fd = descriptor_, .events = POLLIN, .revents = 0},
                    {.fd = other, .events = POLLIN, .revents = 0}};
  const int ready = ::ppoll(ends, other < 0 ? 1 : 2, &time, nullptr);
  if (ready > 0 && ends[0].revents != 0) answer();
}

void Backoff::rest(Duration idle, Duration most, bool crowded) const {
  if (idle < (crowded ? kYieldCrowded : kYield)) {
    ::sched_yield();
    return;
  }
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  (void)exact;
  const Duration length = crowded ? std::clamp(idle / 2, kShortestCrowded, kLongestRest)
                                  : std::clamp(idle / 8, kShortestRest, kLongestRest);
  bell_.wait(std::min(length, most));
}

template class BasicWatcherElection<StandardThreads>;

namespace {

constexpr std::size_t kPullAtOnce = 64;
constexpr int kLooksPerClock = 4;  // reading the clock can take as long as polling the wire
constexpr Duration kLongestReceiverRest = std::chrono::milliseconds(100);
constexpr Duration kBetweenTries = std::chrono::microseconds(20);
constexpr Duration kGiveWay = std::chrono::microseconds(200);
constexpr Duration kRestWhenFull = std::chrono::milliseconds(1);

}  // namespace

WireTransport::WireTransport(std::unique_ptr<Wire> wire, std::uint64_t window_bytes)
    : wire_(std::move(wire)),
      self_(wire_->self()),
      window_bytes_(window_bytes),
      peers_(wire_->node_count(), WirePeer{CreditWindow(window_bytes)}) {}

WireTransport::~WireTransport() { join(); }

/// Threads in a loop release the lock only for moments; sleep so that a thread in try_lock_for gets
/// it.
std::unique_lock<std::mutex> WireTransport::lock() {
  if (lock_requested_.load(std::memory_order_relaxed)) std::this_thread::sleep_for(kGiveWay);
  return std::unique_lock(mutex_);
}

SendOutcome WireTransport::send(NodeId to, Frame& frame) {
  LEEWAY_CHECK(to.index() < peers_.size());
  const std::size_t bytes = frame.size();
  const std::uint64_t weight = CreditWindow::weight(bytes);
  const auto locked = lock();
  WirePeer& peer = peers_[to.index()];
  if (peer.down) return SendOutcome::Sent;
  if (!peer.window.admits(weight)) return SendOutcome::Full;
  if (to == self_) {
    arrivals_.push_back({self_, News::Data, std::move(frame)});
    announce();
  } else {
    const Envelope envelope{.credit = peer.window.unreturned(), .carries = 1};
    if (!wire_->send(to, envelope, frame)) {
      wire_full_ = true;
      return SendOutcome::Full;
    }
    peer.window.returned();
  }
  peer.window.sent(weight);
  frames_sent_.fetch_add(1, std::memory_order_relaxed);
  bytes_sent_.fetch_add(bytes, std::memory_order_relaxed);
  return SendOutcome::Sent;
}

/// Moves arrived packets from the wire to arrivals_; true if there were any. Requires mutex_.
bool WireTransport::pull(std::size_t most) {
  bool any = false;
  for (std::size_t count = 0; count < most && wire_->receive(packet_); ++count) {
    any = true;
    WirePeer& peer = peers_[packet_.from.index()];
    if (peer.down) continue;
    if (packet_.envelope.credit > 0)
      room_again_ = peer.window.credited(packet_.envelope.credit) || room_again_;
    if (packet_.envelope.carries == 0) continue;
    arrivals_.push_back({packet_.from, News::Data, std::move(packet_.frame)});
  }
  if (!peers_awaiting_credit_.empty()) return_credits();
  return any;
}

/// Sends credit messages to the peers whose credit exceeds the threshold. Requires mutex_.
void WireTransport::return_credits() {
  std::erase_if(peers_awaiting_credit_, [this](NodeId id) {
    WirePeer& peer = peers_[id.index()];
    // Below the threshold if a frame has carried the credit meanwhile.
    if (peer.down || !peer.window.worth_a_message()) return true;
    Frame none;
    if (!wire_->send(id, {.credit = peer.window.unreturned(), .carries = 0}, none)) return false;
    peer.window.returned();
    return true;
  });
}

std::size_t WireTransport::poll(FrameSink& sink, std::size_t most) {
  {
    const auto locked = lock();
    for (WireArrival& arrival : taken_) {
      if (arrival.news == News::Data && arrival.from != self_)
        wire_->reuse(std::move(arrival.frame));
    }
    taken_.clear();
    make_changes();
    if (arrivals_.empty()) pull(std::min(most, kPullAtOnce));
    // Room in a window is not a frame, so this poll's result would not inform a thread that waits
    // for room.
    if (std::exchange(room_again_, false)) announce();
    while (!arrivals_.empty() && taken_.size() < most) {
      taken_.push_back(std::move(arrivals_.front()));
      arrivals_.pop_front();
      account(taken_.back());
    }
    if (!peers_awaiting_credit_.empty()) return_credits();
  }
  if (taken_.empty()) return 0;
  polls_.fetch_add(1, std::memory_order_relaxed);
  std::size_t bytes = 0;
  std::size_t frames = 0;
  for (const WireArrival& arrival : taken_) {
    if (arrival.news == News::Down) {
      sink.on_peer_down(arrival.from);
      continue;
    }
    ++frames;
    bytes += arrival.frame.size();
    sink.on_frame(arrival.from, arrival.frame);
  }
  frames_received_.fetch_add(frames, std::memory_order_relaxed);
  bytes_received_.fetch_add(bytes, std::memory_order_relaxed);
  return taken_.size();
}

void WireTransport::put_back(std::vector<std::pair<NodeId, Frame>> frames) {
  if (frames.empty()) return;
  const auto locked = lock();
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    frames_received_.fetch_sub(1, std::memory_order_relaxed);
    bytes_received_.fetch_sub(frame->second.size(), std::memory_order_relaxed);
    arrivals_.push_front({frame->first, News::Again, std::move(frame->second)});
  }
  announce();
}

/// A frame is about to be delivered: credits its sender. Requires mutex_.
void WireTransport::account(const WireArrival& arrival) {
  WirePeer& peer = peers_[arrival.from.index()];
  if (arrival.news != News::Data || peer.down) return;
  const std::uint64_t weight = CreditWindow::weight(arrival.frame.size());
  if (arrival.from == self_) {
    if (peer.window.credited(weight)) announce();
  } else if (peer.window.handed_on(weight)) {
    peers_awaiting_credit_.push_back(arrival.from);
  }
}

void WireTransport::announce() {
  if (watchers_.announce()) wire_->interrupt();
}

/// Polls the wire several times unless another thread uses it; true if a packet arrived, which ends
/// the wait.
bool WireTransport::look_often(const Wait& wait) {
  const std::unique_lock locked(mutex_, std::try_to_lock);
  bool arrived = false;
  for (int look = 0; locked && look < kLooksPerClock && !arrived && !watchers_.over(wait); ++look)
    arrived = pull(1);
  if (arrived) watchers_.note_arrival();
  return arrived;
}

/// Polls for a short time, for wires with a latency below the cost of sleeping; true if the wait is
/// over.
bool WireTransport::spin(const Wait& wait) {
  const Instant until = watchers_.last_event() + wire_->spin();
  while (!watchers_.over(wait)) {
    if (look_often(wait)) return true;
    if (clock_.now() >= until) return false;
  }
  return true;
}

void WireTransport::wait(std::uint64_t seen, std::optional<Instant> deadline) {
  const Wait wait{seen, deadline};
  const bool spins = wire_->spin() > Duration::zero();
  // Before reading the clock, which takes as long as several polls.
  const bool arrived = spins && look_often(wait);
  // An answer may arrive soon, so the watcher should poll at short intervals again.
  if (!arrived || watchers_.rests()) watchers_.note_event();
  if (arrived || (spins && spin(wait))) return;
  if (wire_->rest_is_blind() && watchers_.rests()) wire_->interrupt();
  if (!watchers_.stand(wait)) return;
  while (!watchers_.over(wait)) {
    bool may_rest = true;
    {
      const auto locked = lock();
      make_changes();
      if (pull(kPullAtOnce)) watchers_.note_arrival();
      may_rest = wire_->may_rest();
    }
    if (may_rest) rest(wait);
  }
  watchers_.step_down();
}

void WireTransport::rest(const Wait& wait) {
  if (watchers_.may_rest(wait)) {
    const Instant now = clock_.now();
    Duration most = wire_full_.load() ? kRestWhenFull : kLongestReceiverRest;
    if (wait.deadline) most = std::min(most, *wait.deadline - now);
    wire_->rest(watchers_.idle(), most);
  }
  watchers_.rested();
  if (wire_full_.exchange(false)) announce();
}

void WireTransport::take_down(NodeId id) {
  {
    const std::lock_guard locked(changes_mutex_);
    gone_.push_back(id);
    changed_ = true;
  }
  if (const std::unique_lock locked(mutex_, std::try_to_lock); locked) make_changes();
  announce();
}

/// Applies pending take_down calls. Requires mutex_.
void WireTransport::make_changes() {
  if (!changed_.load(std::memory_order_relaxed)) return;
  std::vector<NodeId> gone;
  {
    const std::lock_guard locked(changes_mutex_);
    gone.swap(gone_);
    changed_ = false;
  }
  for (const NodeId id : gone) {
    WirePeer& peer = peers_[id.index()];
    if (peer.down) continue;
    while (pull(kPullAtOnce)) {
    }
    wire_->drop(id);
    peer = {.window = CreditWindow(window_bytes_), .down = true};
    arrivals_.push_back({id, News::Down, {}});
  }
}

std::unique_lock<std::mutex> WireTransport::try_lock_for(Duration most) {
  const Instant until = clock_.now() + most;
  std::unique_lock locked(mutex_, std::try_to_lock);
  while (!locked && clock_.now() < until) {
    lock_requested_ = true;
    std::this_thread::sleep_for(kBetweenTries);
    (void)locked.try_lock();
  }
  lock_requested_ = false;
  return locked;
}

bool WireTransport::close_wire(Duration most) {
  wire_closed_ = wire_closed_ || try_lock_for(most).release() != nullptr;
  return wire_closed_;
}

bool WireTransport::try_with_wire(Duration most, const std::function<void(Wire&)>& act) {
  if (wire_closed_) return false;
  std::unique_lock locked = try_lock_for(most);
  if (!locked) return false;
  make_changes();
  const bool any = pull(kPullAtOnce);
  act(*wire_);
  locked.unlock();
  if (any) announce();
  return true;
}

void WireTransport::pump() {
  bool any = false;
  {
    const auto locked = lock();
    make_changes();
    any = pull(kPullAtOnce);
  }
  if (any) announce();
}

bool WireTransport::drain(Instant deadline) {
  while (true) {
    {
      const auto locked = lock();
      make_changes();
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
