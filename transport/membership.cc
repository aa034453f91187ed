#include "leeway/transport/membership.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "leeway/base/format.h"

namespace leeway {

namespace {

constexpr Duration kConnect = std::chrono::seconds(20);
constexpr int kAttempts = 4;
constexpr Duration kHurry = std::chrono::milliseconds(5);
constexpr Duration kEverybody = std::chrono::minutes(5);

/// Connects within a second; -1 with errno if not.
int connect_to(const addrinfo& where) {
  const int socket = ::socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  int error = 0;
  if (::connect(socket, where.ai_addr, where.ai_addrlen) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      pollfd end{.fd = socket, .events = POLLOUT, .revents = 0};
      error = ETIMEDOUT;
      socklen_t length = sizeof(error);
      if (::poll(&end, 1, 2000) == 1) {
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
      }
    }
  }
  if (error == 0) return socket;
  ::close(socket);
  errno = error;
  return -1;
}

int connect_to_name(const std::string& name) {
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
    socket = connect_to(*each);
  }
  const int error = errno;
  ::freeaddrinfo(found);
  errno = error;
  return socket;
}

int connect_to_any(std::string_view names) {
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    const int socket = connect_to_name(std::string(names.substr(0, comma)));
    if (socket >= 0) return socket;
    names = comma == std::string_view::npos ? "" : names.substr(comma + 1);
  }
  return -1;
}

/// A socket to the first that answers, while there is hope.
Result<int> reach(const std::string& rendezvous) {
  const SteadyClock clock;
  const Instant until = clock.now() + kConnect;
  int socket = connect_to_any(rendezvous);
  while (socket < 0 && clock.now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    socket = connect_to_any(rendezvous);
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
                                                        const Secret& secret, Duration verdict) {
  // Slow once is a busy machine, or somebody's SIGSTOP; slow every time is another matter.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    LEEWAY_ASSIGN(const int socket, reach(rendezvous));
    std::unique_ptr<Membership> made(new Membership(socket, secret, verdict, own_address(socket)));
    const Proof proof = made->prove();
    if (proof == Proof::Given) return made;
    if (proof == Proof::Refused) break;
  }
  return fail(input_error(
      "rendezvous", "it does not know this process's secret, is not ours, or was about to end",
      "let one `leeway launch` start all processes of a job; look at the other "
      "nodes' messages"));
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

/// A rendezvous that hangs up on a proof has not believed it; else it has seen none in time.
Membership::Proof Membership::prove() {
  const Instant began = clock_.now();
  while (channel_.move()) {
    if (channel_.trusted()) return Proof::Given;
    if (clock_.now() - began > kConnect) return Proof::TooSlow;
    const short events = channel_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd end{.fd = channel_.socket(), .events = events, .revents = 0};
    ::poll(&end, 1, 100);
  }
  return channel_.proof_sent() ? Proof::Refused : Proof::TooSlow;
}

Status Membership::wait_for(ControlKind kind, Duration most, ControlMessage& message) {
  const Instant until = clock_.now() + most;
  while (clock_.now() < until) {
    const bool open = channel_.move();
    while (auto next = channel_.next()) {
      if (next->kind == ControlKind::Refused) {
        return fail(input_error("rendezvous", next->text,
                                "start the job's processes with `leeway launch`"));
      }
      if (next->kind == ControlKind::Outcome && next->life != 0)
        return fail(failure_of(NodeId(next->node), next->life, next->text));
      if (next->kind != kind) continue;
      message = std::move(*next);
      return {};
    }
    if (!open) {
      return fail(input_error("rendezvous", "it ended before all nodes had come",
                              "look at the other nodes' messages"));
    }
    const short events = channel_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd end{.fd = channel_.socket(), .events = events, .revents = 0};
    ::poll(&end, 1, 100);
  }
  return fail(environment_error("rendezvous", "not all nodes came in time",
                                "look at the other nodes' messages; start the job again"));
}

Status Membership::enter(NodeId node, const std::string& address) {
  channel_.send({.kind = ControlKind::Hello, .node = node.value(), .text = address});
  ControlMessage welcome;
  LEEWAY_TRY(wait_for(ControlKind::Welcome, kEverybody, welcome));
  life_ = welcome.life;
  for (const std::string& each : welcome.list) {
    Peer peer;
    if (each.size() < sizeof(peer.life)) continue;
    std::memcpy(&peer.life, each.data(), sizeof(peer.life));
    peer.address = each.substr(sizeof(peer.life));
    peers_.push_back(std::move(peer));
  }
  return {};
}

void Membership::start(MembershipHandlers handlers) {
  handlers_ = std::move(handlers);
  thread_ = std::thread([this] { listen(); });
}

void Membership::listen() {
  const Duration beat = std::clamp<Duration>(verdict_ / 8, std::chrono::milliseconds(5),
                                             std::chrono::milliseconds(500));
  Instant beat_at = clock_.now();
  Instant heard = clock_.now();
  while (!stop_.load()) {
    bell_.wait(beats_often_.load() ? kHurry : beat, lost_.load() ? -1 : channel_.socket());
    std::vector<ControlMessage> messages;
    bool open = true;
    {
      const std::lock_guard locked(mutex_);
      if (clock_.now() >= beat_at) {
        channel_.send({.kind = ControlKind::Heartbeat});
        beat_at = clock_.now() + verdict_ / 4;
      }
      open = channel_.move();
      while (auto message = channel_.next()) messages.push_back(std::move(*message));
    }
    if (!messages.empty()) heard = clock_.now();
    for (const ControlMessage& message : messages) handle(message);
    if (handlers_.on_beat) handlers_.on_beat();
    const bool silent = clock_.now() - heard > verdict_;
    if ((open && !silent) || lost_.exchange(true)) continue;
    if (!goodbye_.load() && handlers_.on_lost) handlers_.on_lost();
  }
}

void Membership::handle(const ControlMessage& message) {
  switch (message.kind) {
    case ControlKind::Down:
      return handlers_.on_down(NodeId(message.node), message.text);
    case ControlKind::Up:
      return handlers_.on_up(NodeId(message.node), message.life, message.text);
    case ControlKind::Outcome:
      return handlers_.on_outcome(NodeId(message.node), message.life, message.text);
    case ControlKind::Goodbye:
      goodbye_ = true;
      return;
    case ControlKind::Dump:
      return say({.kind = ControlKind::Evidence, .text = handlers_.evidence()});
    default:
      return;
  }
}

bool Membership::leave(const std::function<void()>& meanwhile) {
  say({.kind = ControlKind::Leave});
  while (!goodbye_.load() && !lost_.load()) {
    meanwhile();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return goodbye_.load();
}

void Membership::say(const ControlMessage& message) {
  {
    const std::lock_guard locked(mutex_);
    channel_.send(message);
  }
  bell_.ring();
}

void Membership::say_now(const ControlMessage& message) {
  const std::lock_guard locked(mutex_);
  channel_.send(message);
  channel_.flush(std::chrono::milliseconds(50));
}

}  // namespace leeway
