// Messages that a node queues for a peer that does not poll: shared objects bound their
// number, and all of them arrive once the peer polls.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;

namespace {

constexpr std::uint32_t kObjects = 2000;

struct Case {
  const char* mode = "rcp";
  Optimizations optimizations{};
  std::uint64_t most_frames = 0;  ///< bound of queued frames
};

/// Node 1 reads every object of node 0, then does not poll while `meanwhile` runs at node 0;
/// afterwards it must see the final values. Returns the maximum number of queued frames.
std::uint64_t most_waiting(const Case& which,
                           const std::function<void(Dsm<std::uint64_t>&, std::uint64_t)>& sweep,
                           std::uint64_t sweeps) {
  LoopbackOptions options{.nodes = 2};
  options.profile.window_bytes = std::uint64_t{32} << 10U;
  LoopbackNetwork network(options);
  NodeOptions settings;
  settings.policy = parse_policy(which.mode).value();
  settings.policy.optimizations = which.optimizations;
  settings.service = Service::Inline;
  std::atomic<bool> swept{false};
  std::uint32_t wrong = 0;  // checked after the thread ended, because Catch is not thread-safe
  std::thread sharer([&] {
    Node node(network.node(NodeId(1)), settings);
    SpaceOptions space;
    space.remote_objects = kObjects;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < kObjects; ++i)
      handles.push_back(dsm.resolve({NodeId(0), LocalIndex(i)}).value());
    dsm.replicate(handles);
    node.barrier();
    while (!swept) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    node.barrier();
    for (int round = 0; round < 3; ++round) {  // a stale copy is requested, then current
      for (const Handle handle : handles) (void)dsm.fetch(handle);
      node.quiesce();
    }
    for (const Handle handle : handles) wrong += dsm.fetch(handle) == sweeps ? 0 : 1;
    node.close();
  });
  Node node(network.node(NodeId(0)), settings);
  SpaceOptions space;
  space.local_objects = kObjects;
  auto dsm = Dsm<std::uint64_t>::open(node, space).value();
  node.barrier();
  std::uint64_t most = 0;
  for (std::uint64_t i = 1; i <= sweeps; ++i) {
    sweep(dsm, i);
    node.progress();
    most = std::max(most, node.stats().waiting_frames);
  }
  swept = true;
  node.barrier();
  for (int round = 0; round < 3; ++round) node.quiesce();
  CHECK(node.stats().waiting_frames == 0);
  node.close();
  sharer.join();
  CHECK(wrong == 0);
  return most;
}

void store_each(Dsm<std::uint64_t>& dsm, std::uint64_t value) {
  for (std::uint32_t i = 0; i < kObjects; ++i) dsm.store(Handle(i), value);
}

void store_each_by_view(Dsm<std::uint64_t>& dsm, std::uint64_t value) {
  auto view = dsm.view();
  for (std::uint32_t i = 0; i < kObjects; ++i) view.store(Handle(i), value);
}

}  // namespace

TEST_CASE("the backlog of a peer that does not poll does not grow with the number of sweeps") {
  // A flush names each object once, so it is a few frames. Without aggregation each object needs a
  // frame; without flattening, up to the limit of unmerged messages.
  const std::vector<Case> cases = {
      {"rcp", {}, 4},
      {"rcp+push", {}, 8},
      {"scp+rw", {}, 4},
      {"rcp", {.aggregation = false}, kObjects},
      {"rcp", {.flattening = false}, kObjects},
  };
  for (const Case& each : cases) {
    INFO(each.mode);
    CHECK(most_waiting(each, store_each, 3000) <= each.most_frames);
    CHECK(most_waiting(each, store_each_by_view, 300) <= each.most_frames);
  }
}

TEST_CASE("stores to remote objects block once the backlog of the home is full") {
  LoopbackOptions options{.nodes = 2};
  options.profile.window_bytes = std::uint64_t{4} << 10U;
  LoopbackNetwork network(options);
  NodeOptions settings;
  settings.policy = parse_policy("rcp").value();
  settings.policy.optimizations.collocation = false;
  settings.service = Service::Inline;
  constexpr std::uint64_t kStores = 20'000;
  std::atomic<std::uint64_t> stored{0};
  std::uint64_t stored_early = 0, in_the_end = 0;
  std::thread home([&] {
    Node node(network.node(NodeId(0)), settings);
    SpaceOptions space;
    space.local_objects = 1;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    node.barrier();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stored_early = stored;
    node.barrier();
    in_the_end = dsm.fetch(Handle(0));
    node.close();
  });
  Node node(network.node(NodeId(1)), settings);
  SpaceOptions space;
  space.remote_objects = 1;
  auto dsm = Dsm<std::uint64_t>::open(node, space).value();
  const Handle object = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
  node.barrier();
  std::uint64_t most = 0;
  for (std::uint64_t i = 1; i <= kStores; ++i) {
    dsm.store(object, i);
    most = std::max(most, node.stats().waiting_frames);
    stored = i;
  }
  CHECK(most <= 1024);
  node.barrier();
  node.close();
  home.join();
  CHECK(stored_early < 5000);
  CHECK(in_the_end == kStores);
}

TEST_CASE("reads merge while their home does not poll") {
  LoopbackOptions options{.nodes = 2};
  options.profile.window_bytes = std::uint64_t{1} << 10U;
  LoopbackNetwork network(options);
  NodeOptions settings;
  settings.policy = parse_policy("rcp").value();
  settings.service = Service::Inline;
  std::atomic<bool> asked{false};
  std::thread home([&] {
    Node node(network.node(NodeId(0)), settings);
    SpaceOptions space;
    space.local_objects = kObjects;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    for (std::uint32_t i = 0; i < kObjects; ++i) dsm.store(Handle(i), i);
    node.barrier();
    while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    node.close();
  });
  Node node(network.node(NodeId(1)), settings);
  SpaceOptions space;
  space.remote_objects = kObjects;
  auto dsm = Dsm<std::uint64_t>::open(node, space).value();
  std::vector<Handle> handles;
  for (std::uint32_t i = 0; i < kObjects; ++i)
    handles.push_back(dsm.resolve({NodeId(0), LocalIndex(i)}).value());
  node.barrier();
  std::uint64_t most = 0;
  for (const Handle handle : handles) {
    dsm.prefetch(std::span(&handle, 1));
    most = std::max(most, node.stats().waiting_frames);
  }
  CHECK(most <= 2);  // without merging: a Link and a Read per object
  asked = true;
  for (std::uint32_t i = 0; i < kObjects; ++i) REQUIRE(dsm.fetch(handles[i]) == i);
  node.close();
  home.join();
}
