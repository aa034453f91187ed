// The home's rules of ASPIRE §4.2 and §4.3, one test per rule.
#include "protocol/directory.h"

#include <catch2/catch.hpp>

#include "protocol/message.h"
#include "test/support/machines.h"

using namespace leeway;
using testing::HandWired;
using testing::PlainValues;
using testing::policy_of;

namespace {

constexpr LocalIndex kObject{0};

std::vector<NodeId> nodes_of(std::initializer_list<std::uint32_t> values) {
  std::vector<NodeId> nodes;
  for (const auto value : values) nodes.emplace_back(value);
  return nodes;
}

/// Node 0 is the home; every other node has read object 0.
struct Shared {
  explicit Shared(const Policy& policy, std::uint32_t nodes = 3) : machines(nodes, policy) {
    for (std::uint32_t node = 1; node < nodes; ++node) {
      slots.push_back(machines.meet(node, 0, 0));
      (void)machines.read(node, slots.back());
    }
  }
  Directory& home() { return machines.directory(0); }
  Cache& sharer(std::uint32_t node) { return machines.cache(node); }
  SlotIndex slot(std::uint32_t node) { return slots[node - 1]; }

  HandWired machines;
  std::vector<SlotIndex> slots;
};

std::vector<std::byte> evict_message(std::uint64_t number) {
  ByteWriter out;
  encode_header(MessageKind::Evict, SpaceId(0), out);
  encode(EvictMessage{EvictNumber(number), {LinkIndex(0)}}, out);
  return out.take();
}

std::vector<std::byte> write_message(std::uint64_t version) {
  ByteWriter out;
  encode_header(MessageKind::Write, SpaceId(0), out);
  encode_write_head({AckNumber(0), LinkIndex(0), Version(version), {}}, out);
  out.raw(testing::bytes_of(version * 10));
  return out.take();
}

}  // namespace

TEST_CASE("on a read request the reader joins the directory entry") {
  Shared shared(policy_of("rcp"));
  REQUIRE(shared.home().sharers(kObject) == nodes_of({1, 2}));
  REQUIRE(shared.home().shares(NodeId(1), kObject));
  REQUIRE_FALSE(shared.home().shares(NodeId(0), kObject));
}

TEST_CASE("on an eviction message the evictor leaves the directory entry") {
  Shared shared(policy_of("rcp"));
  shared.sharer(1).evict(shared.slot(1));
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.home().sharers(kObject) == nodes_of({2}));
  shared.machines.store(0, 0, 5);
  shared.machines.flush(0);
  REQUIRE(shared.machines.under_way(0, 1) == 0);
  REQUIRE(shared.machines.under_way(0, 2) == 1);
}

TEST_CASE("an old Evict cannot remove a sharer that has read again since") {
  Shared shared(policy_of("rcp"));
  shared.sharer(1).evict(shared.slot(1));
  (void)shared.machines.read(1, shared.slot(1));
  REQUIRE(shared.machines.receive(1, 0, evict_message(1)));
  REQUIRE(shared.home().shares(NodeId(1), kObject));
  REQUIRE(shared.home().counts().stale_evictions == 1);
}

TEST_CASE("a write returns immediately and invalidates every sharer once it is flushed") {
  Shared shared(policy_of("rcp"), 5);
  shared.machines.store(0, 0, 5);
  REQUIRE(shared.home().version(kObject) == Version(2));
  for (std::uint32_t node = 1; node < 5; ++node)
    REQUIRE(shared.sharer(node).staleness(shared.slot(node)) == 0);
  REQUIRE(shared.machines.settle());
  for (std::uint32_t node = 1; node < 5; ++node)
    REQUIRE(shared.sharer(node).staleness(shared.slot(node)) == 1);
}

TEST_CASE(
    "many writes before a flush are one invalidation that carries the newest version "
    "(flattening)") {
  Shared shared(policy_of("rcp"));
  for (std::uint64_t i = 1; i <= 7; ++i) shared.machines.store(0, 0, i);
  shared.machines.flush(0);
  REQUIRE(shared.machines.under_way(0, 1) == 1);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.sharer(1).staleness(shared.slot(1)) == 7);
}

TEST_CASE("without flattening every write is a separate invalidation") {
  Policy policy = policy_of("rcp");
  policy.optimizations.flattening = false;
  Shared shared(policy);
  for (std::uint64_t i = 1; i <= 7; ++i) shared.machines.store(0, 0, i);
  shared.machines.flush(0);
  REQUIRE(shared.machines.under_way(0, 1) == 7);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.sharer(1).staleness(shared.slot(1)) == 7);
}

TEST_CASE("a paced home sends a sharer nothing until it has acknowledged, and then one message") {
  Policy policy = policy_of("rcp");
  policy.paced = true;
  Shared shared(policy);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    shared.machines.store(0, 0, i);
    shared.machines.flush(0);
    REQUIRE(shared.machines.under_way(0, 1) == 1);
  }
  REQUIRE(shared.machines.deliver(0, 1));
  REQUIRE(shared.sharer(1).staleness(shared.slot(1)) == 1);
  REQUIRE(shared.machines.under_way(0, 1) == 0);
  REQUIRE(shared.machines.deliver(1, 0));  // the acknowledgement
  shared.machines.flush(0);
  REQUIRE(shared.machines.under_way(0, 1) == 1);
  REQUIRE(shared.machines.under_way(0, 2) == 1);  // node 2 has received nothing yet
  REQUIRE(shared.machines.deliver(0, 1));
  REQUIRE(shared.sharer(1).staleness(shared.slot(1)) == 5);
  ByteWriter unrequested;
  encode_header(MessageKind::Ack, SpaceId(0), unrequested);
  unrequested.varint(9);
  REQUIRE(shared.machines.deliver(1, 0));
  REQUIRE_FALSE(shared.machines.receive(1, 0, unrequested.take()));
}

TEST_CASE("a sharer that got the newest version in a Reply gets no Invalidate of it") {
  Shared shared(policy_of("rcp"));
  shared.sharer(1).evict(shared.slot(1));
  shared.machines.store(0, 0, 5);
  (void)shared.sharer(1).fetch(shared.slot(1));
  shared.machines.flush(1);
  while (shared.machines.under_way(1, 0) > 0) REQUIRE(shared.machines.deliver(1, 0));
  shared.machines.flush(0);
  REQUIRE(shared.machines.under_way(0, 1) == 1);
  REQUIRE(shared.machines.next_kind(0, 1) == MessageKind::Reply);
}

TEST_CASE("a waiting store is done when the last sharer has acknowledged") {
  Shared shared(policy_of("scp"));
  shared.machines.store(0, 0, 5);
  shared.machines.flush(0);
  const AckNumber last = shared.home().last_ack();
  REQUIRE_FALSE(shared.home().all_acked(last));
  REQUIRE(shared.machines.deliver(0, 1));
  REQUIRE(shared.machines.deliver(1, 0));
  REQUIRE_FALSE(shared.home().all_acked(last));
  REQUIRE(shared.home().slowest_sharer() == NodeId(2));
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.home().all_acked(last));
  REQUIRE(shared.home().slowest_sharer() == NodeId::none());
}

TEST_CASE("an acknowledgement by a node that was not asked acknowledges nothing") {
  Shared shared(policy_of("scp"));
  shared.machines.store(0, 0, 5);
  shared.machines.flush(0);
  ByteWriter ack;
  encode_header(MessageKind::Ack, SpaceId(0), ack);
  ack.varint(shared.home().last_ack().value());
  const NodeId asked = NodeId(2);  // the last one in the flush
  const NodeId other = NodeId(1);
  (void)shared.machines.receive(other.value(), 0, ack.span());
  REQUIRE_FALSE(shared.home().all_acked(shared.home().last_ack()));
  (void)asked;
}

TEST_CASE("scp+pb sends the new value with the invalidation") {
  Shared shared(policy_of("scp+pb"));
  shared.machines.store(0, 0, 5);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.sharer(1).state(shared.slot(1)) == CopyState::Shared);
  REQUIRE(shared.machines.copy(1, shared.slot(1)) == 5);
  REQUIRE(shared.home().counts().pushes == 2);
}

TEST_CASE(
    "rcp+push pushes to the sharer that reads every version and invalidates the one that skips") {
  Shared shared(policy_of("rcp+push"));
  for (std::uint64_t i = 1; i <= 4; ++i) {
    shared.machines.store(0, 0, i);
    REQUIRE(shared.machines.settle());
    (void)shared.sharer(1).fetch(
        shared.slot(1));  // node 1 refreshes after each write, node 2 never
    REQUIRE(shared.machines.settle());
  }
  shared.machines.store(0, 0, 99);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.machines.copy(1, shared.slot(1)) == 99);
  REQUIRE(shared.machines.copy(2, shared.slot(2)) == 0);
  REQUIRE(shared.sharer(2).staleness(shared.slot(2)) == 5);
}

TEST_CASE(
    "with earned_by 0 a sharer is pushed every version from its first read on, until it declines") {
  Policy policy = policy_of("rcp+push");
  policy.earned_by = 0;
  Shared shared(policy);
  shared.machines.store(0, 0, 5);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.machines.copy(1, shared.slot(1)) == 5);
  ByteWriter decline;
  encode_header(MessageKind::Decline, SpaceId(0), decline);
  encode_links(std::vector{LinkIndex(0)}, decline);
  REQUIRE(shared.machines.receive(1, 0, decline.span()));
  for (std::uint64_t i = 6; i <= 7; ++i) {  // reading two consecutive versions restores the pushes
    shared.machines.store(0, 0, i);
    REQUIRE(shared.machines.settle());
    REQUIRE(shared.machines.copy(1, shared.slot(1)) == i - 1);
    (void)shared.sharer(1).fetch(shared.slot(1));
    REQUIRE(shared.machines.settle());
    REQUIRE(shared.machines.copy(1, shared.slot(1)) == i);
  }
  shared.machines.store(0, 0, 8);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.machines.copy(1, shared.slot(1)) == 8);
  REQUIRE(shared.machines.copy(2, shared.slot(2)) == 8);
}

TEST_CASE(
    "a write from another node invalidates all sharers but the writer, who joins (ASPIRE §4.2)") {
  Policy policy = policy_of("rcp");
  policy.optimizations.collocation = false;
  Shared shared(policy, 4);
  shared.sharer(3).evict(shared.slot(3));
  REQUIRE(shared.machines.settle());
  shared.machines.store_away(3, shared.slot(3), 77);
  REQUIRE(shared.machines.settle());
  REQUIRE(shared.home().sharers(kObject) == nodes_of({1, 2, 3}));
  REQUIRE(shared.sharer(1).staleness(shared.slot(1)) == 1);
  REQUIRE(shared.sharer(3).staleness(shared.slot(3)) == 0);
}

TEST_CASE("a Write that requests an answer gets it after all sharers have acknowledged") {
  Policy policy = policy_of("scp");
  policy.optimizations.collocation = false;
  Shared shared(policy);
  shared.machines.store_away(1, shared.slot(1), 7, AckNumber(41));
  REQUIRE(shared.machines.deliver(1, 0));
  REQUIRE(shared.machines.under_way(0, 1) == 0);
  REQUIRE(shared.machines.deliver(0, 2));
  REQUIRE(shared.machines.deliver(2, 0));
  REQUIRE(shared.machines.next_kind(0, 1) == MessageKind::WriteAck);
  REQUIRE(shared.machines.deliver(0, 1));
  REQUIRE(shared.machines.answered(1) == std::vector{AckNumber(41)});
}

TEST_CASE("a Write that arrives twice counts once, and one with a gap is refused") {
  Policy policy = policy_of("rcp");
  policy.optimizations.collocation = false;
  Shared shared(policy);
  REQUIRE(shared.machines.receive(1, 0, write_message(2)));
  REQUIRE(shared.machines.receive(1, 0, write_message(2)));
  REQUIRE(shared.home().version(kObject) == Version(2));
  REQUIRE(shared.home().counts().writes == 1);
  REQUIRE_FALSE(shared.machines.receive(1, 0, write_message(4)));
}

TEST_CASE("a Write is refused where work collocation leaves every store to the home") {
  Shared shared(policy_of("rcp"));
  REQUIRE_FALSE(shared.machines.receive(1, 0, write_message(2)));
  REQUIRE(shared.home().version(kObject) == kFirstVersion);
}

TEST_CASE("a pair agrees on no more links than the home has objects") {
  HandWired machines(2, policy_of("rcp"));
  LinkMessage message;
  message.objects.assign(HandWired::kObjects + 1, LocalIndex(0));
  ByteWriter out;
  encode_header(MessageKind::Link, SpaceId(0), out);
  encode(message, out);
  REQUIRE_FALSE(machines.receive(1, 0, out.span()));
}

TEST_CASE("a Link may repeat an agreed object, and replace one that is not shared") {
  HandWired machines(2, policy_of("rcp"));
  const auto link = [](std::uint32_t base, std::vector<std::uint32_t> objects) {
    LinkMessage message;
    message.base = LinkIndex(base);
    for (const auto object : objects) message.objects.emplace_back(object);
    ByteWriter out;
    encode_header(MessageKind::Link, SpaceId(0), out);
    encode(message, out);
    return out.take();
  };
  REQUIRE(machines.receive(1, 0, link(0, {3, 4})));
  REQUIRE(machines.receive(1, 0, link(0, {3, 4})));
  REQUIRE(machines.receive(1, 0, link(1, {4, 5})));
  REQUIRE(machines.receive(1, 0, link(0, {6})));
  ByteWriter read;
  encode_header(MessageKind::Read, SpaceId(0), read);
  encode(ReadMessage{RequestNumber(1), EvictNumber(0), {LinkIndex(0)}}, read);
  REQUIRE(machines.receive(1, 0, read.span()));
  REQUIRE(machines.directory(0).sharers(LocalIndex(6)) == std::vector{NodeId(1)});
  REQUIRE_FALSE(machines.receive(1, 0, link(0, {4})));  // it is shared
  REQUIRE_FALSE(machines.receive(1, 0, link(5, {1})));  // a gap
  REQUIRE_FALSE(machines.receive(1, 0, link(3, {HandWired::kObjects})));
}

TEST_CASE("messages about objects that no link agreed on are refused") {
  HandWired machines(2, policy_of("rcp"));
  REQUIRE_FALSE(machines.receive(1, 0, evict_message(1)));
  REQUIRE_FALSE(machines.receive(1, 0, write_message(2)));
}

TEST_CASE(
    "pending invalidations of a sharer without credit merge, and are sent once it has credit") {
  for (const bool flattening : {true, false}) {
    Policy policy = policy_of("rcp");
    policy.optimizations.flattening = flattening;
    PlainValues values(2);
    Directory home(SpaceId(0), NodeId(0), 2, 2, policy, 8, values);
    Outbox out(2, true);
    ByteWriter link, read;
    encode(LinkMessage{LinkIndex(0), {LocalIndex(0)}}, link);
    encode(ReadMessage{RequestNumber(1), EvictNumber(0), {LinkIndex(0)}}, read);
    ByteReader link_in(link.span()), read_in(read.span());
    REQUIRE(home.on_link(NodeId(1), link_in));
    REQUIRE(home.on_read(NodeId(1), read_in, out));
    std::vector<OutFrame> frames;
    out.drain(frames);
    out.hold(NodeId(1), true);
    constexpr std::uint64_t kWrites = 3 * Directory::kMostUnmerged;
    for (std::uint64_t i = 0; i < kWrites; ++i) home.wrote(LocalIndex(0));
    home.flush(out);
    CHECK(out.empty());
    CHECK(home.needs_flush());
    out.hold(NodeId(1), false);
    home.flush(out);
    CHECK_FALSE(home.needs_flush());
    CHECK(home.counts().invalidations == (flattening ? 1 : Directory::kMostUnmerged));
  }
}

TEST_CASE(
    "a full flush reaches sharers without credit, and so do invalidations that a store waits for") {
  for (const char* const mode : {"rcp", "scp"}) {
    PlainValues values(1);
    Directory home(SpaceId(0), NodeId(0), 2, 1, policy_of(mode), 8, values);
    Outbox out(2, true);
    ByteWriter link, read;
    encode(LinkMessage{LinkIndex(0), {LocalIndex(0)}}, link);
    encode(ReadMessage{RequestNumber(1), EvictNumber(0), {LinkIndex(0)}}, read);
    ByteReader link_in(link.span()), read_in(read.span());
    REQUIRE(home.on_link(NodeId(1), link_in));
    REQUIRE(home.on_read(NodeId(1), read_in, out));
    std::vector<OutFrame> frames;
    out.drain(frames);
    out.hold(NodeId(1), true);
    home.wrote(LocalIndex(0));
    home.flush(out, mode == std::string_view("scp") ? Flush::Ready : Flush::All);
    CHECK_FALSE(out.empty());
  }
}

TEST_CASE("a Read is refused with an error if the lists of sharers are full") {
  PlainValues values(3);
  Directory home(SpaceId(0), NodeId(0), 2, 3, policy_of("rcp"), 8, values, 2);
  Outbox out(2, true);
  const auto read_one = [&](std::uint32_t link, std::uint64_t number) {
    ByteWriter read;
    encode(ReadMessage{RequestNumber(number), EvictNumber(0), {LinkIndex(link)}}, read);
    ByteReader in(read.span());
    return home.on_read(NodeId(1), in, out);
  };
  ByteWriter link;
  encode(LinkMessage{LinkIndex(0), {LocalIndex(0), LocalIndex(1), LocalIndex(2)}}, link);
  ByteReader link_in(link.span());
  REQUIRE(home.on_link(NodeId(1), link_in));
  REQUIRE(read_one(0, 1));
  REQUIRE(read_one(1, 2));
  CHECK_FALSE(home.overfull());
  REQUIRE(read_one(2, 3));
  CHECK(home.overfull());
  CHECK(home.counts().values_sent == 2);
  CHECK_FALSE(home.shares(NodeId(1), LocalIndex(2)));
}
