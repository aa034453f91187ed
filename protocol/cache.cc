#include "leeway/protocol/cache.h"

#include <algorithm>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/protocol/link_set.h"

namespace leeway {

namespace {

/// Calls `send` for each stretch of at most `most` links, then forgets them.
template <class Send>
void in_chunks(std::vector<LinkIndex>& links, std::size_t most, Send&& send) {
  for (std::size_t at = 0; at < links.size(); at += most) {
    const auto begin = links.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = links.begin() + static_cast<std::ptrdiff_t>(std::min(at + most, links.size()));
    send(std::vector<LinkIndex>(begin, end));
  }
  links.clear();
}

}  // namespace

std::size_t objects_per_message(const Policy& policy, std::uint32_t value_bytes) {
  if (!policy.optimizations.aggregation || !policy.optimizations.flattening) return 1;
  return std::max<std::size_t>(1, Outbox::kDefaultTarget / value_bytes);
}

Cache::Cache(SpaceId space, NodeId self, std::uint32_t nodes, const Policy& policy,
             std::uint32_t value_bytes, const ReadMarks* marks)
    : space_(space),
      self_(self),
      policy_(policy),
      value_bytes_(value_bytes),
      marks_(marks),
      per_message_(objects_per_message(policy, value_bytes)),
      homes_(nodes) {
  LEEWAY_CHECK(value_bytes > 0u);
  LEEWAY_CHECK(value_bytes <= kMaxValueBytes);
}

SlotIndex Cache::meet(ObjectId id) {
  LEEWAY_CHECK(id.home() != self_);
  LEEWAY_CHECK(id.home().index() < homes_.size());
  const SlotIndex slot(slot_count());
  entries_.emplace_back();
  objects_.push_back(id);
  link(slot);
  return slot;
}

SlotIndex Cache::meet_own(ObjectId id) {
  LEEWAY_CHECK(id.home() == self_);
  const SlotIndex slot(slot_count());
  entries_.emplace_back();
  entries_.back().held = entries_.back().known = kFirstVersion;
  objects_.push_back(id);
  return slot;
}

void Cache::meet_in(SlotIndex slot, ObjectId id) {
  Entry& entry = entries_[slot.index()];
  LEEWAY_CHECK(id.home() != self_);
  LEEWAY_CHECK(id.home().index() < homes_.size());
  LEEWAY_CHECK(forgettable(slot), slot);
  LEEWAY_CHECK(policy_.optimizations.collocation);
  Home& before = home_of(slot);
  before.slot_of[entry.link.index()] = SlotIndex::none();
  before.free.push_back(entry.link);
  before.ascending = false;
  entry = Entry();
  objects_[slot.index()] = id;
  homes_[id.home().index()].ascending = false;
  link(slot);
}

/// A link that is given to another object is told to the home like a new one, after the Evict by which the home
/// forgot the object before. What the home had sent of that one until then comes before its Reply to the first
/// Read of the new one, because a pair's messages keep their order.
void Cache::link(SlotIndex slot) {
  Entry& entry = entries_[slot.index()];
  Home& home = home_of(slot);
  if (home.free.empty()) {
    entry.link = LinkIndex(static_cast<std::uint32_t>(home.slot_of.size()));
    home.slot_of.push_back(slot);
    return;
  }
  entry.link = home.free.back();
  home.free.pop_back();
  home.slot_of[entry.link.index()] = slot;
  home.relinked.push_back(entry.link);
  entry.news_to_drop = true;
}

CopyState Cache::state(SlotIndex slot) const {
  const Entry& entry = entries_[slot.index()];
  if (entry.held == kNoVersion)
    return entry.in_flight > 0 ? CopyState::Fetching : CopyState::Absent;
  if (entry.in_flight > 0) return CopyState::Refreshing;
  return entry.held == entry.known ? CopyState::Shared : CopyState::Stale;
}

[[gnu::always_inline]] inline bool Cache::request(SlotIndex slot) {
  Entry& entry = entries_[slot.index()];
  if (entry.in_flight == kMostReads) return false;
  Home& home = home_of(slot);
  home.wanted.push_back(entry.link);
  ++entry.in_flight;
  ++in_flight_;
  if (!home.touched) touch(object(slot).home());
  return true;
}

void Cache::refresh(SlotIndex slot) {
  Entry& entry = entries_[slot.index()];
  if (entry.held == entry.known) return;  // the value has come in the meantime
  if (entry.in_flight > 0 && policy_.optimizations.flattening) return;
  if (request(slot)) ++counts_.refreshes;
}

Access Cache::fetch(SlotIndex slot) {
  const Access access = classify(slot);
  Entry& entry = entries_[slot.index()];
  if (access == Access::CurrentHit) return access;
  if (access == Access::StaleHit) {
    if (policy_.refresh) refresh(slot);
    return access;
  }
  if (entry.in_flight == 0 || !policy_.optimizations.flattening) {
    if (request(slot)) ++counts_.reads;
  }
  return access;
}

void Cache::want(SlotIndex slot) {
  Entry& entry = entries_[slot.index()];
  if (is_hit(classify(slot)) || entry.in_flight > 0) return;
  if (request(slot)) ++counts_.reads;
}

void Cache::touch(NodeId home) {
  if (std::exchange(homes_[home.index()].touched, true)) return;
  touched_.push_back(home);
}

void Cache::drop(SlotIndex slot) {
  Entry& entry = entries_[slot.index()];
  LEEWAY_CHECK(entry.held != kNoVersion);
  entry.held = kNoVersion;  // `known` stays: what was heard of is not unheard
  entry.unread_pushes = 0;
  entry.dropped = true;
  ++counts_.evictions;
}

void Cache::evict(SlotIndex slot) {
  drop(slot);
  Entry& entry = entries_[slot.index()];
  entry.dropped = false;
  // An Evict now would have a greater number than the read, and the home would forget this node although
  // the answer brings a copy.
  if (entry.in_flight > 0) return;
  home_of(slot).evicted.push_back(entry.link);
  touch(object(slot).home());
}

void Cache::write(SlotIndex slot, ValueView value, AckNumber ack, Outbox& out,
                  CacheEffects& effects) {
  LEEWAY_CHECK(value.size() == value_bytes_);
  Entry& entry = entries_[slot.index()];
  const NodeId home_id = object(slot).home();
  Home& home = homes_[home_id.index()];
  // The single writer alone makes versions, so it knows the next one without asking.
  entry.known = std::max(entry.known, kFirstVersion).next();
  entry.held = entry.known;
  entry.dropped = false;
  send_evictions(home_id, home, out);
  send_links(home_id, home, out);
  ByteWriter& writer = out.begin(home_id, MessageKind::Write, space_);
  encode_write_head({ack, entry.link, entry.known, {}}, writer);
  writer.raw(value);
  effects.install(slot, value);
  effects.change(slot);
}

void Cache::flush(Outbox& out, Flush what) {
  std::erase_if(touched_, [&](NodeId id) {
    if (what != Flush::All && out.holds(id)) return false;
    homes_[id.index()].touched = false;
    flush_home(id, homes_[id.index()], out);
    return true;
  });
}

void Cache::flush_home(NodeId id, Home& home, Outbox& out) {
  send_evictions(id, home, out);
  if (!home.wanted.empty()) send_links(id, home, out);
  send_reads(id, home, out);
  send_declines(id, home, out);
}

void Cache::send_links(NodeId id, Home& home, Outbox& out) {
  constexpr std::size_t kMost = 4096;
  while (home.links_sent < home.slot_of.size()) {
    LinkMessage message;
    message.base = LinkIndex(home.links_sent);
    while (home.links_sent < home.slot_of.size() && message.objects.size() < kMost) {
      message.objects.push_back(object(home.slot_of[home.links_sent++]).local());
    }
    encode(message, out.begin(id, MessageKind::Link, space_));
  }
  if (!home.relinked.empty()) send_relinked(id, home, out);
}

/// A message for each stretch of links in a row.
void Cache::send_relinked(NodeId id, Home& home, Outbox& out) {
  std::sort(home.relinked.begin(), home.relinked.end());
  for (std::size_t at = 0; at < home.relinked.size();) {
    LinkMessage message;
    message.base = home.relinked[at];
    std::uint32_t next = message.base.value();
    while (at < home.relinked.size() && home.relinked[at].value() == next) {
      message.objects.push_back(object(home.slot_of[next++]).local());
      ++at;
    }
    encode(message, out.begin(id, MessageKind::Link, space_));
  }
  home.relinked.clear();
}

void Cache::send_reads(NodeId id, Home& home, Outbox& out) {
  if (policy_.optimizations.flattening) sort_links(home.wanted, home.slot_of.size());
  in_chunks(home.wanted, per_message_, [&](std::vector<LinkIndex> links) {
    ReadMessage message{home.next_request, home.evict_number, std::move(links)};
    home.next_request = home.next_request.next();
    encode(message, out.begin(id, MessageKind::Read, space_));
    home.outstanding.push_back({message.number, std::move(message.links)});
  });
}

void Cache::send_evictions(NodeId id, Home& home, Outbox& out) {
  sort_links(home.evicted, home.slot_of.size());
  in_chunks(home.evicted, per_message_, [&](std::vector<LinkIndex> links) {
    home.evict_number = home.evict_number.next();
    encode(EvictMessage{home.evict_number, std::move(links)},
           out.begin(id, MessageKind::Evict, space_));
  });
}

void Cache::send_declines(NodeId id, Home& home, Outbox& out) {
  sort_links(home.declined, home.slot_of.size());
  for (const LinkIndex link : home.declined)
    entries_[home.slot_of[link.index()].index()].declined = false;
  in_chunks(home.declined, per_message_, [&](std::vector<LinkIndex> links) {
    encode_links(links, out.begin(id, MessageKind::Decline, space_));
  });
}

std::size_t Cache::bytes() const {
  std::size_t bytes = entries_.capacity() * sizeof(Entry) + objects_.capacity() * sizeof(ObjectId);
  for (const Home& home : homes_)
    bytes += sizeof(Home) + home.slot_of.capacity() * sizeof(SlotIndex) +
             home.free.capacity() * sizeof(LinkIndex);
  return bytes;
}

}  // namespace leeway
