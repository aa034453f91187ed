#include "runtime/cluster/compute_threads.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "runtime/vertex/active_set.h"
#include "test/support/check_catcher.h"
#include "test/support/clusters.h"

using namespace leeway;

TEST_CASE("the chunks cover the range once, on every number of threads") {
  for (const unsigned threads : {1u, 2u, 3u}) {
    ComputeThreads pool(threads);
    std::vector<std::atomic<int>> visits(1000);
    pool.for_chunks(visits.size(), 7, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& count : visits) REQUIRE(count == 1);
  }
}

TEST_CASE("every chunk begins at a multiple of the grain and is as long, except the last") {
  for (const unsigned threads : {2u, 3u, 4u}) {
    for (const std::size_t size : {1u, 64u, 100u, 1000u, 4096u, 70'001u}) {
      for (const std::size_t grain : {64u, 192u, 4096u}) {
        CAPTURE(threads, size, grain);
        ComputeThreads pool(threads);
        std::atomic<int> wrong{0};
        std::atomic<std::size_t> covered{0};
        pool.for_chunks(size, grain, [&](std::size_t begin, std::size_t end) {
          if (begin % grain != 0 || end != std::min(size, begin + grain)) ++wrong;
          covered += end - begin;
        });
        REQUIRE(wrong == 0);
        REQUIRE(covered == size);
      }
    }
  }
}

TEST_CASE("a grain is a multiple of a word of bits, and gives every thread work") {
  for (const unsigned threads : {1u, 3u, 64u}) {
    const ComputeThreads pool(threads);
    for (const std::size_t size : {0u, 1u, 512u, 10'000u, 100'000'000u}) {
      const std::size_t grain = pool.grain(size);
      CHECK(grain % 64 == 0);
      CHECK(grain >= 64);
      CHECK((grain == 64 || size / grain >= threads));
    }
  }
}

TEST_CASE("concurrent threads have distinct numbers") {
  constexpr unsigned kThreads = 3;
  ComputeThreads pool(kThreads);
  std::vector<std::atomic<int>> inside(kThreads);
  std::atomic<int> wrong{0};
  std::atomic<unsigned> met{0};
  for (int run = 0; run < 200; ++run) {
    pool.for_chunks(64, 1, [&](unsigned thread, std::size_t, std::size_t) {
      if (thread >= kThreads || ++inside[thread] != 1) ++wrong;
      met |= 1U << thread;
      std::this_thread::sleep_for(std::chrono::microseconds(10));
      --inside[thread % kThreads];
    });
  }
  CHECK(wrong == 0);
  CHECK(met == (1U << kThreads) - 1);
}

TEST_CASE("an empty range runs nothing") {
  ComputeThreads pool(2);
  pool.for_chunks(0, 1, [](std::size_t, std::size_t) { FAIL("called"); });
}

// Each object becomes one more than the maximum of its neighbours on the ring of all objects, up to
// a limit: every node sweeps with three threads that fetch, block and store, until all nodes vote
// to end.
TEST_CASE("compute threads fetch and store on one node at the same time") {
  constexpr std::uint32_t kNodes = 4, kObjects = 60;
  constexpr std::uint64_t kLimit = 50;
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  std::atomic<int> wrong{0};
  testing::run_loopback({.nodes = kNodes}, options, [&](Node& node) {
    SpaceOptions space;
    space.local_objects = kObjects;
    space.remote_objects = kObjects * kNodes;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    const auto object =
        [&](std::uint32_t place) {  // round-robin over the nodes: every neighbour is remote
          return dsm.resolve({NodeId(place % kNodes), LocalIndex(place / kNodes)}).value();
        };
    constexpr std::uint32_t kAll = kNodes * kObjects;
    ComputeThreads pool(3);
    bool done = false;
    while (!done) {
      std::atomic<bool> changed{false};
      pool.for_chunks(kObjects, 5, [&](std::size_t begin, std::size_t end) {
        for (std::size_t local = begin; local < end; ++local) {
          const auto place = static_cast<std::uint32_t>(local) * kNodes + node.self().value();
          const std::uint64_t left = dsm.fetch(object((place + kAll - 1) % kAll));
          const std::uint64_t right = dsm.fetch(object((place + 1) % kAll));
          const std::uint64_t next = std::min(kLimit, std::max(left, right) + 1);
          const Handle own(static_cast<std::uint32_t>(local));
          if (dsm.fetch(own) >= next) continue;
          dsm.store(own, next);
          changed = true;
        }
      });
      done = node.converged(changed);
    }
    for (std::uint32_t place = 0; place < kAll; ++place) {
      if (dsm.fetch(object(place)) != kLimit) ++wrong;
    }
    node.barrier();
  });
  REQUIRE(wrong == 0);
}

// Three threads pass values along a ring: a thread that takes an index stores one more than the
// value at the index before, up to the limit, and adds the next index. A lost activation leaves the
// ring below the limit.
TEST_CASE("a thread that takes an index sees the stores before its addition") {
  constexpr std::uint32_t kIndices = 64 * 12;
  constexpr std::uint64_t kLimit = 3000;
  for (int round = 0; round < 10; ++round) {
    ComputeThreads pool(3);
    ActiveSet active(kIndices, pool.count());
    std::vector<std::atomic<std::uint64_t>> values(kIndices);
    active.add_all();
    // The next index is in another word, so every addition is to another thread's word.
    const auto after = [](std::uint32_t index) { return (index + 65) % kIndices; };
    while (!active.empty()) {
      pool.for_chunks(kIndices, pool.grain(kIndices), [&](std::size_t begin, std::size_t end) {
        active.take(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                    [&](std::uint32_t index) {
                      const std::uint32_t before = (index + kIndices - 65) % kIndices;
                      const std::uint64_t next =
                          std::min(kLimit, values[before].load(std::memory_order_acquire) + 1);
                      if (values[index].load(std::memory_order_relaxed) >= next) return;
                      values[index].store(next, std::memory_order_release);
                      const std::uint32_t reader = after(index);
                      active.add({&reader, 1});
                    });
      });
    }
    for (const auto& value : values) REQUIRE(value == kLimit);
  }
}

// One thread stores and adds while another takes an index and reads: the second must see the store,
// or the index must remain in the set. Repeated with simultaneous starts, so that the threads meet
// within a few cycles.
TEST_CASE("no addition is lost between clearing the bit and reading the value") {
  ActiveSet active(64, 2);
  std::atomic<std::uint64_t> value{0};
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> added{0};
  std::atomic<bool> over{false};
  std::thread adder([&] {
    const std::uint32_t index = 7;
    for (std::uint64_t round = 1; !over; ++round) {
      while (begun.load(std::memory_order_acquire) < round && !over) {
      }
      value.store(round, std::memory_order_release);
      active.add({&index, 1});
      added.store(round, std::memory_order_release);
    }
  });
  std::uint64_t lost = 0;
  const SteadyClock clock;
  const Instant started = clock.now();
  for (std::uint64_t round = 1; seconds(clock.now() - started) < 1; ++round) {
    active.add(7);
    std::uint64_t seen = 0;
    begun.store(round, std::memory_order_release);
    for (std::uint64_t wait = round % 32; wait > 0; --wait)
      seen = value.load(std::memory_order_relaxed);
    active.take(0, 64, [&](std::uint32_t) { seen = value.load(std::memory_order_acquire); });
    while (added.load(std::memory_order_acquire) < round) {
    }
    if (seen < round && !active.contains(7)) ++lost;
    active.take(0, 64, [](std::uint32_t) {});
  }
  over = true;
  adder.join();
  CHECK(lost == 0);
}

TEST_CASE("indices added together are taken once, in order") {
  for (const unsigned threads : {1u, 3u}) {
    ActiveSet active(300, threads);
    const std::vector<std::uint32_t> added{3, 1, 64, 65, 65, 299, 128, 2, 64};
    active.add(added);
    active.add(200);
    CHECK(active.contains(299));
    CHECK_FALSE(active.contains(298));
    std::vector<std::uint32_t> taken;
    active.take(0, 300, [&](std::uint32_t index) {
      taken.push_back(index);
      if (index == 65) active.add(66);  // ahead: runs in this sweep
      if (index == 66) active.add(0);   // behind: stays for the next sweep
    });
    CHECK(taken == std::vector<std::uint32_t>{1, 2, 3, 64, 65, 66, 128, 200, 299});
    CHECK(active.contains(0));
    CHECK_FALSE(active.empty());
  }
}

TEST_CASE("taking from the middle of a word fails a check") {
  const testing::CheckCatcher catcher;
  ActiveSet active(300, 2);
  CHECK_THROWS_AS(active.take(32, 64, [](std::uint32_t) {}), testing::CheckFailed);
  CHECK_THROWS_AS(active.take(0, 100, [](std::uint32_t) {}), testing::CheckFailed);
}

TEST_CASE("a loop uses threads once its items have been measured to take long enough") {
  LoopLength length(4, std::chrono::nanoseconds(100));
  CHECK_FALSE(length.worth_threads(100));  // initial estimate
  CHECK(length.worth_threads(1000));
  length.took(1000, std::chrono::microseconds(10), false);
  CHECK_FALSE(length.worth_threads(1000));
  CHECK(length.worth_threads(10'000));
  length.took(1000, std::chrono::microseconds(250), true);  // four threads: a millisecond in total
  CHECK(length.worth_threads(1000));
  length.took(0, std::chrono::seconds(1), false);  // no items: no information
  CHECK_FALSE(length.worth_threads(10));
  CHECK_FALSE(LoopLength(1, std::chrono::seconds(1)).worth_threads(1'000'000));
}

TEST_CASE("the pools of several nodes have separate threads", "[clock]") {
  ComputeThreads one(3);
  ComputeThreads other(3);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  const auto work = [&](std::size_t, std::size_t) {
    const int now = ++inside;
    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --inside;
  };
  std::thread other_caller([&] { other.for_chunks(12, 1, work); });
  one.for_chunks(12, 1, work);
  other_caller.join();
  CHECK(most > 3);
}
