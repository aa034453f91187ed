// The protocol's machines connected by hand for tests: a home and a cache on every node, one space,
// eight-byte objects, one message per frame. Messages move only when the test delivers them.
// Single-threaded.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/cache.h"
#include "protocol/directory.h"

namespace leeway::testing {

inline ValueView bytes_of(const std::uint64_t& number) {
  return std::as_bytes(std::span(&number, 1));
}

inline std::uint64_t number_in(ValueView value) {
  std::uint64_t number = 0;
  std::memcpy(&number, value.data(), std::min(value.size(), sizeof number));
  return number;
}

inline Policy policy_of(std::string_view mode) { return parse_policy(mode).value(); }

class PlainValues final : public HomeValues {
 public:
  explicit PlainValues(std::uint32_t objects) : numbers(objects, 0) {}
  void append(std::span<const LocalIndex> objects, ByteWriter& out) const override {
    for (const LocalIndex object : objects) out.raw(bytes_of(numbers[object.index()]));
  }
  void put(LocalIndex object, ValueView value) override {
    numbers[object.index()] = number_in(value);
  }

  std::vector<std::uint64_t> numbers;
};

class HandWired {
 public:
  static constexpr std::uint32_t kObjects = 8;  // default per home

  HandWired(std::uint32_t nodes, const Policy& policy, const ReadMarks* marks = nullptr,
            std::uint32_t objects = kObjects) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      machines_.push_back(std::make_unique<Machine>(NodeId(i), nodes, policy, marks, objects));
    }
  }

  Cache& cache(std::uint32_t node) { return machines_[node]->cache; }
  Directory& directory(std::uint32_t node) { return machines_[node]->directory; }
  std::uint64_t copy(std::uint32_t node, SlotIndex slot) { return machines_[node]->copies[slot]; }
  /// The slot of the object, inserted at the first call.
  SlotIndex meet(std::uint32_t node, std::uint32_t home, std::uint32_t object) {
    const ObjectId id{NodeId(home), LocalIndex(object)};
    auto& met = machines_[node]->met;
    if (const auto known = met.find(id); known != met.end()) return known->second;
    return met.emplace(id, cache(node).meet(id)).first->second;
  }

  /// The value of an object at its home.
  std::uint64_t& value(std::uint32_t home, std::uint32_t object) {
    return machines_[home]->values.numbers[object];
  }
  void store(std::uint32_t home, std::uint32_t object, std::uint64_t value) {
    machines_[home]->values.numbers[object] = value;
    directory(home).wrote(LocalIndex(object));
  }
  /// A store by a node that is not the home.
  void store_away(std::uint32_t node, SlotIndex slot, std::uint64_t value,
                  AckNumber ack = AckNumber(0)) {
    Machine& machine = *machines_[node];
    CacheEffects effects;
    machine.cache.write(slot, bytes_of(value), ack, machine.out, effects);
    machine.apply(effects);
    collect(node);
  }
  void flush(std::uint32_t node) {
    machines_[node]->cache.flush(machines_[node]->out);
    machines_[node]->directory.flush(machines_[node]->out);
    collect(node);
  }

  [[nodiscard]] std::size_t under_way(std::uint32_t from, std::uint32_t to) {
    return wires_[{from, to}].size();
  }
  [[nodiscard]] MessageKind next_kind(std::uint32_t from, std::uint32_t to) {
    return static_cast<MessageKind>(wires_[{from, to}].front().front());
  }
  [[nodiscard]] std::size_t next_size(std::uint32_t from, std::uint32_t to) {
    return wires_[{from, to}].front().size();
  }
  /// Delivers the oldest message of the pair; true if the receiver accepted it.
  bool deliver(std::uint32_t from, std::uint32_t to) {
    auto& wire = wires_[{from, to}];
    const std::vector<std::byte> frame = wire.front();
    wire.pop_front();
    return receive(from, to, frame);
  }
  bool receive(std::uint32_t from, std::uint32_t to, std::span<const std::byte> frame) {
    const bool understood = machines_[to]->receive(NodeId(from), frame);
    collect(to);
    return understood;
  }
  /// Flushes and delivers until no message is in flight; true if all were accepted.
  bool settle() {
    bool understood = true;
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::uint32_t node = 0; node < machines_.size(); ++node) flush(node);
      for (auto& [pair, wire] : wires_) {
        while (!wire.empty()) {
          understood = deliver(pair.first, pair.second) && understood;
          moved = true;
        }
      }
    }
    return understood;
  }
  /// A complete read, as a thread performs it.
  std::uint64_t read(std::uint32_t node, SlotIndex slot) {
    const Access access = cache(node).fetch(slot);
    if (access == Access::CacheMiss || access == Access::StaleMiss) settle();
    return copy(node, slot);
  }

 private:
  struct Machine {
    Machine(NodeId self, std::uint32_t nodes, const Policy& policy, const ReadMarks* marks,
            std::uint32_t objects)
        : values(objects),
          directory(SpaceId(0), self, nodes, objects, policy, 8, values),
          cache(SpaceId(0), self, nodes, policy, 8, marks),
          out(nodes, false) {}

    void apply(const CacheEffects& effects) {
      for (const Install& install : effects.installs)
        for (std::uint32_t i = 0; i < install.slots.count; ++i)
          copies[install.slots[i]] = number_in(install.value(i));
    }
    bool receive(NodeId from, std::span<const std::byte> frame) {
      ByteReader in(frame);
      CacheEffects effects;
      bool understood = false;
      switch (decode_header(in).kind) {
        case MessageKind::Link:
          understood = directory.on_link(from, in);
          break;
        case MessageKind::Read:
          understood = directory.on_read(from, in, out);
          break;
        case MessageKind::Reply:
          understood = cache.on_reply(from, in, effects);
          break;
        case MessageKind::Invalidate:
          understood = cache.on_invalidate(from, in, out, effects);
          break;
        case MessageKind::Ack:
          understood = directory.on_ack(from, in, out);
          break;
        case MessageKind::Evict:
          understood = directory.on_evict(from, in);
          break;
        case MessageKind::Write:
          understood = directory.on_write(from, in, out);
          break;
        case MessageKind::WriteAck:
          answered.push_back(AckNumber(in.varint()));
          understood = true;
          break;
        case MessageKind::Decline:
          understood = directory.on_decline(from, in);
          break;
        case MessageKind::Collective:
          break;
      }
      apply(effects);
      return understood && !in.failed() && in.at_end();
    }

    PlainValues values;
    Directory directory;
    Cache cache;
    Outbox out;
    std::map<ObjectId, SlotIndex> met;
    std::map<SlotIndex, std::uint64_t> copies;
    std::vector<AckNumber> answered;
  };

  void collect(std::uint32_t node) {
    std::vector<OutFrame> frames;
    machines_[node]->out.drain(frames);
    for (OutFrame& frame : frames)
      wires_[{node, frame.to.value()}].push_back(std::move(frame.bytes));
  }

  std::vector<std::unique_ptr<Machine>> machines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::vector<std::byte>>> wires_;

 public:
  const std::vector<AckNumber>& answered(std::uint32_t node) { return machines_[node]->answered; }
};

}  // namespace leeway::testing
