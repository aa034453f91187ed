#include "dsm/node.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "transport/membership.h"

namespace leeway {

namespace {

constexpr std::size_t kFramesPerPoll = 64;
constexpr std::size_t kMostSpans = 200'000;

}  // namespace

Node::Node(Transport& transport, NodeOptions options)
    : transport_(transport),
      options_(std::move(options)),
      outbox_(transport.node_count(), options_.policy.optimizations.aggregation),
      collective_(transport.self(), transport.node_count()),
      backlog_(transport.node_count()) {
  if (!options_.on_failure)
    options_.on_failure = [this](const Error& error) { transport_.end_node(error); };
  const int threads = options_.service == Service::Background ? 1
                      : options_.service == Service::Separate ? kSeparateThreads
                                                              : 0;
  for (int i = 0; i < threads; ++i) {
    if (options_.service == Service::Separate) {
      transport_.spawn_service([this] { serve(); });
    } else {
      transport_.spawn("service", [this] { serve(); });
    }
  }
}

Node::~Node() {
  closing_ = true;
  transport_.wake();
  transport_.join();
}

void Node::serve() {
  while (true) {
    const std::uint64_t ticket = transport_.ticket();
    if (closing_.load()) return;
    if (handle_messages()) {
      moves_by_service_.fetch_add(1, std::memory_order_relaxed);
    } else {
      transport_.wait(ticket, std::nullopt);
    }
  }
}

bool Node::progress() {
  if (options_.service != Service::Separate) return handle_messages();
  rouse_service();
  return false;
}

bool Node::has_to_send() {
  const std::lock_guard locked(mutex_);
  if (!outbox_.empty() || backlogged_ > 0) return true;
  return !std::all_of(spaces_.begin(), spaces_.end(),
                      [](const auto& space) { return space->idle(); });
}

void Node::rouse_service() {
  if (has_to_send()) transport_.wake();
}

void Node::pass_on(int own_waits) {
  if (waiting_.load(std::memory_order_relaxed) > own_waits || has_to_send()) {
    transport_.wake();
  } else {
    transport_.hand_over();
  }
}

bool Node::receive() {
  const bool arrived = poll();
  {
    const std::lock_guard locked(mutex_);
    ship();
  }
  if (arrived) pass_on(1);
  return arrived;
}

bool Node::handle_messages() {
  if (!keeps_times()) return move_messages(0);
  const Instant from = transport_.now();
  const bool moved = move_messages(0);
  if (moved) note(&NodeTimes::served, from, transport_.now());
  return moved;
}

void Node::keep_times(NodeTimes* times) {
  const std::lock_guard locked(mutex_);
  times_.store(times, std::memory_order_release);
}

void Node::note(NodeTimes::Spans NodeTimes::*kind, Instant from, Instant to) {
  if (times_.load(std::memory_order_relaxed) == nullptr) return;
  const std::lock_guard locked(mutex_);
  // Again under the lock, because keep_times may have ended the recording meanwhile.
  NodeTimes* const times = times_.load(std::memory_order_relaxed);
  if (times == nullptr) return;
  if ((times->*kind).size() < kMostSpans) (times->*kind).push_back({from, to});
}

bool Node::move_messages(int own_waits) {
  const bool arrived = poll();
  const bool sent = flush();
  // Another waiting thread may need what has arrived.
  if (arrived && waiting_.load(std::memory_order_relaxed) > own_waits) transport_.wake_users();
  if (!arrived && !sent) return false;
  moves_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Node::poll() {
  // By exchanges: a thread that finds the mutex taken has either set the flag before the polling
  // thread checks it, or comes after that check, when the polling thread has released the mutex.
  turned_away_.exchange(true);
  bool arrived = false;
  {
    const std::unique_lock polling(poll_mutex_, std::try_to_lock);
    if (!polling.owns_lock()) return false;
    turned_away_ = false;
    arrived = transport_.poll(*this, kFramesPerPoll) > 0;
  }
  // A thread that was turned away may have been woken for a later arrival and be about to sleep.
  // mutant: who-is-turned-away-from-a-poll-is-forgotten
  if (turned_away_.exchange(false)) transport_.wake();
  return arrived;
}

bool Node::flush() {
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) {
    if (!space->idle()) space->flush(outbox_, Flush::Ready);
  }
  const bool sent = !outbox_.empty();
  ship();
  return sent;
}

void Node::ship() {
  // mutant: what-is-held-back-is-forgotten
  if (backlogged_ > 0 && ship_backlog()) {
    for (const auto& space : spaces_) space->flush_kept(outbox_);
    // A thread that waits for room, perhaps this one, has checked before there was any.
    transport_.wake();
  }
  drained_.clear();
  outbox_.drain(drained_);
  for (OutFrame& frame : drained_) {
    auto& behind = backlog_[frame.to.index()];
    const bool sent = behind.empty() && transport_.send(frame.to, frame.bytes) == SendOutcome::Sent;
    if (sent) continue;
    // mutant: backlogged-peer-is-not-held
    outbox_.hold(frame.to, true);
    behind.push_back(std::move(frame.bytes));
    ++backlogged_;
  }
}

bool Node::ship_backlog() {
  bool made_way = false;
  for (std::size_t to = 0; to < backlog_.size(); ++to) {
    auto& frames = backlog_[to];
    if (frames.empty()) continue;
    const NodeId peer(static_cast<std::uint32_t>(to));
    while (!frames.empty() && transport_.send(peer, frames.front()) == SendOutcome::Sent) {
      frames.pop_front();
      --backlogged_;
    }
    if (!frames.empty()) continue;
    outbox_.hold(peer, false);
    made_way = true;
  }
  return made_way;
}

void Node::wait_for_room(NodeId peer) {
  wait_until([&] {
    const std::lock_guard locked(mutex_);
    return backlog_[peer.index()].size() < kMostWaitingFrames || failed();
  });
}

void Node::on_frame(NodeId from, std::span<const std::byte> frame) {
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    ByteReader in(frame);
    bool understood = true;
    while (understood && !in.at_end()) understood = dispatch(from, in);
    ship();
    error = take_error(from, understood && !in.failed());
  }
  if (error) fail(std::move(*error));
}

/// The error in the frame just handled, or caused by it. Requires the lock.
std::optional<Error> Node::take_error(NodeId from, bool understood) {
  if (late_error_) return std::exchange(late_error_, std::nullopt);
  if (!understood) return bad_frame(self(), from);
  if (!collective_.mismatch() || std::exchange(mismatch_reported_, true)) return std::nullopt;
  const auto& [peer, here, there] = *collective_.mismatch();
  if (here.kind == CollectiveKind::Close || there.kind == CollectiveKind::Close) {
    const bool returned_here = here.kind == CollectiveKind::Close;
    return input_error(
        format("node {}", self()),
        format("node {} has returned, but node {} waits in {}", returned_here ? self() : peer,
               returned_here ? peer : self(), collective_name((returned_here ? there : here).kind)),
        "call the same collectives in the same order on every node");
  }
  const auto words = [](const Collective::Call& call) {
    return format("{} with {} numbers", collective_name(call.kind), call.numbers);
  };
  return input_error(format("node {}", self()),
                     format("collective {} is {} here, but {} at node {}", collective_.wave(),
                            words(here), words(there), peer),
                     "call the same collectives in the same order on every node");
}

bool Node::dispatch(NodeId from, ByteReader& in) {
  const MessageHeader header = decode_header(in);
  if (in.failed()) return false;
  if (header.kind == MessageKind::Collective) return collective_.on_message(from, in, outbox_);
  if (header.space.index() >= spaces_.size()) return false;
  const bool understood = spaces_[header.space.index()]->on_message(header.kind, from, in, outbox_);
  ++handled_;
  if (carries_news(header.kind)) {
    ++handled_news_;
    ++handled_in_phase_[header.phase];
  }
  return understood;
}

void Node::on_peer_down(NodeId node) { fail(peer_is_gone(self(), node, evidence())); }

std::optional<Error> Node::failure() const {
  const std::lock_guard locked(failure_mutex_);
  return failure_;
}

void Node::fail(Error error) {
  {
    const std::lock_guard locked(failure_mutex_);
    if (!failure_) failure_ = error;
  }
  options_.on_failure(error);
  failed_.store(true, std::memory_order_release);
  transport_.wake();
}

NodeStats Node::stats() const {
  NodeStats stats;
  stats.transport = transport_.stats();
  const std::lock_guard locked(mutex_);
  stats.waiting_frames = backlogged_;
  stats.messages_sent = outbox_.messages();
  stats.messages_handled = handled_;
  stats.blocked_fetches = blocked_fetches_.load();
  stats.collectives = collectives_;
  stats.moves = moves_.load();
  stats.moves_by_service = moves_by_service_.load();
  stats.sent_by_kind = outbox_.kinds();
  return stats;
}

std::string Node::evidence() {
  const std::lock_guard locked(mutex_);
  std::string text =
      format("node {}: messages sent {}, handled {}\n", self(), outbox_.messages(), handled_);
  if (!collective_.done()) {
    for (const NodeId missing : collective_.missing()) {
      text += format("  in collective {} waits for node {}\n", collective_.wave(), missing);
    }
  }
  for (std::size_t to = 0; to < backlog_.size(); ++to) {
    if (!backlog_[to].empty())
      text += format("  {} frames wait for node {}\n", backlog_[to].size(), to);
  }
  for (const auto& space : spaces_) text += space->describe_waits();
  return text;
}

namespace {

// Collectives.
std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = mix64(name.size());
  for (const char letter : name) hash = mix64(hash ^ static_cast<unsigned char>(letter));
  return hash;
}

}  // namespace

Result<Space*> Node::open_space(const SpaceOptions& options, std::uint32_t value_bytes,
                                std::string_view type) {
  Space* opened = nullptr;
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    if (spaces_.size() >= SpaceId::none().value()) {
      return leeway::fail(input_error(options.name, format("{} spaces are open", spaces_.size()),
                                      "put more objects into fewer spaces"));
    }
    auto space = Space::make(*this, SpaceId(static_cast<std::uint16_t>(spaces_.size())), options,
                             value_bytes);
    if (space) {
      opened = space->get();
      spaces_.push_back(std::move(*space));
    } else {
      error = space.error();
    }
  }
  // All nodes must have opened the same space successfully before any node uses it.
  const std::uint64_t print = hash_name(options.name) ^ mix64(value_bytes) ^ mix64(hash_name(type));
  const std::uint64_t low = print & 0xFFFFFFFFu;
  const std::uint64_t high = print >> 32;
  const auto sums = sum_as(CollectiveKind::Open,
                           std::vector<std::uint64_t>{low, low * low, high, error ? 1u : 0u});
  if (error) return leeway::fail(*error);
  if (failed()) return leeway::fail(*failure());
  const std::uint64_t nodes = node_count();
  if (sums[3] > 0) {
    return leeway::fail(environment_error(options.name, "another node could not open this space",
                                          "see the messages of the other nodes"));
  }
  if (sums[0] != nodes * low || sums[1] != nodes * low * low || sums[2] != nodes * high) {
    return leeway::fail(
        input_error(options.name, "the nodes opened different spaces",
                    "open the same names and types in the same order on every node"));
  }
  return opened;
}

/// Flushes to held peers too: stores before a collective are known after it. Requires the lock.
void Node::flush_all() {
  for (const auto& space : spaces_) space->flush(outbox_, Flush::All);
}

void Node::enter(CollectiveKind kind, std::span<const std::uint64_t> numbers) {
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    if (failed()) return;  // the previous wave may not be done
    flush_all();
    enter_wave(kind, numbers);
    error = take_error(self(), true);
  }
  if (error) fail(std::move(*error));
}

void Node::enter_wave(CollectiveKind kind, std::span<const std::uint64_t> numbers) {
  collective_.enter(kind, numbers, outbox_);
  ++collectives_;
  ship();
}

std::vector<std::uint64_t> Node::sum_as(CollectiveKind kind,
                                        std::span<const std::uint64_t> numbers) {
  enter(kind, numbers);
  wait_until([this] {
    const std::lock_guard locked(mutex_);
    // mutant: a-failure-leaves-waiters
    return collective_.done() || failed();
  });
  const std::lock_guard locked(mutex_);
  if (failed()) return std::vector<std::uint64_t>(numbers.size(), 0);
  return {collective_.sums().begin(), collective_.sums().end()};
}

std::vector<std::uint64_t> Node::sum(std::span<const std::uint64_t> numbers) {
  std::vector<std::uint64_t> sums;
  do {
    const auto wave = numbers.first(std::min(numbers.size(), Collective::kMostNumbers));
    const auto part = sum_as(CollectiveKind::Sum, wave);
    sums.insert(sums.end(), part.begin(), part.end());
    numbers = numbers.subspan(wave.size());
  } while (!numbers.empty());
  return sums;
}

void Node::barrier() { release_and_acquire(CollectiveKind::Barrier, nullptr); }

void Node::fence(Space& space) { release_and_acquire(CollectiveKind::Fence, &space); }

void Node::relaxed_barrier() { sum_as(CollectiveKind::RelaxedBarrier, {}); }

void Node::release_and_acquire(CollectiveKind kind, Space* only) {
  await_news(kind);
  // A Write makes its home send Invalidates.
  const bool stored_remotely = std::any_of(spaces_.begin(), spaces_.end(), [](const auto& space) {
    return !space->policy().optimizations.collocation;
  });
  if (stored_remotely) await_news(kind);
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) {
    if (only == nullptr || space.get() == only) space->acquire(outbox_);
  }
  ship();
}

/// Each node gives the numbers of news that it has sent to each other in this phase, so the sum at a node's own
/// place is what it must have handled. The phase keeps later news of nodes that leave first out of the count.
void Node::await_news(CollectiveKind kind) {
  std::uint8_t phase = 0;
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    if (failed()) return;
    flush_all();
    phase = outbox_.phase();
    const std::vector<std::uint64_t> sent = outbox_.news_to();
    outbox_.begin_phase();
    enter_wave(kind, sent);
    error = take_error(self(), true);
  }
  if (error) fail(std::move(*error));
  wait_until([this, phase] {
    const std::lock_guard locked(mutex_);
    if (failed()) return true;
    // mutant: a-barrier-waits-for-no-news
    return collective_.done() && handled_in_phase_[phase] >= collective_.sums()[self().index()];
  });
}

bool Node::converged(bool vote_to_continue) {
  vote(vote_to_continue);
  wait_until([this] {
    const std::lock_guard locked(mutex_);
    return collective_.done() || failed();
  });
  return *verdict();
}

void Node::vote(bool to_continue, std::span<const std::uint64_t> extra) {
  LEEWAY_CHECK(!open_vote_.has_value());
  open_vote_ = to_continue;
  std::uint64_t stale = 0;
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  {
    const std::lock_guard locked(mutex_);
    flush_all();
    bool awaits_news = spaces_.empty();
    for (const auto& space : spaces_) {
      stale += space->stale_uses();
      awaits_news = awaits_news || space->policy().end != RunEnd::Voted;
    }
    if (awaits_news) {
      sent = outbox_.news();
      handled = handled_news_;
    }
  }
  const std::uint64_t stale_now = stale - std::exchange(stale_before_, stale);
  std::vector<std::uint64_t> numbers{to_continue ? 1u : 0u, stale_now, sent, handled};
  numbers.insert(numbers.end(), extra.begin(), extra.end());
  enter(CollectiveKind::Vote, numbers);
}

std::optional<bool> Node::verdict() {
  LEEWAY_CHECK(open_vote_.has_value());
  {
    const std::lock_guard locked(mutex_);
    if (!failed() && !collective_.done()) return std::nullopt;
  }
  if (failed()) {  // the verdict is `converged`
    open_vote_.reset();
    extra_sums_.assign(Collective::kMostNumbers, 0);
    return true;
  }
  open_vote_.reset();
  return conclude();
}

bool Node::conclude() {
  const auto sums = collective_.sums();
  const Ending verdict = termination_.decide({sums[0], sums[1], sums[2], sums[3]});
  extra_sums_.assign(sums.begin() + 4, sums.end());
  const bool only_staleness = sums[0] == 0 && sums[1] > 0;
  if (only_staleness) expire_stale_copies();
  return verdict == Ending::Converged;
}

/// All nodes agree to stop, but some used stale values, and a mode that never refreshes would use
/// them forever. The last iterations must see current objects (ASPIRE §4.2), so such copies become
/// misses here.
void Node::expire_stale_copies() {
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) {
    if (!space->policy().refresh) space->expire_stale(outbox_);
  }
  ship();
}

void Node::quiesce() { quiesce_as(CollectiveKind::Quiesce); }

void Node::quiesce_as(CollectiveKind kind) {
  // Repeats the sums until the messages handled by one wave equal the messages sent by the next.
  std::uint64_t handled_before = ~std::uint64_t{0};
  while (true) {
    std::uint64_t counts[2];
    {
      const std::lock_guard locked(mutex_);
      flush_all();
      counts[0] = outbox_.messages();
      counts[1] = handled_;
    }
    const auto sums = sum_as(kind, counts);
    if (sums[0] == handled_before || failed()) return;
    handled_before = sums[1];
  }
}

void Node::close() {
  if (std::exchange(closed_, true)) return;
  quiesce_as(CollectiveKind::Close);
  closing_ = true;
  transport_.wake();
  transport_.join();
}

}  // namespace leeway
