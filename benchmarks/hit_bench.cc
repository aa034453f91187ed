// bench-hit: the cost of a fetch that hits, compared with a gather from an array and a look-up in a hash map. One
// thread, a million objects, sixteen million random reads.

#include <cstdio>
#include <thread>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/random.h"
#include "benchmarks/harness.h"
#include "dsm/dsm.h"
#include "dsm/node.h"
#include "transport/loopback.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kObjects = 1'000'000;
constexpr std::size_t kReads = 16'000'000;
constexpr int kRounds = 7;

struct Wide {
  std::uint64_t words[8];
};

std::uint64_t first_word(double value) { return static_cast<std::uint64_t>(value); }
std::uint64_t first_word(const Wide& value) { return value.words[0] + value.words[7]; }

template <class T>
T sample(std::uint32_t i) {
  if constexpr (std::is_same_v<T, double>) {
    return i;
  } else {
    return {{i, 0, 0, 0, 0, 0, 0, i}};
  }
}

using Measurements = std::vector<bench::Measurement>;

/// Appends the times of `race` per read, compared with the first. `goals`: one each.
void compare(std::vector<bench::Contender>& race, std::size_t reads, const std::string& type,
             const std::vector<double>& goals, Measurements& all) {
  bench::race(race, kRounds);
  for (std::size_t i = 0; i < race.size(); ++i) {
    all.push_back({race[i].name + type, race[i].median / static_cast<double>(reads) * 1e9, "ns",
                   race[i].median / race[0].median, goals[i]});
  }
}

/// Runs `body(dsm of node 0)` on two nodes. Node 1 owns half of the objects; node 0 holds current copies of all of
/// them.
template <class T, class Body>
void with_two_nodes(std::uint32_t capacity, Body&& body) {
  LoopbackNetwork network({.nodes = 2});
  const auto run = [&](NodeId id) {
    Node node(network.node(id), {});
    SpaceOptions options;
    options.local_objects = kObjects;
    options.remote_objects = kObjects;
    options.cache_capacity = capacity;
    auto dsm = Dsm<T>::open(node, options).value();
    for (std::uint32_t i = 0; i < kObjects; ++i) dsm.store(Handle(i), sample<T>(i));
    node.relaxed_barrier();
    if (id == NodeId(0)) body(dsm);
    node.close();
  };
  std::thread other(run, NodeId(1));
  run(NodeId(0));
  other.join();
}

template <class T>
std::vector<Handle> resolve_all(Dsm<T>& dsm) {
  std::vector<Handle> handles;
  for (std::uint32_t i = 0; i < kObjects; ++i) {
    handles.push_back(dsm.resolve(ObjectId(NodeId(1), LocalIndex(i))).value());
  }
  dsm.replicate(handles);
  return handles;
}

template <class T>
std::uint64_t gather(View<T>& view, const std::vector<Handle>& reads) {
  std::uint64_t sum = 0;
  for (const Handle read : reads) sum += first_word(view.fetch(read));
  return sum;
}

template <class T>
void measure(const std::string& type, double local_goal, double remote_goal, Measurements& all) {
  Random random(1);
  std::vector<std::uint32_t> places(kReads);
  for (auto& place : places) place = static_cast<std::uint32_t>(random.below(kObjects));
  std::vector<T> plain(kObjects);
  for (std::uint32_t i = 0; i < kObjects; ++i) plain[i] = sample<T>(i);
  with_two_nodes<T>(0, [&](Dsm<T>& dsm) {
    const std::vector<Handle> copies = resolve_all(dsm);
    std::vector<Handle> local, remote;
    for (const std::uint32_t place : places) {
      local.emplace_back(place);
      remote.push_back(copies[place]);
    }
    std::vector<bench::Contender> race = {
        {"plain gather", bench::elapsed([&] {
           std::uint64_t sum = 0;
           for (const std::uint32_t place : places) sum += first_word(plain[place]);
           bench::keep(sum);
         })},
        {"local fetch", bench::elapsed([&] {
           auto view = dsm.view();
           bench::keep(gather(view, local));
         })},
        {"remote current hit", bench::elapsed([&] {
           auto view = dsm.view();
           bench::keep(gather(view, remote));
         })},
    };
    compare(race, kReads, ", " + type, {0, local_goal, remote_goal}, all);
  });
}

void measure_by_id(Measurements& all) {
  constexpr std::size_t kByIdReads = kReads / 4;
  Random random(2);
  std::vector<std::uint32_t> places(kByIdReads);
  for (auto& place : places) place = static_cast<std::uint32_t>(random.below(kObjects));
  with_two_nodes<double>(0, [&](Dsm<double>& dsm) {
    const std::vector<Handle> copies = resolve_all(dsm);
    absl::flat_hash_map<std::uint64_t, double> map;
    for (std::uint32_t i = 0; i < kObjects; ++i)
      map[ObjectId(NodeId(1), LocalIndex(i)).value()] = i;
    std::vector<bench::Contender> race = {
        {"absl flat_hash_map", bench::elapsed([&] {
           double sum = 0;
           for (const std::uint32_t place : places) {
             sum += map.find(ObjectId(NodeId(1), LocalIndex(place)).value())->second;
           }
           bench::keep(sum);
         })},
        {"remote fetch by id", bench::elapsed([&] {
           double sum = 0;
           auto view = dsm.view();
           for (const std::uint32_t place : places)
             sum += view.fetch(ObjectId(NodeId(1), LocalIndex(place)));
           bench::keep(sum);
         })},
    };
    compare(race, kByIdReads, {}, {0, 1}, all);
  });
}

void measure_bounded(Measurements& all) {
  constexpr std::size_t kBoundedReads = kReads / 16;
  constexpr std::uint32_t kCapacity = kObjects / 2;
  Random random(3);
  with_two_nodes<double>(kCapacity, [&](Dsm<double>& dsm) {
    std::vector<Handle> copies;
    for (std::uint32_t i = 0; i < kCapacity / 4; ++i) {
      copies.push_back(dsm.resolve(ObjectId(NodeId(1), LocalIndex(i))).value());
    }
    dsm.replicate(copies);
    std::vector<Handle> reads(kBoundedReads);
    for (auto& read : reads) read = copies[random.below(copies.size())];
    std::vector<bench::Contender> race = {{"remote current hit, exact LRU", bench::elapsed([&] {
                                             auto view = dsm.view();
                                             bench::keep(gather(view, reads));
                                           })}};
    bench::race(race, 3);
    all.push_back({race[0].name, race[0].median / kBoundedReads * 1e9, "ns"});
  });
}

}  // namespace

int main() {
  Measurements all;
  measure<double>("8 bytes", 1.2, 1.5, all);
  measure<Wide>("64 bytes", 2.5, 2.5, all);
  measure_by_id(all);
  measure_bounded(all);
  const bool met = bench::print_table(all);
  bench::print_json("hit", [&](JsonWriter& json) {
    json.key("nanoseconds").object([&] {
      for (const bench::Measurement& each : all) json.member(each.name, each.value, ".3f");
    });
  });
  return met ? 0 : 1;
}
