#include "protocol/cache.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "protocol/message.h"

namespace leeway {

namespace {

/// Calls `send` for successive parts of at most `most` links, then clears `links`.
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
  CacheEntry& entry = entries_[slot.index()];
  LEEWAY_CHECK(id.home() != self_);
  LEEWAY_CHECK(id.home().index() < homes_.size());
  LEEWAY_CHECK(forgettable(slot), slot);
  LEEWAY_CHECK(policy_.optimizations.collocation);
  HomeOfCopies& before = home_of(slot);
  before.slot_of[entry.link.index()] = SlotIndex::none();
  before.free.push_back(entry.link);
  before.ascending = false;
  entry = CacheEntry();
  objects_[slot.index()] = id;
  homes_[id.home().index()].ascending = false;
  link(slot);
}

/// A link that is reassigned is sent to the home like a new one, after the Evict of the object
/// before. Messages of the home about that object arrive before its Reply to the first Read of the
/// new object, because the messages of a pair are ordered.
void Cache::link(SlotIndex slot) {
  CacheEntry& entry = entries_[slot.index()];
  HomeOfCopies& home = home_of(slot);
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
  const CacheEntry& entry = entries_[slot.index()];
  if (entry.held == kNoVersion)
    return entry.in_flight > 0 ? CopyState::Fetching : CopyState::Absent;
  if (entry.in_flight > 0) return CopyState::Refreshing;
  return entry.held == entry.known ? CopyState::Shared : CopyState::Stale;
}

[[gnu::always_inline]] inline bool Cache::request(SlotIndex slot) {
  CacheEntry& entry = entries_[slot.index()];
  // mutant: count-of-reads-wraps
  if (entry.in_flight == kMostReads) return false;
  HomeOfCopies& home = home_of(slot);
  home.reads.push_back(entry.link);
  ++entry.in_flight;
  ++in_flight_;
  if (!home.touched) touch(object(slot).home());
  return true;
}

void Cache::refresh(SlotIndex slot) {
  CacheEntry& entry = entries_[slot.index()];
  // mutant: drop-refresh
  if (entry.held == entry.known) return;  // the value has arrived meanwhile
  if (entry.in_flight > 0 && policy_.optimizations.flattening) return;
  if (request(slot)) ++counts_.refreshes;
}

Access Cache::fetch(SlotIndex slot) {
  const Access access = classify(slot);
  CacheEntry& entry = entries_[slot.index()];
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

void Cache::prefetch(SlotIndex slot) {
  CacheEntry& entry = entries_[slot.index()];
  if (is_hit(classify(slot)) || entry.in_flight > 0) return;
  if (request(slot)) ++counts_.reads;
}

bool Cache::expire(SlotIndex slot) {
  CacheEntry& entry = entries_[slot.index()];
  if (entry.held == entry.known) return false;
  entry.expired = true;
  return true;
}

void Cache::renew(SlotIndex slot) {
  if (entries_[slot.index()].in_flight > 0) return;
  if (request(slot)) ++counts_.reads;
}

void Cache::touch(NodeId home) {
  if (std::exchange(homes_[home.index()].touched, true)) return;
  touched_.push_back(home);
}

void Cache::drop(SlotIndex slot) {
  CacheEntry& entry = entries_[slot.index()];
  LEEWAY_CHECK(entry.held != kNoVersion);
  entry.held = kNoVersion;  // `known` stays, since it never decreases
  entry.unread_pushes = 0;
  entry.dropped = true;
  ++counts_.evictions;
}

void Cache::evict(SlotIndex slot) {
  drop(slot);
  CacheEntry& entry = entries_[slot.index()];
  entry.dropped = false;
  // An Evict now would have a greater number than the Read in flight, and the home would remove
  // this node although the reply brings a copy.
  // mutant: an-eviction-overtakes-its-read
  if (entry.in_flight > 0) return;
  home_of(slot).evicted.push_back(entry.link);
  touch(object(slot).home());
}

void Cache::write(SlotIndex slot, ValueView value, AckNumber ack, Outbox& out,
                  CacheEffects& effects) {
  LEEWAY_CHECK(value.size() == value_bytes_);
  CacheEntry& entry = entries_[slot.index()];
  const NodeId home_id = object(slot).home();
  HomeOfCopies& home = homes_[home_id.index()];
  // Only the single writer creates versions, so it knows the next one.
  entry.known = std::max(entry.known, kFirstVersion).next();
  // mutant: remote-writer-forgets-its-version
  entry.held = entry.known;
  entry.dropped = false;
  entry.expired = false;
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

void Cache::flush_home(NodeId id, HomeOfCopies& home, Outbox& out) {
  send_evictions(id, home, out);
  if (!home.reads.empty()) send_links(id, home, out);
  send_reads(id, home, out);
  send_declines(id, home, out);
}

void Cache::send_links(NodeId id, HomeOfCopies& home, Outbox& out) {
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

/// Sends one Link message per run of consecutive links.
void Cache::send_relinked(NodeId id, HomeOfCopies& home, Outbox& out) {
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

void Cache::send_reads(NodeId id, HomeOfCopies& home, Outbox& out) {
  if (policy_.optimizations.flattening) sort_links(home.reads, home.slot_of.size());
  in_chunks(home.reads, per_message_, [&](std::vector<LinkIndex> links) {
    ReadMessage message{home.next_request, home.evict_number, std::move(links)};
    home.next_request = home.next_request.next();
    encode(message, out.begin(id, MessageKind::Read, space_));
    home.outstanding.push_back({message.number, std::move(message.links)});
  });
}

void Cache::send_evictions(NodeId id, HomeOfCopies& home, Outbox& out) {
  sort_links(home.evicted, home.slot_of.size());
  in_chunks(home.evicted, per_message_, [&](std::vector<LinkIndex> links) {
    home.evict_number = home.evict_number.next();
    encode(EvictMessage{home.evict_number, std::move(links)},
           out.begin(id, MessageKind::Evict, space_));
  });
}

void Cache::send_declines(NodeId id, HomeOfCopies& home, Outbox& out) {
  sort_links(home.declined, home.slot_of.size());
  for (const LinkIndex link : home.declined)
    entries_[home.slot_of[link.index()].index()].declined = false;
  in_chunks(home.declined, per_message_, [&](std::vector<LinkIndex> links) {
    encode_links(links, out.begin(id, MessageKind::Decline, space_));
  });
}

std::size_t Cache::bytes() const {
  std::size_t bytes =
      entries_.capacity() * sizeof(CacheEntry) + objects_.capacity() * sizeof(ObjectId);
  for (const HomeOfCopies& home : homes_)
    bytes += sizeof(HomeOfCopies) + home.slot_of.capacity() * sizeof(SlotIndex) +
             home.free.capacity() * sizeof(LinkIndex);
  return bytes;
}

namespace {

/// After this many consecutive unread pushes, a sharer declines further ones.
constexpr std::uint8_t kUnreadPushesTolerated = 2;
/// One version in this many is watched for reads, because watching slows down the first read.
constexpr std::uint64_t kVersionsPerWatch = 4;

bool is_watched_version(Version version) { return version.value() % kVersionsPerWatch == 0; }

}  // namespace

/// After an unread push, all following ones are watched.
inline bool Cache::watched(const CacheEntry& entry) {
  return entry.unread_pushes > 0 || is_watched_version(entry.held);
}

bool Cache::on_reply(NodeId from, ByteReader& in, CacheEffects& effects) {
  decode(in, reply_, value_bytes_);
  if (in.failed()) return false;
  HomeOfCopies& home = homes_[from.index()];
  const auto request = std::find_if(home.outstanding.begin(), home.outstanding.end(),
                                    [&](const auto& each) { return each.number == reply_.number; });
  if (request == home.outstanding.end()) {
    ++counts_.late_replies;
    return true;
  }
  if (request->links.size() != reply_.versions.size()) return false;
  std::size_t retry_from = 0;
  for (std::size_t i = 0; i < request->links.size(); ++i) {
    if (const std::uint32_t run = answer_run(home, i, retry_from, *request, effects)) {
      i += run - std::size_t{1};
      continue;
    }
    fetch_ahead(home, request->links, i);
    const SlotIndex slot = home.slot_of[request->links[i].index()];
    CacheEntry& entry = entries_[slot.index()];
    LEEWAY_CHECK(entry.in_flight > 0u, slot);
    --entry.in_flight;
    --in_flight_;
    entry.unread_pushes = 0;
    entry.news_to_drop = false;
    if (outdated_by_own_write(entry, Version(reply_.versions[i]))) {
      effects.change(slot);  // a waiting thread requests it again
      continue;
    }
    if (!install(entry, slot, Version(reply_.versions[i]), reply_.values[i], effects)) return false;
  }
  counts_.replies += reply_.versions.size();
  home.outstanding.erase(request);
  return true;
}

bool Cache::on_invalidate(NodeId from, ByteReader& in, Outbox& out, CacheEffects& effects) {
  HomeOfCopies& home = homes_[from.index()];
  decode(in, invalidate_, home.slot_of.size(), value_bytes_);
  if (in.failed()) return false;
  std::size_t retry_from = 0;
  for (std::size_t i = 0; i < invalidate_.links.size(); ++i) {
    if (const std::uint32_t run = push_run(home, i, retry_from, effects)) {
      i += run - std::size_t{1};
      continue;
    }
    fetch_ahead(home, invalidate_.links, i);
    const SlotIndex slot = home.slot_of[invalidate_.links[i].index()];
    const Version version(invalidate_.versions[i]);
    if (version < kFirstVersion) return false;
    ++counts_.invalidations;
    if (slot == SlotIndex::none())
      continue;  // forgotten here; the Evict has not reached the home yet
    CacheEntry& entry = entries_[slot.index()];
    if (entry.news_to_drop) continue;
    const bool here = entry.held != kNoVersion;
    // mutant: keep-stale-after-invalidation
    entry.known = std::max(entry.known, version);
    // A push never restores an evicted copy, even with a read in flight: until the home has
    // received that Read, it does not send invalidations to this node.
    // mutant: push-to-evicted
    if (invalidate_.pushes && here) {
      ++counts_.pushes;
      if (policy_.updates == Updates::Adaptive) judge_push(home, entry, slot);
      if (!install(entry, slot, version, invalidate_.values[i], effects)) return false;
      if (policy_.updates == Updates::Adaptive && watched(entry)) effects.watched.push_back(slot);
      continue;
    }
    if (invalidate_.pushes && entry.dropped && policy_.updates == Updates::Adaptive)
      decline(home, entry, slot);
    effects.change(slot);
  }
  if (invalidate_.ack != AckNumber(0)) {
    out.begin(from, MessageKind::Ack, space_).varint(invalidate_.ack.value());
  }
  return true;
}

/// For scattered links: prefetches the entries of later links.
[[gnu::always_inline]] inline void Cache::fetch_ahead(const HomeOfCopies& home,
                                                      std::span<const LinkIndex> links,
                                                      std::size_t at) const {
  constexpr std::size_t kAhead = 16;
  if (at + kAhead < links.size()) __builtin_prefetch(&home.slot_of[links[at + kAhead].index()]);
  if (at + kAhead / 2 >= links.size()) return;
  const SlotIndex next = home.slot_of[links[at + kAhead / 2].index()];
  if (next != SlotIndex::none()) __builtin_prefetch(&entries_[next.index()], 1);
}

/// The run of slots of the first links, if links and slots are consecutive; empty if the run would
/// be short.
SlotRange Cache::run_at(const HomeOfCopies& home, std::span<const LinkIndex> links) const {
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kMost = 64;
  if (!home.ascending || links.size() < kLeast) return {};
  const std::uint32_t link = links.front().value();
  std::size_t count = std::min(kMost, links.size());
  while (count >= kLeast && links[count - 1].value() - link != count - 1) count /= 2;
  if (count < kLeast) return {};
  const SlotIndex first = home.slot_of[link];
  const SlotIndex last = home.slot_of[link + count - 1];
  if (last.value() - first.value() != count - 1) return {};
  return {first, static_cast<std::uint32_t>(count)};
}

/// Fast path of a Reply: a run of requested entries of which no newer version is known. Returns the
/// run's length from `at` on; 0, without effects, if the entries need the general path. No attempt
/// is made before `retry_from`.
[[gnu::always_inline]] inline std::uint32_t Cache::answer_run(const HomeOfCopies& home,
                                                              std::size_t at,
                                                              std::size_t& retry_from,
                                                              const OutstandingRead& request,
                                                              CacheEffects& effects) {
  if (at < retry_from || !policy_.optimizations.collocation) return 0;
  const SlotRange run = run_at(home, std::span(request.links).subspan(at));
  if (run.count == 0) return 0;
  retry_from = at + run.count;
  CacheEntry* const entries = &entries_[run.first.index()];
  const std::uint64_t* const versions = &reply_.versions[at];
  bool common = true;  // no early exit, since nearly all are
  for (std::uint32_t k = 0; k < run.count; ++k) {
    common &= entries[k].in_flight > 0 && Version(versions[k]) >= kFirstVersion &&
              Version(versions[k]) >= entries[k].known && Version(versions[k]) > entries[k].held;
    common &= !entries[k].dropped;
  }
  if (!common) return 0;
  for (std::uint32_t k = 0; k < run.count; ++k) {
    entries[k].held = entries[k].known = Version(versions[k]);
    entries[k].expired = false;
    --entries[k].in_flight;
    entries[k].unread_pushes = 0;
    entries[k].news_to_drop = false;
  }
  in_flight_ -= run.count;
  // mutant: neighbours-get-each-other's-answers
  effects.install_current(run, reply_.values.row(at, run.count));
  return run.count;
}

/// Fast path of a push: a run of entries with older copies.
[[gnu::always_inline]] inline std::uint32_t Cache::push_run(HomeOfCopies& home, std::size_t at,
                                                            std::size_t& retry_from,
                                                            CacheEffects& effects) {
  if (at < retry_from || !invalidate_.pushes) return 0;
  const SlotRange run = run_at(home, std::span(invalidate_.links).subspan(at));
  if (run.count == 0) return 0;
  retry_from = at + run.count;
  CacheEntry* const entries = &entries_[run.first.index()];
  const std::uint64_t* const versions = &invalidate_.versions[at];
  bool common = true;  // no early exit, since nearly all are
  bool any_watched = false;
  for (std::uint32_t k = 0; k < run.count; ++k) {
    const CacheEntry& entry = entries[k];
    common &= entry.held != kNoVersion && Version(versions[k]) > entry.held &&
              Version(versions[k]) >= entry.known && !entry.news_to_drop;
    any_watched |= watched(entry) || is_watched_version(Version(versions[k]));
  }
  if (!common) return 0;
  const bool judges = any_watched && policy_.updates == Updates::Adaptive;
  for (std::uint32_t k = 0; judges && k < run.count; ++k) judge_push(home, entries[k], run[k]);
  for (std::uint32_t k = 0; k < run.count; ++k) {
    entries[k].held = entries[k].known = Version(versions[k]);
    entries[k].expired = false;
  }
  counts_.invalidations += run.count;
  counts_.pushes += run.count;
  // mutant: neighbours-get-each-other's-values
  effects.install_current(run, invalidate_.values.row(at, run.count));
  for (std::uint32_t k = 0; judges && k < run.count; ++k) {
    if (watched(entries[k])) effects.watched.push_back(run[k]);
  }
  return run.count;
}

/// True if this node stored to the object and then evicted its copy, and the home sent this reply
/// before it received the store. Local Updates (ASPIRE §3) forbids reading this reply.
bool Cache::outdated_by_own_write(const CacheEntry& entry, Version version) const {
  // mutant: own-write-is-undone-by-an-answer
  return !policy_.optimizations.collocation && entry.held == kNoVersion && version < entry.known;
}

/// Progressive Reads (ASPIRE §3): an install never decreases the version.
inline bool Cache::install(CacheEntry& entry, SlotIndex slot, Version version, ValueView value,
                           CacheEffects& effects) {
  if (version < kFirstVersion) return false;
  // Without flattening, a copy that has returned may be answered again.
  const bool is_back = version == entry.known && (entry.dropped || version == entry.held);
  // mutant: install-older-reply
  if (version > entry.held) {
    entry.held = version;
    entry.known = std::max(entry.known, version);
    entry.dropped = false;
    if (entry.held == entry.known) entry.expired = false;
    effects.install(slot, value);
  }
  if (is_back) {
    effects.restore(slot);
  } else {
    effects.change(slot);
  }
  return true;
}

/// Judges the previous push when the next one arrives.
void Cache::judge_push(HomeOfCopies& home, CacheEntry& entry, SlotIndex slot) {
  if (!watched(entry)) return;
  if (marks_ == nullptr || !marks_->unread(slot)) {
    entry.unread_pushes = 0;
    return;
  }
  if (++entry.unread_pushes < kUnreadPushesTolerated) return;
  entry.unread_pushes = 0;
  decline(home, entry, slot);
}

void Cache::decline(HomeOfCopies& home, CacheEntry& entry, SlotIndex slot) {
  if (entry.declined) return;  // already pending
  entry.declined = true;
  home.declined.push_back(entry.link);
  touch(object(slot).home());
}

}  // namespace leeway
