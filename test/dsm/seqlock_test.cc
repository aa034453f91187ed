// Writers and readers of a value of several words, in every interleaving of their atomic
// operations.
#include "dsm/value_store.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "test/support/buffered_threads.h"

using namespace leeway;
using testing::BufferedRef;
using testing::Exploration;
using testing::explore;
using testing::Scenario;

namespace {

struct ExploredPause {
  static void wait(std::uint64_t& sequence, std::uint64_t seen) {
    testing::await_change(sequence, seen);
  }
};
using Lock = BasicSeqlock<BufferedRef, ExploredPause>;
using Words = std::array<std::uint64_t, 3>;  // a lock and two words

// Faulty sequence locks.

struct ReadsWithoutLooking : Lock {
  using Lock::Lock;
  template <class Copy>
  void read(Copy&& copy) const {
    copy();
  }
};

/// Checks the number before the copy, but not after.
struct ReadsWithoutLookingAgain : Lock {
  using Lock::Lock;
  template <class Copy>
  void read(Copy&& copy) const {
    Lock::read([] {});
    copy();
  }
};

/// Gives access to the number of the lock.
struct Opened : Lock {
  explicit Opened(std::uint64_t* words) : Lock(words), sequence(*words) {}
  std::uint64_t& sequence;
};

template <bool kFirst>
struct WritesWithoutOdd : Opened {
  using Opened::Opened;
  template <class Put>
  void write(Put&& put) const {
    const BufferedRef<std::uint64_t> number(sequence);
    const std::uint64_t before = number.load();
    if (kFirst) number.store(before + 2, std::memory_order_release);
    put();
    if (!kFirst) number.store(before + 2, std::memory_order_release);
  }
};

/// Makes the number even again before the words are stored.
struct EndsBeforeItStores : Lock {
  using Lock::Lock;
  template <class Put>
  void write(Put&& put) const {
    Lock::write([] {});
    put();
  }
};

/// Excludes other writers by a load only.
struct WritesTogether : Opened {
  using Opened::Opened;
  template <class Put>
  void write(Put&& put) const {
    const BufferedRef<std::uint64_t> number(sequence);
    const std::uint64_t before = number.load();
    if (before % 2 != 0) ExploredPause::wait(sequence, before);
    number.exchange(before + 1);
    put();
    number.store(before + 2, std::memory_order_release);
  }
};

template <class Lock>
void write(Words& words, std::uint64_t value) {
  const Lock lock(words.data());
  lock.write([&] {
    lock.store(0, value);
    lock.store(1, value);
  });
}

/// The value, or kTorn.
constexpr std::uint64_t kTorn = 99;
template <class Lock>
std::uint64_t read(Words& words) {
  const Lock lock(words.data());
  std::uint64_t first = 0, second = 0;
  lock.read([&] {
    first = lock.load(0);
    second = lock.load(1);
  });
  return first == second ? first : kTorn;
}

/// Each of `writers` threads writes its own value, or a single writer writes 1, 2, ...; another
/// thread reads several times. A value that was replaced must not be read again, and the last value
/// must remain.
template <class Lock>
Exploration explore_values(std::uint64_t writers, std::uint64_t writes, std::size_t reads) {
  return explore([=] {
    const auto words = std::make_shared<Words>();
    const auto seen = std::make_shared<std::vector<std::uint64_t>>();
    Scenario scenario;
    for (std::uint64_t i = 0; i < writers; ++i) {
      scenario.threads.push_back([=] {
        for (std::uint64_t k = 1; k <= writes; ++k) write<Lock>(*words, i * writes + k);
      });
    }
    scenario.threads.push_back([=] {
      for (std::size_t i = 0; i < reads; ++i) seen->push_back(read<Lock>(*words));
    });
    scenario.holds = [=] {
      seen->push_back(read<Lock>(*words));
      std::vector<std::uint64_t> gone{kTorn};
      std::uint64_t last = 0;
      for (const std::uint64_t value : *seen) {
        if (value != last) gone.push_back(last);
        for (const std::uint64_t each : gone) {
          if (value == each) return false;
        }
        // The values of one thread must be read in order.
        if (last != 0 && (value - 1) / writes == (last - 1) / writes && value < last) return false;
        last = value;
      }
      return last != 0 && last % writes == 0;
    };
    return scenario;
  });
}

}  // namespace

TEST_CASE("a value of several words is never torn and never reverts, in every interleaving") {
  for (const auto& [writers, writes, reads] : {std::array{1u, 2u, 2u}, std::array{2u, 1u, 2u}}) {
    const Exploration all = explore_values<Lock>(writers, writes, reads);
    INFO(writers << " writers, " << all.runs << " runs");
    CHECK_FALSE(all.wrong());
    CHECK(all.runs > 50);
  }
}

TEST_CASE("each faulty sequence lock gives torn values") {
  CHECK(explore_values<ReadsWithoutLooking>(1, 1, 1).wrong());
  CHECK(explore_values<ReadsWithoutLookingAgain>(1, 1, 1).wrong());
  CHECK(explore_values<WritesWithoutOdd<false>>(1, 1, 1).wrong());
  CHECK(explore_values<WritesWithoutOdd<true>>(1, 1, 1).wrong());
  CHECK(explore_values<EndsBeforeItStores>(1, 1, 1).wrong());
  CHECK(explore_values<WritesTogether>(2, 1, 1).wrong());
}
