#include "transport/wire_transport.h"

#include <catch2/catch.hpp>
#include <deque>

#include "base/random.h"

using namespace leeway;

TEST_CASE("a full window closes, and credit reopens it with one notification") {
  CreditWindow window(1000);
  const std::uint64_t weight = CreditWindow::weight(236);  // 300
  for (int i = 0; i < 3; ++i) {
    REQUIRE(window.admits(weight));
    window.sent(weight);
  }
  CHECK_FALSE(window.admits(weight));
  CHECK(window.credited(weight));
  CHECK_FALSE(window.credited(0));
  CHECK(window.admits(weight));
}

TEST_CASE("a frame larger than the window is admitted once little is in flight") {
  CreditWindow window(1000);
  const std::uint64_t huge = std::uint64_t{5} << 32U;
  REQUIRE(window.admits(huge));
  window.sent(huge);
  CHECK_FALSE(window.admits(64));
  CHECK(window.credited(huge));
  CHECK(window.under_way() == 0);
}

TEST_CASE("credit reaches the message threshold once, and none is lost") {
  CreditWindow window(1000);
  CHECK_FALSE(window.handed_on(200));
  CHECK(window.handed_on(100));
  CHECK_FALSE(window.handed_on(100));
  CHECK(window.unreturned() == 400);
  window.returned();
  CHECK(window.unreturned() == 0);
  CHECK_FALSE(window.worth_a_message());
}

TEST_CASE("whatever is sent and delivered, the window is not exceeded and traffic never stops") {
  Random random(5);
  for (int run = 0; run < 200; ++run) {
    const std::uint64_t size = 100 + random.below(5000);
    CreditWindow sender(size), receiver(size);
    std::deque<std::uint64_t> way;
    std::uint64_t largest = 0;
    for (int step = 0; step < 1000; ++step) {
      const std::uint64_t weight = CreditWindow::weight(random.below(2 * size));
      if (random.below(2) == 0 && sender.admits(weight)) {
        sender.sent(weight);
        way.push_back(weight);
        largest = std::max(largest, weight);
      } else if (!way.empty()) {
        receiver.handed_on(way.front());
        way.pop_front();
        if (receiver.worth_a_message()) {
          sender.credited(receiver.unreturned());
          receiver.returned();
        }
      }
      REQUIRE(sender.under_way() <= size + largest);
    }
    while (!way.empty()) {
      receiver.handed_on(way.front());
      way.pop_front();
    }
    if (receiver.worth_a_message()) sender.credited(receiver.unreturned());
    REQUIRE(sender.admits(CreditWindow::weight(3 * size)));
  }
}
