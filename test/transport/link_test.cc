#include "transport/ofi_wire.h"

#include <catch2/catch.hpp>

#include "transport/wire_transport.h"

using namespace leeway;

namespace {
constexpr Duration kSecond = std::chrono::seconds(1);
}

TEST_CASE("a way on which nothing waits for an answer is never suspected") {
  Link link;
  for (int i = 0; i < 100; ++i) link.age(kSecond, false);
  CHECK(link.waited() == Duration::zero());
  link.sent(false);  // an acknowledgement
  for (int i = 0; i < 100; ++i) link.age(kSecond, false);
  CHECK(link.waited() == Duration::zero());
}

TEST_CASE("what was sent and is not acknowledged ages, though the network took it") {
  Link link;
  link.sent(true);
  link.sent(true);
  link.age(kSecond, false);
  CHECK(link.waited() == kSecond);
  link.heard(1);  // something gets through
  CHECK(link.waited() == Duration::zero());
  link.age(kSecond, false);
  link.age(kSecond, false);
  CHECK(link.waited() == 2 * kSecond);
  link.heard(2);
  link.age(kSecond, false);
  CHECK(link.waited() == Duration::zero());
}

TEST_CASE("what could not even be sent ages, too") {
  Link link;
  link.age(kSecond, true);
  link.age(kSecond, true);
  CHECK(link.waited() == 2 * kSecond);
}

TEST_CASE("nobody can acknowledge what was not sent") {
  Link link;
  link.sent(true);
  link.heard(9);
  link.age(kSecond, false);
  CHECK(link.waited() == kSecond);
}

TEST_CASE("a question is answered once something sent with or after it is acknowledged") {
  Link link;
  CHECK(link.answered());
  link.sent(true);
  link.ask();
  CHECK_FALSE(link.answered());
  const std::uint64_t question = link.next();
  link.sent(true);
  link.asked(question);
  link.heard(1);
  CHECK_FALSE(link.answered());
  link.heard(2);
  CHECK(link.answered());
}

TEST_CASE("a pause counts as one step, and awake time as it passes") {
  Instant clock{};
  AwakeTime awake(clock, kSecond);
  for (int i = 0; i < 10; ++i) {
    clock += kSecond / 2;
    CHECK(awake.look(clock) == kSecond / 2);
  }
  clock += 100 * kSecond;
  CHECK(awake.look(clock) == kSecond);
  CHECK(awake.now() == Instant{} + 6 * kSecond);
}
