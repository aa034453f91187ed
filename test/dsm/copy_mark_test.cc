// The mark of a copy, which the node publishes as messages come and readers look at and clear without a lock, through
// every interleaving of their atomic operations: no invalidation is lost, and no value is older than its mark says.
#include "leeway/dsm/copy_mark.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "test/support/interleavings.h"

using namespace leeway;
using testing::BufferedRef;
using testing::Exploration;
using testing::explore;
using testing::Scenario;

namespace {

using Mark = BasicCopyMark<BufferedRef>;
using Word = BufferedRef<std::uint64_t>;

// Mistakes.

/// With the byte that the mark keeps to itself.
struct Opened : Mark {
  explicit Opened(std::uint8_t& mark) : Mark(mark), byte(mark) {}
  BufferedRef<std::uint8_t> byte;
};

struct ClearsByStore : Opened {
  using Opened::Opened;
  void note_read() const { byte.store(0, std::memory_order_release); }
};

struct LooksAndClears : Opened {
  using Opened::Opened;
  void note_read() const {
    if (unread()) byte.exchange(0);
  }
};

struct LeavesUnread : Mark {
  using Mark::Mark;
  void note_read() const {}
};

enum class Order { AsItIs, MarkBeforeValue, ReadBeforeMark };

/// One copy at one node. Version 1 is here and version 2 is known of.
template <class Mark, Order kOrder>
class Copy {
 public:
  // Under the lock.
  void push(std::uint64_t version) {
    if (kOrder == Order::MarkBeforeValue) mark().publish(0, true);
    Word(value_).store(version, std::memory_order_release);
    if (kOrder != Order::MarkBeforeValue) mark().publish(0, true);
  }
  void invalidate() { mark().publish(1, false); }

  struct Read {
    bool current = false;
    std::uint64_t value = 0;
  };
  /// Space::fetch_unlocked, where stale values may be used.
  Read fetch() {
    Read read;
    if (kOrder == Order::ReadBeforeMark) read.value = Word(value_).load(std::memory_order_acquire);
    read.current = mark().age() == 0;
    if (read.current) mark().note_read();
    if (kOrder != Order::ReadBeforeMark) read.value = Word(value_).load(std::memory_order_acquire);
    return read;
  }
  [[nodiscard]] Mark mark() { return Mark(mark_); }

 private:
  std::uint8_t mark_ = 1;
  std::uint64_t value_ = 1;
};

/// A push, an invalidation, a push, ...: so many messages, while `readers` threads read twice each.
template <class Mark, Order kOrder = Order::AsItIs>
Exploration explore_messages(int messages, int readers) {
  return explore([=] {
    using Copied = Copy<Mark, kOrder>;
    const auto copy = std::make_shared<Copied>();
    const auto reads = std::make_shared<std::vector<std::vector<typename Copied::Read>>>(readers);
    Scenario scenario;
    scenario.threads.push_back([=] {
      for (int i = 0; i < messages; ++i)
        i % 2 == 0 ? copy->push(static_cast<std::uint64_t>(2 + i / 2)) : copy->invalidate();
    });
    for (auto& own : *reads) {
      scenario.threads.push_back([copy, reads, &own] {
        for (int i = 0; i < 2; ++i) own.push_back(copy->fetch());
      });
    }
    scenario.holds = [=] {
      const bool invalidated = messages % 2 == 0;
      const auto newest = static_cast<std::uint64_t>(1 + (messages + 1) / 2);
      bool one_was_newest = false;
      for (const auto& own : *reads) {
        std::uint64_t before = 1;
        for (const auto& read : own) {
          // Only versions from the second on were ever said to be current.
          if (read.value < before || (read.current && read.value < 2)) return false;
          before = read.value;
          one_was_newest = one_was_newest || (messages == 1 && read.current);
        }
      }
      if (one_was_newest && copy->mark().unread()) return false;
      const auto last = copy->fetch();
      return last.current == !invalidated && last.value == newest;
    };
    return scenario;
  });
}

}  // namespace

TEST_CASE("no word of a newer version is lost on a reader's way, in any interleaving") {
  for (const int messages : {1, 2, 3, 4}) {
    for (const int readers : {1, 2}) {
      const Exploration all = explore_messages<Mark>(messages, readers);
      INFO(messages << " messages, " << readers << " readers, " << all.runs << " runs");
      CHECK_FALSE(all.wrong());
      CHECK(all.runs > 5);
    }
  }
}

TEST_CASE("a mark with a mistake loses an invalidation, or says current of an old value") {
  CHECK(explore_messages<ClearsByStore>(2, 1).wrong());
  CHECK(explore_messages<LooksAndClears>(2, 1).wrong());
  CHECK(explore_messages<LeavesUnread>(1, 1).wrong());
  CHECK(explore_messages<Mark, Order::MarkBeforeValue>(1, 1).wrong());
  CHECK(explore_messages<Mark, Order::ReadBeforeMark>(1, 1).wrong());
}
