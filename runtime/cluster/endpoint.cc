#include "runtime/cluster/endpoint.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "transport/membership.h"

namespace leeway {

namespace {

constexpr std::size_t kFramesPerPoll = 64;
// Kinds of the parts of a long frame.
constexpr std::byte kPart{Endpoint::kKinds + 1};
constexpr std::byte kLastPart{Endpoint::kKinds + 2};

/// Putting a thread to sleep and waking it cost both sides tens of microseconds. An arrival after a longer time than
/// this is late anyway.
constexpr Duration kPollingTime = std::chrono::milliseconds(1);

/// Polling pays only if the senders are threads of this process, which would have to wake this thread, and if each
/// thread has its own core. With a delaying network model, frames become due without a sender's wake-up.
Duration patience(const ClusterOptions& options) {
  const bool alone = options.fabric == Fabric::Loopback && options.job == nullptr &&
                     options.nodes <= std::thread::hardware_concurrency();
  return alone && options.network.name == "ideal" ? kPollingTime : Duration::zero();
}

class EndpointNodeProgram final : public NodeProgram {
 public:
  EndpointNodeProgram(Transport& transport, const ClusterOptions& options,
                      const std::function<Status(Endpoint&)>& body,
                      std::vector<TransportStats>& stats)
      : endpoint_(transport, patience(options), Endpoint::kMostKeptBytes, options.job),
        job_(options.job),
        body_(body),
        stats_(stats) {}

  Status run() override {
    try {
      return body_(endpoint_);
    } catch (const NodeLost& lost) {
      return fail(peer_is_gone(endpoint_.self(), lost.node, ""));
    }
  }
  std::string evidence() override { return endpoint_.evidence(); }
  void finish() override {
    if (job_ != nullptr) {
      try {
        endpoint_.end_run(*job_);
      } catch (const NodeLost&) {
        return;  // Job::agree reports it
      }
    } else {
      endpoint_.flush([](NodeId, std::span<const std::byte>) {});
    }
    stats_[endpoint_.self().index()] = endpoint_.transport().stats();
  }

 private:
  Endpoint endpoint_;
  /// The job, whose transport serves earlier and later runs too; null: the transport serves only this run.
  Job* job_;
  const std::function<Status(Endpoint&)>& body_;
  std::vector<TransportStats>& stats_;
};

}  // namespace

Endpoint::Endpoint(Transport& transport, Duration patience, std::size_t most_kept, const Job* job)
    : transport_(transport),
      job_(job),
      patience_(patience),
      most_kept_(most_kept),
      backlog_(transport.node_count()),
      kept_bytes_(transport.node_count(), 0),
      unfinished_(transport.node_count()),
      run_ended_(transport.node_count(), 0),
      group_(std::make_unique<Group>(*this, job == nullptr ? 0 : job->steps())),
      set_aside_handler_([this](NodeId from, std::span<const std::byte> frame) {
        set_aside_.emplace_back(from, Frame(frame.begin(), frame.end()));
      }) {}

Endpoint::~Endpoint() = default;

void Endpoint::send(NodeId to, Frame frame) {
  LEEWAY_CHECK((to != self() && !frame.empty()));
  LEEWAY_CHECK(static_cast<std::uint8_t>(frame.front()) <= kGroupKind);
  if (frame.size() <= kPartBytes) return put(to, std::move(frame));
  for (std::size_t at = 0; at < frame.size(); at += kPartBytes) {
    const std::size_t size = std::min(kPartBytes, frame.size() - at);
    Frame part;
    part.reserve(size + 1);
    part.push_back(at + size < frame.size() ? kPart : kLastPart);
    const auto from = frame.begin() + static_cast<std::ptrdiff_t>(at);
    part.insert(part.end(), from, from + static_cast<std::ptrdiff_t>(size));
    put(to, std::move(part));
  }
}

void Endpoint::send_to_all(std::span<const std::byte> frame) {
  for (std::uint32_t to = 0; to < node_count(); ++to) {
    if (NodeId(to) != self()) send(NodeId(to), Frame(frame.begin(), frame.end()));
  }
}

void Endpoint::put(NodeId to, Frame frame) {
  auto& behind = backlog_[to.index()];
  if (behind.empty() && transport_.send(to, frame) == SendOutcome::Sent) return;
  kept_bytes_[to.index()] += frame.size();
  behind.push_back(std::move(frame));
  ++kept_;
  // In a handler (called from within a poll) polling is not allowed; `receive` makes room afterwards.
  if (handler_ == nullptr && kept_bytes_[to.index()] > most_kept_) make_room();
}

bool Endpoint::backlog_is_over_limit() const {
  return kept_ > 0 && std::any_of(kept_bytes_.begin(), kept_bytes_.end(),
                                  [this](std::size_t bytes) { return bytes > most_kept_; });
}

void Endpoint::make_room() {
  while (backlog_is_over_limit()) {
    const std::uint64_t ticket = transport_.ticket();
    defers_ = true;
    const std::size_t found = transport_.poll(*this, kFramesPerPoll);
    defers_ = false;
    check_nodes();
    ship();
    if (found == 0 && backlog_is_over_limit())
      await({"room for frames"}, [&] { transport_.wait(ticket, std::nullopt); });
  }
}

void Endpoint::ship() {
  if (kept_ == 0) return;
  for (std::uint32_t to = 0; to < backlog_.size(); ++to) {
    auto& frames = backlog_[to];
    while (!frames.empty()) {
      const std::size_t bytes = frames.front().size();
      if (transport_.send(NodeId(to), frames.front()) != SendOutcome::Sent) break;
      kept_bytes_[to] -= bytes;
      frames.pop_front();
      --kept_;
    }
  }
}

std::size_t Endpoint::receive(const Handler& handler) {
  std::size_t handled = 0;
  for (; !set_aside_.empty(); ++handled) {
    const auto [from, frame] = std::move(set_aside_.front());
    set_aside_.pop_front();
    handler(from, frame);
  }
  return handled + receive_by(handler);
}

std::size_t Endpoint::receive_for_group() { return receive_by(set_aside_handler_); }

std::size_t Endpoint::receive_by(const Handler& handler) {
  LEEWAY_CHECK(handler_ == nullptr);
  seen_ = transport_.ticket();
  ship();
  handler_ = &handler;
  std::size_t handled = take_deferred();
  while (true) {
    const std::size_t found = transport_.poll(*this, kFramesPerPoll);
    handled += found;
    if (found < kFramesPerPoll) break;
  }
  handler_ = nullptr;
  check_nodes();
  make_room();
  return handled;
}

std::size_t Endpoint::take_deferred() {
  std::size_t handled = 0;
  for (; !deferred_.empty(); ++handled) {
    const auto [from, frame] = std::move(deferred_.front());
    deferred_.pop_front();
    take(from, frame);
  }
  return handled;
}

void Endpoint::wait_for_arrival(const Awaited& awaited, std::optional<Instant> deadline) {
  if (!deferred_.empty()) return;
  if (patience_ > Duration::zero()) {
    const Instant until = now() + patience_;
    while (now() < (deadline ? std::min(until, *deadline) : until)) {
      if (transport_.ticket() != seen_) return;
    }
  }
  await(awaited, [&] { transport_.wait(seen_, deadline); });
}

void Endpoint::await(const Awaited& awaited, const std::function<void()>& wait) {
  const auto publish = [this](std::optional<Awaited> what) {
    const std::lock_guard locked(awaited_mutex_);
    awaited_ = what;
  };
  publish(awaited);
  wait();
  publish(std::nullopt);
}

std::string Endpoint::evidence() const {
  std::string text = format("node {} ", self());
  const std::lock_guard locked(awaited_mutex_);
  if (awaited_) {
    text += format("waits for {}", awaited_->what);
    if (awaited_->number) text += format(" {}", *awaited_->number);
    if (awaited_->from != NodeId::none()) text += format(" from node {}", awaited_->from);
  } else {
    text += "computes";
  }
  if (const std::size_t kept = kept_.load(); kept > 0)
    text += format("; {} frames wait for room", kept);
  return text + "\n";
}

void Endpoint::flush(const Handler& handler) {
  while (true) {
    receive(handler);
    if (kept_ == 0 && deferred_.empty()) return;
    wait({"room for frames"});
  }
}

/// The end of a run is announced by an empty frame. Later frames of that node belong to its next run.
void Endpoint::end_run(Job& job) {
  for (std::uint32_t to = 0; to < node_count(); ++to) {
    if (NodeId(to) != self()) put(NodeId(to), {});
  }
  const Handler drop = [](NodeId, std::span<const std::byte>) {};
  while (true) {
    receive(drop);
    if (kept_ == 0 && deferred_.empty() && run_ended_count_ + 1 == node_count()) break;
    wait({"the end of this run"});
  }
  job.set_steps(group_->step());
  job.put_back(std::exchange(early_, {}));
}

void Endpoint::pause(Job& job) {
  // Not by `flush`, whose `receive` would hand on what was set aside.
  for (receive_for_group(); kept_ > 0 || !deferred_.empty(); receive_for_group())
    wait_for_group({"room for frames"});
  std::vector<std::pair<NodeId, Frame>> early = group_->take_early();
  early.insert(early.end(), set_aside_.begin(), set_aside_.end());
  job.set_steps(group_->step());
  job.put_back(std::move(early));
}

void Endpoint::on_frame(NodeId from, std::span<const std::byte> frame) {
  if (defers_) {
    deferred_.emplace_back(from, Frame(frame.begin(), frame.end()));
  } else {
    take(from, frame);
  }
}

void Endpoint::take(NodeId from, std::span<const std::byte> frame) {
  if (run_ended_[from.index()] != 0) {
    early_.emplace_back(from, Frame(frame.begin(), frame.end()));
  } else if (frame.empty()) {
    if (group_only_) refuse(from);  // no run is going on
    run_ended_[from.index()] = 1;
    ++run_ended_count_;
  } else if (frame.front() == std::byte{kGroupKind}) {
    group_->on_frame(from, frame);
  } else if (group_only_) {
    if (!group_->may_have_left(from)) refuse(from);
    (*handler_)(from, frame);  // which sets it aside for the run that has begun elsewhere
  } else {
    take_part(from, frame);
  }
}

/// A frame of an engine, or a part of one.
void Endpoint::take_part(NodeId from, std::span<const std::byte> frame) {
  Frame& whole = unfinished_[from.index()];
  const bool is_part = frame.front() == kPart || frame.front() == kLastPart;
  if (!is_part) {
    if (!whole.empty()) refuse(from);
    return hand_on(from, frame);
  }
  whole.insert(whole.end(), frame.begin() + 1, frame.end());
  if (frame.front() == kLastPart) hand_on(from, std::exchange(whole, {}));
}

void Endpoint::hand_on(NodeId from, std::span<const std::byte> frame) {
  if (frame.empty() || static_cast<std::uint8_t>(frame.front()) >= engine_kinds_) refuse(from);
  (*handler_)(from, frame);
}

/// Not within a poll, in which the transport would be left in the middle of its work.
void Endpoint::check_nodes() const {
  if (lost_ != NodeId::none()) throw NodeLost{lost_};
}

void Endpoint::refuse(NodeId from) {
  transport_.end_node(bad_frame(self(), from));
  std::abort();  // unreachable, but compilers cannot know that of a virtual function
}

void Endpoint::on_peer_down(NodeId node) {
  if (job_ != nullptr && job_->recoverable()) {
    lost_ = node;
    return;
  }
  transport_.end_node(peer_is_gone(self(), node, evidence()));
}

Result<EndpointsOutcome> run_endpoints(const ClusterOptions& cluster,
                                       const std::function<Status(Endpoint&)>& body) {
  LEEWAY_ASSIGN(const ClusterOptions options, settle_cluster(cluster));
  EndpointsOutcome outcome;
  outcome.nodes.resize(options.nodes);
  LEEWAY_ASSIGN(outcome.ran, run_node_programs(options, [&](Transport& transport) {
                  return std::make_unique<EndpointNodeProgram>(transport, options, body,
                                                               outcome.nodes);
                }));
  return outcome;
}

}  // namespace leeway
