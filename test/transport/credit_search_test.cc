// Two nodes send frames to each other within their credit windows, over a channel that holds few
// messages. The search visits every reachable state, breadth first.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "transport/wire_transport.h"

using namespace leeway;

namespace {

// Faulty windows.

struct WithoutThreshold : CreditWindow {
  explicit WithoutThreshold(std::uint64_t size) : CreditWindow(size), size_(size) {}
  bool admits(std::uint64_t weight) {
    if (!CreditWindow::admits(weight)) return false;
    return under_way() + weight <= size_;
  }
  std::uint64_t size_;
};

struct ReturnsAgain : CreditWindow {
  using CreditWindow::CreditWindow;
  void returned() {}
};

struct TakesTwice : CreditWindow {
  using CreditWindow::CreditWindow;
  bool credited(std::uint64_t credit) {
    const bool first = CreditWindow::credited(credit);
    return CreditWindow::credited(credit) || first;
  }
};

struct NeverNotifies : CreditWindow {
  using CreditWindow::CreditWindow;
  bool credited(std::uint64_t credit) {
    (void)CreditWindow::credited(credit);
    return false;
  }
};

struct NeverWorthAMessage : CreditWindow {
  using CreditWindow::CreditWindow;
  bool handed_on(std::uint64_t weight) {
    (void)CreditWindow::handed_on(weight);
    return false;
  }
};

struct CountsNoEmptyFrames : CreditWindow {
  using CreditWindow::CreditWindow;
  void sent(std::uint64_t weight) {
    if (weight > CreditWindow::weight(0)) CreditWindow::sent(weight);
  }
};

struct Message {
  std::uint64_t weight = 0;  // 0: credit only
  std::uint64_t credit = 0;
};

/// One node, in the role that WireTransport has towards its only peer.
template <class Window>
struct Side {
  Window window;
  std::deque<Message> way;             // messages in flight to the peer
  std::deque<std::uint64_t> arrivals;  // received, not yet delivered
  bool awaited = false;                // credit to return has reached the threshold of a message
  std::uint64_t refused = 0;           // weight of the frame that waits for a notification; 0: none
  bool not_notified = false;           // the previous step omitted a notification
};

struct Setting {
  std::uint64_t window;
  std::array<std::vector<std::uint64_t>, 2> weights;  // weights of the frames of each side
  std::size_t room = 2;                               // capacity of the channel, in messages
};

struct Search {
  std::size_t states = 0;
  std::string violation;
};

template <class Window>
class Nodes {
 public:
  explicit Nodes(const Setting& setting)
      : setting_(&setting),
        sides_{Side<Window>{Window(setting.window)}, Side<Window>{Window(setting.window)}} {}

  template <class With>
  void each_next(With&& with) const {
    for (std::size_t i = 0; i < 2; ++i) {
      for (const std::uint64_t weight : setting_->weights[i])
        step(with, [&](Nodes& next) { return next.send(i, weight); });
      step(with, [&](Nodes& next) { return next.receive(i); });
      step(with, [&](Nodes& next) { return next.hand_on(i); });
      step(with, [&](Nodes& next) { return next.return_credit(i); });
    }
  }
  /// The violation in this state; empty if there is none.
  [[nodiscard]] std::string violation() const {
    bool at_rest = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const Side<Window>& side = sides_[i];
      if (side.not_notified) return "a frame may go, and no notification was sent";
      std::uint64_t largest = 0, under_way = 0;
      for (const std::uint64_t weight : setting_->weights[i]) largest = std::max(largest, weight);
      for (const Message& message : side.way) under_way += message.weight;
      for (const std::uint64_t weight : sides_[1 - i].arrivals) under_way += weight;
      if (under_way > setting_->window + largest) return "the window is exceeded";
      at_rest = at_rest && side.way.empty() && side.arrivals.empty() && !side.awaited;
    }
    if (!at_rest) return "";
    return sides_[0].refused + sides_[1].refused == 0 ? "" : "a frame waits for ever";
  }
  [[nodiscard]] std::string key() const {
    std::string key;
    const auto put = [&key](std::uint64_t number) {
      key += static_cast<char>(number / 256 % 256);
      key += static_cast<char>(number % 256);
    };
    for (const Side<Window>& side : sides_) {
      Window window = side.window;
      put(window.under_way());
      put(window.unreturned());
      put(window.credited(0));  // true if it has refused a frame
      put(side.refused);
      put(side.awaited);
      put(side.way.size());
      for (const Message& message : side.way) put(message.weight), put(message.credit);
      put(side.arrivals.size());
      for (const std::uint64_t weight : side.arrivals) put(weight);
    }
    return key;
  }

 private:
  template <class With, class Step>
  void step(With& with, const Step& take) const {
    Nodes next = *this;
    for (Side<Window>& side : next.sides_) side.not_notified = false;
    if (take(next)) with(next);
  }
  [[nodiscard]] bool has_room(const Side<Window>& side) const {
    return side.way.size() < setting_->room;
  }
  bool send(std::size_t i, std::uint64_t weight) {
    Side<Window>& side = sides_[i];
    if (side.refused != 0) return false;
    if (!side.window.admits(weight)) {
      side.refused = weight;
      return true;
    }
    if (!has_room(side)) return false;
    side.way.push_back({weight, side.window.unreturned()});
    side.window.returned();
    side.window.sent(weight);
    return true;
  }
  bool receive(std::size_t i) {
    Side<Window>& side = sides_[i];
    std::deque<Message>& way = sides_[1 - i].way;
    if (way.empty()) return false;
    const Message message = way.front();
    way.pop_front();
    if (message.credit > 0) {
      const bool notified = side.window.credited(message.credit);
      side.not_notified =
          side.refused != 0 && !notified && Window(side.window).admits(side.refused);
      if (notified) side.refused = 0;
    }
    if (message.weight > 0) side.arrivals.push_back(message.weight);
    return true;
  }
  bool hand_on(std::size_t i) {
    Side<Window>& side = sides_[i];
    if (side.arrivals.empty()) return false;
    if (side.window.handed_on(side.arrivals.front())) side.awaited = true;
    side.arrivals.pop_front();
    return true;
  }
  bool return_credit(std::size_t i) {
    Side<Window>& side = sides_[i];
    if (!side.awaited) return false;
    if (side.window.worth_a_message()) {
      if (!has_room(side)) return false;
      side.way.push_back({0, side.window.unreturned()});
      side.window.returned();
    }
    side.awaited = false;
    return true;
  }

  const Setting* setting_;
  std::array<Side<Window>, 2> sides_;
};

/// Visits all states, or those up to the first violation.
template <class Window>
Search search(const Setting& setting) {
  Search result;
  std::unordered_set<std::string> met;
  std::deque<Nodes<Window>> ahead;
  const auto visit = [&](const Nodes<Window>& nodes) {
    if (result.violation.empty()) result.violation = nodes.violation();
    if (met.insert(nodes.key()).second) ahead.push_back(nodes);
  };
  visit(Nodes<Window>(setting));
  for (; !ahead.empty() && result.violation.empty(); ahead.pop_front())
    ahead.front().each_next(visit);
  result.states = met.size();
  return result;
}

const std::uint64_t kEmpty = CreditWindow::weight(0);
/// One way: credit travels in separate messages. Both ways: frames carry it.
const Setting kOneWay{512, {{{kEmpty, 100, 600}, {}}}};
const Setting kBothWays{300, {{{kEmpty, 400}, {kEmpty, 400}}}};

}  // namespace

TEST_CASE("windows are never exceeded and no frame waits forever, whatever two nodes send") {
  for (const Setting& setting : {kOneWay, kBothWays}) {
    const Search all = search<CreditWindow>(setting);
    INFO(all.states << " states");
    CHECK(all.violation == "");
    CHECK(all.states > 1000);
  }
}

TEST_CASE("the search finds the bug of each faulty window") {
  CHECK(search<WithoutThreshold>(kOneWay).violation == "a frame waits for ever");
  CHECK(search<ReturnsAgain>(kBothWays).violation == "the window is exceeded");
  CHECK(search<TakesTwice>(kOneWay).violation == "the window is exceeded");
  CHECK(search<NeverNotifies>(kOneWay).violation == "a frame may go, and no notification was sent");
  CHECK(search<NeverWorthAMessage>(kOneWay).violation == "a frame waits for ever");
  CHECK(search<CountsNoEmptyFrames>(kBothWays).violation == "the window is exceeded");
}
