#include "transport/membership.h"

#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

using namespace leeway;

namespace {

using Side = ControlChannel::Side;

std::pair<int, int> sockets() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  return {ends[0], ends[1]};
}

/// Moves both ends until nothing changes; false once one of them closes the connection.
bool settle(ControlChannel& a, ControlChannel& b) {
  for (int i = 0; i < 10; ++i) {
    if (!a.move() || !b.move()) return false;
  }
  return true;
}

/// Bytes that arrive at a raw socket.
std::string take(int socket) {
  char buffer[4096];
  const ssize_t bytes = ::recv(socket, buffer, sizeof(buffer), MSG_DONTWAIT);
  return bytes > 0 ? std::string(buffer, static_cast<std::size_t>(bytes)) : "";
}

}  // namespace

TEST_CASE("two ends that share the secret exchange messages") {
  const Secret secret = Secret::random();
  const auto [left, right] = sockets();
  ControlChannel server(left, Side::Server, secret), client(right, Side::Client, secret);
  client.send({.kind = ControlKind::Hello, .node = 3, .text = "here", .list = {"a", ""}});
  REQUIRE(settle(server, client));
  const auto message = server.next();
  REQUIRE(message);
  CHECK(message->node == 3);
  CHECK(message->text == "here");
  CHECK(message->list == std::vector<std::string>{"a", ""});
}

TEST_CASE("an end with another secret is not trusted, and none of its messages is seen") {
  const Secret secret = Secret::random(), other = Secret::random();
  const auto [left, right] = sockets();
  ControlChannel server(left, Side::Server, secret), client(right, Side::Client, other);
  client.send({.kind = ControlKind::Hello});
  CHECK_FALSE(settle(server, client));
  CHECK_FALSE(server.trusted());
  CHECK_FALSE(client.trusted());
  CHECK_FALSE(server.next());
}

TEST_CASE("a recorded conversation cannot be replayed") {
  const Secret secret = Secret::random();
  std::string sent;
  {
    const auto [left, middle_left] = sockets();
    const auto [middle_right, right] = sockets();
    ControlChannel server(left, Side::Server, secret), client(right, Side::Client, secret);
    client.send({.kind = ControlKind::Leave});
    for (int i = 0; i < 10; ++i) {
      (void)server.move(), (void)client.move();
      const std::string down = take(middle_left), up = take(middle_right);
      (void)!::write(middle_right, down.data(), down.size());
      (void)!::write(middle_left, up.data(), up.size());
      sent += up;
    }
    REQUIRE(server.next());
    ::close(middle_left);
    ::close(middle_right);
  }
  const auto [left, right] = sockets();
  ControlChannel server(left, Side::Server, secret);
  (void)!::write(right, sent.data(), sent.size());
  CHECK_FALSE((server.move() && server.move()));
  CHECK_FALSE(server.trusted());
  CHECK_FALSE(server.next());
  ::close(right);
}

TEST_CASE("a changed or repeated message ends the connection") {
  const Secret secret = Secret::random();
  for (const bool repeat : {false, true}) {
    const auto [left, middle_left] = sockets();
    const auto [middle_right, right] = sockets();
    ControlChannel server(left, Side::Server, secret), client(right, Side::Client, secret);
    const auto carry = [&] {
      for (int i = 0; i < 5; ++i) {
        (void)server.move(), (void)client.move();
        const std::string down = take(middle_left), up = take(middle_right);
        (void)!::write(middle_right, down.data(), down.size());
        (void)!::write(middle_left, up.data(), up.size());
      }
    };
    carry();
    REQUIRE(server.trusted());
    client.send({.kind = ControlKind::Suspect, .node = 1});
    REQUIRE(client.move());
    std::string message = take(middle_right);
    if (!repeat) message[8] ^= 1;
    (void)!::write(middle_left, message.data(), message.size());
    if (repeat) (void)!::write(middle_left, message.data(), message.size());
    CHECK_FALSE((server.move() && server.move()));
    ::close(middle_left);
    ::close(middle_right);
  }
}

TEST_CASE("messages for a stopped end queue up to a limit, and heartbeats are not queued") {
  const Secret secret = Secret::random();
  const auto [left, right] = sockets();
  ControlChannel server(left, Side::Server, secret), client(right, Side::Client, secret);
  REQUIRE(settle(server, client));
  const ControlMessage evidence{.kind = ControlKind::Evidence, .text = std::string(100'000, 'e')};
  // From now on the server reads nothing.
  std::size_t kept = 0;
  for (; kept < 1000; ++kept) {
    client.send(evidence);
    if (!client.move()) break;
  }
  CHECK(kept * evidence.text.size() > ControlChannel::kMostUnwritten / 2);
  CHECK(kept * evidence.text.size() < 2 * ControlChannel::kMostUnwritten);

  const auto [one, two] = sockets();
  ControlChannel beaten(one, Side::Server, secret), beating(two, Side::Client, secret);
  REQUIRE(settle(beaten, beating));
  beating.send({.kind = ControlKind::Evidence, .text = std::string(3'000'000, 'e')});
  for (int i = 0; i < 10'000; ++i) {
    beating.beat();
    REQUIRE(beating.move());
  }
  REQUIRE(beating.wants_to_write());
  std::size_t heard = 0;
  for (int i = 0; i < 200; ++i) {
    REQUIRE(settle(beaten, beating));
    while (const auto message = beaten.next()) {
      ++heard;
      if (message->kind == ControlKind::Evidence)
        CHECK(message->text.size() == ControlChannel::kLongestText);
    }
  }
  CHECK(heard == 1);
  beating.beat();
  REQUIRE(settle(beaten, beating));
  CHECK(beaten.next());
}

TEST_CASE("a client does not trust a server that cannot prove that it knows the secret") {
  const Secret secret = Secret::random();
  const auto [left, right] = sockets();
  ControlChannel client(right, Side::Client, secret);
  const std::string greeting = "leeway-2" + std::string(32, 'n');
  (void)!::write(left, greeting.data(), greeting.size());
  REQUIRE(client.move());
  const std::string claim(32, 'p');
  (void)!::write(left, claim.data(), claim.size());
  CHECK_FALSE(client.move());
  CHECK_FALSE(client.trusted());
  ::close(left);
}
