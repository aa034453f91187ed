#include "transport/ofi_wire.h"

#include <catch2/catch.hpp>

#include "transport/wire_transport.h"

using namespace leeway;

namespace {
constexpr Duration kSecond = std::chrono::seconds(1);
}

TEST_CASE("a link on which nothing awaits an answer is never suspected") {
  OfiLink link;
  for (int i = 0; i < 100; ++i) link.age(kSecond, false);
  CHECK(link.waited() == Duration::zero());
  link.sent(false);  // an acknowledgement awaits no answer
  for (int i = 0; i < 100; ++i) link.age(kSecond, false);
  CHECK(link.waited() == Duration::zero());
}

TEST_CASE("an unacknowledged chunk ages, although the network accepted it") {
  OfiLink link;
  link.sent(true);
  link.sent(true);
  link.age(kSecond, false);
  CHECK(link.waited() == kSecond);
  link.heard(1);  // the peer acknowledges the first chunk
  CHECK(link.waited() == Duration::zero());
  link.age(kSecond, false);
  link.age(kSecond, false);
  CHECK(link.waited() == 2 * kSecond);
  link.heard(2);
  link.age(kSecond, false);
  CHECK(link.waited() == Duration::zero());
}

TEST_CASE("a chunk that could not be sent ages, too") {
  OfiLink link;
  link.age(kSecond, true);
  link.age(kSecond, true);
  CHECK(link.waited() == 2 * kSecond);
}

TEST_CASE("an acknowledgement of a chunk that was not sent is ignored") {
  OfiLink link;
  link.sent(true);
  link.heard(9);
  link.age(kSecond, false);
  CHECK(link.waited() == kSecond);
}

TEST_CASE("a question is answered by an acknowledgement of a chunk sent with or after it") {
  OfiLink link;
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

TEST_CASE("a suspension of the process counts as one step, running time in full") {
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
