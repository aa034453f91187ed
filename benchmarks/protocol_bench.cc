// bench-protocol: the cost of sending changed objects to a sharer, either pushed with the invalidation, or by
// invalidation, the refresh request of a stale hit, and the reply. Two nodes on loopback, a million objects of eight
// bytes; all objects change, then a random one per cent. Storing and fetching threads also handle messages, as in
// every run; measured additionally with service threads.

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/median.h"
#include "base/random.h"
#include "benchmarks/harness.h"
#include "dsm/dsm.h"
#include "dsm/node.h"
#include "transport/loopback.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kObjects = 1'000'000;
constexpr int kRounds = 15;

struct ProtocolTimes {
  double nanos_per_object = 0;
  /// Sum over all threads; largely independent of other load on the machine.
  double processor_nanos = 0;
  double bytes_per_object = 0;
};

/// Measures successive rounds on one node.
class Rounds {
 public:
  Rounds(Node& node, std::size_t objects) : node_(node), objects_(static_cast<double>(objects)) {}

  void begin() {
    before_ = node_.transport().stats();
    watch_ = Stopwatch();
    processor_start_ = bench::processor_seconds();
  }
  void end() {
    times_.push_back(watch_.elapsed_seconds() / objects_ * 1e9);
    processor_.push_back((bench::processor_seconds() - processor_start_) / objects_ * 1e9);
    const TransportStats after = node_.transport().stats();
    bytes_.push_back(static_cast<double>(after.bytes_sent + after.bytes_received -
                                         before_.bytes_sent - before_.bytes_received) /
                     objects_);
  }
  [[nodiscard]] ProtocolTimes medians() const {
    return {median(times_), median(processor_), median(bytes_)};
  }

 private:
  Node& node_;
  double objects_;
  Stopwatch watch_;
  TransportStats before_;
  double processor_start_ = 0;
  std::vector<double> times_, processor_, bytes_;
};

/// Checks that every object has the value of the round.
void check_round(Dsm<double>& dsm, const std::vector<Handle>& handles,
                 const std::vector<std::uint32_t>& changed, int round) {
  for (const std::uint32_t i : changed) {
    if (dsm.fetch(handles[i]) == round + i * 0.5) continue;
    std::fprintf(stderr, "object %u has not arrived\n", i);
    std::exit(1);
  }
}

/// One node writes `changed`, the other reads them twice: stale, then current. Returns medians over the rounds; a
/// round changes every object of `changed` once.
ProtocolTimes measure(const std::vector<std::uint32_t>& changed, Service service) {
  LoopbackNetwork network({.nodes = 2});
  ProtocolTimes measured;
  const auto writer = [&] {
    Node node(network.node(NodeId(0)), {.policy = {}, .service = service});
    SpaceOptions options;
    options.local_objects = kObjects;
    auto dsm = Dsm<double>::open(node, options).value();
    node.relaxed_barrier();
    for (int round = 0; round < kRounds; ++round) {
      node.relaxed_barrier();
      {
        auto view = dsm.view();
        for (const std::uint32_t i : changed) view.store(Handle(i), round + i * 0.5);
      }
      node.relaxed_barrier();  // sends the writes; the reader receives the invalidations before its barrier
      node.quiesce();
    }
    node.close();
  };
  const auto reader = [&] {
    Node node(network.node(NodeId(1)), {.policy = {}, .service = service});
    SpaceOptions options;
    options.remote_objects = kObjects;
    auto dsm = Dsm<double>::open(node, options).value();
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      handles.push_back(dsm.resolve(ObjectId(NodeId(0), LocalIndex(i))).value());
    }
    dsm.replicate(handles);
    std::vector<Handle> requested;
    for (const std::uint32_t i : changed) requested.push_back(handles[i]);
    node.relaxed_barrier();
    Rounds rounds(node, changed.size());
    for (int round = 0; round < kRounds; ++round) {
      node.relaxed_barrier();
      rounds.begin();
      node.relaxed_barrier();
      {
        auto view = dsm.view();
        double sum = 0;
        for (const std::uint32_t i : changed) sum += view.fetch(handles[i]);  // stale hits
        bench::keep(sum);
      }
      node.progress();
      dsm.space().wait_for_reads(requested);
      rounds.end();
      check_round(dsm, handles, changed, round);
      node.quiesce();
    }
    measured = rounds.medians();
    node.close();
  };
  std::thread other(writer);
  reader();
  other.join();
  return measured;
}

/// One node writes `changed` and pushes the values. Measures from the first store until the other node has received
/// all of them.
ProtocolTimes measure_pushes(const std::vector<std::uint32_t>& changed) {
  Policy policy;
  policy.updates = Updates::Always;
  LoopbackNetwork network({.nodes = 2});
  ProtocolTimes measured;
  const auto run = [&](NodeId id) {
    const bool writes = id == NodeId(0);
    Node node(network.node(id), {.policy = policy, .service = Service::Inline});
    SpaceOptions options;
    (writes ? options.local_objects : options.remote_objects) = kObjects;
    auto dsm = Dsm<double>::open(node, options).value();
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < kObjects; ++i)
      handles.push_back(dsm.resolve(ObjectId(NodeId(0), LocalIndex(i))).value());
    if (!writes) dsm.replicate(handles);
    Rounds rounds(node, changed.size());
    for (int round = 0; round < kRounds; ++round) {
      node.quiesce();
      rounds.begin();
      if (writes) {
        auto view = dsm.view();
        for (const std::uint32_t i : changed) view.store(Handle(i), round + i * 0.5);
      }
      node.relaxed_barrier();
      if (writes) continue;
      rounds.end();
      check_round(dsm, handles, changed, round);
    }
    if (!writes) measured = rounds.medians();
    node.close();
  };
  std::thread other(run, NodeId(1));
  run(NodeId(0));
  other.join();
  return measured;
}

/// Lower bound: writes the values, copies them once, and scatters them by index.
ProtocolTimes measure_copies(const std::vector<std::uint32_t>& changed) {
  std::vector<double> home(kObjects), sent(changed.size()), copies(kObjects);
  int round = 0;
  std::vector<bench::Contender> alone = {{"copies", [&] {
                                            const double start = bench::processor_seconds();
                                            for (const std::uint32_t i : changed)
                                              home[i] = round + i * 0.5;
                                            for (std::size_t k = 0; k < changed.size(); ++k)
                                              sent[k] = home[changed[k]];
                                            bench::keep(sent);
                                            for (std::size_t k = 0; k < changed.size(); ++k)
                                              copies[changed[k]] = sent[k];
                                            bench::keep(copies);
                                            ++round;
                                            return (bench::processor_seconds() - start) /
                                                   static_cast<double>(changed.size()) * 1e9;
                                          }}};
  bench::race(alone, kRounds, 0);
  return {0, alone.front().median, 8};
}

void report(const char* name, const ProtocolTimes& measured, double time_goal, double byte_goal) {
  const auto verdict = [](double value, double goal) {
    return bench::verdict(bench::meets(value, goal));
  };
  std::string line = format("{:26} {:6.1f} ns an object", name, measured.nanos_per_object);
  if (time_goal > 0)
    line += format(" (goal {:.0f}, {})", time_goal, verdict(measured.nanos_per_object, time_goal));
  line += format(", {:6.1f} ns of processor", measured.processor_nanos);
  line += format(", {:5.2f} bytes on the wire (goal {:.0f}, {})", measured.bytes_per_object,
                 byte_goal, verdict(measured.bytes_per_object, byte_goal));
  std::puts(line.c_str());
}

}  // namespace

int main() {
  std::vector<std::uint32_t> all(kObjects);
  for (std::uint32_t i = 0; i < kObjects; ++i) all[i] = i;
  std::vector<std::uint32_t> some;
  Random random(1);
  for (std::uint32_t i = 0; i < kObjects; ++i) {
    if (random.chance(0.01)) some.push_back(i);
  }
  const ProtocolTimes dense = measure(all, Service::Inline);
  const ProtocolTimes sparse = measure(some, Service::Inline);
  const ProtocolTimes served = measure(all, Service::Background);
  const ProtocolTimes pushed = measure_pushes(all);
  const ProtocolTimes pushed_some = measure_pushes(some);
  std::puts(format("{:26} {:6.1f} ns of processor", "stored, copied, scattered",
                   measure_copies(all).processor_nanos)
                .c_str());
  report("all pushed", pushed, 0, 12);
  report("one per cent pushed", pushed_some, 0, 16);
  report("all objects changed", dense, 60, 12);
  report("one per cent changed", sparse, 0, 16);
  report("all, with service threads", served, 0, 12);
  bench::print_json("protocol", [&](JsonWriter& json) {
    json.member("dense_ns", dense.nanos_per_object, ".2f");
    json.member("dense_bytes", dense.bytes_per_object, ".3f");
    json.member("dense_processor_ns", dense.processor_nanos, ".2f");
    json.member("sparse_ns", sparse.nanos_per_object, ".2f");
    json.member("sparse_bytes", sparse.bytes_per_object, ".3f");
  });
  const bool met =
      dense.nanos_per_object <= 60 && dense.bytes_per_object <= 12 && sparse.bytes_per_object <= 16;
  return met ? 0 : 1;
}
