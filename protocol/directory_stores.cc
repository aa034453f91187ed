// What this node stores, and how the sharers hear of it.
#include <algorithm>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/protocol/directory.h"
#include "leeway/protocol/link_set.h"

namespace leeway {

namespace {

/// So many stores make a stretch, if at least one in kMostThinness of the objects between is among them: below, to look
/// at all links costs more than to walk the lists of sharers of those that were stored.
constexpr std::size_t kLeastStretch = 8;
constexpr std::size_t kMostThinness = 8;

}  // namespace

void Directory::wrote(LocalIndex object, std::uint64_t times) { wrote_by(object, times, self_); }

void Directory::wrote(std::span<const LocalIndex> objects, std::span<const std::uint32_t> times) {
  LEEWAY_CHECK((times.empty() || times.size() == objects.size()), times.size(), objects.size());
  if (makes_stretch(objects)) return wrote_stretch(objects, times);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    fetch_ahead(objects.subspan(i));
    wrote_by(objects[i], times.empty() ? 1 : times[i], self_);
  }
}

/// Scattered objects: what the next ones need is on its way from memory while the first is worked on.
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

bool Directory::makes_stretch(std::span<const LocalIndex> objects) const {
  if (objects.size() < kLeastStretch || !policy_.optimizations.flattening) return false;
  bool ascending = true;  // no early way out: the loop takes many at a time
  for (std::size_t i = 1; i < objects.size(); ++i) ascending &= objects[i - 1] < objects[i];
  const std::size_t width = objects.back().index() - objects.front().index() + std::size_t{1};
  return ascending && width <= kMostThinness * objects.size();
}

/// Requires ascending objects.
void Directory::wrote_stretch(std::span<const LocalIndex> objects,
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
  for (std::size_t node = 0; node < sharers_.size(); ++node)
    add_stored(NodeId(static_cast<std::uint32_t>(node)), {objects.front(), objects.back()});
}

void Directory::add_stored(NodeId node, ObjectRun stored) {
  Sharer& sharer = sharers_[node.index()];
  const auto& copies = sharer.copies;
  if (!sharer.ascending || copies.empty() || copies.front().object > stored.last ||
      copies.back().object < stored.first)
    return;
  // Where they overlap or come in another order, they become one, and what lies between is looked at in vain.
  while (!sharer.stored.empty() && sharer.stored.back().last >= stored.first) {
    const ObjectRun& before = sharer.stored.back();
    stored = {std::min(before.first, stored.first), std::max(before.last, stored.last)};
    sharer.stored.pop_back();
  }
  sharer.stored.push_back(stored);
  touch(node);
}

void Directory::wrote_by(LocalIndex object, std::uint64_t times, NodeId writer) {
  counts_.writes += times;
  versions_[object.index()] = Version(versions_[object.index()].value() + times);
  for (std::uint32_t at = first_sharer_[object.index()]; at != 0; at = sharers_of_[at].next) {
    const SharerOf& sharer = sharers_of_[at];
    if (sharer.node == writer) continue;
    // Without flattening each of the writes gets an invalidation of its own.
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
  // A store that waits takes the last number given out here, so its invalidations have to have theirs.
  const bool all = what == Flush::All || policy_.writes == Writes::Wait;
  std::erase_if(touched_, [&](NodeId id) {
    if (!all && out.holds(id)) return false;
    Sharer& sharer = sharers_[id.index()];
    sharer.touched = false;
    flush_sharer(id, sharer, out);
    return true;
  });
}

void Directory::flush_sharer(NodeId id, Sharer& sharer, Outbox& out) {
  if (!sharer.pending.empty()) flush_pending(id, sharer, out);
  for (const ObjectRun& stored : sharer.stored) flush_stretch(id, sharer, stored, out);
  sharer.stored.clear();
}

template <class Next>
[[gnu::always_inline]] inline void Directory::gather_news(Sharer& sharer, std::size_t most,
                                                          Next&& next) {
  told_.make_room(most);
  pushed_.make_room(policy_.updates == Updates::Never ? 0 : most);
  std::size_t told = 0;
  std::size_t pushed = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const LinkIndex link = next(i);
    Copy& copy = sharer.copies[link.index()];
    const Version version = versions_[copy.object.index()];
    if (!copy.present) continue;  // evicted since it was gathered
    if (copy.heard == version && policy_.optimizations.flattening)
      continue;  // told before, or a Reply was faster
    copy.heard = version;
    const bool push =
        policy_.updates == Updates::Always || (policy_.updates == Updates::Adaptive && copy.push);
    if (push) {
      pushed_.put(pushed++, link, version.value(), copy.object);
    } else {
      told_.put(told++, link, version.value(), copy.object);
    }
  }
  told_.cut(told);
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

/// A message's worth of links at a time, so that what is gathered stays in the processor's nearest cache.
void Directory::flush_stretch(NodeId id, Sharer& sharer, ObjectRun stored, Outbox& out) {
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
  send_invalidations(id, told_, false, out);
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
