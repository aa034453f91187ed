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
#include "leeway/transport/awake_time.h"

namespace leeway {

namespace {

constexpr Duration kConnect = std::chrono::seconds(20);
constexpr int kAttempts = 4;
constexpr Duration kBetweenAttempts = std::chrono::milliseconds(20);
constexpr Duration kHurry = std::chrono::milliseconds(5);
constexpr Duration kEverybody = std::chrono::minutes(5);

/// How often it is looked at whether there is something to say.
Duration beat_every(Duration verdict) {
  return std::clamp<Duration>(verdict / 8, std::chrono::milliseconds(5),
                              std::chrono::milliseconds(500));
}

/// Connects within a second; -1 with errno if not.
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
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    const int socket = connect_to_name(std::string(names.substr(0, comma)), wait_ms);
    if (socket >= 0) return socket;
    names = comma == std::string_view::npos ? "" : names.substr(comma + 1);
  }
  return -1;
}

// Where others flood the port, what the kernel drops it sends again after a second, then two, then four: to ask anew
// is sooner among those who come in.
constexpr int kSoonAgainMs = 250;
constexpr int kPatientlyMs = 2000;
constexpr int kQuickTries = 8;

/// A socket to the first that answers, within so long.
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
  const SteadyClock clock;
  const Instant began = clock.now();
  // Slow once is a busy machine, or somebody's SIGSTOP; slow every time is another matter.
  for (int slow = 0;
       slow < kAttempts && clock.now() - began < std::max(patience, kConnect * slow);) {
    LEEWAY_ASSIGN(const int socket, reach(rendezvous, std::max(patience, kConnect)));
    std::unique_ptr<Membership> made(new Membership(socket, secret, verdict, own_address(socket)));
    const Proof proof = made->prove();
    if (proof == Proof::Given) return made;
    if (proof == Proof::Refused) {
      return fail(
          input_error("rendezvous", "it does not know this process's secret, or is not ours",
                      "let one `leeway launch` start all processes of a job; look at the other "
                      "nodes' messages"));
    }
    slow += proof == Proof::TooSlow ? 1 : 0;
    if (proof == Proof::HungUp) std::this_thread::sleep_for(kBetweenAttempts);
  }
  return fail(environment_error(
      "rendezvous " + rendezvous,
      "it hung up, each time, before it had looked at this process's proof",
      "see whether something floods that port with connections; look at the launcher's messages"));
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

/// Meanwhile it says that this process lives, for the others may come later than the verdict time allows, and looks
/// whether the rendezvous' machine takes that in.
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
      return fail(environment_error("rendezvous", "its machine no longer answers",
                                    "see whether a firewall or a cut is between"));
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
      return fail(input_error("rendezvous", "it ended before all nodes had come",
                              "look at the other nodes' messages"));
    }
    const short events = channel_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd end{.fd = channel_.socket(), .events = events, .revents = 0};
    const auto patience =
        std::chrono::duration_cast<std::chrono::milliseconds>(beat_every(verdict_));
    ::poll(&end, 1, static_cast<int>(patience.count()));
  }
  return fail(environment_error("rendezvous", "not all nodes came in time",
                                "look at the other nodes' messages; start the job again"));
}

Status Membership::enter(NodeId node, const std::string& address) {
  channel_.send({.kind = ControlKind::Hello, .node = node.value(), .text = address});
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

/// A launcher that says nothing may be stopped, and go on: while its machine answers, it is not gone.
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
