#include "transport/membership.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.h"
#include "base/process.h"
#include "transport/wire_transport.h"

extern char** environ;

namespace leeway {

namespace {

constexpr std::string_view kGreeting = "leeway-2";
constexpr Digest kRefusal{};  // no proof is all zeros
constexpr std::size_t kLongestMessage = std::size_t{4} << 20U;
constexpr std::size_t kReadAtOnce = 64 * 1024;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::span<const std::byte> bytes_of_length(const std::uint32_t& length) {
  return std::as_bytes(std::span(&length, 1));
}
std::span<std::byte> writable(char* data, std::size_t bytes) {
  return std::as_writable_bytes(std::span(data, bytes));
}
void append(std::string& to, const void* data, std::size_t bytes) {
  to.append(static_cast<const char*>(data), bytes);
}
void append_text(std::string& to, std::string_view text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  append(to, &length, sizeof(length));
  to += text;
}

class FieldReader {
 public:
  explicit FieldReader(std::string_view in) : in_(in) {}
  template <class T>
  void take(T& value) {
    const std::string_view raw = take_bytes(sizeof(T));
    if (!failed_) std::memcpy(&value, raw.data(), sizeof(T));
  }
  std::string take_text() {
    std::uint32_t length = 0;
    take(length);
    return std::string(take_bytes(length));
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t left() const { return in_.size(); }

 private:
  std::string_view take_bytes(std::size_t bytes) {
    failed_ = failed_ || bytes > in_.size();
    if (failed_) return {};
    const std::string_view taken = in_.substr(0, bytes);
    in_.remove_prefix(bytes);
    return taken;
  }
  std::string_view in_;
  bool failed_ = false;
};

std::string encode(const ControlMessage& message) {
  std::string out;
  append(out, &message.kind, sizeof(message.kind));
  append(out, &message.node, sizeof(message.node));
  append(out, &message.code, sizeof(message.code));
  append(out, &message.milliseconds, sizeof(message.milliseconds));
  append_text(out, std::string_view(message.text).substr(0, ControlChannel::kLongestText));
  for (const std::string& each : message.list) append_text(out, each);
  return out;
}

std::optional<ControlMessage> decode(std::string_view text) {
  FieldReader in(text);
  ControlMessage message;
  in.take(message.kind);
  in.take(message.node);
  in.take(message.code);
  in.take(message.milliseconds);
  message.text = in.take_text();
  while (!in.failed() && in.left() > 0) message.list.push_back(in.take_text());
  if (in.failed()) return std::nullopt;
  return message;
}

}  // namespace

ControlChannel::ControlChannel(int socket, Side side, const Secret& secret)
    : socket_(socket), side_(side), secret_(secret), own_nonce_(fresh_nonce()) {
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (side_ == Side::Server) {
    out_ = kGreeting;
    append(out_, own_nonce_.data(), own_nonce_.size());
  }
}

ControlChannel::~ControlChannel() { ::close(socket_); }

/// Handshake: the server's nonce; the client's nonce and proof; the server's proof, or kRefusal.
/// Each proof covers both nonces and the side that made it, so it can be neither reflected nor
/// replayed.
bool ControlChannel::prove() {
  const bool server = side_ == Side::Server;
  const bool knows_nonce = other_nonce_ != Digest{};
  const std::size_t nonce_part = kGreeting.size() + sizeof(Digest);
  const auto proof = [&](bool of_server) {
    const Digest& first = server ? own_nonce_ : other_nonce_;
    const Digest& second = server ? other_nonce_ : own_nonce_;
    std::string both;
    append(both, first.data(), first.size());
    append(both, second.data(), second.size());
    return secret_.sign(of_server ? "server" : "client", bytes_of(both));
  };
  if (!knows_nonce) {
    if (in_.size() < nonce_part + (server ? sizeof(Digest) : 0)) {
      return in_.substr(0, kGreeting.size()) == kGreeting.substr(0, in_.size());
    }
    if (!in_.starts_with(kGreeting)) return false;
    std::memcpy(other_nonce_.data(), in_.data() + kGreeting.size(), sizeof(Digest));
    if (server) {
      const std::string_view theirs = std::string_view(in_).substr(nonce_part, sizeof(Digest));
      if (!same(bytes_of(theirs), proof(false))) {
        append(out_, kRefusal.data(), kRefusal.size());
        (void)write();
        return false;
      }
      const Digest mine = proof(true);
      append(out_, mine.data(), mine.size());
      in_.erase(0, nonce_part + sizeof(Digest));
      trust();
      return true;
    }
    out_ += kGreeting;
    append(out_, own_nonce_.data(), own_nonce_.size());
    const Digest mine = proof(false);
    append(out_, mine.data(), mine.size());
    in_.erase(0, nonce_part);
  }
  if (in_.size() < sizeof(Digest)) return true;
  if (!same(bytes_of(std::string_view(in_).substr(0, sizeof(Digest))), proof(true))) return false;
  in_.erase(0, sizeof(Digest));
  trust();
  return true;
}

void ControlChannel::trust() {
  const bool server = side_ == Side::Server;
  std::string both;
  append(both, (server ? own_nonce_ : other_nonce_).data(), sizeof(Digest));
  append(both, (server ? other_nonce_ : own_nonce_).data(), sizeof(Digest));
  sending_ = Aead(secret_.derive(server ? "from server" : "from client", bytes_of(both)));
  receiving_ = Aead(secret_.derive(server ? "from client" : "from server", bytes_of(both)));
  trusted_ = true;
  for (const ControlMessage& message : std::exchange(early_, {})) send(message);
}

void ControlChannel::send(const ControlMessage& message) {
  if (!trusted_) {
    early_.push_back(message);
    return;
  }
  std::string body = encode(message);
  over_ = over_ || out_.size() + body.size() > kMostUnwritten;
  if (over_) return;
  const auto length = static_cast<std::uint32_t>(body.size());
  const Mark mark =
      sending_.seal(sent_++, bytes_of_length(length), writable(body.data(), body.size()), true);
  append(out_, &length, sizeof(length));
  append(out_, mark.data(), mark.size());
  out_ += body;
}

void ControlChannel::beat() {
  if (trusted_ && out_.empty()) send({.kind = ControlKind::Heartbeat});
}

bool ControlChannel::take_messages() {
  while (true) {
    std::uint32_t length = 0;
    constexpr std::size_t kBefore = sizeof(length) + sizeof(Mark);
    if (in_.size() < kBefore) return true;
    std::memcpy(&length, in_.data(), sizeof(length));
    if (length > kLongestMessage) return false;
    if (in_.size() < kBefore + length) return true;
    Mark mark;
    std::memcpy(mark.data(), in_.data() + sizeof(length), mark.size());
    if (!receiving_.unseal(received_, bytes_of_length(length),
                           writable(in_.data() + kBefore, length), true, mark)) {
      return false;
    }
    ++received_;
    auto message = decode(std::string_view(in_).substr(kBefore, length));
    if (!message) return false;
    messages_.push_back(std::move(*message));
    in_.erase(0, kBefore + length);
  }
}

bool ControlChannel::read() {
  char buffer[4096];
  for (std::size_t total = 0; total < kReadAtOnce;) {
    const ssize_t got = ::recv(socket_, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    in_.append(buffer, static_cast<std::size_t>(got));
    total += static_cast<std::size_t>(got);
    if (!trusted_ && !prove()) {
      refused_ = true;
      return false;
    }
    if (trusted_ && !take_messages()) return false;
  }
  return true;
}

bool ControlChannel::write() {
  while (!out_.empty()) {
    const ssize_t put = ::send(socket_, out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    out_.erase(0, static_cast<std::size_t>(put));
  }
  return true;
}

bool ControlChannel::move() {
  // Messages that arrived before the end of the connection still count, so read before writing.
  if (over_) return false;
  over_ = !read() || !write();
  return !over_;
}

std::optional<ControlMessage> ControlChannel::next() {
  if (messages_.empty()) return std::nullopt;
  ControlMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool ControlChannel::machine_answers(Duration within) const {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  return std::chrono::milliseconds(info.tcpi_last_ack_recv) <= within;
}

void ControlChannel::flush(Duration most) {
  const SteadyClock clock;
  const Instant until = clock.now() + most;
  while (!out_.empty() && write() && !out_.empty() && clock.now() < until) {
    pollfd ready{.fd = socket_, .events = POLLOUT, .revents = 0};
    ::poll(&ready, 1, 10);
  }
}

std::string in_one_line(std::string_view text, std::string_view between) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    if (!part.empty()) line.append(line.empty() ? "" : between).append(part);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return line;
}

Error bad_frame(NodeId self, NodeId from) {
  return {ErrorKind::Peer, format("node {}", self),
          format("node {} sent bytes that no correct peer sends", from),
          "run the same build of leeway on every node"};
}

std::string remedy_after_loss() {
  const LaunchInfo launch = read_launch(::environ);
  const std::string look = "look at its log; ";
  if (!launch.pmi || launch.rendezvous) return look + "start the job again";
  return look +
         "MPI ends the whole job when a process is lost: leeway launch --spares K replaces the "
         "process instead, and leeway supervise restarts the job";
}

Error peer_is_gone(NodeId self, NodeId peer, std::string_view evidence) {
  return {
      ErrorKind::Peer, format("node {}", self),
      format("node {} is gone; this node was waiting for: {}", peer, in_one_line(evidence, ", ")),
      remedy_after_loss()};
}

Inquiry::Pair Inquiry::pair(NodeId a, NodeId b) { return std::minmax(a.value(), b.value()); }

void Inquiry::suspect(NodeId by, NodeId whom) {
  if (by != whom && by.index() < answered_.size() && whom.index() < answered_.size())
    suspected_.insert(pair(by, whom));
}

void Inquiry::answer(NodeId by, const std::vector<NodeId>& unreached) {
  answered_[by.index()] = true;
  for (const NodeId whom : unreached) {
    if (whom != by && whom.index() < answered_.size()) cut_.insert(pair(by, whom));
  }
}

std::vector<Inquiry::LossVerdict> Inquiry::verdicts() const {
  std::vector<LossVerdict> verdicts;
  std::set<Pair> cut = cut_;
  const auto cuts_of = [&cut](std::uint32_t node) {
    return std::count_if(cut.begin(), cut.end(), [node](const Pair& each) {
      return each.first == node || each.second == node;
    });
  };
  for (const Pair& suspected : suspected_) {
    if (!cut.contains(suspected)) continue;  // they reach each other, or one has gone
    const auto [low, high] = suspected;
    const std::uint32_t goes = cuts_of(low) > cuts_of(high) ? low : high;
    const std::uint32_t stays = goes == low ? high : low;
    verdicts.push_back(
        {NodeId(goes), format("it and node {} can no longer reach each other", stays)});
    std::erase_if(
        cut, [goes = goes](const Pair& each) { return each.first == goes || each.second == goes; });
  }
  return verdicts;
}

namespace {

constexpr Duration kConnect = std::chrono::seconds(20);
constexpr int kAttempts = 4;
constexpr Duration kBetweenAttempts = std::chrono::milliseconds(20);
constexpr Duration kHurry = std::chrono::milliseconds(5);
constexpr Duration kEverybody = std::chrono::minutes(5);

/// Interval at which the listening thread checks whether a heartbeat is due.
Duration beat_every(Duration verdict) {
  return std::clamp<Duration>(verdict / 8, std::chrono::milliseconds(5),
                              std::chrono::milliseconds(500));
}

/// Connects within `wait_ms`; -1 and errno on failure.
int connect_to(const addrinfo& where, int wait_ms) {
  const int socket = ::socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  int error = 0;
  if (::connect(socket, where.ai_addr, where.ai_addrlen) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      pollfd end{.fd = socket, .events = POLLOUT, .revents = 0};
      error = ETIMEDOUT;
      socklen_t length = sizeof(error);
      if (::poll(&end, 1, wait_ms) == 1) {
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
      }
    }
  }
  if (error == 0) return socket;
  ::close(socket);
  errno = error;
  return -1;
}

int connect_to_name(const std::string& name, int wait_ms) {
  const std::size_t colon = name.rfind(':');
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (colon == std::string::npos ||
      ::getaddrinfo(name.substr(0, colon).c_str(), name.substr(colon + 1).c_str(), &hints,
                    &found) != 0) {
    errno = EHOSTUNREACH;
    return -1;
  }
  int socket = -1;
  for (const addrinfo* each = found; each != nullptr && socket < 0; each = each->ai_next) {
    socket = connect_to(*each, wait_ms);
  }
  const int error = errno;
  ::freeaddrinfo(found);
  errno = error;
  return socket;
}

int connect_to_any(std::string_view names, int wait_ms) {
  for (const std::string_view name : split(names, ',')) {
    const int socket = connect_to_name(std::string(name), wait_ms);
    if (socket >= 0) return socket;
  }
  return -1;
}

// If other connections flood the port, the kernel repeats a dropped connection request after 1, 2
// and 4 s. A new request after a short time gets through sooner.
constexpr int kSoonAgainMs = 250;
constexpr int kPatientlyMs = 2000;
constexpr int kQuickTries = 8;

/// A socket connected to the first address that answers within `patience`.
Result<int> reach(const std::string& rendezvous, Duration patience) {
  const SteadyClock clock;
  const Instant until = clock.now() + patience;
  int socket = connect_to_any(rendezvous, kSoonAgainMs);
  for (int tries = 1; socket < 0 && clock.now() < until; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    socket = connect_to_any(rendezvous, tries < kQuickTries ? kSoonAgainMs : kPatientlyMs);
  }
  if (socket >= 0) return socket;
  return fail(system_error("rendezvous " + rendezvous, "connect", errno,
                           "check that the launcher still runs and that no firewall is between"));
}

std::string own_address(int socket) {
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
  return text;
}

}  // namespace

Result<std::unique_ptr<Membership>> Membership::connect(const std::string& rendezvous,
                                                        const Secret& secret, Duration verdict,
                                                        Duration patience) {
  const Stopwatch watch;
  // One slow proof can be due to a busy machine or a SIGSTOP; repeated slow proofs are an error.
  for (int slow = 0; slow < kAttempts && watch.elapsed() < std::max(patience, kConnect * slow);) {
    LEEWAY_ASSIGN(const int socket, reach(rendezvous, std::max(patience, kConnect)));
    std::unique_ptr<Membership> made(new Membership(socket, secret, verdict, own_address(socket)));
    const Proof proof = made->prove();
    if (proof == Proof::Given) return made;
    if (proof == Proof::Refused) {
      return fail(input_error(
          "rendezvous", "it does not know this process's secret, or belongs to another job",
          "let one `leeway launch` start all processes of a job; look at the other "
          "nodes' messages"));
    }
    slow += proof == Proof::TooSlow ? 1 : 0;
    if (proof == Proof::HungUp) std::this_thread::sleep_for(kBetweenAttempts);
  }
  return fail(environment_error(
      "rendezvous " + rendezvous,
      "it closed the connection each time, before it had read this process's proof",
      "check whether other programs flood that port with connections; look at the launcher's "
      "messages"));
}

Error failure_of(NodeId node, std::uint32_t code, const std::string& why) {
  Error error{ErrorKind::Peer, format("node {} failed", node), why, ""};
  for (const ErrorKind kind : {ErrorKind::Input, ErrorKind::Environment}) {
    error.kind = kind;
    if (error.exit_code() == static_cast<int>(code)) return error;
  }
  error.kind = ErrorKind::Peer;
  return error;
}

Membership::Membership(int socket, const Secret& secret, Duration verdict,
                       std::string local_address)
    : secret_(secret),
      verdict_(verdict),
      local_address_(std::move(local_address)),
      channel_(socket, ControlChannel::Side::Client, secret_) {}

Membership::~Membership() {
  stop_ = true;
  bell_.ring();
  if (thread_.joinable()) thread_.join();
}

Membership::Proof Membership::prove() {
  const Instant began = clock_.now();
  while (channel_.move()) {
    if (channel_.trusted()) return Proof::Given;
    if (clock_.now() - began > kConnect) return Proof::TooSlow;
    const short events = channel_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd end{.fd = channel_.socket(), .events = events, .revents = 0};
    ::poll(&end, 1, 100);
  }
  return channel_.refused() ? Proof::Refused : Proof::HungUp;
}

/// Meanwhile sends heartbeats, because other nodes may join later than the verdict time, and checks
/// that the rendezvous' machine answers.
Status Membership::wait_for(ControlKind kind, Duration most, ControlMessage& message) {
  const Instant until = clock_.now() + most;
  AwakeTime awake(clock_.now(), AwakeTime::step_for(verdict_));
  Instant beat_at = awake.now();
  Instant answered_at = awake.now();
  while (clock_.now() < until) {
    awake.look(clock_.now());
    if (awake.now() >= beat_at) {
      channel_.beat();
      beat_at = awake.now() + verdict_ / 4;
    }
    const bool open = channel_.move();
    if (channel_.machine_answers(verdict_)) answered_at = awake.now();
    if (awake.now() - answered_at > verdict_) {
      return fail(
          environment_error("rendezvous", "its machine no longer answers",
                            "check for a firewall or a broken network between the machines"));
    }
    while (auto next = channel_.next()) {
      if (next->kind == ControlKind::Refused) {
        return fail(input_error("rendezvous", next->text,
                                "start the job's processes with `leeway launch`"));
      }
      if (next->kind == ControlKind::Outcome && next->code != 0)
        return fail(failure_of(NodeId(next->node), next->code, next->text));
      if (next->kind != kind) continue;
      message = std::move(*next);
      return {};
    }
    if (!open) {
      return fail(input_error("rendezvous", "it ended before all nodes had joined",
                              "look at the other nodes' messages"));
    }
    const short events = channel_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd end{.fd = channel_.socket(), .events = events, .revents = 0};
    const auto patience =
        std::chrono::duration_cast<std::chrono::milliseconds>(beat_every(verdict_));
    ::poll(&end, 1, static_cast<int>(patience.count()));
  }
  return fail(environment_error("rendezvous", "not all nodes joined in time",
                                "look at the other nodes' messages; start the job again"));
}

Status Membership::enter(NodeId node, const std::string& address, std::uint32_t generation) {
  channel_.send(
      {.kind = ControlKind::Hello, .node = node.value(), .code = generation, .text = address});
  ControlMessage welcome;
  LEEWAY_TRY(wait_for(ControlKind::Welcome, kEverybody, welcome));
  peers_ = std::move(welcome.list);
  return {};
}

void Membership::start(MembershipHandlers handlers) {
  handlers_ = std::move(handlers);
  thread_ = std::thread([this] { listen(); });
}

void Membership::listen() {
  const Duration beat = beat_every(verdict_);
  AwakeTime awake(clock_.now(), AwakeTime::step_for(verdict_));
  Instant beat_at = awake.now();
  Instant heard = awake.now();
  while (!stop_.load()) {
    bell_.wait(beats_often_.load() ? kHurry : beat, lost_.load() ? -1 : channel_.socket());
    awake.look(clock_.now());
    std::vector<ControlMessage> messages;
    bool open = true;
    {
      const std::lock_guard locked(mutex_);
      if (awake.now() >= beat_at) {
        channel_.beat();
        beat_at = awake.now() + verdict_ / 4;
      }
      open = channel_.move();
      while (auto message = channel_.next()) messages.push_back(std::move(*message));
    }
    if (!messages.empty()) heard = awake.now();
    for (const ControlMessage& message : messages) handle(message);
    if (handlers_.on_beat) handlers_.on_beat();
    if ((open && !lost(awake.now() - heard)) || lost_.exchange(true)) continue;
    if (!goodbye_.load() && handlers_.on_lost) handlers_.on_lost();
  }
}

/// A silent launcher may be stopped and continue later: while its machine answers, it is not lost.
bool Membership::lost(Duration silence) const {
  if (silence <= verdict_) return false;
  return !handlers_.rendezvous_may_pause || !channel_.machine_answers(verdict_);
}

void Membership::handle(const ControlMessage& message) {
  switch (message.kind) {
    case ControlKind::Down:
      return handlers_.on_down(NodeId(message.node), message.text);
    case ControlKind::Outcome:
      return handlers_.on_outcome(NodeId(message.node), message.code, message.text);
    case ControlKind::Inquire:
      if (handlers_.on_inquiry)
        handlers_.on_inquiry(std::chrono::milliseconds(message.milliseconds));
      return;
    case ControlKind::Goodbye:
      goodbye_ = true;
      return;
    case ControlKind::Dump:
      return send({.kind = ControlKind::Evidence, .text = handlers_.evidence()});
    default:
      return;
  }
}

bool Membership::leave(const std::function<void()>& meanwhile) {
  send({.kind = ControlKind::Leave});
  while (!goodbye_.load() && !lost_.load()) {
    meanwhile();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return goodbye_.load();
}

void Membership::send(const ControlMessage& message) {
  {
    const std::lock_guard locked(mutex_);
    channel_.send(message);
  }
  bell_.ring();
}

void Membership::send_now(const ControlMessage& message) {
  const std::lock_guard locked(mutex_);
  channel_.send(message);
  channel_.flush(std::chrono::milliseconds(50));
}

}  // namespace leeway
