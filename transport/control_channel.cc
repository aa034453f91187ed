#include "leeway/transport/control_channel.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

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

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}
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
  Reader in(text);
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

/// The server's nonce; the client's nonce and proof; the server's proof, or kRefusal. Each proof covers both nonces
/// and says whose it is, so neither can be reflected or replayed.
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
  // What came before the end still counts, so reading goes first and its messages stay.
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

}  // namespace leeway
