// The first and the last steps of a PIE run: the announcements of copies, and the results.
#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "runtime/cluster/group.h"
#include "runtime/pie/engine.h"

namespace leeway::pie {

namespace {

/// A copy, as its fragment announces it to the vertex's home.
struct CopyNotice {
  Elsewhere home;
  Elsewhere copy;
};

}  // namespace

void PieEngine::announce() {
  Group& group = endpoint_.group();
  ByNode<CopyNotice> notices(group.count());
  for (WorkerSlot& slot : slots_) {
    const Fragment& fragment = slot.worker().fragment();
    for (Place p = fragment.inner_count(); p < fragment.vertex_count(); ++p) {
      const Elsewhere home = fragment.home(p);
      notices[nodes_of_[home.fragment.index()].index()].push_back({home, {slot.id(), p}});
    }
  }
  const ByNode<CopyNotice> received = group.swap(notices);
  for (std::uint32_t from = 0; from < received.size(); ++from) {
    for (const auto& [home, copy] : received[from]) {
      WorkerSlot* const slot = slot_of(home.fragment);
      group.require(slot != nullptr && slot->worker().fragment().is_inner(home.place) &&
                        copy.fragment.value() < nodes_of_.size() &&
                        nodes_of_[copy.fragment.index()] == NodeId(from),
                    NodeId(from));
      slot->worker().routes().announce(home.place, copy);
    }
  }
}

void PieEngine::gather(bool at_first,
                       const std::function<void(PartId, std::span<const std::byte>)>& take) {
  Group& group = endpoint_.group();
  std::vector<std::pair<PartId, Frame>> mine;
  for (WorkerSlot& slot : slots_) {
    ByteWriter results;
    // A worker that was stopped before its PEval has no results.
    if (slot.statistics().rounds_run() > 0) slot.worker().write_results(results);
    if (is_first() || !at_first) {
      take(slot.id(), results.span());
    } else {
      mine.emplace_back(slot.id(), results.take());
    }
  }
  const auto all = group.gather(mine);
  receive();  // what the engines of other nodes have sent before
  if (!at_first) return;
  std::vector<bool> has_arrived(nodes_of_.size(), false);
  for (std::uint32_t from = 1; from < all.size(); ++from) {
    const auto expected = std::count(nodes_of_.begin(), nodes_of_.end(), NodeId(from));
    group.require(all[from].size() == static_cast<std::size_t>(expected), NodeId(from));
    for (const auto& [worker, bytes] : all[from]) {
      group.require(worker.value() < nodes_of_.size() &&
                        nodes_of_[worker.index()] == NodeId(from) && !has_arrived[worker.index()],
                    NodeId(from));
      has_arrived[worker.index()] = true;
      take(worker, bytes);
    }
  }
}

}  // namespace leeway::pie
