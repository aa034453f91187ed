#include "test/campaign/own_objects.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/bytes.h"
#include "base/format.h"
#include "test/campaign/stamp.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kMarkOfOwn = 0x6f776e;  // differs from the marks of all shared objects

void raise(std::atomic<std::uint32_t>& number, std::uint32_t to) {
  std::uint32_t now = number.load(std::memory_order_relaxed);
  while (now < to && !number.compare_exchange_weak(now, to, std::memory_order_release)) {
  }
}

}  // namespace

OwnObjects::OwnObjects(Node& node, const Plan& plan, Observers& observers)
    : node_(node), plan_(plan), observers_(observers), written_(plan.spaces.size() * kPerSpace) {}

std::uint64_t OwnObjects::mark(Key key) const {
  return mix64(mix64(kMarkOfOwn ^ (std::uint64_t{key.space} << 32)) ^
               (std::uint64_t{node_.self().value()} << 32) ^ key.object);
}

void OwnObjects::step(Random& random, Session& session, const Reader& reader, std::uint32_t space) {
  const Key key{space, static_cast<std::uint32_t>(random.below(kPerSpace))};
  const bool writes = random.chance(0.6);
  if (writes && key.object >= kStored && plan_.spaces[space].value_bytes <= kMostImprovedBytes)
    improve(random, session, key);
  if (writes && key.object < kStored &&
      (key.object + reader.iteration) % plan_.threads == reader.thread)
    store(session, key);
  read(random, session, key);
}

void OwnObjects::store(Session& session, Key key) {
  const std::uint32_t bytes = plan_.spaces[key.space].value_bytes;
  const std::uint32_t number = written(key).begun.load(std::memory_order_relaxed) + 1;
  if (number > most_stores(bytes)) return;
  written(key).begun.store(number, std::memory_order_release);
  session.store_local(handle(key), stamp(bytes, mark(key), number));
  written(key).ended.store(number, std::memory_order_release);
}

void OwnObjects::improve(Random& random, Session& session, Key key) {
  constexpr std::uint32_t kMostAhead = 4;  // small, so that threads offer values that differ little
  const std::uint32_t bytes = plan_.spaces[key.space].value_bytes;
  const std::uint32_t newest = written(key).begun.load(std::memory_order_relaxed);
  const std::uint32_t from = newest - std::min(newest, 2U);
  const auto number = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(most_stores(bytes), from + 1 + random.below(2 + kMostAhead)));
  raise(written(key).begun, number);
  const auto number_of = [&](ValueView value) {
    const auto read = read_stamp(mark(key), value);
    if (!read) observers_.violate("whole values", "an improvement read bytes that no store wrote");
    return read.value_or(0);
  };
  const bool improved = session.improve_local(
      handle(key), stamp(bytes, mark(key), number), [&](ValueView offered, ValueView present) {
        const bool better = number_of(offered) > number_of(present);
        if (better) hesitate();
        return better;
      });
  // A program decides by this result whether to propagate the value, so it must be right.
  if (!improved) {
    std::vector<std::byte> value;
    session.read_local(handle(key), value);
    if (number_of(value) < number)
      observers_.violate(
          "the result of an improvement",
          format("node {} got the answer that {} is not better", node_.self(), number));
  }
  raise(written(key).ended, number);
}

void OwnObjects::hesitate() {
  if (plan_.over_threads) {
    thread_local Random random(2, std::hash<std::thread::id>{}(std::this_thread::get_id()));
    if (random.chance(1.0 / 16)) std::this_thread::sleep_for(std::chrono::microseconds(20));
  } else if (plan_.episodes.slow_improvements) {
    node_.transport().charge({.picoseconds = 1'000'000});
  }
}

void OwnObjects::read(Random& random, Session& session, Key key) {
  const Handle at = handle(key);
  const std::uint32_t oldest = written(key).ended.load(std::memory_order_acquire);
  std::vector<std::byte> value;
  if (random.chance(0.2)) {
    const std::uint32_t places[] = {at.value()};
    return session.sweep(places,
                         [&](std::size_t, ValueView read) { judge(key, oldest, read, "a sweep"); });
  }
  if (random.chance(0.5)) {
    session.read_local(at, value);
    return judge(key, oldest, value, "fetch_local");
  }
  const auto way = static_cast<ReadBy>(random.below(kReadWays));
  session.read(way, at, {node_.self(), LocalIndex(at.value())}, value);
  judge(key, oldest, value, name_of(way));
}

void OwnObjects::judge(Key key, std::uint32_t oldest, ValueView value, const char* how) {
  const auto number = read_stamp(mark(key), value);
  const std::uint32_t begun = written(key).begun.load(std::memory_order_acquire);
  const auto what = [&] {
    return format("object {} of space {} that only node {} uses, read by {}", key.object, key.space,
                  node_.self(), how);
  };
  if (!number) return observers_.violate("whole values", what() + ": bytes that no store wrote");
  if (*number > begun)
    return observers_.violate(
        "whole values",
        format("{}: number {}, where {} is the greatest that has begun", what(), *number, begun));
  if (*number < oldest)
    observers_.violate("own writes are kept",
                       format("{}: number {} after {} was written", what(), *number, oldest));
}

}  // namespace leeway::campaign
