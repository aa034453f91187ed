#include "leeway/dsm/node.h"

#include <algorithm>
#include <utility>

#include "leeway/base/bytes.h"
#include "leeway/base/format.h"
#include "leeway/dsm/node_machines.h"
#include "leeway/transport/lost_peer.h"

namespace leeway {

namespace {

constexpr std::size_t kFramesPerPoll = 64;
constexpr std::size_t kMostSpans = 200'000;

}  // namespace

Node::Node(Transport& transport, NodeOptions options)
    : transport_(transport),
      options_(std::move(options)),
      machines_(std::make_unique<Machines>(transport.self(), transport.node_count(),
                                           options_.policy.optimizations.aggregation)),
      outbox_(machines_->outbox),
      collective_(machines_->collective),
      termination_(machines_->termination),
      backlog_(transport.node_count()) {
  if (!options_.on_failure)
    options_.on_failure = [this](const Error& error) { transport_.end_node(error); };
  if (options_.service == Service::Background) {
    transport_.spawn("service", [this] { serve(); });
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
    if (progress()) {
      moves_by_service_.fetch_add(1, std::memory_order_relaxed);
    } else {
      transport_.wait(ticket, std::nullopt);
    }
  }
}

bool Node::progress() {
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
  // Under the lock: before it, keep_times may have ended, and what it kept may be gone.
  NodeTimes* const times = times_.load(std::memory_order_relaxed);
  if (times == nullptr) return;
  if ((times->*kind).size() < kMostSpans) (times->*kind).push_back({from, to});
}

bool Node::move_messages(int own_waits) {
  const bool arrived = poll();
  const bool sent = flush();
  // Whoever else waits here may have been waiting for just this.
  if (arrived && waiting_.load(std::memory_order_relaxed) > own_waits) transport_.wake();
  if (!arrived && !sent) return false;
  moves_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Node::poll() {
  // By exchanges: whoever finds the mutex taken has either told the one who polls, or comes after what that one did
  // last, which is then to have let go of it.
  turned_away_.exchange(true);
  bool arrived = false;
  {
    const std::unique_lock polling(poll_mutex_, std::try_to_lock);
    if (!polling.owns_lock()) return false;
    turned_away_ = false;
    arrived = transport_.poll(*this, kFramesPerPoll) > 0;
  }
  // Whoever came meanwhile may have been told of what arrived after this poll, and be about to sleep.
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
  if (backlogged_ > 0 && ship_backlog()) {
    for (const auto& space : spaces_) space->flush_kept(outbox_);
    transport_
        .wake();  // whoever waits for room looked before there was any, perhaps this very thread
  }
  std::vector<OutFrame>& drained = machines_->drained;
  drained.clear();
  outbox_.drain(drained);
  for (OutFrame& frame : drained) {
    auto& behind = backlog_[frame.to.index()];
    const bool sent = behind.empty() && transport_.send(frame.to, frame.bytes) == SendOutcome::Sent;
    if (sent) continue;
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

/// Locked. What was wrong with the frame just handled, or with what it made of this node.
std::optional<Error> Node::take_error(NodeId from, bool understood) {
  if (late_error_) return std::exchange(late_error_, std::nullopt);
  if (!understood) return bad_frame(self(), from);
  if (!collective_.mismatch() || std::exchange(told_mismatch_, true)) return std::nullopt;
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
  if (carries_news(header.kind)) ++handled_news_;
  return understood;
}

void Node::when_peer_is_lost(std::function<void()> save) {
  const std::lock_guard locked(loss_mutex_);
  on_loss_ = std::move(save);
}

void Node::on_peer_down(NodeId node) {
  {
    const std::lock_guard locked(loss_mutex_);
    if (const auto save = std::exchange(on_loss_, nullptr)) save();
  }
  fail(peer_is_gone(self(), node, evidence()));
}

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
  for (const auto& space : spaces_) text += space->what_is_awaited();
  return text;
}

}  // namespace leeway
