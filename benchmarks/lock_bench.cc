// What the one mutex of a node costs where many threads compute there: each thread reads copies that are here, one
// read in a hundred is of an object not met before, and one operation in ten is a store that others are told of. The
// home of the copies is a node of the same process, which answers and stores meanwhile.
//
// This program counts each sleep that waits for the node's mutex itself, for the C library's call is answered here
// first; the looks that go before are in the rate alone.
//
//   bench-lock                 1, 2, 4 and 8 threads

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/format.h"
#include "base/random.h"
#include "benchmarks/stopwatch.h"
#include "leeway/dsm.h"
#include "transport/loopback.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kWarm = 20'000;    // copies that are here
constexpr std::uint32_t kMisses = 20'000;  // of each thread
constexpr std::uint32_t kReadsPerMiss = 99;
constexpr std::uint32_t kStoresPerMiss = 11;
constexpr int kRounds = 3;
constexpr double kMostShare = 0.10;

static_assert(std::is_standard_layout_v<SpinMutex>);
std::atomic<const pthread_mutex_t*> watched{nullptr};
std::atomic<std::int64_t> waited_ns{0};

struct Outcome {
  double seconds = 0;
  double waited = 0;  // of all threads together
  std::uint64_t operations = 0;
};

void compute(Dsm<double>& dsm, std::uint32_t thread) {
  Random random(thread + 1);
  auto view = dsm.view();
  double sum = 0;
  for (std::uint32_t i = 0; i < kMisses; ++i) {
    for (std::uint32_t read = 0; read < kReadsPerMiss; ++read) {
      const auto at = static_cast<std::uint32_t>(random.below(kWarm));
      sum += view.fetch(ObjectId(NodeId(1), LocalIndex(at)));
    }
    for (std::uint32_t store = 0; store < kStoresPerMiss; ++store)
      view.store(Handle(thread * kStoresPerMiss + store), i);
    sum += view.fetch(ObjectId(NodeId(1), LocalIndex(kWarm + thread * kMisses + i)));
  }
  bench::keep(sum);
}

Outcome measure(std::uint32_t threads) {
  const std::uint32_t objects = kWarm + threads * kMisses;
  LoopbackNetwork network({.nodes = 2});
  std::atomic<bool> over{false};
  Outcome outcome;
  const auto run = [&](NodeId id) {
    Node node(network.node(id), {});
    SpaceOptions options;
    options.local_objects = objects;
    options.remote_objects = objects;
    auto dsm = Dsm<double>::open(node, options).value();
    std::vector<Handle> warm;
    for (std::uint32_t i = 0; i < kWarm; ++i)
      warm.push_back(dsm.resolve(ObjectId(NodeId(1 - id.value()), LocalIndex(i))).value());
    dsm.replicate(warm);
    node.barrier();
    if (id == NodeId(1)) {
      for (std::uint32_t i = 0; !over; i = (i + 1) % kWarm) {
        dsm.store(Handle(i), i);
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    } else {
      const SteadyClock clock;
      waited_ns = 0;
      // Its first member is the C library's.
      watched = reinterpret_cast<const pthread_mutex_t*>(&node.lock());
      const Instant began = clock.now();
      std::vector<std::thread> others;
      for (std::uint32_t i = 0; i < threads; ++i) others.emplace_back([&, i] { compute(dsm, i); });
      for (std::thread& each : others) each.join();
      outcome.seconds = seconds(clock.now() - began);
      watched = nullptr;
      outcome.waited = static_cast<double>(waited_ns.load()) * 1e-9;
      over = true;
    }
    node.barrier();
    node.close();
  };
  std::thread home(run, NodeId(1));
  run(NodeId(0));
  home.join();
  outcome.operations = std::uint64_t{threads} * kMisses * (kReadsPerMiss + kStoresPerMiss + 1);
  return outcome;
}

Outcome median(std::uint32_t threads) {
  std::vector<Outcome> all;
  for (int round = 0; round < kRounds; ++round) all.push_back(measure(threads));
  std::sort(all.begin(), all.end(),
            [](const Outcome& a, const Outcome& b) { return a.seconds < b.seconds; });
  return all[all.size() / 2];
}

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto lock = reinterpret_cast<Lock>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  if (mutex != watched.load(std::memory_order_relaxed)) return lock(mutex);
  if (::pthread_mutex_trylock(mutex) == 0) return 0;
  const SteadyClock clock;
  const Instant began = clock.now();
  const int outcome = lock(mutex);
  waited_ns.fetch_add((clock.now() - began).count(), std::memory_order_relaxed);
  return outcome;
}

int main() {
  bool met = true;
  std::string json;
  for (const std::uint32_t threads : {1u, 2u, 4u, 8u}) {
    const Outcome outcome = median(threads);
    const double share = outcome.waited / (outcome.seconds * threads);
    const bool good = share <= kMostShare;
    met = met && good;
    const double rate = static_cast<double>(outcome.operations) / outcome.seconds * 1e-6;
    std::puts(format("{} threads {:8.2f} M operations/s   {:5.1f} % of their time waits for the "
                     "lock   goal <= {:.0f}  {}",
                     threads, rate, 100 * share, 100 * kMostShare, good ? "met" : "MISSED")
                  .c_str());
    json += format("{}\"{}\":[{:.3f},{:.4f}]", json.empty() ? "" : ",", threads, rate, share);
  }
  std::puts(format(R"({{"bench":"lock","machine":"{}","values":{{{}}}}})", bench::machine(), json)
                .c_str());
  return met ? 0 : 1;
}
