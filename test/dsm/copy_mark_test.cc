// The mark of a copy in every interleaving of atomic operations: the node sets it when messages
// arrive, and readers check and clear it without a lock. No invalidation is lost, and no value is
// older than its mark states.
#include "dsm/copy_marks.h"

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

// Faulty marks.

/// Gives access to the byte of the mark.
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

/// One copy at one node. The copy is version 1, and the node has been notified of version 2.
template <class Mark, Order kOrder>
class Copy {
 public:
  // Called under the lock.
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
  /// Same steps as Space::fetch_unlocked where stale values may be used.
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

/// `messages` messages, alternately a push and an invalidation, while each of `readers` threads
/// reads twice.
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
          // Only version 2 and later can be current.
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

/// Faulty versions of the count of marks that are not 0.

using Count = BasicMarkCount<BufferedRef>;

struct CountsWhatItDidNotClear : Count {
  template <class M>
  void read(const M& mark) {
    mark.note_read();
    count_cleared();
  }
};

struct LooksAtWhatIsClearedLast {
  void count(std::int64_t more) {
    const std::uint64_t now = Word(raised).load(std::memory_order_relaxed);
    if (more != 0)
      Word(raised).store(now + static_cast<std::uint64_t>(more), std::memory_order_release);
  }
  void count_cleared() { Word(cleared).fetch_add(1); }
  bool none() {
    const std::uint64_t before = Word(raised).load(std::memory_order_acquire);
    return before == Word(cleared).load(std::memory_order_acquire);
  }
  std::uint64_t raised = 0;
  std::uint64_t cleared = 0;
};

/// Two copies with pushed first values that were not read yet, and the count of their marks.
template <class Count>
struct Counted {
  void publish(std::size_t i, std::uint8_t age, bool keep_slow) {
    count.count(Mark(marks[i]).publish(age, keep_slow));
  }
  void push(std::size_t i) {
    Word(values[i]).store(2, std::memory_order_release);
    publish(i, 0, true);
  }
  void read(std::size_t i) {
    if constexpr (requires { count.read(Mark(marks[i])); }) {
      count.read(Mark(marks[i]));
    } else if (Mark(marks[i]).note_read()) {
      count.count_cleared();
    }
  }

  std::uint8_t marks[2] = {1, 1};
  std::uint64_t values[2] = {1, 1};
  Count count;
};

/// Two copies are stale. Values are pushed to both, and one of them may become stale again.
/// Meanwhile one thread reads both copies, and another one checks the count; if the
/// count is 0, that thread reads both.
template <class Count>
Exploration explore_counts(bool gets_old) {
  return explore([=] {
    const auto copies = std::make_shared<Counted<Count>>();
    copies->count.count(2);
    const auto wrong = std::make_shared<bool>(false);
    Scenario scenario;
    scenario.threads.push_back([=] {
      copies->push(0);
      if (gets_old) copies->publish(0, 1, false);
      copies->push(1);
    });
    scenario.threads.push_back([=] {
      copies->read(0);
      copies->read(1);
    });
    scenario.threads.push_back([=] {
      if (!copies->count.none()) return;
      // The first copy became stale before the second push, so both were never current at the same
      // time.
      if (gets_old) *wrong = true;
      for (std::uint64_t& value : copies->values)
        if (Word(value).load(std::memory_order_acquire) != 2) *wrong = true;
    });
    scenario.holds = [=] {
      const bool none = copies->marks[0] == 0 && copies->marks[1] == 0;
      return !*wrong && copies->count.none() == none;
    };
    return scenario;
  });
}

}  // namespace

TEST_CASE("the count of stale copies is 0 only if all are current, in every interleaving") {
  for (const bool gets_old : {false, true}) {
    const Exploration all = explore_counts<Count>(gets_old);
    INFO(all.runs << " runs, one gets old: " << gets_old);
    CHECK_FALSE(all.wrong());
    CHECK(all.runs > 5);
  }
}

TEST_CASE("each faulty count is 0 although a copy is stale") {
  CHECK((explore_counts<CountsWhatItDidNotClear>(false).wrong() ||
         explore_counts<CountsWhatItDidNotClear>(true).wrong()));
  CHECK(explore_counts<LooksAtWhatIsClearedLast>(true).wrong());
}

TEST_CASE("concurrent reads lose no invalidation, in every interleaving") {
  for (const int messages : {1, 2, 3, 4}) {
    for (const int readers : {1, 2}) {
      const Exploration all = explore_messages<Mark>(messages, readers);
      INFO(messages << " messages, " << readers << " readers, " << all.runs << " runs");
      CHECK_FALSE(all.wrong());
      CHECK(all.runs > 5);
    }
  }
}

TEST_CASE("each faulty mark loses an invalidation, or marks an old value as current") {
  CHECK(explore_messages<ClearsByStore>(2, 1).wrong());
  CHECK(explore_messages<LooksAndClears>(2, 1).wrong());
  CHECK(explore_messages<LeavesUnread>(1, 1).wrong());
  CHECK(explore_messages<Mark, Order::MarkBeforeValue>(1, 1).wrong());
  CHECK(explore_messages<Mark, Order::ReadBeforeMark>(1, 1).wrong());
}
