#include "protocol/directory.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "protocol/cache.h"
#include "protocol/message.h"

namespace leeway {

Directory::Directory(SpaceId space, NodeId self, std::uint32_t nodes, std::uint32_t objects,
                     const Policy& policy, std::uint32_t value_bytes, HomeValues& values,
                     std::uint64_t most_copies)
    : space_(space),
      self_(self),
      policy_(policy),
      value_bytes_(value_bytes),
      values_(values),
      per_message_(objects_per_message(policy, value_bytes)),
      versions_(objects, kFirstVersion),
      first_sharer_(objects, 0),
      sharers_of_(1),
      most_copies_(most_copies),
      sharers_(nodes) {
  LEEWAY_CHECK(most_copies <= kMostCopies);
}

bool Directory::on_link(NodeId from, ByteReader& in) {
  decode(in, link_, versions_.size());
  if (in.failed()) return false;
  Sharer& sharer = sharers_[from.index()];
  auto& copies = sharer.copies;
  const std::size_t base = link_.base.index();
  if (base > copies.size()) return false;  // a gap: a Link was lost
  // Each object has one link per pair.
  if (base + link_.objects.size() > versions_.size()) return false;
  for (std::size_t i = 0; i < link_.objects.size(); ++i) {
    if (base + i < copies.size()) {
      Copy& known = copies[base + i];
      if (known.object == link_.objects[i]) continue;  // duplicate
      if (known.present) return false;  // only an evicted object's link can be reassigned
      const bool queued = known.queued;
      known = Copy();
      known.object = link_.objects[i];
      known.queued = queued;
      sharer.habits[base + i] = Habit{.needed = policy_.earned_by};
      disorder(sharer);
      continue;
    }
    if (!copies.empty() && copies.back().object > link_.objects[i]) disorder(sharer);
    copies.emplace_back();
    copies.back().object = link_.objects[i];
    sharer.habits.push_back({.needed = policy_.earned_by});
  }
  return true;
}

/// From now on this sharer's links are not in the order of objects. Turns its pending ranges into
/// single invalidations.
void Directory::disorder(Sharer& sharer) {
  if (!std::exchange(sharer.ascending, false)) return;
  ++disordered_;
  const auto id = NodeId(static_cast<std::uint32_t>(&sharer - sharers_.data()));
  for (const ObjectRange& stored : std::exchange(sharer.stored, {})) {
    for (std::size_t link = 0; link < sharer.copies.size(); ++link) {
      const LocalIndex object = sharer.copies[link].object;
      if (object >= stored.first && object <= stored.last)
        gather(id, LinkIndex(static_cast<std::uint32_t>(link)));
    }
  }
}

bool Directory::on_read(NodeId from, ByteReader& in, Outbox& out) {
  Sharer& sharer = sharers_[from.index()];
  decode(in, read_, sharer.copies.size());
  if (in.failed()) return false;
  if (!has_room_for(read_.links.size())) return true;
  objects_.resize(read_.links.size());
  numbers_.resize(read_.links.size());
  for (std::size_t i = 0; i < read_.links.size(); ++i) {
    read_one(from, sharer, i, read_.evicted);
  }
  ByteWriter& writer = out.begin(from, MessageKind::Reply, space_);
  encode_reply_head(read_.number, numbers_, writer);
  values_.append(objects_, writer);
  counts_.values_sent += objects_.size();
  return true;
}

/// ASPIRE §4.2: on a read request, d^o ← d^o ∪ {m_i}.
[[gnu::always_inline]] inline void Directory::read_one(NodeId from, Sharer& sharer, std::size_t at,
                                                       EvictNumber evicted) {
  const LinkIndex link = read_.links[at];
  Copy& copy = sharer.copies[link.index()];
  // The version is read before the value, so a copy may be newer than its version, but never older.
  const Version version = versions_[copy.object.index()];
  objects_[at] = copy.object;
  // mutant: reply-old-version-as-new
  numbers_[at] = version.value();
  Habit& habit = sharer.habits[link.index()];
  if (policy_.updates == Updates::Adaptive) judge_reader(copy, habit);
  copy.announced = habit.fetched = version;
  habit.joined = std::max(habit.joined, evicted);
  // mutant: forget-sharer-on-refetch
  if (!copy.present) {
    copy.present = true;
    add_sharer(from, link, copy.object);
  }
}

/// A sharer that reads every version is pushed the next ones.
void Directory::judge_reader(Copy& copy, Habit& habit) const {
  if (copy.present && habit.fetched != kNoVersion) {
    const std::uint64_t skipped = versions_[copy.object.index()].value() - habit.fetched.value();
    habit.streak = skipped == 1 ? static_cast<std::uint8_t>(habit.streak + 1) : std::uint8_t{0};
  }
  if (habit.streak < habit.needed) return;
  copy.push = true;
  habit.streak = 0;
}

bool Directory::on_decline(NodeId from, ByteReader& in) {
  constexpr int kLeastNeeded = 2;
  constexpr int kMostNeeded = 64;
  Sharer& sharer = sharers_[from.index()];
  std::vector<LinkIndex> links;
  decode_links(in, sharer.copies.size(), links);
  if (in.failed()) return false;
  for (const LinkIndex link : links) {
    Copy& copy = sharer.copies[link.index()];
    Habit& habit = sharer.habits[link.index()];
    if (copy.push) habit.fetched = copy.announced;
    // mutant: decline-forgets-sharer
    copy.push = false;
    habit.streak = 0;
    habit.needed =
        static_cast<std::uint8_t>(std::clamp(2 * habit.needed, kLeastNeeded, kMostNeeded));
  }
  return true;
}

/// ASPIRE §4.2: on an eviction message, d^o ← d^o \ {m_i}, unless a later Read has arrived before
/// it.
bool Directory::on_evict(NodeId from, ByteReader& in) {
  Sharer& sharer = sharers_[from.index()];
  decode(in, evict_, sharer.copies.size());
  if (in.failed()) return false;
  for (const LinkIndex link : evict_.links) {
    Copy& copy = sharer.copies[link.index()];
    // mutant: evict-ignores-number
    if (sharer.habits[link.index()].joined >= evict_.number) {
      ++counts_.stale_evictions;
      continue;
    }
    if (!copy.present) continue;
    copy.present = false;
    remove_sharer(from, link, copy.object);
    ++counts_.evictions;
  }
  return true;
}

bool Directory::on_ack(NodeId from, ByteReader& in, Outbox& out) {
  const AckNumber number(in.varint());
  if (in.failed()) return false;
  if (policy_.paced) {
    std::uint32_t& unanswered = sharers_[from.index()].unanswered;
    if (unanswered == 0) return false;
    --unanswered;
    return true;
  }
  unacked_.erase({number, from});
  answer_remote_writes(out);
  return true;
}

/// ASPIRE §4.2: on a write message from m_i, invalidate d^o \ {m_i} and set d^o ← d^o ∪ {m_i}.
bool Directory::on_write(NodeId from, ByteReader& in, Outbox& out) {
  Sharer& sharer = sharers_[from.index()];
  decode(in, write_, sharer.copies.size(), value_bytes_);
  if (in.failed() || policy_.optimizations.collocation) return false;  // only the home may write
  Copy& copy = sharer.copies[write_.link.index()];
  const Version current = versions_[copy.object.index()];
  if (write_.version <= current) return true;          // duplicate
  if (write_.version != current.next()) return false;  // two writers, or a lost Write
  if (!has_room_for(copy.present ? 0 : 1)) return true;
  values_.put(copy.object, write_.value);
  // mutant: remote-write-invalidates-no-sharer
  wrote_by(copy.object, 1, from);
  copy.announced = write_.version;
  if (!copy.present) {
    copy.present = true;
    add_sharer(from, write_.link, copy.object);
  }
  if (write_.ack != AckNumber(0)) {
    flush(out, Flush::All);
    remote_writes_.push_back({last_ack_, from, write_.ack});
    answer_remote_writes(out);
  }
  return true;
}

void Directory::answer_remote_writes(Outbox& out) {
  std::erase_if(remote_writes_, [&](const RemoteWrite& write) {
    if (!all_acked(write.through)) return false;
    out.begin(write.writer, MessageKind::WriteAck, space_).varint(write.answer.value());
    return true;
  });
}

bool Directory::all_acked(AckNumber through) const {
  // mutant: skip-acknowledgement-wait
  return unacked_.empty() || unacked_.begin()->number > through;
}

NodeId Directory::slowest_sharer() const {
  return unacked_.empty() ? NodeId::none() : unacked_.begin()->sharer;
}

/// Assumes that none of the copies is in the lists yet, which only matters near the limit.
bool Directory::has_room_for(std::size_t copies) {
  if (copies > most_copies_ - copies_) overfull_ = true;
  return !overfull_;
}

void Directory::add_sharer(NodeId node, LinkIndex link, LocalIndex object) {
  ++copies_;
  std::uint32_t at = free_;
  if (at != 0) {
    free_ = sharers_of_[at].next;
  } else {
    at = static_cast<std::uint32_t>(sharers_of_.size());
    sharers_of_.emplace_back();
  }
  sharers_of_[at] = {node, link, first_sharer_[object.index()]};
  first_sharer_[object.index()] = at;
}

void Directory::remove_sharer(NodeId node, LinkIndex link, LocalIndex object) {
  --copies_;
  std::uint32_t* from = &first_sharer_[object.index()];
  while (*from != 0) {
    const std::uint32_t at = *from;
    if (sharers_of_[at].node == node && sharers_of_[at].link == link) {
      *from = sharers_of_[at].next;
      sharers_of_[at].next = free_;
      free_ = at;
      return;
    }
    from = &sharers_of_[at].next;
  }
  LEEWAY_UNREACHABLE("sharer of", object, "missing", node);
}

bool Directory::shares(NodeId node, LocalIndex object) const {
  for (std::uint32_t at = first_sharer_[object.index()]; at != 0; at = sharers_of_[at].next) {
    if (sharers_of_[at].node == node) return true;
  }
  return false;
}

std::vector<NodeId> Directory::sharers(LocalIndex object) const {
  std::vector<NodeId> nodes;
  for (std::uint32_t at = first_sharer_[object.index()]; at != 0; at = sharers_of_[at].next) {
    nodes.push_back(sharers_of_[at].node);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::size_t Directory::bytes() const {
  std::size_t bytes = versions_.capacity() * sizeof(Version) +
                      first_sharer_.capacity() * sizeof(std::uint32_t) +
                      sharers_of_.capacity() * sizeof(SharerOf);
  for (const Sharer& sharer : sharers_) {
    bytes += sizeof(Sharer) + sharer.copies.capacity() * sizeof(Copy) +
             sharer.habits.capacity() * sizeof(Habit);
  }
  return bytes;
}

namespace {

/// Stores form a dense range if there are at least kLeastStores and at least one in kMostThinness
/// of the range's objects is stored. Otherwise scanning all links costs more than walking the
/// sharer lists of the stored objects.
constexpr std::size_t kLeastStores = 8;
constexpr std::size_t kMostThinness = 8;

}  // namespace

void Directory::wrote(LocalIndex object, std::uint64_t times) { wrote_by(object, times, self_); }

void Directory::wrote(std::span<const LocalIndex> objects, std::span<const std::uint32_t> times) {
  LEEWAY_CHECK((times.empty() || times.size() == objects.size()), times.size(), objects.size());
  if (is_dense(objects)) return wrote_range(objects, times);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    fetch_ahead(objects.subspan(i));
    wrote_by(objects[i], times.empty() ? 1 : times[i], self_);
  }
}

/// For scattered objects: prefetches the state of later objects.
void Directory::fetch_ahead(std::span<const LocalIndex> objects) const {
  constexpr std::size_t kAhead = 16;
  const auto first_sharer = [&](std::size_t i) { return first_sharer_[objects[i].index()]; };
  if (objects.size() > kAhead) {
    __builtin_prefetch(&versions_[objects[kAhead].index()], 1);
    __builtin_prefetch(&first_sharer_[objects[kAhead].index()]);
  }
  if (objects.size() > kAhead / 2) __builtin_prefetch(&sharers_of_[first_sharer(kAhead / 2)]);
  if (objects.size() <= kAhead / 4 || first_sharer(kAhead / 4) == 0) return;
  const SharerOf& sharer = sharers_of_[first_sharer(kAhead / 4)];
  __builtin_prefetch(&sharers_[sharer.node.index()].copies[sharer.link.index()], 1);
}

bool Directory::is_dense(std::span<const LocalIndex> objects) const {
  if (objects.size() < kLeastStores || !policy_.optimizations.flattening) return false;
  bool ascending = true;  // no early exit, so that the loop is vectorized
  for (std::size_t i = 1; i < objects.size(); ++i) ascending &= objects[i - 1] < objects[i];
  const std::size_t width = objects.back().index() - objects.front().index() + std::size_t{1};
  return ascending && width <= kMostThinness * objects.size();
}

/// Requires ascending objects.
void Directory::wrote_range(std::span<const LocalIndex> objects,
                            std::span<const std::uint32_t> times) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Version& version = versions_[objects[i].index()];
    const std::uint64_t stores = times.empty() ? 1 : times[i];
    version = Version(version.value() + stores);
    counts_.writes += stores;
    if (disordered_ == 0) continue;
    for (std::uint32_t at = first_sharer_[objects[i].index()]; at != 0; at = sharers_of_[at].next) {
      const SharerOf& sharer = sharers_of_[at];
      if (!sharers_[sharer.node.index()].ascending) gather(sharer.node, sharer.link);
    }
  }
  // mutant: a-stretch-lacks-its-end
  for (std::size_t node = 0; node < sharers_.size(); ++node)
    add_stored(NodeId(static_cast<std::uint32_t>(node)), {objects.front(), objects.back()});
}

void Directory::add_stored(NodeId node, ObjectRange stored) {
  Sharer& sharer = sharers_[node.index()];
  const auto& copies = sharer.copies;
  if (!sharer.ascending || copies.empty() || copies.front().object > stored.last ||
      copies.back().object < stored.first)
    return;
  // Overlapping or unordered ranges are merged; scanning the gap between them is harmless.
  while (!sharer.stored.empty() && sharer.stored.back().last >= stored.first) {
    const ObjectRange& before = sharer.stored.back();
    stored = {std::min(before.first, stored.first), std::max(before.last, stored.last)};
    sharer.stored.pop_back();
  }
  sharer.stored.push_back(stored);
  touch(node);
}

void Directory::wrote_by(LocalIndex object, std::uint64_t times, NodeId writer) {
  counts_.writes += times;
  versions_[object.index()] = Version(versions_[object.index()].value() + times);
  // mutant: forget-local-write
  for (std::uint32_t at = first_sharer_[object.index()]; at != 0; at = sharers_of_[at].next) {
    const SharerOf& sharer = sharers_of_[at];
    // mutant: lose-second-sharer
    if (sharer.node == writer) continue;
    // Without flattening, each write sends a separate invalidation.
    const std::uint64_t messages = policy_.optimizations.flattening ? 1 : times;
    for (std::uint64_t i = 0; i < messages; ++i) gather(sharer.node, sharer.link);
  }
}

void Directory::gather(NodeId node, LinkIndex link) {
  Sharer& sharer = sharers_[node.index()];
  Copy& copy = sharer.copies[link.index()];
  const bool merge = policy_.optimizations.flattening || sharer.pending.size() >= kMostUnmerged;
  if (copy.queued && merge) return;
  copy.queued = true;
  sharer.pending.push_back(link);
  touch(node);
}

void Directory::touch(NodeId node) {
  if (std::exchange(sharers_[node.index()].touched, true)) return;
  touched_.push_back(node);
}

void Directory::flush(Outbox& out, Flush what) {
  // A waiting store waits for the last number assigned here, so its invalidations must be numbered
  // now.
  const bool all = what == Flush::All || policy_.writes == Writes::Wait;
  std::erase_if(touched_, [&](NodeId id) {
    // mutant: held-back-invalidations-are-dropped
    if (!all && out.holds(id)) return false;
    Sharer& sharer = sharers_[id.index()];
    if (!all && sharer.unanswered > 0) return false;
    sharer.touched = false;
    flush_sharer(id, sharer, out);
    return true;
  });
}

void Directory::flush_sharer(NodeId id, Sharer& sharer, Outbox& out) {
  if (!sharer.pending.empty()) flush_pending(id, sharer, out);
  for (const ObjectRange& stored : sharer.stored) flush_range(id, sharer, stored, out);
  sharer.stored.clear();
}

template <class Next>
[[gnu::always_inline]] inline void Directory::gather_news(Sharer& sharer, std::size_t most,
                                                          Next&& next) {
  invalidated_.make_room(most);
  pushed_.make_room(policy_.updates == Updates::Never ? 0 : most);
  std::size_t invalidated = 0;
  std::size_t pushed = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const LinkIndex link = next(i);
    Copy& copy = sharer.copies[link.index()];
    const Version version = versions_[copy.object.index()];
    if (!copy.present) continue;  // evicted meanwhile
    // mutant: a-repeated-invalidation-is-lost
    if (copy.announced == version && policy_.optimizations.flattening)
      continue;  // announced before, or by a Reply
    copy.announced = version;
    const bool push =
        policy_.updates == Updates::Always || (policy_.updates == Updates::Adaptive && copy.push);
    if (push) {
      // mutant: announce-old-version
      pushed_.put(pushed++, link, version.value(), copy.object);
    } else {
      // mutant: announce-old-version
      invalidated_.put(invalidated++, link, version.value(), copy.object);
    }
  }
  invalidated_.cut(invalidated);
  pushed_.cut(pushed);
}

void Directory::flush_pending(NodeId id, Sharer& sharer, Outbox& out) {
  if (policy_.optimizations.flattening) sort_links(sharer.pending, sharer.copies.size());
  gather_news(sharer, sharer.pending.size(), [&](std::size_t i) {
    const LinkIndex link = sharer.pending[i];
    sharer.copies[link.index()].queued = false;
    return link;
  });
  sharer.pending.clear();
  send_news(id, out);
}

/// One message's worth of links at a time, so that the gathered entries stay in the L1 cache.
void Directory::flush_range(NodeId id, Sharer& sharer, ObjectRange stored, Outbox& out) {
  const auto begin = sharer.copies.begin();
  const auto by_object = [](const Copy& copy, LocalIndex object) { return copy.object < object; };
  auto at = static_cast<std::size_t>(
      std::lower_bound(begin, sharer.copies.end(), stored.first, by_object) - begin);
  while (at < sharer.copies.size() && sharer.copies[at].object <= stored.last) {
    std::size_t end = std::min(at + per_message_, sharer.copies.size());
    while (sharer.copies[end - 1].object > stored.last) --end;
    gather_news(sharer, end - at,
                [&](std::size_t i) { return LinkIndex(static_cast<std::uint32_t>(at + i)); });
    send_news(id, out);
    at = end;
  }
}

void Directory::send_news(NodeId id, Outbox& out) {
  // mutant: lose-invalidation-when-flattening
  send_invalidations(id, invalidated_, false, out);
  send_invalidations(id, pushed_, true, out);
}

void Directory::send_invalidations(NodeId id, const Gathered& gathered, bool push, Outbox& out) {
  const std::size_t all = gathered.links.size();
  for (std::size_t at = 0; at < all; at += per_message_) {
    const std::size_t count = std::min(per_message_, all - at);
    AckNumber ack{0};
    if (policy_.writes == Writes::Wait) {
      ack = last_ack_ = last_ack_.next();
      unacked_.insert({ack, id});
    } else if (policy_.paced) {
      ack = last_ack_ = last_ack_.next();
      ++sharers_[id.index()].unanswered;
    }
    ByteWriter& writer = out.begin(id, MessageKind::Invalidate, space_);
    encode_invalidate_head(ack, push, std::span(gathered.links).subspan(at, count),
                           std::span(gathered.versions).subspan(at, count), writer);
    if (push) values_.append(std::span(gathered.objects).subspan(at, count), writer);
  }
  counts_.invalidations += all;
  if (push) counts_.pushes += all;
}

}  // namespace leeway
