// Two nodes that send frames to each other within their credit windows, over a way that holds few messages: every state
// that they can reach, breadth first.
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

// Mistakes.

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

struct TellsNobody : CreditWindow {
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
  std::uint64_t weight = 0;  // 0: credit alone
  std::uint64_t credit = 0;
};

/// One node, as WireTransport treats its only peer.
template <class Window>
struct Side {
  Window window;
  std::deque<Message> way;             // to the peer
  std::deque<std::uint64_t> arrivals;  // off the way, not yet handed on
  bool awaited = false;                // the peer awaits credit that is worth a message
  std::uint64_t refused = 0;           // the weight of a frame that waits to be told; 0: none
  bool untold = false;                 // by the step before
};

struct Setting {
  std::uint64_t window;
  std::array<std::vector<std::uint64_t>, 2> weights;  // of the frames that each side sends
  std::size_t room = 2;                               // messages on the way
};

struct Search {
  std::size_t states = 0;
  std::string mistake;
};

template <class Window>
class Nodes {
 public:
  explicit Nodes(const Setting& setting)
      : setting_(&setting),
        sides_{Side<Window>{Window(setting.window)}, Side<Window>{Window(setting.window)}} {}

  /// Calls `with(next)` for every state one step ahead.
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
  /// What is wrong in this state; empty if nothing is.
  [[nodiscard]] std::string mistake() const {
    bool at_rest = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const Side<Window>& side = sides_[i];
      if (side.untold) return "a frame may go, and nobody is told";
      std::uint64_t largest = 0, under_way = 0;
      for (const std::uint64_t weight : setting_->weights[i]) largest = std::max(largest, weight);
      for (const Message& message : side.way) under_way += message.weight;
      for (const std::uint64_t weight : sides_[1 - i].arrivals) under_way += weight;
      if (under_way > setting_->window + largest) return "too much is under way";
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
      put(window.credited(0));  // whether it has refused a frame
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
    for (Side<Window>& side : next.sides_) side.untold = false;
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
      const bool told = side.window.credited(message.credit);
      side.untold = side.refused != 0 && !told && Window(side.window).admits(side.refused);
      if (told) side.refused = 0;
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

/// Visits all states, or those up to the first that is wrong.
template <class Window>
Search search(const Setting& setting) {
  Search result;
  std::unordered_set<std::string> met;
  std::deque<Nodes<Window>> ahead;
  const auto visit = [&](const Nodes<Window>& nodes) {
    if (result.mistake.empty()) result.mistake = nodes.mistake();
    if (met.insert(nodes.key()).second) ahead.push_back(nodes);
  };
  visit(Nodes<Window>(setting));
  for (; !ahead.empty() && result.mistake.empty(); ahead.pop_front())
    ahead.front().each_next(visit);
  result.states = met.size();
  return result;
}

const std::uint64_t kEmpty = CreditWindow::weight(0);
/// One way: credit comes in messages of its own. Both ways: frames take it along.
const Setting kOneWay{512, {{{kEmpty, 100, 600}, {}}}};
const Setting kBothWays{300, {{{kEmpty, 400}, {kEmpty, 400}}}};

}  // namespace

TEST_CASE("whatever two nodes send each other, the windows hold and no frame waits for ever") {
  for (const Setting& setting : {kOneWay, kBothWays}) {
    const Search all = search<CreditWindow>(setting);
    INFO(all.states << " states");
    CHECK(all.mistake == "");
    CHECK(all.states > 1000);
  }
}

TEST_CASE("a window with a mistake is found out") {
  CHECK(search<WithoutThreshold>(kOneWay).mistake == "a frame waits for ever");
  CHECK(search<ReturnsAgain>(kBothWays).mistake == "too much is under way");
  CHECK(search<TakesTwice>(kOneWay).mistake == "too much is under way");
  CHECK(search<TellsNobody>(kOneWay).mistake == "a frame may go, and nobody is told");
  CHECK(search<NeverWorthAMessage>(kOneWay).mistake == "a frame waits for ever");
  CHECK(search<CountsNoEmptyFrames>(kBothWays).mistake == "too much is under way");
}
