// The sharer's rules of ASPIRE §4.1 and §4.2, one test per rule.
#include "protocol/cache.h"

#include <catch2/catch.hpp>

#include "test/support/check_catcher.h"
#include "test/support/machines.h"

using namespace leeway;
using testing::HandWired;
using testing::policy_of;

namespace {

/// Node 0 is the home, node 1 holds a copy of object 0 that is `age` versions old.
struct Holder {
  explicit Holder(std::string_view mode, std::uint64_t age = 0) : machines(3, policy_of(mode)) {
    slot = machines.meet(1, 0, 0);
    REQUIRE(machines.read(1, slot) == 0);
    for (std::uint64_t i = 1; i <= age; ++i) machines.store(0, 0, i);
    machines.flush(0);
    while (machines.under_way(0, 1) > 0) REQUIRE(machines.deliver(0, 1));
  }
  Cache& cache() { return machines.cache(1); }

  HandWired machines;
  SlotIndex slot{0};
};

/// Reports every pushed value as unread.
class NeverRead final : public ReadMarks {
 public:
  [[nodiscard]] bool unread(SlotIndex) const override { return true; }
};

}  // namespace

TEST_CASE("a fetch of an absent object is a cache miss and sends one Read") {
  HandWired machines(2, policy_of("rcp"));
  const SlotIndex slot = machines.meet(1, 0, 3);
  REQUIRE(machines.cache(1).state(slot) == CopyState::Absent);
  REQUIRE(machines.cache(1).fetch(slot) == Access::CacheMiss);
  REQUIRE(machines.cache(1).state(slot) == CopyState::Fetching);
  machines.flush(1);
  REQUIRE(machines.next_kind(1, 0) == MessageKind::Link);
  REQUIRE(machines.under_way(1, 0) == 2);
  REQUIRE(machines.settle());
  REQUIRE(machines.cache(1).state(slot) == CopyState::Shared);
  REQUIRE(machines.cache(1).fetch(slot) == Access::CurrentHit);
}

TEST_CASE("a current hit sends nothing") {
  Holder holder("rcp");
  REQUIRE(holder.cache().fetch(holder.slot) == Access::CurrentHit);
  REQUIRE_FALSE(holder.cache().needs_flush());
}

TEST_CASE("a stale hit returns the copy and requests a refresh") {
  Holder holder("rcp", 1);
  REQUIRE(holder.cache().fetch(holder.slot) == Access::StaleHit);
  REQUIRE(holder.machines.copy(1, holder.slot) == 0);
  REQUIRE(holder.cache().state(holder.slot) == CopyState::Refreshing);
  REQUIRE(holder.cache().counts().refreshes == 1);
  REQUIRE(holder.machines.settle());
  REQUIRE(holder.machines.copy(1, holder.slot) == 1);
  REQUIRE(holder.cache().state(holder.slot) == CopyState::Shared);
}

TEST_CASE("a stale hit under stale-N returns the copy and requests nothing") {
  Holder holder("stale-3", 3);
  REQUIRE(holder.cache().fetch(holder.slot) == Access::StaleHit);
  REQUIRE_FALSE(holder.cache().needs_flush());
}

TEST_CASE("staleness counts the writes that the copy does not reflect") {
  for (const std::uint64_t age : {1u, 2u, 5u})
    REQUIRE(Holder("rcp", age).cache().staleness(SlotIndex(0)) == age);
}

TEST_CASE("a copy is usable up to the threshold and a stale miss one beyond it") {
  Holder at("rcp-4", 4);
  REQUIRE(at.cache().fetch(at.slot) == Access::StaleHit);
  Holder beyond("rcp-4", 5);
  REQUIRE(beyond.cache().fetch(beyond.slot) == Access::StaleMiss);
  REQUIRE(beyond.machines.settle());
  REQUIRE(beyond.cache().staleness(beyond.slot) == 0);
  REQUIRE(beyond.machines.copy(1, beyond.slot) == 5);
}

TEST_CASE("under scp any staleness is a miss") {
  Holder holder("scp", 1);
  REQUIRE(holder.cache().fetch(holder.slot) == Access::StaleMiss);
}

TEST_CASE("many fetches of one object share one Read (message flattening)") {
  HandWired machines(2, policy_of("rcp"));
  const SlotIndex slot = machines.meet(1, 0, 0);
  for (int i = 0; i < 10; ++i) (void)machines.cache(1).fetch(slot);
  machines.cache(1).prefetch(slot);
  REQUIRE(machines.cache(1).in_flight() == 1);

  Policy plain = policy_of("rcp");
  plain.optimizations.flattening = false;
  HandWired unmerged(2, plain);
  const SlotIndex same = unmerged.meet(1, 0, 0);
  for (int i = 0; i < 10; ++i) (void)unmerged.cache(1).fetch(same);
  REQUIRE(unmerged.cache(1).in_flight() == 10);
  REQUIRE(unmerged.settle());
  REQUIRE(unmerged.cache(1).state(same) == CopyState::Shared);
}

TEST_CASE("a prefetch requests only objects without a usable copy or pending request") {
  Holder holder("rcp", 1);
  holder.cache().prefetch(holder.slot);  // stale within the threshold: usable
  REQUIRE_FALSE(holder.cache().needs_flush());
  const SlotIndex other = holder.machines.meet(1, 0, 5);
  holder.cache().prefetch(other);
  holder.cache().prefetch(other);
  REQUIRE(holder.cache().in_flight() == 1);
}

TEST_CASE("an install never goes backwards: a late Reply cannot undo a push") {
  Holder holder("rcp+push", 1);
  (void)holder.cache().fetch(holder.slot);  // requests version 2
  holder.machines.flush(1);
  REQUIRE(holder.machines.deliver(1, 0));  // the Reply with version 2 is in flight
  // A push of version 5 overtakes the Reply.
  ByteWriter push;
  encode_header(MessageKind::Invalidate, SpaceId(0), push);
  const std::vector<LinkIndex> links = {LinkIndex(0)};
  const std::vector<std::uint64_t> versions = {5};
  encode_invalidate_head(AckNumber(0), true, links, versions, push);
  push.raw(testing::bytes_of(55));
  REQUIRE(holder.machines.receive(0, 1, push.span()));
  REQUIRE(holder.machines.copy(1, holder.slot) == 55);
  REQUIRE(holder.machines.deliver(0, 1));
  REQUIRE(holder.cache().held(holder.slot) == Version(5));
  REQUIRE(holder.machines.copy(1, holder.slot) == 55);
}

TEST_CASE("an Invalidate with a known version changes nothing") {
  Holder holder("rcp", 3);
  for (const std::uint64_t version : {4u, 3u, 1u}) {
    ByteWriter old;
    encode_header(MessageKind::Invalidate, SpaceId(0), old);
    const std::vector<LinkIndex> links = {LinkIndex(0)};
    encode_invalidate_head(AckNumber(0), false, links, std::vector<std::uint64_t>{version}, old);
    REQUIRE(holder.machines.receive(0, 1, old.span()));
    REQUIRE(holder.cache().staleness(holder.slot) == 3);
  }
}

TEST_CASE("an Invalidate that requests an acknowledgement gets it, even for an evicted copy") {
  Holder holder("scp", 0);
  holder.cache().evict(holder.slot);
  holder.machines.store(0, 0, 9);
  holder.machines.flush(0);
  REQUIRE(holder.machines.deliver(0, 1));
  REQUIRE(holder.machines.next_kind(1, 0) == MessageKind::Ack);
  REQUIRE(holder.cache().state(holder.slot) == CopyState::Absent);
}

TEST_CASE("an eviction sends an Evict before any later Read of the object") {
  Holder holder("rcp");
  holder.cache().evict(holder.slot);
  (void)holder.cache().fetch(holder.slot);
  holder.machines.flush(1);
  REQUIRE(holder.machines.next_kind(1, 0) == MessageKind::Evict);
  REQUIRE(holder.machines.under_way(1, 0) == 2);
  REQUIRE(holder.machines.settle());
  REQUIRE(holder.machines.directory(0).shares(NodeId(1), LocalIndex(0)));
}

TEST_CASE("only a copy can be evicted") {
  Holder holder("rcp", 1);
  const testing::CheckCatcher catcher;
  const SlotIndex absent = holder.machines.meet(1, 0, 7);
  REQUIRE_THROWS_AS(holder.cache().evict(absent), testing::CheckFailed);
  (void)holder.cache().fetch(absent);
  REQUIRE(holder.cache().state(absent) == CopyState::Fetching);
  REQUIRE_THROWS_AS(holder.cache().evict(absent), testing::CheckFailed);
}

TEST_CASE(
    "a store to a remote object is visible to its writer immediately and is sent to the home") {
  Policy policy = policy_of("rcp");
  policy.optimizations.collocation = false;
  HandWired machines(3, policy);
  const SlotIndex slot = machines.meet(1, 0, 0);
  machines.store_away(1, slot, 42);
  REQUIRE(machines.cache(1).fetch(slot) == Access::CurrentHit);
  REQUIRE(machines.copy(1, slot) == 42);
  REQUIRE(machines.settle());
  REQUIRE(machines.directory(0).version(LocalIndex(0)) == machines.cache(1).held(slot));
  const SlotIndex elsewhere = machines.meet(2, 0, 0);
  REQUIRE(machines.read(2, elsewhere) == 42);
  machines.store_away(1, slot, 43);
  REQUIRE(machines.settle());
  REQUIRE(machines.cache(2).staleness(elsewhere) == 1);
  REQUIRE(machines.cache(1).staleness(slot) == 0);
}

TEST_CASE("unread pushes are declined, however many arrive before the next message is sent") {
  NeverRead marks;
  // Versions 4 and 5 are the first to be checked; a push is judged when the next one arrives.
  for (const int pushes : {5, 6, 9, 20}) {
    HandWired machines(2, policy_of("rcp+push"), &marks);
    const SlotIndex first = machines.meet(1, 0, 0);
    const SlotIndex second = machines.meet(1, 0, 1);
    (void)machines.read(1, first);
    (void)machines.read(1, second);
    for (int i = 0; i < pushes; ++i) {
      ByteWriter push;
      encode_header(MessageKind::Invalidate, SpaceId(0), push);
      const std::vector<LinkIndex> links = {LinkIndex(0), LinkIndex(1)};
      const auto version = static_cast<std::uint64_t>(i + 2);
      encode_invalidate_head(AckNumber(0), true, links, std::vector{version, version}, push);
      for (int each = 0; each < 2; ++each) push.raw(testing::bytes_of(version));
      REQUIRE(machines.receive(0, 1, push.span()));
    }
    machines.flush(1);
    REQUIRE(machines.under_way(1, 0) == 1);
    REQUIRE(machines.next_kind(1, 0) == MessageKind::Decline);
    REQUIRE(machines.deliver(1, 0));
  }
}

TEST_CASE("a Reply with other objects than requested is refused") {
  HandWired machines(2, policy_of("rcp"));
  const SlotIndex slot = machines.meet(1, 0, 0);
  (void)machines.cache(1).fetch(slot);
  machines.flush(1);
  const auto reply = [](std::vector<std::uint64_t> versions) {
    ByteWriter out;
    encode_header(MessageKind::Reply, SpaceId(0), out);
    encode_reply_head(RequestNumber(1), versions, out);
    for (const auto& version : versions) out.raw(testing::bytes_of(version));
    return out.take();
  };
  REQUIRE_FALSE(machines.receive(0, 1, reply({1, 1})));
  REQUIRE_FALSE(machines.receive(0, 1, reply({})));
}

TEST_CASE("an answer to no outstanding request is counted and dropped") {
  Holder holder("rcp");
  ByteWriter out;
  encode_header(MessageKind::Reply, SpaceId(0), out);
  encode_reply_head(RequestNumber(1), std::vector<std::uint64_t>{8}, out);
  out.raw(testing::bytes_of(88));
  REQUIRE(holder.machines.receive(0, 1, out.span()));
  REQUIRE(holder.machines.copy(1, holder.slot) == 0);
  REQUIRE(holder.cache().counts().late_replies == 1);
}

TEST_CASE("versions begin at one: a Reply or an Invalidate of version zero is refused") {
  Holder holder("rcp");
  ByteWriter out;
  encode_header(MessageKind::Invalidate, SpaceId(0), out);
  encode_invalidate_head(AckNumber(0), false, std::vector{LinkIndex(0)},
                         std::vector<std::uint64_t>{0}, out);
  REQUIRE_FALSE(holder.machines.receive(0, 1, out.span()));
}

TEST_CASE("a local object is never inserted as a remote one") {
  HandWired machines(2, policy_of("rcp"));
  const testing::CheckCatcher catcher;
  REQUIRE_THROWS_AS(machines.meet(1, 1, 0), testing::CheckFailed);
}

TEST_CASE("reads of one object beyond what can be counted merge with those under way") {
  Policy policy = policy_of("rcp");
  policy.optimizations.flattening = false;
  HandWired machines(2, policy);
  const SlotIndex slot = machines.meet(1, 0, 0);
  Cache& cache = machines.cache(1);
  constexpr std::uint32_t kReads = Cache::kMostReads + 10;
  for (std::uint32_t i = 0; i < kReads; ++i) REQUIRE(cache.fetch(slot) == Access::CacheMiss);
  CHECK(cache.state(slot) == CopyState::Fetching);
  CHECK(cache.in_flight() == Cache::kMostReads);
  machines.flush(1);
  REQUIRE(machines.settle());
  CHECK(cache.in_flight() == 0);
  CHECK(cache.state(slot) == CopyState::Shared);
  CHECK(cache.counts().replies == Cache::kMostReads);
}

TEST_CASE(
    "a copy evicted while it is read again comes back, and its home keeps sending invalidations") {
  Holder holder("rcp", 1);
  REQUIRE(holder.cache().fetch(holder.slot) == Access::StaleHit);
  holder.cache().evict(holder.slot);
  CHECK(holder.cache().state(holder.slot) == CopyState::Fetching);
  holder.machines.flush(1);
  CHECK(holder.machines.under_way(1, 0) == 1);  // the Read only, no Evict
  REQUIRE(holder.machines.settle());
  CHECK(holder.cache().state(holder.slot) == CopyState::Shared);
  CHECK(holder.machines.copy(1, holder.slot) == 1);
  holder.machines.store(0, 0, 2);
  REQUIRE(holder.machines.settle());
  CHECK(holder.cache().state(holder.slot) == CopyState::Stale);
}

TEST_CASE("an answer from before this node's own store is not read after it") {
  Policy policy = policy_of("rcp");
  policy.optimizations.collocation = false;
  HandWired machines(2, policy);
  const SlotIndex slot = machines.meet(1, 0, 0);
  REQUIRE(machines.read(1, slot) == 0);
  REQUIRE(machines.settle());
  Cache& cache = machines.cache(1);
  cache.evict(slot);
  cache.prefetch(slot);
  machines.flush(1);
  while (machines.under_way(1, 0) > 0) REQUIRE(machines.deliver(1, 0));  // all answered
  machines.store_away(1, slot, 7);
  cache.evict(slot);  // the Read is still in flight
  REQUIRE(machines.deliver(0, 1));
  CHECK(cache.state(slot) == CopyState::Absent);
  REQUIRE(machines.read(1, slot) == 7);
}

TEST_CASE(
    "the link of an evicted object is reused, and late messages about the old object are dropped") {
  HandWired machines(2, policy_of("rcp"));
  const SlotIndex slot = machines.meet(1, 0, 0);
  machines.store(0, 0, 70);
  machines.store(0, 5, 75);
  REQUIRE(machines.read(1, slot) == 70);
  REQUIRE_FALSE(machines.cache(1).forgettable(slot));
  for (int i = 0; i < 9; ++i) machines.store(0, 0, 80);
  machines.flush(0);  // the Invalidate of version 11 is in flight
  machines.cache(1).evict(slot);
  REQUIRE(machines.cache(1).forgettable(slot));
  machines.cache(1).meet_in(slot, ObjectId(NodeId(0), LocalIndex(5)));
  REQUIRE(machines.cache(1).fetch(slot) == Access::CacheMiss);
  REQUIRE_FALSE(machines.cache(1).forgettable(slot));  // a Read is in flight
  REQUIRE(machines.deliver(0, 1));
  REQUIRE(machines.cache(1).known(slot) == kNoVersion);
  REQUIRE(machines.settle());
  REQUIRE(machines.copy(1, slot) == 75);
  REQUIRE(machines.cache(1).classify(slot) == Access::CurrentHit);
  REQUIRE(machines.directory(0).sharers(LocalIndex(0)).empty());
  REQUIRE(machines.directory(0).sharers(LocalIndex(5)) == std::vector{NodeId(1)});
  machines.store(0, 5, 76);
  REQUIRE(machines.settle());
  REQUIRE(machines.cache(1).staleness(slot) ==
          1);  // and invalidations of the new object are received
}

TEST_CASE("a link that is free at one home is not used for another home") {
  HandWired machines(3, policy_of("rcp"));
  const SlotIndex slot = machines.meet(1, 0, 0);
  (void)machines.read(1, slot);
  machines.cache(1).evict(slot);
  machines.cache(1).meet_in(slot, ObjectId(NodeId(2), LocalIndex(3)));
  machines.store(2, 3, 9);
  REQUIRE(machines.read(1, slot) == 9);
  machines.store(0, 0, 1);
  REQUIRE(machines.settle());
  REQUIRE(machines.cache(1).state(slot) == CopyState::Shared);
  const SlotIndex other = machines.meet(1, 0, 4);
  machines.store(0, 4, 44);
  REQUIRE(machines.read(1, other) == 44);
  REQUIRE(machines.directory(0).sharers(LocalIndex(4)) == std::vector{NodeId(1)});
}
