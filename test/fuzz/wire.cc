// Any bytes as frames from a peer, in every mode, between regular messages: accepted, or refused as
// the peer's fault, but never a crash, a hang or an inconsistent cache. The input is a script: a
// byte of settings, then steps.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/check.h"
#include "leeway/dsm.h"
#include "protocol/cache.h"
#include "protocol/directory.h"
#include "transport/sim.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kObjects = 24;
using Wide = std::array<std::uint8_t, 40>;
constexpr std::string_view kModes[] = {"scp", "scp+rw", "scp+pb", "stale-2", "rcp-2", "rcp+push"};

class Script {
 public:
  explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool over() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return over() ? std::uint8_t{0} : bytes_[at_++]; }
  std::span<const std::uint8_t> some(std::size_t most) {
    const std::size_t count = std::min(most, bytes_.size() - std::min(at_, bytes_.size()));
    const auto run = bytes_.subspan(at_, count);
    at_ += count;
    return run;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Node 0, which receives the attack, and node 1, whose id the attacker uses; both are real.
struct Pair {
  explicit Pair(std::uint8_t settings) : cluster({.nodes = 2}) {
    NodeOptions options;
    options.policy = parse_policy(kModes[settings % std::size(kModes)]).value();
    options.policy.optimizations.collocation = (settings & 64) == 0;
    options.service = Service::Inline;
    options.on_failure = [this](const Error& error) {
      LEEWAY_CHECK(error.exit_code() != 0);
      LEEWAY_CHECK(!error.to_string().empty());
      failed = true;
    };
    bounded = (settings & 128) != 0;
    for (std::uint32_t i = 0; i < 2; ++i) {
      nodes[i] = std::make_unique<Node>(cluster.node(NodeId(i)), options);
    }
  }

  void open(NodeId id) {
    SpaceOptions options;
    options.local_objects = kObjects;
    options.remote_objects = kObjects;
    options.cache_capacity = bounded ? kLeastCacheCapacity : 0;
    const std::uint32_t i = id.value();
    numbers[i].emplace(Dsm<std::uint64_t>::open(*nodes[i], options).value());
    options.name = "wide";
    wides[i].emplace(Dsm<Wide>::open(*nodes[i], options).value());
  }

  /// Delivers all messages in flight to both nodes.
  void pump() {
    for (int turn = 0; turn < 4 && !failed; ++turn) {
      Transport& me = cluster.node(NodeId(1));
      me.wait(me.ticket(), me.now() + std::chrono::microseconds(10));
      for (const auto& node : nodes) {
        if (!failed) node->progress();
      }
    }
  }

  SimCluster cluster;
  std::unique_ptr<Node> nodes[2];
  std::optional<Dsm<std::uint64_t>> numbers[2];
  std::optional<Dsm<Wide>> wides[2];
  bool bounded = false;
  bool failed = false;
};

Handle handle_of(Pair& pair, std::uint32_t node, std::uint8_t which, bool wide) {
  const ObjectId id(NodeId(1 - node), LocalIndex(which % kObjects));
  return wide ? pair.wides[node]->resolve(id).value() : pair.numbers[node]->resolve(id).value();
}

void hostile(Pair& pair, std::span<const std::uint8_t> head, std::span<const std::uint8_t> body) {
  Frame frame;
  for (const auto part : {head, body}) {
    for (const std::uint8_t byte : part) frame.push_back(static_cast<std::byte>(byte));
  }
  (void)pair.cluster.node(NodeId(1)).send(NodeId(0), frame);
}

void step(Pair& pair, Script& script) {
  const std::uint8_t what = script.byte();
  const std::uint32_t node = what >> 7;
  const bool wide = (what & 64) != 0;
  const bool waits = pair.nodes[0]->options().policy.writes == Writes::Wait;
  switch (what % 8) {
    case 0:  // arbitrary bytes
      return hostile(pair, {}, script.some(script.byte()));
    case 1:
    case 2:
    case 3: {  // a message of a valid kind with an arbitrary body
      const std::uint8_t head[] = {static_cast<std::uint8_t>(1 + script.byte() % kLastMessageKind),
                                   static_cast<std::uint8_t>(wide ? 1 : 0)};
      return hostile(pair, head, script.some(script.byte() % 64));
    }
    case 4: {
      const Handle handle = handle_of(pair, node, script.byte(), wide);
      if (wide) return pair.wides[node]->prefetch(std::span(&handle, 1));
      return pair.numbers[node]->prefetch(std::span(&handle, 1));
    }
    case 5: {
      if (waits) return;  // it would wait forever for a faulty peer
      const Handle own(script.byte() % kObjects);
      if (!wide) return pair.numbers[node]->store(own, what);
      Wide value{};
      const auto some = script.some(what % value.size());
      std::copy(some.begin(), some.end(), value.begin());
      return pair.wides[node]->store(own, value);
    }
    default:
      return pair.pump();
  }
}

/// After all accepted input the state must be consistent, and every copy readable.
void inspect(Pair& pair) {
  for (Space* const space : {&pair.numbers[0]->space(), &pair.wides[0]->space()}) {
    const Cache& cache = space->cache();
    for (std::uint32_t slot = 0; slot < cache.slot_count(); ++slot) {
      LEEWAY_CHECK(cache.held(SlotIndex(slot)) <= cache.known(SlotIndex(slot)));
      const Handle handle(space->local_count() + slot);
      std::byte value[sizeof(Wide)];  // large enough for both spaces
      if (is_hit(cache.classify(SlotIndex(slot)))) space->fetch(handle, value);
    }
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      for (const NodeId sharer : space->directory().sharers(LocalIndex(i)))
        LEEWAY_CHECK(sharer == NodeId(1));
    }
  }
  LEEWAY_CHECK(!pair.nodes[0]->evidence().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script script({data, size});
  Pair pair(script.byte());
  const SimReport report = pair.cluster.run([&](NodeId id) {
    pair.open(id);
    pair.nodes[id.index()]->barrier();
    if (id == NodeId(0)) return;
    while (!script.over() && !pair.failed) step(pair, script);
    pair.pump();
    inspect(pair);
  });
  LEEWAY_CHECK(report.outcome == SimOutcome::Finished);
  return 0;
}
