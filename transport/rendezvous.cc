#include "transport/rendezvous.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "base/process.h"

namespace leeway {

namespace {

constexpr std::size_t kStrangersAtOnce = 64;
constexpr std::uint64_t kRendezvousDescriptors = 32;
constexpr Duration kLeastStay = std::chrono::milliseconds(20);  // time for a member's proof
constexpr Duration kFarewell = std::chrono::seconds(5);    // until a refused connection is closed
constexpr Duration kSettlingIn = std::chrono::minutes(5);  // from the proof to Hello
constexpr Duration kFlush = std::chrono::milliseconds(200);
constexpr Duration kSoon = std::chrono::milliseconds(20);

}  // namespace

Result<std::unique_ptr<Rendezvous>> Rendezvous::open(RendezvousOptions options) {
  const std::string where = "rendezvous " + (options.host.empty() ? "0.0.0.0" : options.host);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (!options.host.empty() && ::inet_pton(AF_INET, options.host.c_str(), &address.sin_addr) != 1) {
    return fail(
        input_error(where, "is not an IPv4 address", "give an IPv4 address of this machine"));
  }
  const std::uint64_t needed = options.nodes + kStrangersAtOnce + kRendezvousDescriptors;
  if (const std::uint64_t most = raise_descriptor_limit(); most < needed) {
    return fail(environment_error(where,
                                  format("{} nodes need {} descriptors, but ulimit -n allows {}",
                                         options.nodes, needed, most),
                                  "raise the hard limit (ulimit -Hn), or start fewer nodes"));
  }
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return fail(system_error(where, "open a socket", errno, "see ulimit -n"));
  socklen_t length = sizeof(address);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(listener, 1024) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    const int reason = errno;
    ::close(listener);
    return fail(system_error(where, "listen", reason, "give an address of this machine"));
  }
  return std::unique_ptr<Rendezvous>(
      new Rendezvous(std::move(options), listener, ntohs(address.sin_port)));
}

Rendezvous::Rendezvous(RendezvousOptions options, int listener, std::uint16_t port)
    : options_(std::move(options)),
      listener_(listener),
      port_(port),
      awake_(clock_.now(), AwakeTime::step_for(options_.verdict)),
      members_(options_.nodes),
      places_(options_.nodes, Place::Taken),
      thread_([this] { serve(); }) {}

Rendezvous::~Rendezvous() {
  stop_ = true;
  bell_.ring();
  thread_.join();
  ::close(listener_);
}

void Rendezvous::ask_for_evidence() {
  evidence_requested_ = true;
  bell_.ring();
}

void Rendezvous::linger(Duration most, std::size_t left) const {
  const Instant until = clock_.now() + most;
  while (connected_.load() > left && clock_.now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Rendezvous::serve() {
  while (!stop_.load()) {
    wait_for_something();
    awake_.look(clock_.now());
    admit();
    for (std::size_t i = 0; i < guests_.size(); ++i) move(*guests_[i]);
    if (evidence_requested_.exchange(false)) start_dump();
    take_reports();
    check_timeouts();
  }
}

void Rendezvous::wait_for_something() {
  std::vector<pollfd> ends = {{.fd = bell_.descriptor(), .events = POLLIN, .revents = 0},
                              {.fd = accepting_ ? listener_ : -1, .events = POLLIN, .revents = 0}};
  for (const auto& guest : guests_) {
    const short events = guest->channel->wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    ends.push_back({.fd = guest->channel->socket(), .events = events, .revents = 0});
  }
  const Duration beat = std::clamp<Duration>(options_.verdict / 8, std::chrono::milliseconds(5),
                                             std::chrono::milliseconds(500));
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(
      !accepting_ || inquiry_ || (failing_since_ && !failure_) ? std::min<Duration>(beat, kSoon)
                                                               : beat);
  ::poll(ends.data(), ends.size(), static_cast<int>(patience.count()));
  bell_.answer();
}

/// The number of strangers is limited. At the limit, the oldest stranger is disconnected, but not
/// before it had time for its proof; until then, new connections wait in the listener's queue.
void Rendezvous::admit() {
  accepting_ = true;
  while (accepting_) {
    const auto is_stranger = [](const auto& guest) { return !guest->channel->trusted(); };
    const auto strangers = std::count_if(guests_.begin(), guests_.end(), is_stranger);
    if (static_cast<std::size_t>(strangers) >= kStrangersAtOnce + options_.nodes) {
      const auto oldest = std::find_if(guests_.begin(), guests_.end(), is_stranger);
      accepting_ = awake_.now() - (*oldest)->came > kLeastStay;
      if (!accepting_) return;
      guests_.erase(oldest);
      ++strangers_;
    }
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return on_accept_failure(errno);
    auto guest = std::make_unique<Guest>();
    guest->channel =
        std::make_unique<ControlChannel>(socket, ControlChannel::Side::Server, options_.secret);
    guest->came = guest->heard = awake_.now();
    guests_.push_back(std::move(guest));
    connected_ = guests_.size();
  }
}

/// Without free descriptors the listener stays readable but accept fails: stop polling it until the
/// next round.
void Rendezvous::on_accept_failure(int reason) {
  if (reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR || reason == ECONNABORTED)
    return;
  accepting_ = false;
  if (std::exchange(warned_, true)) return;
  log_warning("rendezvous: cannot take a connection: {}; raise ulimit -n ({} connections are open)",
              std::strerror(reason), guests_.size());
}

void Rendezvous::move(Guest& guest) {
  if (!guest.channel->move()) guest.over = true;
  while (auto message = guest.channel->next()) {
    guest.heard = awake_.now();
    handle(guest, *message);
  }
}

void Rendezvous::handle(Guest& guest, const ControlMessage& message) {
  if (message.kind == ControlKind::Hello) return on_hello(guest, message);
  if (message.kind == ControlKind::Report) {
    if (guest.node != NodeId::none()) return on_report(guest.node, message.code, message.text);
    // A process that cannot join reports the reason under its assigned number. Reports from others
    // are ignored.
    const NodeId claimed(message.node);
    const bool awaited = !guest.turned_away && claimed.index() < members_.size() &&
                         members_[claimed.index()].state == MemberState::Expected;
    if (awaited) on_report(claimed, message.code, message.text);
    return;
  }
  if (guest.node == NodeId::none()) return;
  Member& member = members_[guest.node.index()];
  switch (message.kind) {
    case ControlKind::Leave:
      return on_leave(guest.node);
    case ControlKind::Recoverable:
      member.recoverable = message.code != 0;
      return;
    case ControlKind::Dying:
      return lose(guest.node, message.text);
    case ControlKind::Suspect:
      return on_suspicion(guest.node, NodeId(message.node));
    case ControlKind::Unreached:
      return on_unreached(guest.node, message.list);
    case ControlKind::Dump:
      return start_dump();
    case ControlKind::Evidence:
      if (dumping_ && !std::exchange(member.answered, true)) evidence_ += message.text;
      if (dumping_) finish_dump();
      return;
    default:
      return;
  }
}

void Rendezvous::on_hello(Guest& guest, const ControlMessage& message) {
  if (failure_) {
    guest.channel->send(*failure_);
    guest.turned_away = true;
    return;
  }
  const NodeId node(message.node);
  const bool known = node.index() < members_.size();
  const bool expected = known && members_[node.index()].state == MemberState::Expected &&
                        message.code == generation_.load();
  if (guest.node != NodeId::none() || !expected) {
    guest.channel->send({.kind = ControlKind::Refused,
                         .text = format("node {} is not expected in this job of {} nodes",
                                        node.value(), members_.size())});
    guest.turned_away = true;
    return;
  }
  Member& member = members_[node.index()];
  guest.node = node;
  ++came_;
  set_place(node, Place::Taken);
  member.state = MemberState::Present;
  member.address = message.text;
  member.guest = &guest;
  for (const Member& each : members_) {
    if (each.state == MemberState::Expected) return;
  }
  complete_ = true;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    if (members_[i].state != MemberState::Present) continue;
    members_[i].guest->heard = awake_.now();
    welcome(NodeId(i));
  }
}

void Rendezvous::welcome(NodeId node) {
  ControlMessage message{.kind = ControlKind::Welcome, .node = node.value()};
  for (const Member& member : members_)
    message.list.push_back(member.state == MemberState::Present ? member.address : "");
  members_[node.index()].guest->channel->send(message);
  members_[node.index()].guest->channel->flush(kFlush);
}

void Rendezvous::on_leave(NodeId node) {
  members_[node.index()].state = MemberState::Leaving;
  release_leaving();
}

/// Also called when the last member that had not yet left is lost; otherwise the others would wait
/// forever.
void Rendezvous::release_leaving() {
  bool any = false;
  for (const Member& member : members_) {
    if (member.state == MemberState::Present || member.state == MemberState::Expected) return;
    any = any || member.state == MemberState::Leaving;
  }
  if (any) broadcast({.kind = ControlKind::Goodbye}, NodeId::none());
}

/// Processes that join a later generation can continue.
bool Rendezvous::can_replace(NodeId lost) const {
  if (!options_.replaces || failure_ || failing_since_) return false;
  if (!complete_.load()) return generation_.load() > 0;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (NodeId(i) != lost && (member.state != MemberState::Present || !member.recoverable))
      return false;
  }
  return true;
}

Rendezvous::Place Rendezvous::place_of(NodeId node) {
  const std::lock_guard locked(places_mutex_);
  return places_[node.index()];
}

void Rendezvous::set_place(NodeId node, Place place) {
  const std::lock_guard locked(places_mutex_);
  places_[node.index()] = place;
}

/// The connections of the old generation no longer count; their processes connect again.
void Rendezvous::begin_generation(NodeId lost, const std::string& why) {
  log_info("rendezvous: node {} is gone: {}; the others join again", lost, why);
  ++generation_;  // before a place becomes free: the launcher then starts a process of this generation
  complete_ = false;
  for (std::size_t i = members_.size(); i-- > 0;) {
    Guest* const guest = std::exchange(members_[i], Member()).guest;
    set_place(NodeId(static_cast<std::uint32_t>(i)), Place::Free);
    if (guest == nullptr) continue;
    dismiss(*guest, lost, why);
    guest->came = awake_.now();  // the connection stays for a while, so that its process reads why
  }
  came_ = 0;
  inquiry_.reset();
  dumping_ = false;
}

/// The place of a lost member becomes free for another process.
void Rendezvous::expect_again(NodeId node, const std::string& why) {
  if (Guest* const guest = std::exchange(members_[node.index()], Member()).guest;
      guest != nullptr) {
    dismiss(*guest, node, why);
    --came_;
  }
  set_place(node, Place::Free);
}

/// Its process may still run and must learn that it is no longer a member.
void Rendezvous::dismiss(Guest& guest, NodeId lost, const std::string& why) {
  guest.channel->send({.kind = ControlKind::Down, .node = lost.value(), .text = why});
  guest.channel->flush(std::chrono::milliseconds(1));
  guest.node = NodeId::none();
  guest.turned_away = true;
}

void Rendezvous::lose(NodeId node, const std::string& why) {
  Member& member = members_[node.index()];
  if (member.state == MemberState::Gone) return;
  if (can_replace(node)) {
    if (complete_.load()) begin_generation(node, why);
    expect_again(node, why);
    if (options_.on_down) options_.on_down(node, why);
    return;
  }
  member.state = MemberState::Gone;
  set_place(node, Place::Gone);
  Guest* const guest = std::exchange(member.guest, nullptr);
  log_info("rendezvous: node {} is gone: {}", node, why);
  if (failure_) return;  // it ended because of the outcome
  broadcast({.kind = ControlKind::Down, .node = node.value(), .text = why}, node);
  if (guest != nullptr) dismiss(*guest, node, why);
  if (options_.on_down) options_.on_down(node, why);
  if (dumping_) finish_dump();
  release_leaving();
  settle_outcome();
}

void Rendezvous::give_up(NodeId node, const std::string& why) {
  lose(node, why);
  if (options_.on_given_up) options_.on_given_up(node);
}

/// Highest number first: this process may itself be node 0, and must not end before all others are
/// notified.
void Rendezvous::broadcast(const ControlMessage& message, NodeId but) {
  for (std::size_t i = members_.size(); i-- > 0;) {
    if (members_[i].guest == nullptr || NodeId(static_cast<std::uint32_t>(i)) == but) continue;
    members_[i].guest->channel->send(message);
    members_[i].guest->channel->flush(kFlush);
  }
}

/// Handles what depends on time: closed connections, silent members, strangers past their limit,
/// heartbeats.
void Rendezvous::check_timeouts() {
  const Instant now = awake_.now();
  for (const auto& guest : guests_) {
    if (guest->node == NodeId::none()) {
      const Duration stay = now - guest->came;
      const bool trusted = guest->channel->trusted();
      const bool stranger = !trusted && (guest->over || stay > options_.stranger_patience);
      if (stranger) ++strangers_;
      // A process may take long to open its network between the proof and Hello.
      const bool refused = trusted && stay > (guest->turned_away ? kFarewell : kSettlingIn);
      guest->over = guest->over || stranger || refused;
    } else if (!guest->over && now - guest->heard > options_.verdict &&
               members_[guest->node.index()].state == MemberState::Present) {
      const NodeId silent = guest->node;
      give_up(silent, format("silent for {:.1f} s", seconds(now - guest->heard)));
    }
    if (!guest->over || guest->node == NodeId::none()) continue;
    Member& member = members_[guest->node.index()];
    if (member.guest == guest.get()) member.guest = nullptr;
    if (member.state != MemberState::Leaving) lose(guest->node, "its process ended");
  }
  std::erase_if(guests_, [](const auto& guest) { return guest->over; });
  connected_ = guests_.size();
  if (dumping_) finish_dump();
  if (inquiry_) finish_inquiry();
  if (failing_since_) settle_outcome();
  if (now < beat_at_) return;
  beat_at_ = now + options_.verdict / 4;
  for (const Member& member : members_) {
    if (member.guest != nullptr) member.guest->channel->beat();
  }
}

namespace {

// Decisions of the rendezvous: which node is removed because others cannot reach it, the outcome of
// a step, and the evidence of all nodes.
constexpr std::uint32_t kPeerCode = 4;
constexpr Duration kEvidencePatience = std::chrono::seconds(2);
/// Time after the first failure in which others may still report theirs. Often all nodes fail for
/// the same reason, and then the first node's failure is reported.
constexpr Duration kFailAlike = std::chrono::milliseconds(500);
constexpr Duration kShortestInquiry = std::chrono::milliseconds(100);
constexpr Duration kLongestInquiry = std::chrono::milliseconds(600);

}  // namespace

void Rendezvous::report(NodeId node, std::uint32_t code, const std::string& why) {
  {
    const std::lock_guard locked(reports_mutex_);
    reports_.push_back(
        {.kind = ControlKind::Report, .node = node.value(), .code = code, .text = why});
  }
  bell_.ring();
}

void Rendezvous::take_reports() {
  std::vector<ControlMessage> reports;
  {
    const std::lock_guard locked(reports_mutex_);
    reports.swap(reports_);
  }
  for (const ControlMessage& each : reports) on_report(NodeId(each.node), each.code, each.text);
}

void Rendezvous::on_report(NodeId node, std::uint32_t code, const std::string& why) {
  if (node.index() >= members_.size() || failure_) return;
  Member& member = members_[node.index()];
  if (member.code != 0) return;  // its first failure is the reason
  member.reported = true;
  member.code = code;
  member.failure = why;
  if (code != 0 && !failing_since_) failing_since_ = awake_.now();
  settle_outcome();
}

bool Rendezvous::all_reported() const {
  // Unless a node has failed, a node that is gone does not count as reported.
  return std::all_of(members_.begin(), members_.end(), [this](const Member& member) {
    return member.reported || (failing_since_ && member.state == MemberState::Gone);
  });
}

/// Decides once all nodes have reported, or some time after a failure, since other nodes may be
/// waiting for the failed one. Of several failures, that of the lowest node counts; one that only
/// reports a lost peer counts only if there is no other.
void Rendezvous::settle_outcome() {
  const bool late = failing_since_ && awake_.now() - *failing_since_ > kFailAlike;
  const auto has_reported = [](const Member& member) { return member.reported; };
  if (failure_ || std::none_of(members_.begin(), members_.end(), has_reported)) return;
  if (!late && !all_reported()) return;
  ControlMessage outcome{.kind = ControlKind::Outcome};
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.reported = false;
    const bool better =
        outcome.code == 0 || (outcome.code == kPeerCode && member.code != kPeerCode);
    if (member.code == 0 || !better) continue;
    outcome.node = i;
    outcome.code = member.code;
    outcome.text = member.failure;
  }
  if (outcome.code != 0) failure_ = outcome;
  broadcast(outcome, NodeId::none());
}

/// One inquiry at a time: it also decides on pairs that are suspected while it runs.
void Rendezvous::on_suspicion(NodeId by, NodeId whom) {
  if (whom.index() >= members_.size() || members_[whom.index()].state == MemberState::Gone) return;
  if (!inquiry_) {
    inquiry_.emplace(members_.size());
    const Duration most =
        std::clamp<Duration>(options_.verdict / 4, kShortestInquiry, kLongestInquiry);
    inquire_until_ = awake_.now() + 2 * most;
    log_info("rendezvous: node {} cannot reach node {}: asking all nodes", by, whom);
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(most).count();
    broadcast(
        {.kind = ControlKind::Inquire, .milliseconds = static_cast<std::uint32_t>(milliseconds)},
        NodeId::none());
  }
  inquiry_->suspect(by, whom);
}

void Rendezvous::on_unreached(NodeId by, const std::vector<std::string>& list) {
  if (!inquiry_) return;
  std::vector<NodeId> unreached;
  for (const std::string& each : list) {
    std::uint32_t node = 0;
    if (each.size() != sizeof(node)) continue;
    std::memcpy(&node, each.data(), sizeof(node));
    unreached.push_back(NodeId(node));
  }
  inquiry_->answer(by, unreached);
  finish_inquiry();
}

void Rendezvous::finish_inquiry() {
  bool all = true;
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    all = all && (members_[i].guest == nullptr || inquiry_->answered(NodeId(i)));
  if (!all && awake_.now() < inquire_until_) return;
  const Inquiry settled = *std::exchange(inquiry_, std::nullopt);
  for (const auto& [node, why] : settled.verdicts()) give_up(node, why);
}

void Rendezvous::start_dump() {
  if (dumping_ || !complete_) return;
  dumping_ = true;
  dump_until_ = awake_.now() + kEvidencePatience;
  evidence_.clear();
  for (Member& member : members_) member.answered = member.guest == nullptr;
  broadcast({.kind = ControlKind::Dump}, NodeId::none());
}

void Rendezvous::finish_dump() {
  const bool all = std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.answered || member.guest == nullptr;
  });
  if (!all && awake_.now() < dump_until_) return;
  dumping_ = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].answered) evidence_ += format("node {}: did not answer\n", i);
  }
  if (options_.on_evidence) options_.on_evidence(evidence_);
}

}  // namespace leeway
