#include "leeway/dsm/node.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/mix.h"

namespace leeway {

namespace {

constexpr std::size_t kFramesPerPoll = 64;
constexpr std::size_t kMostSpans = 200'000;

void end_process(const Error& error) {
  std::fprintf(stderr, "leeway: %s\n", error.to_string().c_str());
  std::fflush(stderr);
  std::_Exit(error.exit_code());
}

/// Lines for a person, as one that can be the last of a log.
std::string in_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    if (!part.empty()) line += (line.empty() ? "" : ", ") + std::string(part);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return line;
}

}  // namespace

Node::Node(Transport& transport, NodeOptions options)
    : transport_(transport),
      options_(std::move(options)),
      outbox_(transport.node_count(), options_.policy.optimizations.aggregation),
      backlog_(transport.node_count()),
      collective_(transport.self(), transport.node_count()) {
  if (!options_.on_failure) options_.on_failure = end_process;
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
    if (!progress()) transport_.wait(ticket, std::nullopt);
  }
}

bool Node::progress() {
  if (times_.load(std::memory_order_acquire) == nullptr) return move_messages(0);
  const Instant from = transport_.now();
  const bool moved = move_messages(0);
  if (moved) note(&NodeTimes::served, from, transport_.now());
  return moved;
}

void Node::note(NodeTimes::Spans NodeTimes::*kind, Instant from, Instant to) {
  NodeTimes* const times = times_.load(std::memory_order_acquire);
  if (times == nullptr) return;
  const std::lock_guard locked(mutex_);
  if ((times->*kind).size() < kMostSpans) (times->*kind).push_back({from, to});
}

bool Node::move_messages(int own_waits) {
  const bool arrived = poll();
  const bool sent = flush();
  // Whoever else waits here may have been waiting for just this.
  if (arrived && waiting_.load(std::memory_order_relaxed) > own_waits) transport_.wake();
  return arrived || sent;
}

bool Node::poll() {
  const std::unique_lock polling(poll_mutex_, std::try_to_lock);
  if (!polling.owns_lock()) return false;
  return transport_.poll(*this, kFramesPerPoll) > 0;
}

bool Node::flush() {
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) {
    if (!space->idle()) space->flush(outbox_);
  }
  const bool sent = !outbox_.empty();
  ship();
  return sent;
}

void Node::ship() {
  if (backlogged_ > 0) ship_backlog();
  drained_.clear();
  outbox_.drain(drained_);
  for (OutFrame& frame : drained_) {
    auto& behind = backlog_[frame.to.index()];
    const bool sent = behind.empty() && transport_.send(frame.to, frame.bytes) == SendOutcome::Sent;
    if (sent) continue;
    behind.push_back(std::move(frame.bytes));
    ++backlogged_;
  }
}

void Node::ship_backlog() {
  for (std::size_t to = 0; to < backlog_.size(); ++to) {
    auto& frames = backlog_[to];
    const NodeId peer(static_cast<std::uint32_t>(to));
    while (!frames.empty() && transport_.send(peer, frames.front()) == SendOutcome::Sent) {
      frames.pop_front();
      --backlogged_;
    }
  }
}

void Node::on_frame(NodeId from, std::span<const std::byte> frame) {
  bool understood = true;
  {
    const std::lock_guard locked(mutex_);
    ByteReader in(frame);
    while (understood && !in.at_end()) understood = dispatch(from, in);
    understood = understood && !in.failed();
    ship();
  }
  if (understood) return;
  fail({ErrorKind::Peer, format("node {}", self()),
        format("node {} sent bytes that no correct peer sends", from),
        "run the same build of leeway on every node"});
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

void Node::on_peer_down(NodeId node) {
  fail({ErrorKind::Peer, format("node {}", self()),
        format("node {} is gone; this node was waiting for: {}", node, in_one_line(evidence())),
        "look at its log; start the job again"});
}

void Node::fail(Error error) { options_.on_failure(error); }

Result<Space*> Node::open_space(const SpaceOptions& options, ValueShape shape) {
  Space* opened = nullptr;
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    auto space =
        Space::make(*this, SpaceId(static_cast<std::uint16_t>(spaces_.size())), options, shape);
    if (space) {
      opened = space->get();
      spaces_.push_back(std::move(*space));
    } else {
      error = space.error();
    }
  }
  // Everybody must have opened the same thing, and successfully, before anybody uses it.
  const std::uint64_t print = hash_value(std::as_bytes(std::span(options.name))) ^
                              mix64((std::uint64_t{shape.bytes} << 1) | (shape.variable ? 1 : 0));
  const std::uint64_t low = print & 0xFFFFFFFFu;
  const std::uint64_t high = print >> 32;
  const auto sums = sum(std::vector<std::uint64_t>{low, low * low, high, error ? 1u : 0u});
  if (error) return leeway::fail(*error);
  const std::uint64_t nodes = node_count();
  if (sums[3] > 0) {
    return leeway::fail(environment_error(options.name, "another node could not open this space",
                                          "look at the other nodes' messages"));
  }
  if (sums[0] != nodes * low || sums[1] != nodes * low * low || sums[2] != nodes * high) {
    return leeway::fail(
        input_error(options.name, "the nodes opened different spaces",
                    "open the same names and types in the same order on every node"));
  }
  return opened;
}

void Node::enter(std::span<const std::uint64_t> numbers) {
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) space->flush(outbox_);
  collective_.enter(numbers, outbox_);
  ++collectives_;
  ship();
}

std::vector<std::uint64_t> Node::sum(std::span<const std::uint64_t> numbers) {
  enter(numbers);
  wait_until([this] {
    const std::lock_guard locked(mutex_);
    return collective_.done();
  });
  const std::lock_guard locked(mutex_);
  return {collective_.sums().begin(), collective_.sums().end()};
}

void Node::barrier() { sum({}); }

bool Node::converged(bool vote_to_continue) {
  vote(vote_to_continue);
  wait_until([this] {
    const std::lock_guard locked(mutex_);
    return collective_.done();
  });
  return *verdict();
}

void Node::vote(bool to_continue, std::span<const std::uint64_t> besides) {
  LEEWAY_CHECK(!open_vote_.has_value());
  open_vote_ = to_continue;
  std::uint64_t stale = 0;
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  {
    const std::lock_guard locked(mutex_);
    for (const auto& space : spaces_) {
      space->flush(outbox_);
      stale += space->stale_uses();
    }
    sent = outbox_.news();
    handled = handled_news_;
  }
  const std::uint64_t stale_now = stale - std::exchange(stale_before_, stale);
  std::vector<std::uint64_t> numbers{to_continue ? 1u : 0u, stale_now, sent, handled};
  numbers.insert(numbers.end(), besides.begin(), besides.end());
  enter(numbers);
}

std::optional<bool> Node::verdict() {
  LEEWAY_CHECK(open_vote_.has_value());
  {
    const std::lock_guard locked(mutex_);
    if (!collective_.done()) return std::nullopt;
  }
  return conclude(*std::exchange(open_vote_, std::nullopt));
}

bool Node::conclude(bool voted_to_continue) {
  const auto sums = collective_.sums();
  const Verdict verdict = termination_.decide({sums[0], sums[1], sums[2], sums[3]});
  besides_.assign(sums.begin() + 4, sums.end());
  ++iteration_;
  const bool only_staleness = sums[0] == 0 && sums[1] > 0;
  if (only_staleness) refresh_stale_copies();
  if (options_.recorder != nullptr) {
    const std::lock_guard locked(mutex_);
    options_.recorder->record(
        {.at = transport_.now(),
         .node = self(),
         .kind = RecordKind::Iterated,
         .version = Version(iteration_),
         .value = (verdict == Verdict::Converged ? 1u : 0u) | (voted_to_continue ? 2u : 0u)});
  }
  return verdict == Verdict::Converged;
}

/// All agree, but some used old values: a mode that never refreshes would go on using them for ever. The
/// last iterations must see current objects (ASPIRE §4.2), so they are asked for here.
void Node::refresh_stale_copies() {
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) {
    if (!space->policy().refresh) space->refresh_all(outbox_);
  }
  ship();
}

void Node::quiesce() {
  // The same count, wave after wave: handled by one wave's time = sent by the next one's.
  std::uint64_t handled_before = ~std::uint64_t{0};
  while (true) {
    std::uint64_t counts[2];
    {
      const std::lock_guard locked(mutex_);
      for (const auto& space : spaces_) space->flush(outbox_);
      counts[0] = outbox_.messages();
      counts[1] = handled_;
    }
    const auto sums = sum(counts);
    if (sums[0] == handled_before) return;
    handled_before = sums[1];
  }
}

void Node::close() {
  if (std::exchange(closed_, true)) return;
  quiesce();
  closing_ = true;
  transport_.wake();
  transport_.join();
}

NodeStats Node::stats() const {
  NodeStats stats;
  stats.transport = transport_.stats();
  stats.messages_sent = outbox_.messages();
  stats.messages_handled = handled_;
  stats.blocked_fetches = blocked_fetches_.load();
  stats.collectives = collectives_;
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
