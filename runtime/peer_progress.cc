#include "leeway/runtime/peer_progress.h"

#include <algorithm>
#include <limits>

namespace leeway {

namespace {

/// News is used when it has come and is never waited for: whatever is here will do.
Policy push_policy() {
  Policy policy;
  policy.name = "news";
  policy.threshold = std::numeric_limits<std::uint32_t>::max();
  policy.refresh = false;
  policy.updates = Updates::Always;
  return policy;
}

}  // namespace

Result<PeerProgress> PeerProgress::open(Node& node, std::span<const NodeId> peers, bool one_clock) {
  SpaceOptions space;
  space.name = "rounds";
  space.local_objects = 1;
  space.remote_objects = static_cast<std::uint32_t>(peers.size());
  space.policy = push_policy();
  space.note_changes = true;
  LEEWAY_ASSIGN(auto dsm, Dsm<RoundNews>::open(node, space));
  dsm.store(Handle(0), {.worker = PartId(node.self().value())});
  std::vector<Handle> handles;
  for (const NodeId peer : peers) {
    LEEWAY_ASSIGN(const Handle handle, dsm.resolve({peer, LocalIndex(0)}));
    handles.push_back(handle);
  }
  node.barrier();
  dsm.replicate(std::span<const Handle>(handles));
  dsm.space().take_changed([](MetIndex) {});
  return PeerProgress(dsm, peers.size(), one_clock);
}

void PeerProgress::tell(const RoundNews& news) { dsm_.store(Handle(0), news); }

RoundNews PeerProgress::news_of(MetIndex met) {
  // Straight from memory: a fetch of a copy that is stale already would count as a stale use, which keeps a
  // computation from ending.
  RoundNews news = dsm_.peek(Handle(dsm_.local_count() + met.value()));
  if (one_clock_) return news;
  Duration& ahead_by = ahead_by_[met.index()];
  ahead_by = std::min(ahead_by, dsm_.node().transport().now() - news.sent);
  news.sent += ahead_by;
  return news;
}

}  // namespace leeway
